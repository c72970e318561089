"""A WACZ file holds what the crawl committed. tests/crawl/test_replay.py has it judged by others."""

import gzip
import json
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest

from tests.warc.exchanges import exchange
from tests.warc.witnesses import records
from webgraph_it.items import Page, State
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.encode import page_line
from webgraph_it.shards.formats import ShardError
from webgraph_it.warc import wacz
from webgraph_it.warc.capture import Capture
from webgraph_it.warc.cdxj import write
from webgraph_it.warc.stream import WarcStream
from webgraph_it.warc.wacz import Packed, pack

NOW = 1_795_000_000.0


@pytest.fixture
def directory(tmp_path: Path) -> CrawlDirectory:
    """A crawl with two WARC files. The second has no index yet, and is longer than committed."""
    jobdir = tmp_path / "crawl"
    for folder in ("warc", "pages"):
        (jobdir / folder).mkdir(parents=True)
    (jobdir / "crawl.json").write_text('{"recipe_version": 1, "CRAWL_NAME": "italy"}')
    stream = WarcStream([("software", "x")])
    lengths = {}
    for number in (1, 2):
        name = f"00000{number}.warc.gz"
        stream.begin_file(name)
        captures = [Capture(exchange(f"http://a.it/{n}", b"%d" % n), None) for n in range(number, 9, 2)]
        (jobdir / "warc" / name).write_bytes(stream.members(captures))
        lengths[name] = (jobdir / "warc" / name).stat().st_size
    (finished,) = stream.take_finished()
    write(jobdir / "warc/000001.warc.gz", finished.lines)
    with (jobdir / "warc/000002.warc.gz").open("ab") as file:
        file.write(b"not committed")
    (jobdir / "warc/000003.warc.gz").touch()
    pages = [
        Page("http://a.it/1", "it,a)/1", bytes(16), NOW, State.FETCHED, 200, 0, "", media_type="text/html"),
        Page("http://a.it/2", "it,a)/2", bytes(16), NOW, State.ERROR, 404, 0, "", media_type="text/html"),
        Page(
            "http://a.it/3",
            "it,a)/3",
            bytes(16),
            NOW,
            State.FETCHED,
            200,
            0,
            "",
            media_type="application/pdf",
        ),
    ]
    log = "".join(page_line(page, 0) for page in pages).encode()
    (jobdir / "pages/000001.jsonl").write_bytes(log)
    committed = {"warc": lengths | {"000003.warc.gz": 0}, "pages": {"000001.jsonl": len(log)}}
    (jobdir / "committed.json").write_text(json.dumps(committed))
    return CrawlDirectory(jobdir)


def test_what_was_committed_is_in_it_and_nothing_else(directory: CrawlDirectory, tmp_path: Path) -> None:
    to, copied = tmp_path / "x.wacz", list[int]()
    packed = pack(directory, to, NOW, copied.append)
    assert packed == Packed(2, 8, 1, to.stat().st_size)
    with ZipFile(to) as file:
        archives = [name for name in file.namelist() if name.startswith("archive/")]
        assert archives == ["archive/000001.warc.gz", "archive/000002.warc.gz"]
        contents = [file.read(name) for name in archives]
        assert sum(map(len, contents)) == copied[-1]
        assert sum(len(records(content)) for content in contents) == 2 + 2 * 8
        stored = [file.getinfo(name).compress_type for name in [*archives, "indexes/index.cdx.gz"]]
        assert stored == [ZIP_STORED] * 3
        pages = [json.loads(line) for line in file.read("pages/pages.jsonl").splitlines()]
    assert pages[0]["format"] == "json-pages-1.0"
    assert pages[1:] == [{"id": "1", "url": "http://a.it/1", "ts": "2026-11-18T11:06:40.000Z"}]


def test_the_package_lists_every_file_with_its_digest(directory: CrawlDirectory, tmp_path: Path) -> None:
    to = tmp_path / "x.wacz"
    pack(directory, to, NOW)
    with ZipFile(to) as file:
        listed = json.loads(file.read("datapackage.json"))
        for resource in listed["resources"]:
            content = file.read(resource["path"])
            assert (f"sha256:{sha256(content).hexdigest()}", len(content)) == (
                resource["hash"],
                resource["bytes"],
            )
        names = {resource["path"] for resource in listed["resources"]}
        assert names | {"datapackage.json", "datapackage-digest.json"} == set(file.namelist())
        said = json.loads(file.read("datapackage-digest.json"))
        assert said["hash"] == f"sha256:{sha256(file.read('datapackage.json')).hexdigest()}"
    assert (listed["title"], listed["wacz_version"], listed["created"]) == (
        "italy",
        "1.1.1",
        "2026-11-18T11:06:40Z",
    )


def test_the_index_is_sorted_and_each_block_is_where_it_is_said_to_be(
    directory: CrawlDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wacz, "BLOCK_LINES", 3)
    to = tmp_path / "x.wacz"
    pack(directory, to, NOW)
    with ZipFile(to) as file:
        index, places = (
            file.read("indexes/index.cdx.gz"),
            file.read("indexes/index.idx").decode().splitlines(),
        )
    lines = gzip.decompress(index).decode().splitlines()
    assert len(lines) == 8
    assert lines == sorted(lines)
    assert len(places) == 1 + 3
    for number, place in enumerate(places[1:]):
        key, _, said = place.partition("{")
        found = json.loads("{" + said)
        block = gzip.decompress(index[found["offset"] : found["offset"] + found["length"]]).decode()
        assert block.splitlines() == lines[3 * number : 3 * number + 3]
        assert block.startswith(key)


def test_a_crawl_without_an_archive_is_refused(directory: CrawlDirectory, tmp_path: Path) -> None:
    for file in (directory.path / "warc").iterdir():
        file.unlink()
    directory.committed_file.unlink()
    with pytest.raises(ShardError, match="has no archive: crawl with -s WARC=True"):
        pack(directory, tmp_path / "x.wacz", NOW)
    assert not (tmp_path / "x.wacz").exists()

import json
from pathlib import Path

import pytest

from tests.convert.crawls import LINKS, digest, shard, write_crawl
from webgraph_it.shards.formats import Part, ShardError, file_name, open_crawl, sequences, whole_parts
from webgraph_it.urls import names


def test_sequences_are_those_written_by_hand(tmp_path: Path) -> None:
    (tmp_path / "000001.g16").write_bytes(shard(LINKS))
    (part,) = whole_parts([tmp_path / "000001.g16"])
    expected = [(digest(parent), [digest(child) for child in children]) for parent, children in LINKS.items()]
    assert list(sequences(part)) == expected


def test_digest_written_by_hand_is_the_recipe_of_urls() -> None:
    assert all(names.digest(key) == digest(key) for key in LINKS)


def test_golden_record() -> None:
    """Pinned bytes: a parent and its child."""
    written = shard({"it,esempio)/": ["it,esempio)/about"]})
    assert written.hex() == "df4ae399ab26a76263741292a58c2a39" + "24035937234dd2f40dc21d0bdcf01928"


def test_files_are_read_in_order_of_number(tmp_path: Path) -> None:
    write_crawl(tmp_path, files=3)
    (tmp_path / "graph" / "notes.txt").write_text("not a shard")
    crawl = open_crawl(tmp_path)
    assert [part.path.name for part in crawl.graph] == ["000001.g16", "000002.g16", "000003.g16"]
    assert [part.path.name for part in crawl.urls] == [file_name("urls", n) for n in (1, 2, 3)]
    assert crawl.recipe_version == 1


def test_only_committed_bytes_count(tmp_path: Path) -> None:
    write_crawl(tmp_path, files=2)
    lengths = {"graph": {"000001.g16": 32}, "urls": {"000001.tsv": 0}, "pages": {}}
    (tmp_path / "committed.json").write_text(json.dumps(lengths))
    crawl = open_crawl(tmp_path)
    assert crawl.graph == (Part(tmp_path / "graph" / "000001.g16", 32),)
    assert crawl.urls == (Part(tmp_path / "urls" / "000001.tsv", 0),)
    assert crawl.pages == ()


def break_it(path: Path, how: str) -> None:
    committed = {"graph": {"000001.g16": 16}, "urls": {}, "pages": {}}
    match how:
        case "no crawl.json":
            (path / "crawl.json").unlink()
        case "bad JSON":
            (path / "crawl.json").write_text("{")
        case "no version":
            (path / "crawl.json").write_text("{}")
        case "a list":
            (path / "crawl.json").write_text("[]")
        case "file gone":
            (path / "committed.json").write_text(json.dumps(committed))
            (path / "graph" / "000001.g16").unlink()
        case "file cut":
            (path / "committed.json").write_text(json.dumps(committed))
            (path / "graph" / "000001.g16").write_bytes(b"short")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("no crawl.json", "is not a crawl directory: it has no crawl.json"),
        ("bad JSON", "is not JSON"),
        ("no version", "does not say its recipe_version"),
        ("a list", "holds list, expected a JSON object"),
        ("file gone", "lacks '000001.g16', which committed.json counts"),
        ("file cut", "has 5 bytes, but 16 were committed"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, how: str, sentence: str) -> None:
    write_crawl(tmp_path)
    break_it(tmp_path, how)
    with pytest.raises(ShardError, match=sentence):
        open_crawl(tmp_path)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [(b"x" * 20, "is torn: 20 bytes are 1 records"), (b"\0" * 16, "starts with a child")],
)
def test_damaged_shard_is_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    (tmp_path / "1.g16").write_bytes(data)
    with pytest.raises(ShardError, match=sentence):
        list(sequences(Part(tmp_path / "1.g16", len(data))))

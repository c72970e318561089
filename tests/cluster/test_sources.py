"""Which bytes of which files count."""

import json
import shutil
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it.cli import main
from webgraph_it.cluster.sources import not_opened, sources
from webgraph_it.shards.formats import ShardError


def test_only_committed_bytes_count(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    lengths = {f.parent.name: {f.name: f.stat().st_size} for f in tmp_path.glob("*/000001.*")}
    (tmp_path / "committed.json").write_text(json.dumps(lengths))
    for file in tmp_path.glob("*/000001.*"):
        file.write_bytes(file.read_bytes() + b"not committed")
    (tmp_path / "graph/000002.g16").write_bytes(b"x" * 16)
    found = {(split.stream, split.stop) for split in sources([str(tmp_path)]).splits}
    assert found == {(stream, length) for stream, files in lengths.items() for length in files.values()}


def test_a_fleet_stands_for_its_members(tmp_path: Path) -> None:
    for number in (1, 2):
        member = write_crawl(tmp_path / f"fleet/member-{number:02d}")
        (member / "crawl.json").write_text(json.dumps({"recipe_version": 1, "FLEET_SIZE": 2}))
    uris = [split.uri for split in sources([str(tmp_path / "fleet")]).splits]
    assert {uri.split("/")[-3] for uri in uris} == {"member-01", "member-02"}
    shutil.rmtree(tmp_path / "fleet/member-02")
    with pytest.raises(ShardError, match=r"has 1 of the 2 members of a fleet: give all of them"):
        sources([str(tmp_path / "fleet")])


def test_a_uri_and_a_path_are_the_same_directory(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    by_uri, by_path = (sources([name]) for name in (tmp_path.as_uri(), str(tmp_path)))
    assert [split[1:] for split in by_uri.splits] == [split[1:] for split in by_path.splits]


def test_small_splits_share_a_task_and_large_files_are_divided(tmp_path: Path) -> None:
    write_crawl(tmp_path, files=3)
    found = sources([str(tmp_path)], 64)
    assert [len(task) for task in sources([str(tmp_path)]).tasks("graph")] == [3]
    tasks = found.tasks("graph", split_bytes=64)
    assert all(sum(split.stop - split.start for split in task) <= 64 for task in tasks)
    assert sum(len(task) for task in tasks) == len([s for s in found.splits if s.stream == "graph"])


def test_what_is_not_a_crawl_or_lacks_bytes_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ShardError, match=r"is not a crawl directory: it has no crawl.json"):
        sources([str(tmp_path / "nothing")])
    write_crawl(tmp_path)
    (tmp_path / "committed.json").write_text('{"graph": {"000001.g16": 16000}, "urls": {"000001.tsv": 1}}')
    with pytest.raises(ShardError, match=r"but 16000 were committed: restore the file"):
        sources([str(tmp_path)])
    (tmp_path / "committed.json").write_text('{"graph": {"000002.g16": 16}, "urls": {"000001.tsv": 1}}')
    with pytest.raises(
        ShardError, match=r"lacks graph/000002.g16, which committed.json counts: restore the file"
    ):
        sources([str(tmp_path)])
    (tmp_path / "committed.json").unlink()
    with (tmp_path / "graph/000001.g16").open("ab") as shard:
        shard.write(b"torn")
    with pytest.raises(ShardError, match=r"000001.g16 is torn: .* Resume the crawl once"):
        sources([str(tmp_path)])
    with pytest.raises(ShardError, match=r"crawl.json is a file: give the JOBDIR of a crawl"):
        sources([str(tmp_path / "crawl.json")])
    (tmp_path / "crawl.json").write_text('{"recipe_version": 7}')
    with pytest.raises(ShardError, match=r"names its nodes by recipe 7"):
        sources([str(tmp_path)])
    with pytest.raises(ShardError, match=r"cannot be opened"):
        sources(["gopher://host/crawl"])


def test_a_crawl_directory_given_twice_is_refused_as_convert_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    (tmp_path / "link").symlink_to(crawl)
    words = [str(crawl), str(tmp_path / "link"), "--out", str(tmp_path / "out")]
    sentence = "One crawl directory was given twice; expected each of them once."
    for verb in (["cluster", "degrees"], ["convert"]):
        assert main([*verb, *words]) == 2
        assert sentence in capsys.readouterr().err
    with pytest.raises(ShardError, match=sentence):
        sources([f"{crawl}/", crawl.as_uri()])


def test_an_empty_url_list_is_an_empty_web(tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "crawl", {}, {}, {})
    assert sources([str(crawl)]).splits == ()
    (crawl / "urls/000001.tsv").unlink()
    with pytest.raises(ShardError, match=r"has no URL list \(urls/000001.tsv\): nothing was crawled yet"):
        sources([str(crawl)])


def test_what_pyarrow_cannot_load_is_named_without_the_paths_that_it_tried() -> None:
    tried = "\ndlopen(/usr/lib/jvm/default-java/libjvm.so) failed" * 90
    assert not_opened("hdfs://name/crawl", f"Unable to load libjvm{tried}") == (
        "hdfs://name/crawl cannot be opened: Unable to load libjvm. "
        "Java's libjvm was not found: set JAVA_HOME to the folder of Java 17 or 21."
    )
    assert "set HADOOP_HOME" in not_opened("hdfs://name/crawl", "Unable to load libhdfs: ./libhdfs.so: no")

"""The crawl directory as others see it: where things are, and what counts of them."""

import json
import os
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import Part, ShardError, file_name


def test_files_are_read_in_order_of_number(tmp_path: Path) -> None:
    write_crawl(tmp_path, files=3)
    (tmp_path / "graph" / "notes.txt").write_text("not a shard")
    crawl = CrawlDirectory(tmp_path)
    assert [part.path.name for part in crawl.parts("graph")] == ["000001.g16", "000002.g16", "000003.g16"]
    assert [part.path.name for part in crawl.parts("urls")] == [file_name("urls", n) for n in (1, 2, 3)]
    assert crawl.recipe_version() == 1


def test_only_committed_bytes_count(tmp_path: Path) -> None:
    write_crawl(tmp_path, files=2)
    lengths = {"graph": {"000001.g16": 32}, "urls": {"000001.tsv": 0}, "pages": {}}
    (tmp_path / "committed.json").write_text(json.dumps(lengths))
    crawl = CrawlDirectory(tmp_path)
    assert crawl.parts("graph") == [Part(tmp_path / "graph" / "000001.g16", 32)]
    assert crawl.parts("urls") == [Part(tmp_path / "urls" / "000001.tsv", 0)]
    assert crawl.parts("pages") == []


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
        ("file gone", "lacks 'graph/000001.g16', which committed.json counts"),
        ("file cut", "has 5 bytes, but 16 were committed"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, how: str, sentence: str) -> None:
    write_crawl(tmp_path)
    break_it(tmp_path, how)
    crawl = CrawlDirectory(tmp_path)
    with pytest.raises(ShardError, match=sentence):
        (crawl.recipe_version(), crawl.parts("graph"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"frontier": {}}',
        '{"graph": {"../../x.g16": 1}}',
        '{"graph": {"000001.tsv": 1}}',
        '{"graph": {"000001.g16": true}}',
    ],
)
def test_lengths_of_what_is_no_file_of_the_crawl_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "committed.json").write_text(text)
    with pytest.raises(
        ShardError,
        match=r"committed\.json .* restore it from a copy, or remove it, then run: webgraph-it repair /",
    ):
        CrawlDirectory(tmp_path).committed()


def test_without_a_commit_all_bytes_count(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    crawl = CrawlDirectory(tmp_path)
    assert crawl.committed() is None
    assert {f"graph/{part.path.name}": part.length for part in crawl.parts("graph")} == {
        name: size for name, size in crawl.sizes().items() if name.startswith("graph/")
    }


def test_parts_within_lengths_are_those_of_files_that_are_there(tmp_path: Path) -> None:
    write_crawl(tmp_path, files=2)
    lengths = {"pages/000002.jsonl": 7, "pages/000003.jsonl": 9, "graph/000001.g16": 16}
    parts = CrawlDirectory(tmp_path).parts_within("pages", lengths)
    assert parts == [Part(tmp_path / "pages" / "000002.jsonl", 7)]


def test_a_folder_without_a_store_is_no_frontier(tmp_path: Path) -> None:
    crawl = CrawlDirectory(tmp_path)
    crawl.frontier.mkdir()
    assert not crawl.has_frontier
    (crawl.frontier / "CURRENT").touch()
    assert crawl.has_frontier


def test_progress_is_read_from_a_regular_file_only(tmp_path: Path) -> None:
    crawl = CrawlDirectory(tmp_path)
    assert list(crawl.progress()) == []
    crawl.reports.mkdir()
    os.mkfifo(crawl.progress_file)
    assert list(crawl.progress()) == []
    crawl.progress_file.unlink()
    crawl.progress_file.write_text('{"pages": 1}\n{"pa')
    assert list(crawl.progress()) == [{"pages": 1}, None]

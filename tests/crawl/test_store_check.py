"""Before a resume the frontier is opened, read through and compared with the files; nothing is changed by that."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.crawl.crawling import content
from tests.crawl.test_record import Recording, page_of
from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.crawl.store_check import check_store
from webgraph_it.frontier.records import FrontierError
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import ShardError


@pytest.fixture
def jobdir(tmp_path: Path) -> Path:
    """A crawl of three pages, committed one by one and closed; `older` is the frontier after the first."""
    recording = Recording(tmp_path / "job", hosts=3)
    for number, lease in enumerate(recording.leased):
        recording.recorder.record(page_of(lease))
        asyncio.run(recording.committer.commit())
        if number == 1:
            shutil.copytree(tmp_path / "job/frontier", tmp_path / "older")
    recording.close()
    return tmp_path / "job"


def check(jobdir: Path) -> None:
    before = content(jobdir)
    try:
        check_store(CrawlDirectory(jobdir))
    finally:
        assert content(jobdir) == before


def test_a_crawl_that_was_closed_may_be_resumed(jobdir: Path) -> None:
    check(jobdir)


def test_a_directory_without_a_frontier_is_not_looked_at(tmp_path: Path) -> None:
    check_store(CrawlDirectory(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_a_crash_wrote_beyond_the_commit_is_no_reason_to_refuse(jobdir: Path) -> None:
    with (jobdir / "pages/000001.jsonl").open("ab") as file:
        file.write(b'{"torn')
    check(jobdir)


def test_an_older_frontier_is_refused_with_how_to_repair(jobdir: Path) -> None:
    shutil.rmtree(jobdir / "frontier")
    shutil.copytree(jobdir.parent / "older", jobdir / "frontier")
    with pytest.raises(DirectoryError, match=r"older than the crawl's files.*webgraph-it repair"):
        check(jobdir)


@pytest.mark.parametrize("is_shorter", [True, False])
def test_a_shard_that_is_not_what_was_committed_is_refused(jobdir: Path, is_shorter: bool) -> None:
    path = jobdir / "graph/000001.g16"
    *whole, last = path.read_bytes()
    path.write_bytes(bytes(whole if is_shorter else [*whole, last ^ 1]))
    with pytest.raises(ShardError, match=r"000001\.g16"):
        check(jobdir)


def test_a_store_that_cannot_be_read_is_refused_with_how_to_repair(jobdir: Path) -> None:
    tables = list((jobdir / "frontier").glob("*.sst"))
    assert tables
    for table in tables:
        table.write_bytes(bytes(table.stat().st_size))
    with pytest.raises(FrontierError, match=r"; or rebuild it .* webgraph-it repair"):
        check(jobdir)

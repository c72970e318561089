"""Reports of a crawl that runs: one set at a time, to its end, and what cannot be written is said once."""

import asyncio
from pathlib import Path

import pytest

from tests.defaults import default_scope
from tests.frontier.making import commit, link, open_frontier
from webgraph_it.crawl.complaints import Complaints
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.progress import Run
from webgraph_it.crawl.reporter import Reporter
from webgraph_it.crawl.tally import Tally


@pytest.fixture
def reporter(tmp_path: Path) -> Reporter:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://a.it/\n")
    frontier = open_frontier()
    frontier.add_seeds([link("a")], 1.0)
    commit(frontier)
    directory = JobDirectory(tmp_path)
    directory.reports.mkdir()
    run = Run(opened_at=0.0, pages=0, seconds=0.0)
    complaints = Complaints(directory.reports)
    return Reporter(directory, frontier, Tally(), seeds, default_scope(), run, complaints)


def status(folder: Path) -> str:
    return (folder / "reports/crawl-report.txt").read_text().splitlines()[1]


def test_the_reports_are_of_the_last_commit(reporter: Reporter, tmp_path: Path) -> None:
    asyncio.run(reporter.write("Running"))
    assert status(tmp_path) == "Crawl Status: Running"
    assert (tmp_path / "reports/seeds-report.txt").read_text().splitlines()[1:] == [
        "0 NOTCRAWLED (never-tried) http://a.it/"
    ]
    assert (tmp_path / "reports/hosts-report.txt").read_text().splitlines()[1:] == ["0 1 0 a.it"]


def test_who_comes_second_is_second_and_both_are_written(reporter: Reporter, tmp_path: Path) -> None:
    async def twice() -> None:
        await asyncio.gather(reporter.write("Running"), reporter.write("Finished"))

    asyncio.run(twice())
    assert status(tmp_path) == "Crawl Status: Finished"


def test_a_set_that_was_begun_is_finished_whoever_is_cancelled(reporter: Reporter, tmp_path: Path) -> None:
    """The store is not closed under a reader."""

    async def cancelled() -> None:
        writing = asyncio.create_task(reporter.write("Running"))
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        await reporter.wait()

    asyncio.run(cancelled())
    assert status(tmp_path) == "Crawl Status: Running"


def test_reports_that_cannot_be_written_are_complained_about_once(
    reporter: Reporter, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def twice() -> None:
        for _ in range(2):
            await reporter.write("Running")

    (tmp_path / "reports").rmdir()
    asyncio.run(twice())
    (message,) = caplog.messages
    assert message.startswith(f"Reports in {tmp_path / 'reports'} could not be written: ")

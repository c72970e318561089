"""The pages of an earlier crawl: exactly its visit rows, also while it runs, and never changed."""

from pathlib import Path

import pytest

from tests.crawl.test_migration import old_directory
from tests.defaults import frontier_limits, politeness
from tests.frontier.making import NOW, commit, link
from tests.frontier.test_revisits import ROW
from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.crawl.known_pages import KnownPages, NoPages
from webgraph_it.frontier import Frontier, Order, RocksStore


def running(jobdir: Path) -> Frontier:
    """A crawl that has fetched one page, and still runs."""
    jobdir.mkdir()
    (jobdir / "crawl.json").write_text("{}")
    store = RocksStore(jobdir / "frontier")
    frontier = Frontier.open(store, politeness(), Order.BREADTH, frontier_limits(), NOW)
    frontier.keep_visit(link("a").digest, ROW)
    frontier.add([link("b")], 0, "", NOW)
    commit(frontier)
    return frontier


def test_the_visit_rows_of_a_running_crawl_are_known_and_nothing_else(tmp_path: Path) -> None:
    frontier = running(tmp_path / "job")
    known = KnownPages(tmp_path / "job")
    a, b = link("a").digest, link("b").digest
    assert a in known
    assert b not in known, "it was found, but not fetched"
    assert known.get(a) == ROW
    assert known.get(b) is None
    assert known.among([b, a, a]) == [a]
    known[b] = "now"
    assert list(known.keys()) == [a]
    known.close()
    frontier.close()


def test_after_a_reset_nothing_is_known() -> None:
    known = NoPages()
    assert link("a").digest not in known
    assert (known.get(b"a"), known.among([b"a"]), list(known.keys())) == (None, [], [])


def test_a_folder_without_a_frontier_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DirectoryError, match="not a crawl directory with a frontier"):
        KnownPages(tmp_path)


def test_a_crawl_from_before_there_were_visits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DirectoryError, match="resume that crawl once"):
        KnownPages(old_directory(tmp_path / "job"))

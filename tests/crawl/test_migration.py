"""A crawl directory of layout 1 (tests/data/layout-1.tar.gz, killed after 15 pages) is migrated once, and resumes."""

import tarfile
from pathlib import Path

from tests.crawl.crawling import PROJECT, differences, run_crawl, start_crawl
from tests.crawl.recrawling import FAST, PARENTS, log_of, plan_pages
from tests.defaults import frontier_limits, politeness
from webgraph_it.crawl.migration import migrated
from webgraph_it.frontier import Frontier, Order, RocksStore
from webgraph_it.frontier.visits import links_digest
from webgraph_it.shards.committed import unpacked
from webgraph_it.shards.writer import Place, Shards
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.crawl_files import digest

WEB = {"hosts": 6, "pages": 40, "degree": 5, "page_bytes": 800, "only": ["plain"]}
"""The web that was crawled."""


def old_directory(path: Path) -> Path:
    with tarfile.open(PROJECT / "tests/data/layout-1.tar.gz") as archive:
        archive.extractall(path, filter="data")
    path.chmod(0o700)
    return path


def open_frontier(jobdir: Path) -> Frontier:
    store = RocksStore(jobdir / "frontier")
    return Frontier.open(store, politeness(), Order.BREADTH, frontier_limits(), 1e10)


def test_an_old_directory_resumes_migrates_once_and_finds_the_same_graph(tmp_path: Path) -> None:
    jobdir = old_directory(tmp_path / "job")
    with SimWeb(**WEB) as web:
        said = run_crawl(web, jobdir, **FAST)
        assert "migrating it once" in said
        assert "Migrated: 15 pages can be visited again." in said
        assert differences(web, jobdir) == []
        plan_pages(jobdir)
        again = run_crawl(web, jobdir, **FAST)
    assert "migrat" not in again.lower()
    assert "A plan was imported: 40 pages are visited again." in again
    lines = log_of(jobdir)
    assert [line["state"] for line in lines if "visit" in line] == ["unchanged"] * 40


def test_a_migration_that_was_killed_begins_again(tmp_path: Path) -> None:
    jobdir = old_directory(tmp_path / "job")
    with SimWeb(**WEB) as web:
        crawl = start_crawl(web, jobdir, kill_at="before-store-commit:1", **FAST)
        crawl.communicate()
        assert crawl.returncode == -9
        assert "migrating it once" in run_crawl(web, jobdir, **FAST)
        assert differences(web, jobdir) == []


def test_a_migrated_row_says_what_the_files_say(tmp_path: Path) -> None:
    jobdir = old_directory(tmp_path / "job")
    frontier = open_frontier(jobdir)
    committed = unpacked(frontier.get_meta("shards"))
    assert frontier.lacks_visits
    assert list(migrated(frontier, jobdir, committed))[-1] == 15
    assert not frontier.lacks_visits
    shards = Shards(jobdir, committed, {"graph": 9, "urls": 9, "pages": 9})
    for line in log_of(jobdir):
        row = frontier.visit(digest(line["key"]))
        assert (row is not None) == (line["state"] in PARENTS)
        if row is not None:
            parent, *children = shards.sequence_at(Place(row.file_number, row.offset), row.links)
            assert parent[1:] == digest(line["key"])[1:]
            assert (row.links, row.links_digest) == (line["links"], links_digest(children))
            assert (row.last_visit, row.visits) == (line["time"], 1)
    shards.close()
    frontier.close()
    again = open_frontier(jobdir)
    assert not again.lacks_visits
    assert list(migrated(again, jobdir, committed)) == []
    again.close()

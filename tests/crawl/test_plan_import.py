"""A plan goes into the frontier slice by slice, and continues where a crash left it."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests.frontier.making import NOW, commit, drain, link, links, open_frontier
from tests.frontier.test_revisits import ROW
from webgraph_it.crawl.plan_import import AT_ONCE, META_NAME, discard_imported, imported
from webgraph_it.frontier import Frontier, MemoryStore, Order
from webgraph_it.recrawl.plan_files import PlanError, Planned, new_plan, plans, popularity

PAGES = 3 * AT_ONCE + 7


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    frontier = open_frontier(store)
    for page in links("ab", PAGES):
        frontier.keep_visit(page.digest, ROW)
    commit(frontier)
    return store


def write_plan(jobdir: Path, made: float = NOW + 1) -> None:
    with new_plan(jobdir, "test", made) as plan:
        for page in sorted(links("ab", PAGES), key=lambda page: page.key):
            plan.revisit(Planned(1, page.key, page.url, 0, 0, ""))


def slices(frontier: Frontier, jobdir: Path) -> Iterator[int]:
    return imported(frontier, jobdir, NOW, moves_untried=False)


def test_every_page_of_a_plan_is_visited_once(store: MemoryStore, tmp_path: Path) -> None:
    write_plan(tmp_path)
    frontier = open_frontier(store)
    assert list(slices(frontier, tmp_path))[-1] == 2 * PAGES
    commit(frontier)
    discard_imported(frontier, tmp_path)
    assert plans(tmp_path) == []
    assert {lease.url for lease in drain(frontier, NOW)} == {page.url for page in links("ab", PAGES)}
    assert list(slices(frontier, tmp_path)) == []


@pytest.mark.parametrize("done", [1, 3, 7])
def test_an_import_continues_after_a_crash(store: MemoryStore, tmp_path: Path, done: int) -> None:
    write_plan(tmp_path)
    frontier = open_frontier(store)
    before = list(islice(slices(frontier, tmp_path), done))[-1]
    commit(frontier)
    list(islice(slices(frontier, tmp_path), 1))  # what is not committed is lost
    again = open_frontier(store, now=NOW + 1)
    assert again.counts().planned == before
    assert list(slices(again, tmp_path))[-1] == 2 * PAGES - before
    assert len(drain(again, NOW + 2)) == 2 * PAGES


def test_a_plan_that_was_imported_is_not_imported_again(store: MemoryStore, tmp_path: Path) -> None:
    """A crash between the commit and the removal of the lists."""
    write_plan(tmp_path)
    frontier = open_frontier(store)
    list(slices(frontier, tmp_path))
    commit(frontier)
    assert len(drain(frontier, NOW)) == 2 * PAGES
    assert list(slices(frontier, tmp_path)) == []
    write_plan(tmp_path)
    assert list(slices(frontier, tmp_path))[-1] == 2 * PAGES
    progress = json.loads(frontier.get_meta(META_NAME) or b"")
    assert (progress["number"], progress["done"]) == (2, True)


def test_untried_urls_are_moved_only_in_the_popular_order(store: MemoryStore, tmp_path: Path) -> None:
    frontier = open_frontier(store, order=Order.POPULAR)
    frontier.add(links("x", 3), 1, "it,v)/", NOW)
    commit(frontier)
    with new_plan(tmp_path, "test", NOW) as plan:
        plan.put_untried(link("x", "/2").digest, popularity(9))
    list(imported(frontier, tmp_path, NOW, moves_untried=True))
    assert [lease.url for lease in drain(frontier, NOW)] == [f"http://x.it/{n}" for n in (2, 0, 1)]


def test_a_damaged_plan_is_one_sentence(store: MemoryStore, tmp_path: Path) -> None:
    write_plan(tmp_path)
    (plan,) = plans(tmp_path)
    plan.revisits.write_text("nonsense\n")
    with pytest.raises(PlanError, match="make a new plan"):
        list(slices(open_frontier(store), tmp_path))

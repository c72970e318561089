"""A plan goes into the frontier slice by slice, and continues where a crash left it."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from shutil import rmtree

import pytest

from tests.defaults import default_scope
from tests.frontier.making import NOW, commit, drain, link, links, open_frontier
from tests.frontier.test_revisits import ROW
from webgraph_it.crawl.plan_import import AT_ONCE, META_NAME, Import, discard_imported
from webgraph_it.frontier import Frontier, MemoryStore, Order
from webgraph_it.recrawl.plan_files import Plan, PlanError, Planned, new_plan, plans, popularity

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
    """Of all waiting plans, one after the other."""
    for plan in plans(jobdir):
        yield from importing(frontier, plan).slices(NOW)


def importing(frontier: Frontier, plan: Plan, *, moves_untried: bool = False, surts: str = "it,") -> Import:
    return Import(frontier, plan, default_scope([surts]), moves_untried=moves_untried)


def test_every_page_of_a_plan_is_visited_once(store: MemoryStore, tmp_path: Path) -> None:
    write_plan(tmp_path)
    frontier = open_frontier(store)
    assert list(slices(frontier, tmp_path))[-1] == 2 * PAGES
    commit(frontier)
    discard_imported(frontier, *plans(tmp_path))
    assert plans(tmp_path) == []
    assert {lease.url for lease in drain(frontier, NOW)} == {page.url for page in links("ab", PAGES)}
    assert list(slices(frontier, tmp_path)) == []


@pytest.mark.parametrize("done", [7, 9, 13])
def test_an_import_continues_after_a_crash(store: MemoryStore, tmp_path: Path, done: int) -> None:
    write_plan(tmp_path)
    frontier = open_frontier(store)
    before = list(islice(slices(frontier, tmp_path), done))[-1]
    assert before, "the check is over"
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
    list(importing(frontier, *plans(tmp_path), moves_untried=True).slices(NOW))
    assert [lease.url for lease in drain(frontier, NOW)] == [f"http://x.it/{n}" for n in (2, 0, 1)]


LINES = 3


def small_plan(jobdir: Path) -> Plan:
    with new_plan(jobdir, "test", NOW + 1) as plan:
        for page in links("a", LINES):
            plan.revisit(Planned(1, page.key, page.url, 0, 0, ""))
    return plans(jobdir)[-1]


@pytest.mark.parametrize("url", ["", "http://b.it/2", "ftp://a.it/2", "http://a.it/2#x"])
def test_a_line_whose_url_is_not_the_pages_own_is_skipped_and_counted(
    store: MemoryStore, tmp_path: Path, url: str
) -> None:
    plan = small_plan(tmp_path)
    plan.revisits.write_text(plan.revisits.read_text().replace("http://a.it/2", url))
    frontier = open_frontier(store)
    work = importing(frontier, plan)
    assert list(work.slices(NOW))[-1] == LINES - 1
    assert (work.misnamed, work.first_misnamed) == (1, "it,a)/2")
    assert {lease.url for lease in drain(frontier, NOW)} == {"http://a.it/0", "http://a.it/1"}


def test_a_damaged_plan_is_not_half_used(store: MemoryStore, tmp_path: Path) -> None:
    write_plan(tmp_path)
    (plan,) = plans(tmp_path)
    plan.revisits.write_bytes(plan.revisits.read_bytes()[:-1])
    frontier = open_frontier(store)
    with pytest.raises(PlanError, match=rf"line {2 * PAGES} is not .*make a new plan"):
        list(slices(frontier, tmp_path))
    assert frontier.counts().planned == 0
    assert plans(tmp_path) == [plan]


def test_pages_that_are_out_of_scope_now_are_skipped_and_counted(store: MemoryStore, tmp_path: Path) -> None:
    frontier = open_frontier(store)
    work = importing(frontier, small_plan(tmp_path), surts="it,b)")
    assert list(work.slices(NOW))[-1] == 0
    assert work.out_of_scope == LINES
    assert frontier.counts().planned == 0


def test_a_new_plan_with_the_number_of_a_removed_one_is_imported(store: MemoryStore, tmp_path: Path) -> None:
    write_plan(tmp_path)
    frontier = open_frontier(store)
    list(islice(slices(frontier, tmp_path), 9))
    rmtree(tmp_path / "recrawl")
    before = frontier.counts().planned
    write_plan(tmp_path, made=NOW + 2)
    assert list(slices(frontier, tmp_path))[-1] == 2 * PAGES - before


def test_a_plan_without_its_list_is_reported_unless_it_was_imported(
    store: MemoryStore, tmp_path: Path
) -> None:
    plan = small_plan(tmp_path)
    plan.revisits.unlink()
    frontier = open_frontier(store)
    with pytest.raises(PlanError, match=r"revisits\.tsv is missing"):
        list(slices(frontier, tmp_path))
    frontier.put_meta(META_NAME, b'{"number": 1, "offset": 0, "done": true}')
    assert list(slices(frontier, tmp_path)) == []
    discard_imported(frontier, plan)
    assert plans(tmp_path) == []

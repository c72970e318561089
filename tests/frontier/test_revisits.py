"""Planned re-visits: a second queue per host, each page once, a share of the turns, and nothing lost by a crash."""

from collections import Counter

import pytest

from webgraph_it.frontier import Failure, Kind, MemoryStore, Order, Outcome, PlannedVisit
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.revisits import ALMOST
from webgraph_it.frontier.visits import PLANNED, Visit
from webgraph_it.items import Link, State

from .making import EAGER, NOW, commit, drain, lease_at, link, links, open_frontier

ROW = Visit(0, NOW, NOW, 1, 0.0, bytes(8), bytes(8), 1, 1, 0, 2)


def planned(page: Link, priority: int = 0) -> PlannedVisit:
    return PlannedVisit(priority, page.key, page.url, 3, 2, "it,via)/")


def fetched(frontier: Frontier, pages: list[Link]) -> None:
    """All pages were fetched once."""
    frontier.add(pages, 0, "", NOW)
    while (lease := frontier.next(NOW)) is not None:
        frontier.done(lease, Outcome(state=State.FETCHED, status=200, visit=ROW), NOW)


def test_a_planned_page_is_leased_again_with_its_place_in_the_web() -> None:
    frontier = open_frontier()
    fetched(frontier, [link("a")])
    assert frontier.plan_visits([planned(link("a"))], NOW + 1, NOW) == 1
    counts = frontier.counts()
    assert (counts.planned, counts.queued, counts.done) == (1, 1, 1)
    lease = lease_at(frontier, NOW)
    assert lease.is_revisit
    assert (lease.url, lease.depth, lease.host_depth, lease.via) == ("http://a.it/", 3, 2, "it,via)/")
    frontier.done(lease, Outcome(visit=ROW._replace(visits=2, flags=PLANNED)), NOW)
    counts = frontier.counts()
    assert (counts.planned, counts.queued, counts.done, counts.revisits) == (0, 0, 1, 1)
    assert frontier.visit(lease.digest) == ROW._replace(visits=2)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (None, "it was never fetched"),
        (ROW._replace(flags=PLANNED), "it is planned already"),
        (ROW._replace(last_visit=NOW + 2), "it was visited since the plan was made"),
    ],
)
def test_some_pages_are_not_planned(row: Visit | None, why: str) -> None:
    frontier = open_frontier()
    if row is not None:
        frontier.keep_visit(link("a").digest, row)
    assert frontier.plan_visits([planned(link("a"))], NOW + 1, NOW) == 0, why
    assert frontier.next(NOW) is None


def test_a_page_is_planned_once_until_it_is_done_and_then_again() -> None:
    frontier = open_frontier()
    fetched(frontier, [link("a")])
    assert [frontier.plan_visits([planned(link("a"))] * 2, NOW + 1, NOW) for _ in range(2)] == [1, 0]
    lease = lease_at(frontier, NOW)
    assert frontier.plan_visits([planned(link("a"))], NOW + 1, NOW) == 0, "it is leased"
    frontier.done(lease, Outcome(), NOW)
    assert frontier.visit(lease.digest) == ROW, "without a result, what was known stays"
    assert frontier.plan_visits([planned(link("a"))], NOW + 1, NOW) == 1


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (0.1, 10), (0.25, 25), (0.4, 40), (1.0, 100)])
def test_a_host_gives_re_visits_their_share_of_its_turns(share: float, expected: int) -> None:
    frontier = open_frontier()
    frontier.revisits.share = share
    old, new = links("a", 100), [link("a", f"/new/{n}") for n in range(100)]
    fetched(frontier, old)
    frontier.plan_visits([planned(page) for page in old], NOW + 1, NOW)
    frontier.add(new, 0, "", NOW)
    kinds = []
    for _ in range(100):
        lease = lease_at(frontier, NOW)
        kinds.append(lease.is_revisit)
        frontier.done(lease, Outcome(), NOW)
    assert sum(kinds) == expected
    assert ALMOST < 1


def test_re_visits_get_every_turn_when_nothing_is_new() -> None:
    frontier = open_frontier()
    fetched(frontier, links("ab", 10))
    frontier.plan_visits([planned(page) for page in links("ab", 10)], NOW + 1, NOW)
    assert all(lease.is_revisit for lease in drain(frontier, NOW))
    assert frontier.counts().revisits == 20


def test_the_lowest_priority_of_a_host_is_first() -> None:
    frontier = open_frontier()
    fetched(frontier, links("a", 3))
    frontier.plan_visits(
        [planned(page, priority) for page, priority in zip(links("a", 3), (9, 0, 4), strict=True)],
        NOW + 1,
        NOW,
    )
    assert [lease.url[-1] for lease in drain(frontier, NOW)] == ["1", "2", "0"]


def test_a_failed_re_visit_is_retried_as_one() -> None:
    frontier = open_frontier()
    fetched(frontier, [link("a")])
    frontier.plan_visits([planned(link("a"))], NOW + 1, NOW)
    lease = lease_at(frontier, NOW)
    frontier.done(lease, Outcome(Kind.RETRY), NOW)
    again = lease_at(frontier, NOW)
    assert (again.is_revisit, again.attempts) == (True, 1)
    frontier.release(again, NOW, NOW)
    frontier.answered(lease_at(frontier, NOW), Outcome(), NOW)
    assert frontier.next(NOW) is None, "its only page is being read"
    assert frontier.counts().planned == 1


def test_an_active_host_is_given_re_visits_beside_its_new_urls() -> None:
    frontier = open_frontier()
    fetched(frontier, links("a", 5))
    frontier.add([link("a", f"/new/{n}") for n in range(3)], 0, "", NOW)
    frontier.done(lease_at(frontier, NOW), Outcome(), NOW)
    for page in links("a", 5):  # one by one: the first opens the window, the others are offered to it
        frontier.plan_visits([planned(page, 5 - int(page.url[-1]))], NOW + 1, NOW)
    leases = drain(frontier, NOW)
    assert [lease.url[-1] for lease in leases if lease.is_revisit] == ["4", "3", "2", "1", "0"]
    assert len(leases) == 7


def test_a_host_whose_only_page_is_being_read_is_asked_for_its_re_visit() -> None:
    frontier = open_frontier()
    fetched(frontier, [link("a", "/old")])
    frontier.add([link("a", "/new")], 0, "", NOW)
    reading = lease_at(frontier, NOW)
    frontier.answered(reading, Outcome(), NOW)
    assert frontier.next(NOW) is None
    frontier.plan_visits([planned(link("a", "/old"))], NOW + 1, NOW)
    revisit = lease_at(frontier, NOW)
    assert revisit.is_revisit
    frontier.answered(revisit, Outcome(), NOW)
    frontier.add([link("a", "/newer")], 0, "", NOW)
    assert lease_at(frontier, NOW).url.endswith("/newer"), "the re-visit is being read"


def test_a_host_that_was_given_up_gets_another_chance() -> None:
    frontier = open_frontier(policy=EAGER._replace(park_after_failures=1, park_times=0))
    fetched(frontier, [link("a", "/1")])
    frontier.add(links("a", 1), 0, "", NOW)
    frontier.done(lease_at(frontier, NOW), Outcome(failure=Failure.NETWORK), NOW)
    assert [host.given_up for host in frontier.hosts()] == [True]
    frontier.plan_visits([planned(link("a", "/1"))], NOW + 1, NOW)
    assert not lease_at(frontier, NOW + 100).given_up


def test_a_crash_gives_leased_re_visits_back_and_loses_none() -> None:
    store = MemoryStore()
    frontier = open_frontier(store)
    fetched(frontier, links("ab", 20))
    frontier.plan_visits([planned(page) for page in links("ab", 20)], NOW + 1, NOW)
    frontier.done(lease_at(frontier, NOW), Outcome(visit=ROW._replace(visits=2)), NOW)
    lease_at(frontier, NOW)
    commit(frontier)
    again = open_frontier(store, now=NOW + 1)  # as after kill -9
    assert again.counts().planned == 39
    visited = Counter(lease.url for lease in drain(again, NOW + 2))
    assert len(visited) == 39
    assert set(visited.values()) == {1}


def test_new_urls_and_re_visits_of_many_hosts_are_all_handed_out_once() -> None:
    frontier = open_frontier()
    old, new = links("abcd", 30), [link(host, f"/new/{n}") for host in "cdef" for n in range(30)]
    fetched(frontier, old)
    frontier.plan_visits([planned(page, n % 7) for n, page in enumerate(old)], NOW + 1, NOW)
    frontier.add(new, 0, "", NOW)
    leases = Counter(lease.url for lease in drain(frontier, NOW))
    assert leases == Counter(page.url for page in [*old, *new])
    counts = frontier.counts()
    assert (counts.queued, counts.planned, counts.done, counts.revisits) == (0, 0, 240, 120)


def test_untried_urls_move_to_the_place_that_a_plan_gives_them() -> None:
    store = MemoryStore()
    frontier = open_frontier(store, order=Order.POPULAR)
    pages = links("ab", 6)
    frontier.add(pages, 1, "it,x)/", NOW)
    commit(frontier)
    first = lease_at(frontier, NOW)
    popular = {link("a", "/4").digest: 65_000, link("b", "/2").digest: 60_000, first.digest: 5}
    after, slices = b"", 0
    while slices == 0 or after:
        after = frontier.move_untried(after, 3, popular.get)
        slices += 1
    assert slices >= 4
    frontier.done(first, Outcome(), NOW)
    assert next(lease.url for lease in drain(frontier, NOW) if lease.host == "it,b") == "http://b.it/2"
    assert frontier.counts().done == 12
    commit(frontier)
    assert open_frontier(store, now=NOW + 1).counts().queued == 0


def test_a_host_has_its_new_order_also_when_it_was_not_active() -> None:
    store = MemoryStore()
    frontier = open_frontier(store, order=Order.POPULAR)
    frontier.add(links("a", 40), 1, "it,x)/", NOW)
    commit(frontier)
    assert frontier.move_untried(b"", 100, {link("a", "/33").digest: 7}.get) == b""
    commit(frontier)
    again = open_frontier(store, now=NOW + 1)
    assert lease_at(again, NOW + 5).url == "http://a.it/33"


def test_seeds_are_first_in_the_popular_order() -> None:
    frontier = open_frontier(order=Order.POPULAR)
    frontier.add([link("a", "/found")], 1, "it,x)/", NOW)
    frontier.add_seeds([link("a", "/seed")], NOW)
    assert lease_at(frontier, NOW).url == "http://a.it/seed"

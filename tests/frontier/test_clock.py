"""Times go on from the latest that the crawl has seen: a clock that is put right makes nobody wait for the old time."""

import pytest

from tests.defaults import politeness
from webgraph_it.frontier import MemoryStore, Outcome
from webgraph_it.frontier.clock import CrawlClock
from webgraph_it.frontier.hosts import Host
from webgraph_it.frontier.layout import HOST
from webgraph_it.robots.record import RobotsRecord, Verdict

from .making import CALM, DELAY, NOW, commit, lease_at, links, open_frontier

YEAR = 365 * 86_400.0


def test_the_clock_neither_jumps_nor_runs_backwards() -> None:
    steady = iter([10.0, 10.5, 11.0])
    clock = CrawlClock(1_000.0, lambda: next(steady))
    assert [clock(), clock()] == [1_000.5, 1_001.0]


@pytest.mark.parametrize("ahead", [90.0, 86_400.0, YEAR])
@pytest.mark.parametrize("crashed", [True, False])
def test_a_clock_put_right_before_a_resume_costs_no_more_than_the_delay(ahead: float, crashed: bool) -> None:
    store = MemoryStore()
    frontier = open_frontier(store, CALM, now=NOW + ahead)
    frontier.add(links("ab", 3), 0, "", NOW + ahead)
    for _ in range(2):
        frontier.done(lease_at(frontier, NOW + ahead), Outcome(), NOW + ahead)
    if crashed:
        commit(frontier)
    else:
        frontier.close()
    again = open_frontier(store, CALM, now=NOW)
    assert again.next(again.opened_at) is None
    assert lease_at(again, again.opened_at + DELAY)


def test_a_small_adjustment_of_the_clock_forgets_no_robots() -> None:
    store = MemoryStore()
    frontier = open_frontier(store, now=NOW)
    frontier.next(NOW)
    frontier.set_robots("http://a.it", RobotsRecord(Verdict.RULES, "rules", NOW, NOW + 3_600))
    frontier.close()
    record = open_frontier(store, now=NOW - 1).robots("http://a.it")
    assert record is not None
    assert record.expires_at == NOW + 3_600


def test_robots_of_an_unknown_age_have_expired() -> None:
    store = MemoryStore()
    frontier = open_frontier(store, now=NOW + YEAR)
    frontier.next(NOW + YEAR)
    known = RobotsRecord(Verdict.RULES, "rules", NOW + YEAR - 1, NOW + YEAR + 3_600)
    frontier.set_robots("http://a.it", known)
    frontier.close()
    again = open_frontier(store, now=NOW)
    record = again.robots("http://a.it")
    assert record is not None
    assert record.expires_at <= again.opened_at


def test_a_clock_far_behind_wakes_everybody() -> None:
    store = MemoryStore()
    frontier = open_frontier(store, CALM, now=NOW)
    frontier.add(links("a", 3), 0, "", NOW)
    frontier.done(lease_at(frontier, NOW), Outcome(), NOW)
    frontier.close()
    assert lease_at(open_frontier(store, CALM, now=NOW + YEAR), NOW + YEAR)


def test_a_stored_time_that_no_delay_explains_is_cut_to_the_longest_delay() -> None:
    policy = politeness(
        host_delay_seconds=DELAY, delay_factor=0, retry_after_max_seconds=1_000, park_seconds=500
    )
    store = MemoryStore()
    frontier = open_frontier(store, policy)
    frontier.add(links("a", 2), 0, "", NOW)
    lease = lease_at(frontier, NOW)
    frontier.release(lease, NOW, NOW + YEAR)
    frontier.close()
    stored = store.get(HOST + b"it,a")
    assert stored is not None
    assert Host.unpacked("it,a", stored).clock.ready_at == NOW + YEAR
    again = open_frontier(store, policy)
    assert again.next(NOW + 1) is None
    assert lease_at(again, NOW + 1 + policy.longest_seconds)


def test_a_host_that_is_woken_rests_as_between_any_two_fetches() -> None:
    frontier = open_frontier(MemoryStore(), CALM, now=NOW)
    frontier.add(links("a", 4), 0, "", NOW)
    frontier.done(lease_at(frontier, NOW), Outcome(), NOW)
    assert not frontier.wake("it,a", NOW + 0.1)
    assert frontier.next(NOW + 0.2) is None
    frontier.release(lease_at(frontier, NOW + DELAY), NOW + DELAY, NOW + 3_600)
    assert frontier.wake("it,a", NOW + DELAY + 1)
    assert not frontier.wake("it,a", NOW + DELAY + 1.1)
    assert lease_at(frontier, NOW + DELAY + 1 + DELAY)

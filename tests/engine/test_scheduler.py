"""How leases end: a URL that could not be asked for goes back, and nothing counts against it."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from tests.defaults import frontier_limits, politeness
from tests.frontier.making import link
from tests.frontier.test_revisits import ROW
from webgraph_it.engine.again import AGAIN
from webgraph_it.engine.revisiting import NO_REVISITS, Revisiting
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.frontier import Lease, Order, Outcome
from webgraph_it.frontier.records import PlannedVisit

DELAY = 5.0
ADDRESS = "192.0.2.1"


class Clock:
    """Stands still unless it is moved."""

    def __init__(self, at: float) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[FrontierScheduler]:
    """With a real frontier, two URLs on one host, and an hour after its opening."""
    crawler: Any = SimpleNamespace(spider=None)
    polite = politeness(host_delay_seconds=DELAY, delay_factor=0.0, address_delay_seconds=1.0)
    made = FrontierScheduler(crawler, tmp_path / "frontier", polite, Order.BREADTH, frontier_limits())
    spider: Any = None
    made.open(spider)
    made.now = Clock(float(int(made.now()) + 3_600))  # type: ignore[assignment]
    made.frontier.add([link("a", "/1"), link("a", "/2")], 0, "", made.now())
    yield made
    made.frontier.abandon()


def leased(scheduler: FrontierScheduler) -> Lease:
    lease = scheduler.frontier.next(scheduler.now())
    assert lease is not None
    scheduler.leases.out[lease.digest] = lease
    return lease


def wait(scheduler: FrontierScheduler, seconds: float) -> None:
    scheduler.now.at += seconds  # type: ignore[attr-defined]


def test_a_url_whose_address_is_busy_takes_its_turn_there(scheduler: FrontierScheduler) -> None:
    lease = leased(scheduler)
    scheduler.frontier.address_used(ADDRESS, scheduler.now())
    scheduler.put_off(Request(lease.url, meta={"lease": lease}), ADDRESS)
    assert scheduler.leases.out == {}
    assert scheduler.frontier.counts().leased == 0
    wait(scheduler, 0.875)
    assert scheduler.frontier.next(scheduler.now()) is None, "the address is busy"
    wait(scheduler, 0.125)
    again = leased(scheduler)
    assert (again.url, again.address, again.attempts) == (lease.url, ADDRESS, 0)


def test_what_is_asked_elsewhere_books_a_turn_at_that_address(scheduler: FrontierScheduler) -> None:
    """A robots.txt that is on another host: the lease's own address is not the busy one."""
    lease = leased(scheduler)
    scheduler.frontier.address_used(ADDRESS, scheduler.now())
    meta = {"lease": lease, "robots_txt": True, "robots_hops": 1}
    scheduler.put_off(Request("http://b.it/robots.txt", meta=meta), ADDRESS)
    assert scheduler.frontier.next(scheduler.now()) is None
    assert scheduler.frontier.wake_at() == scheduler.now() + 1.0
    wait(scheduler, 1.0)
    assert leased(scheduler).address == ""


def test_a_middlewares_request_keeps_its_lease_and_waits_for_the_address(
    scheduler: FrontierScheduler,
) -> None:
    lease = leased(scheduler)
    scheduler.frontier.address_used(ADDRESS, scheduler.now())
    request = Request(lease.url, meta={"lease": lease, AGAIN: True})
    scheduler.put_off(request, ADDRESS)
    assert scheduler.leases.out == {lease.digest: lease}
    scheduler.held = True
    assert scheduler._again.take(scheduler.now() + 0.9) is None
    assert scheduler._again.take(scheduler.now() + 1.0) is request


def test_a_lease_that_has_ended_is_not_put_off_again(scheduler: FrontierScheduler) -> None:
    lease = leased(scheduler)
    scheduler.give_back(lease)
    scheduler.put_off(Request(lease.url, meta={"lease": lease}), ADDRESS)
    scheduler.give_back(lease)
    assert not scheduler.ended


@pytest.mark.parametrize(("pause", "expected"), [(0.0, DELAY), (DELAY + 1, DELAY + 1)])
def test_a_url_that_this_machine_could_not_ask_for_goes_back_untouched(
    scheduler: FrontierScheduler, pause: float, expected: float
) -> None:
    lease = leased(scheduler)
    scheduler.give_back(lease, pause_seconds=pause)
    assert scheduler.leases.out == {}
    wait(scheduler, expected - 0.1)
    assert scheduler.frontier.next(scheduler.now()) is None
    wait(scheduler, 0.125)
    again = leased(scheduler)
    assert (again.url, again.attempts) == (lease.url, 0)
    assert scheduler.frontier.counts().queued == 1


def test_nothing_is_located_after_the_end(scheduler: FrontierScheduler) -> None:
    scheduler.leases.ended = True
    scheduler.located("it,nowhere", ADDRESS)


def test_a_change_that_fails_ends_the_crawl(scheduler: FrontierScheduler) -> None:
    told: list[BaseException] = []
    scheduler.leases.on_failure = told.append
    with pytest.raises(KeyError):
        scheduler.located("it,nowhere", ADDRESS)
    assert scheduler.ended
    assert [type(error) for error in told] == [KeyError]


def test_whenever_a_request_is_wanted_strangers_are_located() -> None:
    asked: list[None] = []
    crawler: Any = SimpleNamespace()
    scheduler = FrontierScheduler(crawler, Path(), politeness(), Order.BREADTH, frontier_limits())
    scheduler.now = Clock(0.0)  # type: ignore[assignment]
    scheduler._take = lambda now: None  # type: ignore[method-assign]
    scheduler.locate = lambda: asked.append(None)
    assert scheduler.take() is None
    assert len(asked) == 1


@pytest.mark.parametrize("url", ["", "http://another.it/"])
def test_a_re_visit_that_has_a_wrong_url_is_dropped(
    scheduler: FrontierScheduler, caplog: pytest.LogCaptureFixture, url: str
) -> None:
    """A plan from before plans were checked."""
    page, now = link("b"), scheduler.now()
    scheduler._alarm = SimpleNamespace(set=lambda seconds: None)  # type: ignore[assignment]
    leased(scheduler)  # the other host is busy
    scheduler.frontier.keep_visit(page.digest, ROW._replace(last_visit=now - 10))
    scheduler.frontier.plan_visits([PlannedVisit(0, page.key, url, 0, 0, "")], now, now)
    assert scheduler.take() is None
    assert not scheduler.ended
    assert f"{url!r} is not a URL of it,b)/: its re-visit is dropped." in caplog.text
    assert scheduler.frontier.counts().planned == 0


def test_a_continuous_crawl_waits_for_a_plan_when_it_has_nothing_to_fetch(
    scheduler: FrontierScheduler,
) -> None:
    scheduler._revisiting = Revisiting(0.1, 0, is_continuous=True)
    waits = [scheduler.awaits_plan]
    for _ in range(2):
        lease = leased(scheduler)
        waits.append(scheduler.awaits_plan)
        scheduler._end(lease, Outcome())
        waits.append(scheduler.awaits_plan)
        wait(scheduler, DELAY)
    assert waits == [False, False, False, False, True]
    scheduler._revisiting = NO_REVISITS
    assert not scheduler.awaits_plan, "it ends"

"""The machine's clock and the crawl's own may differ: a wait is the same on both."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.defaults import politeness
from tests.frontier.making import open_frontier
from webgraph_it.engine.address_clock import AddressClock

CRAWL_NOW = 2_000.0
ADDRESS = "127.1.0.1"


@pytest.mark.parametrize("machine_now", [2_000.0, 5_000_000.0, 0.0])
@pytest.mark.parametrize(("passed", "wait"), [(0.0, 4.0), (1.5, 2.5), (4.0, 0.0)])
def test_an_address_rests_as_long_on_either_clock(machine_now: float, passed: float, wait: float) -> None:
    frontier = open_frontier(policy=politeness(address_delay_seconds=4.0))
    now = [CRAWL_NOW]
    scheduler: Any = SimpleNamespace(frontier=frontier, now=lambda: now[0])
    clock = AddressClock(scheduler)
    assert clock.ready_at(ADDRESS, machine_now) <= machine_now
    clock.used(ADDRESS, machine_now)
    now[0] += passed
    later = machine_now + passed
    assert clock.ready_at(ADDRESS, later) - later == pytest.approx(wait)

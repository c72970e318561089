"""Which broker a member gets, and when it asks it."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from webgraph_it.crawl.membership import Membership
from webgraph_it.engine.fleet_budget import FleetBudget, broker_of, fleet_budget
from webgraph_it.fleet.slices import balanced
from webgraph_it.fleet.transport import ALL_BANDWIDTH, Amounts

CAPS = Amounts(ALL_BANDWIDTH, 60)


@pytest.mark.parametrize(
    ("transport", "kind"),
    [
        ("local", "LocalBroker"),
        ("redis://127.0.0.1:1/0", "RedisBroker"),
        ("rediss://:x@127.0.0.1:1", "RedisBroker"),
    ],
)
def test_the_setting_fleet_names_the_broker(transport: str, kind: str, tmp_path: Path) -> None:
    membership = Membership(tmp_path, 1, 2, transport, balanced(2), {})
    assert type(broker_of(membership, CAPS, 1.0)).__name__ == kind


def test_a_crawl_that_is_in_no_fleet_has_no_broker() -> None:
    nothing: Any = None
    assert fleet_budget(nothing, None, nothing, nothing) is None


class Asked:
    def __init__(self, why: str) -> None:
        self.times = 0
        self._why = why

    async def ask_for_share(self) -> str:
        self.times += 1
        return self._why

    ask_for_addresses = end = ask_for_share

    async def close(self) -> None:
        """Asks nothing."""


def test_nothing_is_asked_before_the_epoch_is_committed_and_a_newer_process_ends_this_one() -> None:
    async def talk() -> None:
        fleet: Any = SimpleNamespace(has_started=False)
        failures: list[tuple[str, bool]] = []
        budget: Any = Asked("a newer one runs")

        def fail(why: str, *, is_whole: bool = True, remedy: str = "", is_refusal: bool = False) -> None:
            failures.append((why, is_refusal and not is_whole))

        part = FleetBudget(budget, fleet, fail)
        await part.share_round()
        await part.lease_round()
        await part.end()  # a refused one: the broker must not learn its epoch
        assert (budget.times, failures) == (0, [])
        fleet.has_started = True
        await part.share_round()
        assert failures == [("its member must not run: a newer one runs", True)]
        await part.lease_round()
        await part.end()
        assert budget.times == 3

    asyncio.run(talk())

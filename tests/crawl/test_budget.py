"""A member's part of the caps and addresses: asked for, applied, and over in time."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.defaults import politeness
from tests.fetch.servers import Engine, run
from tests.frontier.making import open_frontier
from webgraph_it.crawl.budget import PAUSE, Budget, Demand
from webgraph_it.crawl.control import Control
from webgraph_it.fetch.shaper import Shaper
from webgraph_it.fleet.local_broker import LocalBroker
from webgraph_it.fleet.transport import (
    ALL_BANDWIDTH,
    Amounts,
    Broker,
    Granted,
    Report,
    Share,
    TransportError,
)
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.items import Link
from webgraph_it.steady import steady_seconds
from webgraph_it.urls import Name, name

CAP = 60
CAPS = Amounts(ALL_BANDWIDTH, CAP)


class Brief:
    """A broker whose shares last for a moment, and that can be lost."""

    def __init__(self, broker: Broker, seconds: float) -> None:
        self._broker = broker
        self._seconds = seconds
        self.is_lost = False

    async def exchange(self, report: Report) -> Share:
        if self.is_lost:
            raise TransportError("it is lost")
        return replace(await self._broker.exchange(report), seconds=self._seconds)

    async def lease_addresses(
        self, member: int, epoch: int, wanted: Sequence[str], given_up: Sequence[str]
    ) -> Granted:
        return await self._broker.lease_addresses(member, epoch, wanted, given_up)

    async def close(self) -> None:
        await self._broker.close()


class Reader:
    """A connection that waits for its turn."""

    def arrived_bytes(self) -> int:
        return 0

    def unread_bytes(self) -> int:
        return 0

    def go_on(self) -> None:
        """It has nothing to read."""


class Scheduler:
    """As much of it as a budget needs."""

    def __init__(self, delay_seconds: float) -> None:
        opened_at = steady_seconds() - delay_seconds  # so that addresses may be asked now
        self.frontier: Frontier = open_frontier(
            policy=politeness(address_delay_seconds=delay_seconds), now=opened_at
        )
        self.now: Callable[[], float] = steady_seconds
        self.looks = 0

    def look_again(self) -> None:
        self.looks += 1


class Crawl:
    """A budget with the parts that it governs."""

    def __init__(self, engine: Engine, broker: Broker, member: int, delay_seconds: float, epoch: int) -> None:
        loop = asyncio.get_running_loop()
        self.fetcher = engine.fetcher
        self.shaper = engine.fetcher.shaper = Shaper(steady_seconds, loop.call_later, 1e6)
        self.scheduler = Scheduler(delay_seconds)
        self.holds: list[bool] = []
        self.control = Control(self.holds.append)
        self.called_off = 0
        self.broker = broker
        self.budget = Budget(
            broker,
            member,
            2,
            epoch,
            CAP,
            self.fetcher,
            self.shaper,
            self.scheduler,
            self.control,
            delay_seconds,
            self.call_off,
        )

    def call_off(self) -> None:
        self.called_off += 1


@asynccontextmanager
async def crawling(
    broker: Broker, member: int = 1, delay_seconds: float = 0.0, epoch: int = 1
) -> AsyncIterator[Crawl]:
    async with Engine(connection_cap=CAP) as engine:
        yield Crawl(engine, broker, member, delay_seconds, epoch)


def test_nothing_is_fetched_before_there_is_a_share_and_then_no_more_than_it(tmp_path: Path) -> None:
    async def talk() -> None:
        async with (
            crawling(LocalBroker(tmp_path, CAPS, 0.0)) as one,
            crawling(LocalBroker(tmp_path, CAPS, 0.0), 2) as two,
        ):
            assert one.control.reasons == (PAUSE,)
            assert one.shaper.own_bytes_per_second == 0.0
            assert not one.fetcher.share_lasts()
            for _ in range(3):
                for each in (one, two):
                    each.shaper.received(2_000_000, Reader())
                    assert await each.budget.ask_for_share() == ""
            for each in (one, two):
                assert not each.control.is_paused
                assert each.shaper.own_bytes_per_second == 5e5
                assert each.fetcher.governor.cap <= CAP // 2
            await one.budget.end()
            for _ in range(2):
                two.shaper.received(2_000_000, Reader())
                await two.budget.ask_for_share()
            assert two.shaper.own_bytes_per_second == 1e6
            await two.budget.end()

    run(talk())


def test_when_a_share_runs_out_all_that_is_under_way_ends(tmp_path: Path) -> None:
    async def talk() -> None:
        broker = Brief(LocalBroker(tmp_path, CAPS, 0.0), 0.6)
        async with crawling(broker) as crawl:
            await crawl.budget.ask_for_share()
            assert crawl.fetcher.share_lasts()
            broker.is_lost = True
            assert await crawl.budget.ask_for_share() == ""
            assert not crawl.control.is_paused
            await asyncio.sleep(0.5)
            assert crawl.control.reasons == (PAUSE,)
            assert crawl.called_off == 1
            assert (crawl.shaper.own_bytes_per_second, crawl.fetcher.governor.cap) == (0.0, 0)
            assert not crawl.fetcher.share_lasts()
            broker.is_lost = False
            await crawl.budget.ask_for_share()
            assert not crawl.control.is_paused
            assert crawl.holds == [True, False, True, False]
            await crawl.budget.end()

    run(talk())


def test_the_log_says_when_the_broker_is_lost_and_when_it_is_found_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def talk() -> None:
        broker = Brief(LocalBroker(tmp_path, CAPS, 0.0), 0.4)
        async with crawling(broker) as crawl:
            for is_lost in False, True, True, False, False:
                broker.is_lost = is_lost
                await crawl.budget.ask_for_share()
                await asyncio.sleep(0.2 if is_lost else 0.0)
            await crawl.budget.end()

    with caplog.at_level("INFO", "webgraph_it.crawl.budget"):
        run(talk())
    assert caplog.messages == [
        "The fleet's broker cannot be reached: it is lost",
        "No fetching: this member's share of the fleet's bandwidth and connections has run out.",
        "The fleet's broker is reached again.",
        "Fetching again: this member has a share of the fleet's bandwidth and connections.",
    ]


def test_a_share_that_is_renewed_in_time_does_not_run_out(tmp_path: Path) -> None:
    async def talk() -> None:
        async with crawling(Brief(LocalBroker(tmp_path, CAPS, 0.0), 0.6)) as crawl:
            for _ in range(6):
                await crawl.budget.ask_for_share()
                await asyncio.sleep(0.1)
            assert (crawl.called_off, crawl.control.is_paused) == (0, False)
            await crawl.budget.end()

    run(talk())


def test_a_newer_process_of_the_same_member_ends_this_one(tmp_path: Path) -> None:
    async def talk() -> None:
        async with (
            crawling(LocalBroker(tmp_path, CAPS, 1.0), epoch=1, delay_seconds=1.0) as old,
            crawling(LocalBroker(tmp_path, CAPS, 1.0), epoch=2) as new,
        ):
            await new.budget.ask_for_share()
            assert "another process runs as member 1" in await old.budget.ask_for_share()
            await old.budget.end()
            await new.budget.end()

    run(talk())


def queue(frontier: Frontier, host: str, address: str, now: float) -> None:
    named = name(f"http://{host}/")
    assert isinstance(named, Name)
    frontier.add_seeds([Link(*named, "seed")], now)
    frontier.locate_first()
    assert frontier.next(now) is None
    stranger = frontier.next_stranger()
    assert stranger is not None
    frontier.located(stranger.host, address)


def test_a_host_gets_its_turn_when_its_address_is_leased(tmp_path: Path) -> None:
    async def talk() -> None:
        delay = 2.0
        brokers = (LocalBroker(tmp_path, CAPS, delay) for _ in range(2))
        async with crawling(next(brokers), 1, delay) as one, crawling(next(brokers), 2, delay) as two:
            for each, host in (one, "uno.it"), (two, "due.it"):
                queue(each.scheduler.frontier, host, "192.0.2.1", steady_seconds())
                assert each.scheduler.frontier.next(steady_seconds()) is None
                await each.budget.ask_for_addresses()
            assert (one.scheduler.looks, two.scheduler.looks) == (1, 0)
            assert one.scheduler.frontier.next(steady_seconds()) is not None
            await one.budget.end()
            await asyncio.sleep(0.6)
            await two.budget.ask_for_addresses()
            now = steady_seconds()
            assert two.scheduler.looks == 1
            assert two.scheduler.frontier.next(now) is None, "a new holder waits first"
            assert two.scheduler.frontier.next(now + delay) is not None
            await two.budget.end()

    run(talk())


@pytest.mark.parametrize(("sockets", "waiting", "wanted"), [(0, 0, 1), (20, 0, 22), (60, 0, 60), (5, 1, 60)])
def test_connections_are_wanted_when_they_are_used_or_waited_for(
    sockets: int, waiting: int, wanted: int
) -> None:
    demand = Demand(2, CAP)
    settled = [demand.connections(sockets, waiting) for _ in range(30)]
    assert settled[-1] == wanted


def test_connections_are_wanted_for_a_while_after_they_were_used() -> None:
    """At first, too: a member that had to wait for connections closed each of them after one page."""
    demand = Demand(4, 4000)
    assert demand.connections(0, 0) == 700
    assert demand.connections(700, 9) == 4000
    assert [demand.connections(500, 0) for _ in range(6)] == [2800, 1960, 1372, 960, 672, 545]


def test_bandwidth_is_wanted_when_it_is_used_or_waited_for() -> None:
    class Traffic(Shaper):
        total = 0

        def wire_bytes(self) -> int:
            return self.total

    shaper = Traffic(lambda: 0.0, lambda *_: asyncio.TimerHandle, 1e6)  # type: ignore[arg-type,return-value]
    shaper.set_part(0.5, math.inf)
    demand = Demand(2, CAP)
    demand.bandwidth(shaper, 0.0)
    least = ALL_BANDWIDTH // 100
    assert demand.bandwidth(shaper, 1.0) == least
    shaper.total = 200_000
    assert demand.bandwidth(shaper, 2.0) == 210_000 + least
    shaper.total = 690_000
    assert demand.bandwidth(shaper, 3.0) == ALL_BANDWIDTH, "it uses nearly all that it has"
    assert 100_000 < demand.bandwidth(shaper, 4.0) < 400_000
    shaper.when_free(lambda: None)
    shaper.set_rate(math.inf)
    assert demand.bandwidth(shaper, 5.0) == ALL_BANDWIDTH // 2

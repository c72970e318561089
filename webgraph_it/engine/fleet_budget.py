"""Makes the part of a running crawl that shares caps and addresses with the fleet (crawl/budget.py)."""

from typing import TYPE_CHECKING

from webgraph_it.crawl.budget import Budget
from webgraph_it.crawl.control import Control
from webgraph_it.crawl.membership import Membership
from webgraph_it.crawl.resuming import LOCAL
from webgraph_it.engine.downloader import LeanDownloader
from webgraph_it.engine.fleet import FleetPart
from webgraph_it.engine.parts import parts_of, scheduler_of
from webgraph_it.fleet.local_broker import LocalBroker
from webgraph_it.fleet.transport import ALL_BANDWIDTH, Amounts, Broker

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webgraph_it.engine.running import Fail


class FleetBudget:
    """A Budget that begins when its member has started, and whose failure is the crawl's."""

    def __init__(self, budget: Budget, fleet: FleetPart, fail: "Fail") -> None:
        self._budget = budget
        self._fleet = fleet
        self._fail = fail

    async def share_round(self) -> None:
        if self._fleet.has_started:
            self._refuse(await self._budget.ask_for_share())

    async def lease_round(self) -> None:
        if self._fleet.has_started:
            self._refuse(await self._budget.ask_for_addresses())

    async def end(self) -> None:
        """A member that was refused tells the broker nothing: its epoch may be above that of the newest directory."""
        await (self._budget.end() if self._fleet.has_started else self._budget.close())

    def _refuse(self, why: str) -> None:
        if why:
            self._fail(f"its member must not run: {why}", is_whole=False, is_refusal=True)


def fleet_budget(
    crawler: "Crawler", fleet: FleetPart | None, control: Control, fail: "Fail"
) -> FleetBudget | None:
    """None for a crawl that is in no fleet."""
    if fleet is None:
        return None
    settings, parts, membership = crawler.settings, parts_of(crawler), fleet.membership
    cap, delay_seconds = settings.getint("MAX_TCP_CONNECTIONS"), settings.getfloat("ADDRESS_DELAY")

    def call_off() -> None:
        downloader: object = crawler.engine.downloader
        if isinstance(downloader, LeanDownloader):
            downloader.call_off()

    budget = Budget(
        broker_of(membership, Amounts(ALL_BANDWIDTH, cap), delay_seconds),
        membership.number,
        membership.size,
        fleet.member.epoch,
        cap,
        parts.fetcher,
        parts.shaper,
        scheduler_of(crawler),
        control,
        delay_seconds,
        call_off,
    )
    return FleetBudget(budget, fleet, fail)


def broker_of(membership: Membership, caps: Amounts, address_delay_seconds: float) -> Broker:
    """The broker that the setting FLEET names."""
    if membership.transport == LOCAL:
        return LocalBroker(membership.directory, caps, address_delay_seconds)
    from webgraph_it.fleet.redis.broker import RedisBroker  # its library is loaded only for such a fleet

    return RedisBroker(membership.transport, caps, address_delay_seconds)

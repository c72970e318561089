"""A member's part of the fleet's two caps and of its addresses, while it crawls.

    every second      report what is used and wanted ─► share ─► shaper and connection cap, until its deadline
    every 0.1 s       what addresses are wanted ─► leases ─► the frontier's address clocks

The deadline of a share is checked where bytes, sockets and requests are admitted (fetch/shaper.py, fetch/client.py).
So a process that was suspended uses nothing of an old share. In addition a timer ends what is under way when a share
runs out: connections that carry a request are closed, and their URLs go back to the frontier. Then the crawl is paused
until there is a share again.

The decisions are those of fleet/shares.py and fleet/leases.py.
"""

import asyncio
import logging
import math
from collections.abc import Callable
from typing import Protocol

from webgraph_it.crawl.control import Control
from webgraph_it.fetch.client import Fetcher
from webgraph_it.fetch.shaper import Shaper
from webgraph_it.fleet.leases import AddressLeases
from webgraph_it.fleet.shares import Holding
from webgraph_it.fleet.transport import (
    ALL_BANDWIDTH,
    NOTHING,
    Amounts,
    Broker,
    Fenced,
    Report,
    TransportError,
)
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.steady import steady_seconds

logger = logging.getLogger(__name__)

SHARE_ROUND_SECONDS = 1.0
LEASE_ROUND_SECONDS = 0.1
POLL_SECONDS = 1.0
"""How often a member that holds addresses asks whether others want them."""
PAUSE = "no share of the fleet's bandwidth"
RESERVE = 20
"""A member wants this part more than it uses, so that it can grow without waiting."""
SLOWNESS = 0.7
"""What is not used any more is wanted for a few seconds yet: this part of it in the next round."""
LEAST = 50
"""A member without demand keeps this part of an equal share, so that it can begin."""


class Network(Protocol):
    """What asks the frontier: its clock, and how to make it look again."""

    @property
    def frontier(self) -> Frontier: ...

    @property
    def now(self) -> Callable[[], float]: ...

    @property
    def look_again(self) -> Callable[[], None]: ...


class Budget:
    """Asks for shares and leases, and applies them."""

    def __init__(
        self,
        broker: Broker,
        member: int,
        size: int,
        epoch: int,
        cap: int,
        fetcher: Fetcher,
        shaper: Shaper,
        scheduler: Network,
        control: Control,
        address_delay_seconds: float,
        call_off: Callable[[], None],
    ) -> None:
        """`cap`: MAX_TCP_CONNECTIONS of the fleet. `call_off` ends the fetches that are under way."""
        self._broker = broker
        self._member, self._size, self._epoch = member, size, epoch
        self._cap = cap
        self._fetcher = fetcher
        self._shaper = shaper
        self._scheduler = scheduler
        self._control = control
        self._call_off = call_off
        self._demand = Demand(size, cap)
        self._holding = Holding()
        self._leases: AddressLeases | None = None
        self._polled_at = -math.inf
        self._unreachable = ""
        self._has_run_out = False
        """Whether people were told so, and not yet that there is a share again."""
        self._alarm: asyncio.TimerHandle | None = None
        fetcher.share_lasts = lambda: steady_seconds() < self._holding.until
        if address_delay_seconds:
            self._leases = AddressLeases(address_delay_seconds)
            scheduler.frontier.use_leases(self._leases)
        self._apply()

    def __repr__(self) -> str:
        return f"<Budget of member {self._member}: {self._holding.now(steady_seconds())}, {self._leases}>"

    async def ask_for_share(self) -> str:
        """To be called every SHARE_ROUND_SECONDS. Returns why this member must not run, or an empty string."""
        governor, now = self._fetcher.governor, steady_seconds()
        wanted = Amounts(
            self._demand.bandwidth(self._shaper, now),
            self._demand.connections(governor.sockets, self._fetcher.waiting_for_place),
        )
        question, used = self._holding.ask(wanted, governor.sockets, now)
        self._apply()
        try:
            share = await self._broker.exchange(Report(self._member, self._epoch, question, used, wanted))
        except TransportError as error:
            self._complain(error)
            return ""
        except Fenced as error:
            return str(error)
        self._reached()
        if self._holding.answered(share):
            self._apply()
        return ""

    async def ask_for_addresses(self) -> str:
        """To be called every LEASE_ROUND_SECONDS. Returns why this member must not run, or an empty string."""
        leases, scheduler = self._leases, self._scheduler
        if leases is None:
            return ""
        asked_at = scheduler.now()
        wanted, given_up = leases.ask(scheduler.frontier.address_needed, asked_at)
        is_due = leases.held and asked_at - self._polled_at >= POLL_SECONDS
        if not (wanted or given_up or is_due):
            return ""
        self._polled_at = asked_at
        try:
            granted = await self._broker.lease_addresses(self._member, self._epoch, wanted, given_up)
        except TransportError as error:
            self._complain(error)
            return ""
        except Fenced as error:
            return str(error)
        self._reached()
        now = scheduler.now()
        new = leases.answered(granted, asked_at, now)
        for name, ready_at in new.items():
            scheduler.frontier.leased(name, ready_at, now)
        if new:
            scheduler.look_again()
        return ""

    async def end(self) -> None:
        """The crawl has stopped: give everything up. If that fails, it runs out."""
        if self._alarm is not None:
            self._alarm.cancel()
        given_up = self._leases.give_all_up() if self._leases is not None else []
        question, _ = self._holding.ask(NOTHING, 0, steady_seconds())
        self._apply()
        used = Amounts(0, self._fetcher.governor.sockets)
        try:
            await self._broker.exchange(Report(self._member, self._epoch, question, used, NOTHING))
            if given_up:
                await self._broker.lease_addresses(self._member, self._epoch, [], given_up)
        except (TransportError, Fenced) as error:
            logger.info("The share and the leases of this member run out by themselves: %s", error)
        await self.close()

    async def close(self) -> None:
        """Say nothing more to the broker."""
        await self._broker.close()

    def _apply(self) -> None:
        now = steady_seconds()
        amounts = self._holding.now(now)
        self._shaper.set_part(amounts.bandwidth / ALL_BANDWIDTH, self._holding.until)
        self._fetcher.set_connection_share(amounts.connections)
        if now < self._holding.until:
            self._control.unpause(PAUSE)
            self._say_that_it_fetches(amounts)
            self._set_alarm(self._holding.until - now)
        else:
            self._control.pause(PAUSE)

    def _set_alarm(self, seconds: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = asyncio.get_running_loop().call_later(seconds, self._ran_out)

    def _ran_out(self) -> None:
        """Connections that still carry something are not ours any more."""
        self._alarm = None
        left = self._holding.until - steady_seconds()
        if left > 0.0:
            self._set_alarm(left)
            return
        self._has_run_out = True
        logger.warning(
            "No fetching: this member's share of the fleet's bandwidth and connections has run out."
        )
        self._apply()
        self._call_off()

    def _say_that_it_fetches(self, amounts: Amounts) -> None:
        if self._has_run_out and all(amounts):
            self._has_run_out = False
            logger.info("Fetching again: this member has a share of the fleet's bandwidth and connections.")

    def _reached(self) -> None:
        if self._unreachable:
            logger.info("The fleet's broker is reached again.")
        self._unreachable = ""

    def _complain(self, error: TransportError) -> None:
        if str(error) != self._unreachable:
            logger.warning("The fleet's broker cannot be reached: %s", error)
        self._unreachable = str(error)


class Demand:
    """What a member wants: all if something waits for more, else what it uses and a little more."""

    def __init__(self, size: int, cap: int) -> None:
        self._size = size
        self._cap = cap
        self._last_bytes = 0
        self._last_at = -math.inf
        self._used = 0.0
        self._had = float(cap // size)
        """Connections that it wanted last. At first an equal part, because nobody knows yet."""

    def bandwidth(self, shaper: Shaper, now: float) -> int:
        whole = shaper.bytes_per_second
        total = shaper.wire_bytes()
        rate = (total - self._last_bytes) / max(now - self._last_at, 0.1)
        self._last_bytes, self._last_at = total, now
        if not 0.0 < whole < math.inf:
            return ALL_BANDWIDTH // self._size
        self._used = max(rate / whole, SLOWNESS * self._used)  # pages do not come evenly
        own = shaper.own_bytes_per_second / whole
        if shaper.waiting or rate / whole >= 0.9 * own:
            return ALL_BANDWIDTH
        least = ALL_BANDWIDTH // (LEAST * self._size)
        return min(int(self._used * (1 + 1 / RESERVE) * ALL_BANDWIDTH) + least, ALL_BANDWIDTH)

    def connections(self, sockets: int, waiting: int) -> int:
        """It falls slowly: who waits for a connection closes idle ones, and must open them again later."""
        least = max(self._cap // (LEAST * self._size), 1)
        needed = self._cap if waiting else min(sockets + sockets // RESERVE + least, self._cap)
        self._had = max(needed, SLOWNESS * self._had)
        return round(self._had)

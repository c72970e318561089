"""One request at a time per IP address, and never sooner than its clock allows.

Shared hosting puts thousands of sites on one address. Between the sending of a request and the first byte of
its answer no other request starts on that address, and `AddressClock.used` is told when the server saw this
one: at its first byte, at its failure, or `ASSUMED_SEEN_SECONDS` after sending, whichever comes first. Thus
starts, as the server sees them, are never closer than ADDRESS_DELAY. Those who wait are served in their
order.

The clock itself (how long, and what survives a restart) belongs to the frontier.
"""

import asyncio
from collections import deque
from typing import Protocol

from webgraph_it.fetch.guard import Address

ASSUMED_SEEN_SECONDS = 2.0


class AddressClock(Protocol):
    """When an address may be asked again. Times are seconds since 1970 UTC."""

    def ready_at(self, address: str, now: float) -> float:
        """The earliest moment of the next request; not after `now` if it may be sent at once."""

    def used(self, address: str, when: float) -> None:
        """A request reached the address at `when`."""


class AddressGate:
    """Lets one request at a time through to each address."""

    def __init__(self, clock: AddressClock, wall_clock: "WallClock") -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._busy: dict[Address, deque[asyncio.Future[None]]] = {}
        self._due: dict[str, float] = {}
        """Addresses whose clock is waited for, and until when."""
        self.waiting = 0
        """Requests that wait, for their turn or for the clock."""

    @property
    def next_at(self) -> float | None:
        """When the first of those that wait for a clock may go on; None if none does."""
        return min(self._due.values(), default=None)

    async def enter(self, address: Address) -> None:
        """Wait for the address. Every `enter` is followed by one `leave`, unless it was cancelled."""
        self.waiting += 1
        try:
            await self._enter(address)
        finally:
            self.waiting -= 1

    async def _enter(self, address: Address) -> None:
        queue = self._busy.get(address)
        if queue is None:
            self._busy[address] = deque()
        else:
            turn = asyncio.get_running_loop().create_future()
            queue.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._skip(address, turn)
                raise
        try:
            await self._wait_for_clock(str(address))
        except asyncio.CancelledError:
            self._next(address)
            raise

    def leave(self, address: Address, when: float) -> None:
        """The server has seen the request at `when` (wall clock)."""
        self._clock.used(str(address), when)
        self._next(address)

    async def _wait_for_clock(self, address: str) -> None:
        while True:
            now = self._wall_clock()
            wait_seconds = self._clock.ready_at(address, now) - now
            if wait_seconds <= 0:
                return
            self._due[address] = now + wait_seconds
            try:
                await asyncio.sleep(wait_seconds)
            finally:
                del self._due[address]

    def _skip(self, address: Address, turn: "asyncio.Future[None]") -> None:
        if not turn.cancelled():  # its turn came at the same moment
            self._next(address)
        elif turn in self._busy.get(address, ()):
            self._busy[address].remove(turn)

    def _next(self, address: Address) -> None:
        queue = self._busy[address]
        while queue:
            turn = queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._busy[address]


class WallClock(Protocol):
    def __call__(self) -> float: ...

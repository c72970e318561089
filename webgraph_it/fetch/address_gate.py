"""One request at a time per IP address, and never sooner than its clock allows.

Shared hosting puts thousands of sites on one address. Between sending a request and the first byte of its reply, no
other request starts on that address. `AddressClock.used` is called when the server saw the request: at the first
byte, at the failure, or `ASSUMED_SEEN_SECONDS` after sending, whichever comes first. So the server never sees two
requests start closer together than ADDRESS_DELAY.

Nothing waits here: a request that comes too early is refused, and goes back to the frontier, which queues it.

The clock itself (the delay, and what survives a restart) belongs to the frontier.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from webgraph_it.fetch.guard import Address, text_of
from webgraph_it.urls.networks import network_of

ASSUMED_SEEN_SECONDS = 2.0


class AddressClock(Protocol):
    """When an address may be asked again. Times are seconds since 1970 UTC."""

    def ready_at(self, address: str, now: float) -> float:
        """The earliest time of the next request; not after `now` if it may be sent at once."""

    def used(self, address: str, when: float) -> None:
        """A request reached the address at `when`."""

    def is_ours(self, address: str) -> bool:
        """Whether the address may still be asked, after `ready_at` allowed it: a fleet leases it for some seconds."""


class AddressBusy(Exception):
    """The address may not be asked now. Nothing was sent."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} may not be asked now")
        self.address = address


class AddressGate:
    """Lets one request at a time through to each address."""

    def __init__(self, clock: AddressClock, wall_clock: "WallClock") -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._busy: set[str] = set()
        """Networks: the addresses of an IPv6 network have one clock."""

    def enter(self, address: Address) -> None:
        """Pass, or raise AddressBusy. The caller must call `leave` once after every `enter` that passed."""
        name, now = text_of(address), self._wall_clock()
        network = network_of(name)
        if network in self._busy or self._clock.ready_at(name, now) > now:
            raise AddressBusy(name)
        self._busy.add(network)

    def may_send(self, address: Address) -> bool:
        """Whether a request that has entered, perhaps long ago, may be sent now."""
        return self._clock.is_ours(text_of(address))

    def leave(self, address: Address, when: float) -> None:
        """The server has seen the request at `when` (wall clock)."""
        self._clock.used(text_of(address), when)
        self._busy.remove(network_of(text_of(address)))


class WallClock(Protocol):
    def __call__(self) -> float: ...


class SeenOnce:
    """Tells the gate, once, that the server has seen the request."""

    __slots__ = ("_leave", "_timer")

    def __init__(self, leave: Callable[[float], None]) -> None:
        self._leave: Callable[[float], None] | None = leave
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        leave, self._leave = self._leave, None
        if leave is not None:
            leave(time.time())

    def assume_after(self, seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = loop.call_later(seconds, self)

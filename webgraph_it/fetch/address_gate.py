"""One request at a time per IP address, and never sooner than its clock allows.

Shared hosting puts thousands of sites on one address. Between sending a request and the first byte of its reply, no
other request starts on that address. `AddressClock.used` is called when the server saw the request: at the first
byte, at the failure, or `ASSUMED_SEEN_SECONDS` after sending, whichever comes first. So the server never sees two
requests start closer together than ADDRESS_DELAY.

Nothing waits here: a request that comes too early is refused, and goes back to the frontier, which queues it.

The clock itself (the delay, and what survives a restart) belongs to the frontier.
"""

from typing import Protocol

from webgraph_it.fetch.guard import Address, text_of

ASSUMED_SEEN_SECONDS = 2.0


class AddressClock(Protocol):
    """When an address may be asked again. Times are seconds since 1970 UTC."""

    def ready_at(self, address: str, now: float) -> float:
        """The earliest time of the next request; not after `now` if it may be sent at once."""

    def used(self, address: str, when: float) -> None:
        """A request reached the address at `when`."""


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
        self._busy: set[Address] = set()

    def enter(self, address: Address) -> None:
        """Pass, or raise AddressBusy. The caller must call `leave` once after every `enter` that passed."""
        name, now = text_of(address), self._wall_clock()
        if address in self._busy or self._clock.ready_at(name, now) > now:
            raise AddressBusy(name)
        self._busy.add(address)

    def leave(self, address: Address, when: float) -> None:
        """The server has seen the request at `when` (wall clock)."""
        self._clock.used(text_of(address), when)
        self._busy.remove(address)


class WallClock(Protocol):
    def __call__(self) -> float: ...

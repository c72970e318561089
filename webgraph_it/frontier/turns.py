"""Whose turn it is among the active hosts: by their own clock, then by their address' clock.

    put ──► waiting (a heap by time) ──due──► ready (first come) ──► take
                                                │    ▲
                             address is busy    ▼    │  its clock rings: one host
                                             crowd of the address

Guarantees: a host is taken no earlier than its time; ready hosts are taken first come, first served; two
hosts of one address are taken at least `address_delay` apart, in the order of their arrival. A host that
waits for an address is not looked at until it is its turn there. `take` costs O(log hosts), amortised.

An address has two times: `offered_until` spaces what is taken here, `used_until` what the fetcher opens,
which may be later (it waited for a socket) or elsewhere (the name now has another address).
"""

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

from .hosts import Host

MOST_IN_CROWD = 256
"""Hosts that wait in memory for one address; further ones go back to the line until about their turn, unless
pages of theirs are being read."""
ADDRESSES_KEPT = 50_000
"""About 0.2 KB each."""


class Address:
    """One IP address."""

    __slots__ = ("called", "crowd", "offered_until", "ringing", "used_until")

    def __init__(self, until: float) -> None:
        self.offered_until = until
        self.used_until = until
        self.crowd: list[Host] = []  # short, mostly empty: an empty deque takes 14 times as much
        self.called: Host | None = None
        """Out of the crowd, on its way through `ready`."""
        self.ringing = False
        """Its time is in the heap of alarms."""

    def idle(self, now: float) -> bool:
        return (
            not (self.crowd or self.called or self.ringing)
            and max(self.offered_until, self.used_until) <= now
        )


class Turns:
    """The active hosts that are not leased."""

    def __init__(self, address_delay: float, opened_at: float) -> None:
        self._delay = address_delay
        self._opened_until = opened_at + address_delay
        self._ready: deque[Host] = deque()
        self._waiting: list[tuple[float, int, Host]] = []
        self._alarms: list[tuple[float, int, Address]] = []
        self._addresses: dict[str, Address] = {}
        self._keep = ADDRESSES_KEPT
        self._tie = count()
        self.overcrowded: list[tuple[Host, float]] = []
        """Hosts that `take` sent away, and about when to put them again; the caller empties it."""

    @property
    def ready(self) -> int:
        return len(self._ready)

    def put(self, host: Host, ready_at: float, now: float) -> None:
        """Offer the host from `ready_at` on."""
        if ready_at <= now:
            self._ready.append(host)
        else:
            heappush(self._waiting, (ready_at, next(self._tie), host))

    def take(self, now: float) -> Host | None:
        """The next host whose time has come."""
        self._ring(now)
        waiting, ready = self._waiting, self._ready
        while waiting and waiting[0][0] <= now:
            ready.append(heappop(waiting)[2])
        while ready:
            host = ready.popleft()
            if not (self._delay and host.address) or host.clock.given_up or self._admitted(host, now):
                return host
        return None

    def wake_at(self) -> float | None:
        """When `take` may have something: 0 is now, None never."""
        if self._ready:
            return 0.0
        times = [heap[0][0] for heap in (self._waiting, self._alarms) if heap]
        return min(times, default=None)

    def waits(self) -> Iterator[tuple[Host, float, bool]]:
        """Who waits, until about when, and whether for its address (else for its own clock)."""
        for when, _, host in self._waiting:
            yield host, when, False
        for address in self._addresses.values():
            for place, host in enumerate(address.crowd):
                yield host, address.offered_until + place * self._delay, True

    def address_ready(self, name: str, now: float) -> float:
        """The earliest time, not before `now`, at which the address may be asked again."""
        address = self._addresses.get(name)
        return max(now, self._opened_until if address is None else address.used_until)

    def address_used(self, name: str, when: float) -> None:
        """A request to the address starts at `when`."""
        if not self._delay:
            return
        address = self._address(name, when)
        address.used_until = max(address.used_until, when + self._delay)
        address.offered_until = max(address.offered_until, address.used_until)

    def _admitted(self, host: Host, now: float) -> bool:
        address = self._address(host.address, now)
        first = address.called is host
        if first:
            address.called = None
        if address.offered_until > now or (not first and (address.crowd or address.called)):
            self._join_crowd(address, host, first)
            return False
        address.offered_until = now + self._delay
        self._arm(address)
        return True

    def _join_crowd(self, address: Address, host: Host, first: bool) -> None:
        if first:
            address.crowd.insert(0, host)
        elif len(address.crowd) < MOST_IN_CROWD or host.reading:
            address.crowd.append(host)
        else:
            self.overcrowded.append((host, address.offered_until + len(address.crowd) * self._delay))
        self._arm(address)

    def _arm(self, address: Address) -> None:
        if address.crowd and not address.ringing and address.called is None:
            address.ringing = True
            heappush(self._alarms, (address.offered_until, next(self._tie), address))

    def _ring(self, now: float) -> None:
        while self._alarms and self._alarms[0][0] <= now:
            address = heappop(self._alarms)[2]
            address.ringing = False
            if address.offered_until <= now:
                address.called = address.crowd.pop(0)
                self._ready.append(address.called)
            else:
                self._arm(address)

    def _address(self, name: str, now: float) -> Address:
        address = self._addresses.get(name)
        if address is None:
            if len(self._addresses) >= self._keep:
                self._forget_idle(now)
            address = self._addresses[name] = Address(self._opened_until)
        return address

    def _forget_idle(self, now: float) -> None:
        self._addresses = {name: a for name, a in self._addresses.items() if not a.idle(now)}
        self._keep = max(ADDRESSES_KEPT, 2 * len(self._addresses))

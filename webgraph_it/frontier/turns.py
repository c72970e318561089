"""Whose turn it is among the active hosts: by their own clock, then by their address's clock.

    put ──► waiting (a heap by time) ──due──► ready (first come) ──► take
                                              │ │    ▲ ▲
              its address is not known        │ │    │ │  located
                            strangers ◄───────┘ │    │ │
                             address is busy    ▼    │  its clock rings: one host
                                             crowd of the address

Guarantees: a host is taken no earlier than its time; ready hosts are taken first come, first served; two
hosts of one address are taken at least `address_delay` apart, in the order of their arrival; the second is not taken
before the first has reached the address, has ended its turn, or has been on its way for ON_THE_WAY_SECONDS. A
host that waits for an address is not examined before its turn there. `take` costs O(log hosts), amortised.

An address has two times: `offered_until` spaces what is taken here, `used_until` what the fetcher opens,
which may be later (it waited for a socket) or elsewhere (the name now has another address). The addresses of an IPv6
/64 network are one address here.

In a fleet, an address must also be leased (`leases`). Whoever needs an address without a lease waits in its crowd until
`leased` is called.
"""

from collections import deque
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from typing import Protocol

from webgraph_it.urls.networks import network_of

from .hosts import Host

MAX_IN_CROWDS = 2_000
"""Maximum of hosts that wait in memory for their addresses. One crowd may use an eighth of the remaining room, and
every address may have one host. Further hosts go back to the line, unless their pages are being read."""
CROWD_SHARE = 8
LONGEST_BOOKING_SECONDS = 3_600.0
"""How far ahead a turn at an address is booked. Hosts that must wait longer are examined again by then."""
ON_THE_WAY_SECONDS = 5.0
"""How long an address waits for a host that was taken and has not reached it."""
ADDRESSES_KEPT = 50_000
"""About 0.2 KB each."""
UNLEASED_SECONDS = 0.5
"""When to try again an address that is not leased, for requests that do not wait in its crowd."""


class Leases(Protocol):
    """Which addresses this crawl may ask, if other members of a fleet ask addresses, too."""

    def ready_at(self, name: str, now: float) -> float:
        """When the lease allows a request; infinity if there is no lease."""

    def want(self, name: str, now: float) -> None:
        """A lease is needed."""


class Address:
    """One IP address."""

    __slots__ = (
        "alarm_at",
        "booked_until",
        "called",
        "crowd",
        "offered_until",
        "unleased",
        "used_until",
        "visitor",
        "visitor_until",
    )

    def __init__(self, until: float) -> None:
        self.offered_until = until
        self.used_until = until
        self.booked_until = until
        """Until this time its turns are booked for hosts that were sent to the line."""
        self.crowd: list[Host] = []  # short, mostly empty: an empty deque takes 14 times as much
        self.called: Host | None = None
        """The host that left the crowd and is in `ready`."""
        self.visitor: Host | None = None
        """The host that was taken and has not yet reached the address, as far as is known."""
        self.visitor_until = until
        self.alarm_at: float | None = None
        """Its time in the heap of alarms; entries with another time are stale."""
        self.unleased = False
        """Whether its crowd waits for a lease."""

    @property
    def free_at(self) -> float:
        if self.visitor is None:
            return self.offered_until
        return max(self.offered_until, self.visitor_until)

    def idle(self, now: float) -> bool:
        return (
            not (self.crowd or self.called or self.visitor)
            and self.alarm_at is None
            and max(self.offered_until, self.used_until, self.booked_until) <= now
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
        self._in_crowds = 0
        self._keep = ADDRESSES_KEPT
        self._tie = count()
        self.overcrowded: list[tuple[Host, float]] = []
        """Hosts that `take` sent away, and about when to `put` them again. The caller empties it."""
        self.keeps_strangers = False
        """Whether hosts with an unknown address must be located before they are taken."""
        self.leases: Leases | None = None
        """None: all addresses are ours."""
        self._strangers: deque[Host] = deque()
        self._being_located: dict[str, Host] = {}

    @property
    def ready(self) -> int:
        return len(self._ready)

    @property
    def strangers(self) -> int:
        """How many hosts have no known address yet."""
        return len(self._strangers) + len(self._being_located)

    def put(self, host: Host, ready_at: float, now: float) -> None:
        """Offer the host from `ready_at` on."""
        if ready_at <= now:
            self._ready.append(host)
        else:
            heappush(self._waiting, (ready_at, next(self._tie), host))

    def hasten(self, host: Host, when: float) -> None:
        """A host that waits for its own time waits until `when`; one that waits for its address still does."""
        others = [entry for entry in self._waiting if entry[2] is not host]
        if len(others) < len(self._waiting):
            heapify(others)
            self._waiting = others
            heappush(others, (when, next(self._tie), host))

    def take(self, now: float) -> Host | None:
        """The next host whose time has come."""
        self._ring(now)
        waiting, ready = self._waiting, self._ready
        while waiting and waiting[0][0] <= now:
            ready.append(heappop(waiting)[2])
        while ready:
            host = ready.popleft()
            if not self._delay or host.clock.given_up:
                return host
            if host.address:
                if self._admitted(host, now):
                    return host
            elif self.keeps_strangers and not host.looked_up:
                self._strangers.append(host)
            else:
                host.looked_up = False
                return host
        return None

    def next_stranger(self) -> Host | None:
        """A host whose address is unknown. The caller must call `located` for it."""
        if not self._strangers:
            return None
        host = self._strangers.popleft()
        self._being_located[host.name] = host
        return host

    def located(self, name: str, address: str) -> None:
        """A stranger's address. If it is empty (unknown), the host is taken once nevertheless."""
        host = self._being_located.pop(name)
        host.address = address
        host.looked_up = not address
        self._ready.append(host)

    def wake_at(self) -> float | None:
        """When `take` may have something. 0 means now, None means not before the next `put` or `located`."""
        if self._ready:
            return 0.0
        alarms = self._alarms
        while alarms and alarms[0][0] != alarms[0][2].alarm_at:
            heappop(alarms)
        times = [heap[0][0] for heap in (self._waiting, self._alarms) if heap]
        return min(times, default=None)

    def waits(self) -> Iterator[tuple[Host, float, bool]]:
        """Each host that waits, until about when, and whether for its address rather than for its own clock."""
        for when, _, host in self._waiting:
            yield host, when, False
        for address in self._addresses.values():
            for place, host in enumerate(address.crowd):
                yield host, address.offered_until + place * self._delay, True

    def address_ready(self, name: str, now: float) -> float:
        """The earliest time, not before `now`, at which the address may be asked again."""
        address = self._addresses.get(network_of(name))
        ready_at = max(now, self._opened_until if address is None else address.used_until)
        return ready_at if self._is_leased(name, now) else max(ready_at, now + UNLEASED_SECONDS)

    def is_ours(self, name: str, now: float) -> bool:
        """Whether the address is leased, if it needs to be."""
        return self.leases is None or self.leases.ready_at(network_of(name), now) < inf

    def is_needed(self, name: str) -> bool:
        """Whether a host waits for the address, or is on the way to it."""
        address = self._addresses.get(name)
        return address is not None and bool(address.crowd or address.called or address.visitor)

    def leased(self, name: str, ready_at: float, now: float) -> None:
        """The address may be asked from `ready_at` on."""
        address = self._address(name, now)
        address.unleased = False
        address.used_until = max(address.used_until, ready_at)
        address.offered_until = max(address.offered_until, ready_at)
        self._arm(address)

    def address_used(self, name: str, when: float) -> None:
        """A request to the address starts at `when`."""
        if not self._delay:
            return
        address = self._address(name, when)
        address.used_until = max(address.used_until, when + self._delay)
        address.offered_until = max(address.offered_until, address.used_until)
        address.visitor = None
        self._arm(address)

    def ended(self, host: Host, *, turned_away: bool = False) -> None:
        """End the turn of a host that was taken. `turned_away`: the address was busy, so the turn was not used."""
        address = self._addresses.get(network_of(host.address)) if self._delay else None
        if address is not None and address.visitor is host:
            address.visitor = None
            if turned_away:
                address.offered_until = address.used_until
            self._arm(address)

    def book(self, name: str, now: float) -> float:
        """A time at which the address may be free. Each caller gets a different one."""
        turn = self._booked(self._address(name, now), now)
        return turn if self._is_leased(name, now) else max(turn, now + UNLEASED_SECONDS)

    def _admitted(self, host: Host, now: float) -> bool:
        address = self._address(host.address, now)
        first = address.called is host
        if first:
            address.called = None
        address.unleased = not self._is_leased(host.address, now)
        if address.unleased or address.free_at > now or (not first and (address.crowd or address.called)):
            self._join_crowd(address, host, first, now)
            return False
        address.offered_until = now + self._delay
        address.visitor, address.visitor_until = host, now + ON_THE_WAY_SECONDS
        self._arm(address)
        return True

    def _is_leased(self, name: str, now: float) -> bool:
        """If it is not, it is wanted."""
        if self.leases is None or self.is_ours(name, now):
            return True
        self.leases.want(network_of(name), now)
        return False

    def _join_crowd(self, address: Address, host: Host, first: bool, now: float) -> None:
        room = (MAX_IN_CROWDS - self._in_crowds) // CROWD_SHARE
        if first:
            address.crowd.insert(0, host)
            self._in_crowds += 1
        elif len(address.crowd) < max(1, room) or host.reading:
            address.crowd.append(host)
            self._in_crowds += 1
        else:
            self.overcrowded.append((host, self._booked(address, now)))
        self._arm(address)

    def _booked(self, address: Address, now: float) -> float:
        """Turns are booked one after the other. Beyond the longest booking they are booked twice, and a host that comes
        too early books again."""
        turn = max(address.booked_until, address.offered_until + len(address.crowd) * self._delay)
        if turn > now + LONGEST_BOOKING_SECONDS:
            turn = now + LONGEST_BOOKING_SECONDS / 2
        address.booked_until = turn + self._delay
        return turn

    def _arm(self, address: Address) -> None:
        if not address.crowd or address.called is not None or address.unleased:
            return
        when = address.free_at
        if address.alarm_at is None or when < address.alarm_at:
            address.alarm_at = when
            heappush(self._alarms, (when, next(self._tie), address))

    def _ring(self, now: float) -> None:
        while self._alarms and self._alarms[0][0] <= now:
            when, _, address = heappop(self._alarms)
            if when != address.alarm_at:
                continue
            address.alarm_at = None
            if address.crowd and address.called is None and address.free_at <= now:
                address.called = address.crowd.pop(0)
                self._in_crowds -= 1
                self._ready.append(address.called)
            else:
                self._arm(address)

    def _address(self, name: str, now: float) -> Address:
        network = network_of(name)
        address = self._addresses.get(network)
        if address is None:
            if len(self._addresses) >= self._keep:
                self._forget_idle(now)
            address = self._addresses[network] = Address(self._opened_until)
        return address

    def _forget_idle(self, now: float) -> None:
        self._addresses = {name: a for name, a in self._addresses.items() if not a.idle(now)}
        self._keep = max(ADDRESSES_KEPT, 2 * len(self._addresses))

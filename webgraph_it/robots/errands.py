"""Fetching a robots.txt that may redirect, perhaps to another host: a state machine without I/O.

    start ──► errand out ──redirected──► start again, after the delay of the host that was asked
                  │
                  └──learned──► over

A page's lease goes out as a request for its origin's robots.txt; that is an errand. Its host is the lease's own, which
the frontier gives to one lease at a time. A redirect may lead to another host. That host is borrowed: it must be ready,
neither leased nor borrowed nor resting. While it is borrowed, no lease of its own may start (`free_at`). When the lease
ends, the borrowed host rests for its delay.

Guarantees: one request at a time to any host; a borrowed host rests for its delay afterwards; at most MAX_REDIRECTS
redirects. Nothing is kept about an errand that has ended, a host that has rested, or a wait that has passed. Every
method takes constant time, or time logarithmic in the number of resting hosts.
"""

from collections.abc import Callable, Container
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

from webgraph_it.robots.record import RobotsRecord

MAX_REDIRECTS = 5
LOOK_AGAIN_SECONDS = 0.2
"""How soon to check again whether a host is free that is being asked now. When that ends is unknown."""
MAX_UNREACHABLE = 10_000
"""Maximum of hosts remembered as waiting for their robots.txt. They serve only for log lines."""


class Errand(NamedTuple):
    """A robots.txt to request."""

    url: str
    host: str
    redirects: int
    """Redirects followed so far."""


class Errands:
    """The errands of one crawl. `lease` identifies a lease that is out. A lease has one errand at a time."""

    def __init__(self) -> None:
        self._redirected: dict[str, Errand] = {}
        """Where to request the robots.txt next, by origin."""
        self._borrowed: set[str] = set()
        self._borrowers: dict[bytes, str] = {}
        """The borrowed host, by lease."""
        self._resting = _Until()
        self._unreachable = _Until(MAX_UNREACHABLE)

    def __repr__(self) -> str:
        parts = f"{len(self._redirected)} redirected, {len(self._borrowed)} borrowed"
        return f"<Errands {parts}, {len(self._resting)} resting, {len(self._unreachable)} unreachable>"

    def free_at(self, host: str, now: float) -> float:
        """When to check whether a lease of this host may start: `now` if it may."""
        if host in self._borrowed:
            return now + LOOK_AGAIN_SECONDS
        return self._resting.get(host, now) if self._resting else now

    def start(
        self, origin: str, host: str, lease: bytes, now: float, ready_at: Callable[[str], float]
    ) -> Errand | float:
        """The errand that starts now with this lease of `host`, or the time when to check again.

        `ready_at` says when another host may be asked: infinity while one of its own leases is out.
        """
        errand = self._redirected.get(origin)
        if errand is None:
            return Errand(f"{origin}/robots.txt", host, 0)
        if errand.host != host:
            free_at = self.free_at(errand.host, now)
            if free_at <= now:
                free_at = ready_at(errand.host)
            if free_at > now:
                return free_at if free_at < inf else now + LOOK_AGAIN_SECONDS
            self._borrowed.add(errand.host)
            self._borrowers[lease] = errand.host
        del self._redirected[origin]
        return errand

    def lend(self, host: str, now: float, ready_at: Callable[[str], float]) -> bool:
        """Let another crawl ask this host once, until `take_back`. False if it is not free now."""
        if self.free_at(host, now) > now or ready_at(host) > now:
            return False
        self._borrowed.add(host)
        return True

    def take_back(self, host: str, now: float, delay: Callable[[str], float]) -> None:
        """The other crawl has asked it. It rests for its delay."""
        self._borrowed.discard(host)
        self._resting.put(host, now + delay(host), now)

    def has_borrowed(self, lease: bytes, host: str) -> bool:
        """Whether the lease's errand is on this host, which it borrowed."""
        return self._borrowers.get(lease) == host

    def redirected(self, origin: str, errand: Errand) -> None:
        """The robots.txt redirects: the next lease of that origin requests it there."""
        if errand.redirects > MAX_REDIRECTS:
            raise ValueError(
                f"{origin}: {errand.redirects} redirects found, at most {MAX_REDIRECTS} expected"
            )
        self._redirected[origin] = errand

    def learned(self, host: str, record: RobotsRecord, now: float) -> None:
        """The robots.txt of an origin on this host is now known, or known to be unreachable."""
        if record.waits:
            self._unreachable.put(host, record.expires_at, now)
        else:
            self._unreachable.drop(host)

    def dropped(self, origin: str) -> None:
        """This robots.txt is no longer needed."""
        self._redirected.pop(origin, None)

    def ended(self, lease: bytes, now: float, delay: Callable[[str], float]) -> None:
        """The lease has ended, for whatever reason. A host that it borrowed rests for its delay."""
        host = self._borrowers.pop(lease, None)
        if host is not None:
            self._borrowed.remove(host)
            self._resting.put(host, now + delay(host), now)

    def unreachable(self, now: float) -> Container[str]:
        """Hosts whose pages wait because their robots.txt is unreachable. If there are very many, not all of them."""
        return self._unreachable.names(now)


class _Until:
    """Names, each with an end time, after which it is removed. Beyond `most` names, further ones are not kept."""

    def __init__(self, most: float = inf) -> None:
        self._until: dict[str, float] = {}
        self._line: list[tuple[float, str]] = []
        """A heap. An entry that was dropped or put again stays in it until its time."""
        self._most = most

    def __len__(self) -> int:
        return len(self._line)

    def put(self, name: str, until: float, now: float) -> None:
        self._forget(now)
        self._until.pop(name, None)
        if until > now and len(self._line) < self._most:
            self._until[name] = until
            heappush(self._line, (until, name))

    def drop(self, name: str) -> None:
        self._until.pop(name, None)

    def get(self, name: str, now: float) -> float:
        """The end time; `now` if it has passed."""
        self._forget(now)
        return self._until.get(name, now)

    def names(self, now: float) -> Container[str]:
        self._forget(now)
        return self._until

    def _forget(self, now: float) -> None:
        while self._line and self._line[0][0] <= now:
            until, name = heappop(self._line)
            if self._until.get(name) == until:
                del self._until[name]

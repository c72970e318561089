"""A frontier that fetches nothing: it is filled from archives, where pages come in their own order.

A crawl leases what it queued. An archive has pages that nobody linked to yet, and lacks pages that many link to. So
what is found is not queued, but kept by its digest, with the place where it was found:

    f <digest 16>     TIME, then a queue entry (layout.py): when it was captured (0: not yet), where it was found
    o <MD5 of the payload digest as written>   PLACE_IN_FILES of a capture with that payload
    x <digest 16>     a robots.txt redirects there: empty

    capture = harvest.captured(digest)          None: never found
    lease = harvest.lease(digest, key)          then Recorder.record, which calls `add` and `done`
    for cuts in harvest.hand_over(now): …       what was found and never captured is queued for a crawl

Guarantees: as the frontier's; `hand_over` can stop at any commit and be called again. What a crawl adds later is not
in these rows, so nothing may be harvested after `hand_over`.
"""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from webgraph_it.items import Link, State

from .frontier import Frontier
from .layers import Frozen
from .layout import ENTRY_HEAD, SEEN, STATE, host_of, lease_of, packed_entry, packed_seen, seen_of
from .politeness import Politeness
from .rebuild import NO_DELAYS
from .records import Added, Cut, Failure, Lease, Limits, Ordering, Outcome
from .state import packed_state
from .store import Store, after

FOUND, ORIGIN, FOR_ROBOTS = b"f", b"o", b"x"
TIME = struct.Struct(">d")
PLACE_IN_FILES = struct.Struct(">IQ")
"""number of the file, position in it"""
AT_ONCE = 500


class Known(NamedTuple):
    """What is known of a node that an archive holds again."""

    time: float
    """Of the capture that was recorded; 0 if none was."""
    was_cut: State | None
    """The state of a node that was cut when it was found; None if it was not."""


class Harvest(Frontier):
    """Opened with Harvest.open."""

    before_freeze: Callable[[], None] | None = None
    """Called at the moment of a commit, to put what must be committed with the pages."""

    @classmethod
    def open(  # type: ignore[override]
        cls, store: Store, order: Ordering, limits: Limits, now: float, policy: Politeness = NO_DELAYS
    ) -> "Harvest":
        harvest = cls(store, policy, order, limits, now)
        store.commit({STATE: packed_state(harvest._totals, clean=False)})
        return harvest

    # -- in -------------------------------------------------------------------------------------------------

    def add(
        self,
        links: Sequence[Link],
        depth: int,
        via: str,
        now: float,
        *,
        host_depth: int = 0,
        content_digest: str = "",
        traps: Mapping[bytes, str] | None = None,
        page_trap: str = "",
        texts: Sequence[tuple[bytes, str]] = (),
    ) -> Added:
        """Keep the links that were never seen. As in a crawl, a trap is cut; other limits apply at `hand_over`."""
        new = self._intake.seen.new(links)
        page_host = host_of(via) + ")" if via else ")"
        cuts: list[Cut] = []
        put = self._layers.put
        for link in new:
            url, key, digest, _ = link
            depth_there = host_depth + 1 if key.startswith(page_host) else 0
            put(FOUND + digest, _NEVER + packed_entry((url, key, via, digest), depth, depth_there))
            trap = (traps and traps.get(digest)) or page_trap
            if trap:
                cuts.append(Cut(link, State.TRAP_CUT, trap, depth_there))
                self._intake.seen.keep(digest, packed_seen(State.TRAP_CUT, 0))
        self._totals.seen += len(new)
        self._totals.cut += len(cuts)
        return Added(new, cuts)

    def add_seeds(self, links: Sequence[Link], now: float) -> Added:
        """Nodes before any page links to them: seeds, and captures that no earlier one links to."""
        return self.add(links, 0, "", now)

    # -- captures -------------------------------------------------------------------------------------------

    def captured(self, digest: bytes) -> Known | None:
        """What is known of the node; None if it was never found."""
        row = self._layers.get(FOUND + digest)
        if row is None:
            return None
        state = seen_of(self._layers.get(SEEN + digest) or b"")[0]
        return Known(TIME.unpack_from(row)[0], state if state in (State.TRAP_CUT, State.QUOTA_CUT) else None)

    def lease(self, digest: bytes, key: str) -> Lease:
        """A lease of a node that was found, to be recorded at once."""
        row = self._layers.get(FOUND + digest)
        if row is None:
            raise ValueError(f"{key} was never found")
        again = not row.startswith(_NEVER) and self.visit(digest) is not None
        return lease_of(b"", row[TIME.size :], host_of(key), "", False, again)

    def done(self, lease: Lease, outcome: Outcome, now: float) -> None:
        """The capture of the time `now` is recorded. A later capture of the same page is a re-visit."""
        host = self._roster.host(lease.host)
        key = FOUND + lease.digest
        row = self._layers.get(key) or b""
        if row.startswith(_NEVER):
            if seen_of(self._layers.get(SEEN + lease.digest) or b"")[0] is State.TRAP_CUT:
                self._totals.cut -= 1
            if not host.accepted:
                self._totals.hosts += 1
                self._intake.traps.count_host(host.name)
            self._intake.domains.count_page(host.name)
            self._intake.traps.queries(Link(lease.url, lease.key, lease.digest, ""))
            host.accepted += 1
            host.finished += 1
            self._totals.done += 1
        host.failed += outcome.failure is not Failure.NONE
        host.address = outcome.address or host.address
        self._roster.save(host)
        self._layers.put(key, TIME.pack(now) + row[TIME.size :])
        self._totals.revisits += lease.is_revisit
        if outcome.visit is not None:
            self.keep_visit(lease.digest, outcome.visit)
        if outcome.state is not None:
            self._intake.seen.keep(lease.digest, packed_seen(outcome.state, outcome.status))

    def freeze(self) -> Frozen:
        if self.before_freeze is not None:
            self.before_freeze()
        return super().freeze()

    def set_origin(self, payload: bytes, file: int, position: int) -> None:
        """A capture with this payload is there. The first one is kept."""
        key = ORIGIN + payload
        if self._layers.get(key) is None:
            self._layers.put(key, PLACE_IN_FILES.pack(file, position))

    def origin(self, payload: bytes) -> tuple[int, int] | None:
        """Number of the file and position of a capture with this payload."""
        row = self._layers.get(ORIGIN + payload)
        if row is None:
            return None
        file, position = PLACE_IN_FILES.unpack(row)
        return file, position

    def set_for_robots(self, digest: bytes) -> None:
        """A robots.txt redirects to this node."""
        self._layers.put(FOR_ROBOTS + digest, b"")

    def is_for_robots(self, digest: bytes) -> bool:
        """Whether a robots.txt redirects there."""
        return self._layers.get(FOR_ROBOTS + digest) is not None

    # -- out ------------------------------------------------------------------------------------------------

    def hand_over(self, now: float) -> Iterator[list[tuple[Cut, int, str]]]:
        """Queue what was found and never captured. Everything must have been committed before.

        Yields after each slice what the limits cut in it, each with its depth and the page where it was found.
        """
        lower, upper = FOUND, after(FOUND)
        while rows := self._store.scan(lower, upper, AT_ONCE):
            cuts: list[tuple[Cut, int, str]] = []
            for key, row in rows:
                if row.startswith(_NEVER) and self._layers.get(key) is not None:
                    cuts += self._queue(key, row[TIME.size :], now)
            lower = rows[-1][0] + b"\0"
            yield cuts

    def _queue(self, key: bytes, packed: bytes, now: float) -> Iterator[tuple[Cut, int, str]]:
        digest, depth, host_depth, _, _ = ENTRY_HEAD.unpack_from(packed)
        url, node, via = packed[ENTRY_HEAD.size :].decode().split("\n")
        self._layers.remove(key)
        if seen_of(self._layers.get(SEEN + digest) or b"")[0] is not State.NEVER_TRIED:
            return
        link, host = Link(url, node, digest, ""), self._roster.host(host_of(node))
        cut = self._intake.cut(link, host, depth, host_depth)
        if cut is None:
            self._intake.enqueue(host, link, depth, host_depth, via, now)
            self._roster.save(host)
        else:
            self._intake.seen.keep(digest, packed_seen(cut.state, 0))
            self._totals.cut += 1
            yield cut, depth, via


_NEVER = TIME.pack(0.0)

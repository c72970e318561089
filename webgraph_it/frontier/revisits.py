"""Pages that are visited again: what is known of their last visit, and a second queue per host.

A planned page has a mark in its visit row until the re-visit is finished. So it is in the queue at most once. A host
with both queues gives re-visits their share of its turns; a host with one queue gives it all.

Every change goes to the layers in the same call: a commit contains all of a call or nothing of it.
"""

from collections.abc import Iterable, Sequence

from webgraph_it.urls.names import digest

from .hosts import Host
from .layers import Layers
from .layout import PLACE, REVISITS, host_of, packed_entry, revisits_of
from .records import PlannedVisit
from .roster import Roster, open_revisits
from .state import Totals
from .visits import PLANNED, VISIT, Visit, packed_visit, visit_of
from .window import Window

ALMOST = 1 - 1e-6
"""Ten tenths, as floating-point numbers add them."""


class Revisits:
    """Visit rows, and the queues of planned re-visits."""

    def __init__(self, layers: Layers, roster: Roster, totals: Totals) -> None:
        self._layers = layers
        self._roster = roster
        self._totals = totals
        self.share = 0.1
        """Of the turns of a host that has new URLs, too (RECRAWL_SHARE)."""

    def visit(self, name: bytes) -> Visit | None:
        """Of the page with this digest."""
        packed = self._layers.get(VISIT + name)
        return None if packed is None else visit_of(packed)

    def keep(self, name: bytes, visit: Visit) -> None:
        self._layers.put(VISIT + name, packed_visit(visit))

    def plan(self, pages: Sequence[PlannedVisit], made_at: float, now: float) -> int:
        """Frontier.plan_visits."""
        names = [digest(page.key) for page in pages]
        rows = self._layers.get_many([VISIT + name for name in names])
        hosts: dict[str, Host] = {}
        count = 0
        for page, name in zip(pages, names, strict=True):
            packed = rows[VISIT + name]
            visit = visit_of(packed) if packed is not None else None
            if visit is None or visit.is_planned or visit.last_visit > made_at:
                continue
            rows[VISIT + name] = marked = packed_visit(visit._replace(flags=visit.flags | PLANNED))
            self._layers.put(VISIT + name, marked)
            host_name = host_of(page.key)
            host = hosts.get(host_name)
            if host is None:
                host = hosts[host_name] = self._roster.host(host_name)
            self._enqueue(host, page, name, now)
            count += 1
        for host in hosts.values():
            self._roster.save(host)
        return count

    def _enqueue(self, host: Host, page: PlannedVisit, name: bytes, now: float) -> None:
        if host.clock.given_up and not host.entries:  # long ago, perhaps: it gets another chance
            host.clock = host.clock._replace(given_up=False, failures=0, parkings=0)
        names = (page.url, page.key, page.via, name)
        place = PLACE.pack(page.priority, self._totals.next_number(), 0)
        self.append(host, place, packed_entry(names, page.depth, page.host_depth))
        self._totals.entries += 1
        self._totals.planned += 1
        host.planned += 1
        if host.entries == 1:
            self._roster.enter(host, now)
        elif host in self._roster.resting:
            self._roster.put(host, now)

    def append(self, host: Host, place: bytes, packed: bytes) -> None:
        """Put an entry into the second queue of its host."""
        prefix = revisits_of(host.name)
        self._layers.append(prefix, prefix + place, packed)
        if host.revisits is not None:
            host.revisits.offer((prefix + place, packed))
        elif host.window is not None:  # active, and had no re-visits so far
            open_revisits(host)
        if place < host.lowest_planned:
            host.lowest_planned = place

    def is_next(self, host: Host) -> bool:
        """Whether the next turn of a host with planned re-visits is theirs. It counts as given."""
        if len(_revisits_among(host.reading)) == host.planned:
            return False
        if not has_new(host):
            return True
        host.credit += self.share
        if host.credit < ALMOST:
            return False
        host.credit = max(0.0, host.credit - 1)
        return True

    def place_after(self, entry: bytes) -> bytes:
        """A place after all others of the same priority."""
        priority = PLACE.unpack(entry[-PLACE.size :])[0]
        return PLACE.pack(priority, self._totals.next_number(), 0)

    def finish(self, host: Host, name: bytes, visit: Visit | None) -> None:
        """The re-visit has ended. Without a visit, what is known stays."""
        host.planned -= 1
        self._totals.entries -= 1
        self._totals.planned -= 1
        self._totals.revisits += 1
        visit = visit or self.visit(name)
        if visit is not None:
            self.keep(name, visit._replace(flags=visit.flags & ~PLANNED))


def has_new(host: Host) -> bool:
    """Whether a host has URLs that were never fetched, besides those being read."""
    return host.queued > len(host.reading) - len(_revisits_among(host.reading))


def lowest_place(window: Window, prefix: bytes, reading: Iterable[bytes]) -> bytes:
    """The place below which a queue is empty, if none of its URLs is leased."""
    lowest = min((window.lower(), *(entry for entry in reading if entry.startswith(prefix))))
    return lowest[len(prefix) :][: PLACE.size]


def _revisits_among(entries: Iterable[bytes]) -> list[bytes]:
    return [entry for entry in entries if entry.startswith(REVISITS)]

"""Divides the rows of several stores anew among several stores: the members of a fleet get other sites.

A host goes to its new owner with its queue, counters, clock and robots.txt. Which digests were seen goes to all,
because a digest does not say whose it is: in a store that does not own it, it only means that another has it. A planned
re-visit and what is known for the next one stay with the pages that stay.

Nothing in the old stores changes. The new ones must be empty. They are left as after a crash: no host is asked before
its delay has passed since the opening.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from webgraph_it.urls import Refusal, key

from .hosts import Host
from .layout import (
    CONTENT,
    DOMAIN,
    DOMAIN_PAGES,
    FIRST_CONTACT,
    HOST,
    LINE,
    LINE_PLACE,
    META,
    QUERIES,
    QUEUE,
    REVISITS,
    ROBOTS,
    SEEN,
    STATE,
)
from .state import Totals, packed_state, state_of
from .store import Row, Store, after
from .visits import VISIT

CHANGES_AT_ONCE = 50_000

Owner = Callable[[str], int]
"""From a host, as labels of a key, to the number of its new store."""


@dataclass
class _New:
    """A new store, and what it has so far."""

    store: Store
    totals: Totals
    changes: dict[bytes, bytes | None] = field(default_factory=dict)

    def put(self, key: bytes, value: bytes | None) -> None:
        self.changes[key] = value
        if len(self.changes) >= CHANGES_AT_ONCE:
            self.write()

    def write(self) -> None:
        self.store.commit(self.changes)
        self.changes = {}


def divide(
    old: Mapping[int, Store],
    new: Mapping[int, Store],
    owner: Owner,
    moved: Callable[[int], Iterable[bytes]],
    meta: Mapping[int, Mapping[str, bytes]],
) -> None:
    """`moved`: number of an old store → digests of its pages that have another owner now. `meta`: what each new store
    remembers for its caller."""
    states = [state_of(store.get(STATE))[0] for store in old.values()]
    news = {number: _New(store, _begun(states)) for number, store in new.items()}
    for value_is_known in (False, True):  # a state that the owner knows counts more than a mark of another
        for store in old.values():
            for row in store.items(SEEN, after(SEEN)):
                if bool(row[1]) is value_is_known:
                    for each in news.values():
                        each.put(*row)
        for each in news.values():
            each.write()
    for number, store in old.items():
        _divide_hosts(store, news, owner, number)
        if number in news:
            _keep_visits(store, news[number], moved(number))
    for number, each in news.items():
        for name, value in meta[number].items():
            each.put(META + name.encode(), value)
        each.totals.seen = each.totals.done + each.totals.entries + each.totals.cut
        each.put(STATE, packed_state(each.totals, clean=False))
        each.write()


def _begun(states: list[Totals]) -> Totals:
    latest = max((state.latest for state in states), default=0.0)
    return Totals(
        sequence=max((state.sequence for state in states), default=1),
        cut=sum(state.cut for state in states),
        latest=latest,
        unknown_until=latest,
        corrected_at=max((state.corrected_at for state in states), default=0.0),
        layout=min((state.layout for state in states), default=Totals().layout),
    )


def _divide_hosts(store: Store, news: Mapping[int, _New], owner: Owner, number: int) -> None:
    for key_, packed in store.items(HOST, after(HOST)):
        host = Host.unpacked(key_[1:].decode(), packed)
        to = owner(host.name)
        if to != number:
            host.planned, host.credit, host.lowest_planned = 0, 0.0, b""
        _enter(news[to], host)
    for prefix in (QUEUE, REVISITS, QUERIES, CONTENT, DOMAIN, DOMAIN_PAGES, ROBOTS):
        for row in store.items(prefix, after(prefix)):
            to = owner(_host_of(row))
            if prefix != REVISITS or to == number:
                news[to].put(*row)


def _host_of(row: Row) -> str:
    """The host, or the site, that a row belongs to."""
    name = row[0][1:].partition(b")")[0].decode()
    if row[0][:1] != ROBOTS:
        return name
    surt = key(f"{row[0][1:].decode()}/")
    return name if isinstance(surt, Refusal) else surt.partition(")")[0]


def _enter(new: _New, host: Host) -> None:
    """Save the host, and put it into the line of its store if it has URLs."""
    totals = new.totals
    totals.hosts += 1
    totals.done += host.finished
    totals.entries += host.entries
    totals.planned += host.planned
    if host.entries:
        microseconds = LINE_PLACE.unpack(host.line)[0] if host.line else FIRST_CONTACT
        host.line = LINE_PLACE.pack(microseconds, totals.next_number())
        new.put(LINE + host.line, host.name.encode())
        totals.hosts_with_urls += 1
        totals.hosts_parked += host.clock.parked
    else:
        host.line = b""
    new.put(HOST + host.name.encode(), host.packed())


def _keep_visits(store: Store, new: _New, moved: Iterable[bytes]) -> None:
    for row in store.items(VISIT, after(VISIT)):
        new.put(*row)
    new.write()
    for digest in moved:
        new.put(VISIT + digest, None)

"""Small words for tests of the frontier: links, a policy, a frontier that is easy to watch."""

from collections.abc import Iterable

from hypothesis import settings

from tests.defaults import frontier_limits, politeness
from webgraph_it.frontier import Frontier, Lease, Limits, MemoryStore, Order, Outcome, Politeness, Store
from webgraph_it.frontier.records import Ordering
from webgraph_it.items import Link
from webgraph_it.urls.names import digest

NOW = 1_000.0
PATIENT = settings(deadline=None)
"""Tests are not timed."""
EAGER = politeness(host_delay_seconds=0, delay_factor=0, address_delay_seconds=0, back_off_seconds=0)
DELAY = 2.0
CALM = politeness(host_delay_seconds=DELAY, delay_factor=0, address_delay_seconds=0)


def link(host: str, path: str = "/") -> Link:
    """`link("a", "/x")` points to http://a.it/x."""
    key = f"it,{host}){path}"
    return Link(f"http://{host}.it{path}", key, digest(key), "a")


def links(hosts: Iterable[str], paths: int) -> list[Link]:
    """For each host so many paths, host by host."""
    return [link(host, f"/{n}") for host in hosts for n in range(paths)]


def open_frontier(
    store: Store | None = None,
    policy: Politeness = EAGER,
    order: Ordering = Order.BREADTH,
    limits: Limits | None = None,
    now: float = NOW,
) -> Frontier:
    return Frontier.open(store or MemoryStore(), policy, order, limits or frontier_limits(), now)


def commit(frontier: Frontier, meta: dict[str, bytes] | None = None) -> None:
    frozen = frontier.freeze()
    frozen.write(meta)
    frontier.forget(frozen)


def lease_at(frontier: Frontier, now: float) -> Lease:
    """A lease that must be there."""
    lease = frontier.next(now)
    assert lease is not None, f"nothing at {now}: {frontier}"
    return lease


def drain(frontier: Frontier, now: float) -> list[Lease]:
    """Take and finish everything, moving the time on whenever nothing is ready."""
    taken = []
    while True:
        while (lease := frontier.next(now)) is not None:
            frontier.done(lease, Outcome(), now)
            taken.append(lease)
        wake_at = frontier.wake_at()
        if wake_at is None:
            return taken
        assert wake_at > now, "it said now, but nothing was ready"
        now = wake_at

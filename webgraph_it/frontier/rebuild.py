"""Rebuilds a frontier from a crawl's files.

Restored: every URL that was seen; what the visits of pages showed; the queued URLs with depth, linking page and
order; the counters of hosts, quotas and traps; each host's address, and whether it was given up. Not restored:
planned re-visits, ETags, robots.txt, Crawl-delays, consecutive failures and retries, which the crawl learns again.
The rebuilt frontier is treated as after a crash: no host is asked before its delay has passed since the opening.

    rebuild = Rebuild(store, order, limits)
    rebuild.finished(page) / rebuild.cut(page)     for every node with a line in the page log
    rebuild.visited(page, visit)                   for every line of a visit, in order
    rebuild.queue(link, depth, host_depth, via)    for every other one
    rebuild.commit(); rebuild.abandon()
"""

from collections.abc import Mapping

from webgraph_it.items import Link, Page, State

from .frontier import Frontier
from .layout import host_of, packed_seen
from .politeness import Clock, Politeness
from .records import Limits, Ordering
from .store import Store
from .visits import Visit

MAX_UNCOMMITTED = 60_000
NO_DELAYS = Politeness(
    host_delay_seconds=0,
    delay_factor=0,
    address_delay_seconds=0,
    crawl_delay_max_seconds=0,
    retry_times=0,
    back_off_seconds=0,
    park_seconds=0,
)
"""A placeholder, as nothing is fetched here. The crawl that opens the frontier brings its own."""
GIVEN_UP = "host-given-up"
"""Reason in the page log of a URL that was not fetched because its host had failed too often."""


class Rebuild(Frontier):
    """Opened on an empty store. Its memory is bounded like that of any frontier."""

    def __init__(self, store: Store, order: Ordering, limits: Limits) -> None:
        super().__init__(store, NO_DELAYS, order, limits, 0.0)

    def finished(self, page: Page, *, cut_before: bool = False) -> None:
        """Add a URL that was tried and will not be tried again. `cut_before`: an earlier line says that it was cut."""
        host = self._roster.host(host_of(page.key))
        if not host.accepted:
            self._totals.hosts += 1
            self._intake.traps.count_host(host.name)
        self._intake.domains.count_page(host.name)
        host.accepted += 1
        host.finished += 1
        host.failed += page.status >= 500 or (page.state is State.ERROR and not page.status)
        host.address = page.address or host.address
        host.clock = Clock(duration_seconds=page.seconds, given_up=page.reason == GIVEN_UP)
        self._roster.save(host)
        self._intake.seen.keep(page.digest, packed_seen(page.state, page.status))
        self._totals.done += 1
        self._totals.seen += not cut_before
        self._totals.cut -= cut_before
        self._intake.traps.same_content(page.key, page.content_digest)
        self._count_query(Link(page.url, page.key, page.digest, ""))
        self._commit_if_large()

    def visited(self, page: Page, visit: Visit) -> None:
        """Add what a visit of a page showed. `finished` came before."""
        self.keep_visit(page.digest, visit)
        if page.state in (State.FETCHED, State.REDIRECT, State.GONE):
            self._intake.seen.keep(page.digest, packed_seen(page.state, page.status))
        self._commit_if_large()

    def cut(self, page: Page) -> None:
        """Add a node that was found and not queued."""
        self._intake.seen.keep(page.digest, packed_seen(page.state, 0))
        self._totals.seen += 1
        self._totals.cut += 1
        if page.reason in ("queries-per-path", "pages-per-host", "pages-per-domain"):
            self._count_query(Link(page.url, page.key, page.digest, ""))
        self._commit_if_large()

    def queue(self, link: Link, depth: int, host_depth: int, via: str) -> None:
        """Add a URL that is still to be fetched."""
        host = self._roster.host(host_of(link.key))
        self._intake.enqueue(host, link, depth, host_depth, via, 0.0)
        self._roster.save(host)
        self._intake.seen.keep(link.digest, b"")
        self._totals.seen += 1
        self._count_query(link)
        self._commit_if_large()

    def commit(self, meta: Mapping[str, bytes] | None = None) -> None:
        frozen = self.freeze()
        frozen.write(meta)
        self.forget(frozen)

    def _count_query(self, link: Link) -> None:
        self._intake.traps.queries(link)

    def _commit_if_large(self) -> None:
        if self.counts().uncommitted > MAX_UNCOMMITTED:
            self.commit()

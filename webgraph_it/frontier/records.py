"""What goes into the frontier and what comes out of it: frozen records, no behaviour.

A time is seconds since 1970 UTC and always given by the caller; a delay is seconds. A "host" is the part of a
key before `)`: the spellings of a site (http, https, with and without www, any port) share a queue and a
clock.
"""

from enum import Enum, StrEnum
from typing import NamedTuple

from webgraph_it.items import Link, State


class FrontierError(Exception):
    """The store cannot be used: one sentence that says what was found and what to do."""


class Order(StrEnum):
    """In which order the URLs of one host are taken (FRONTIER_ORDER)."""

    BREADTH = "breadth"
    """Depth, then first come."""
    LEVEL = "level"
    """10 × slashes of the path + labels below the registrable domain, then first come."""


class Limits(NamedTuple):
    """What is not queued. 0 is no limit."""

    max_pages_per_host: int
    max_depth: int
    max_host_depth: int
    """Ancestors in a row on the link's own host."""
    max_queries_per_path: int
    """Distinct queries on one (host, path)."""
    max_same_content: int
    """Pages of one host with the same body whose links are still queued."""
    max_hosts_per_domain: int
    """Hosts below one registrable domain, seeds not limited."""


class Cut(NamedTuple):
    """A URL seen for the first time and not queued."""

    link: Link
    state: State
    """QUOTA_CUT or TRAP_CUT."""
    reason: str
    """pages-per-host, depth, host-depth, queries-per-path, same-content, hosts-per-domain, or the caller's own."""
    host_depth: int = 0
    """What its lease would have had."""


class Added(NamedTuple):
    """What one batch of links changed."""

    new: list[Link]
    """Seen for the first time, in order of appearance, cut ones included: each goes to the URL list once."""
    cut: list[Cut]
    """Those of `new` that are not queued: each goes to the page log once."""
    uncut: tuple[State, ...] = ()
    """What known links were that had been cut before and are queued now."""


class Lease(NamedTuple):
    """A URL that may be fetched now. It stays in the store until `done`: a crash gives it back."""

    url: str
    key: str
    digest: bytes
    depth: int
    """Links from a seed."""
    host_depth: int
    """Ancestors in a row on the same host."""
    via: str
    """Key of the page where it was first found; empty for a seed."""
    host: str
    attempts: int
    """Fetches that failed and were put back (Kind.RETRY)."""
    spellings: int
    """Times that the node was sent to another spelling (Kind.SPELLING)."""
    address: str
    """Where the host answered last; empty if unknown."""
    given_up: bool
    """The host was given up: record the URL as an error without fetching it, then call `done`."""
    entry: bytes
    """The place in the queue; for the frontier only."""


class Stranger(NamedTuple):
    """A host whose address is not known."""

    host: str
    url: str
    """The one of its URLs that is next: it names the host as DNS knows it."""


class Kind(Enum):
    """What happens to a leased URL."""

    FINISHED = 1
    """Fetched, denied or failed for good: it never comes again."""
    RETRY = 2
    """The same URL later, behind the others of its depth, with attempts + 1."""
    SPELLING = 3
    """The same node next at Outcome.url, with spellings + 1."""


class Failure(Enum):
    """Why a fetch failed, seen from the host. Any but NONE counts towards back-off and parking."""

    NONE = 0
    """The host answered properly, 404 included."""
    BUSY = 1
    """429 or 503."""
    SERVER = 2
    """Another 5xx."""
    NETWORK = 3
    """Refused, reset, timed out, TLS."""
    DNS = 4
    """The name does not resolve."""


class Outcome(NamedTuple):
    """What became of a lease, and what the fetch taught about its host."""

    kind: Kind = Kind.FINISHED
    failure: Failure = Failure.NONE
    fetched: bool = True
    """False if no request was sent (robots denied it, the host was given up): clocks stay as they are."""
    duration_seconds: float = 0.0
    address: str = ""
    """Empty if unknown: the host keeps the one it had."""
    retry_after_seconds: float | None = None
    crawl_delay_seconds: float | None = None
    """From robots.txt; None keeps what is known, 0 forgets it."""
    url: str = ""
    """The other spelling, for Kind.SPELLING."""
    state: State | None = None
    """What to remember of a finished URL; None is nothing."""
    status: int = 0
    """Its HTTP status, remembered with the state."""


class Counts(NamedTuple):
    """The frontier in numbers, all O(1)."""

    seen: int
    queued: int
    """Waiting in host queues, leased ones not counted."""
    leased: int
    """Being fetched, or answered and not done."""
    done: int
    cut: int
    hosts: int
    """Hosts ever seen."""
    hosts_ready: int
    hosts_waiting: int
    """Hosts with URLs that wait for their clock, their address, their turn, or for their pages to be read."""
    hosts_parked: int
    """Hosts with URLs that are left alone for a while after repeated failures."""
    uncommitted: int
    """Changes in memory since the last commit."""


class Wait(NamedTuple):
    """A host that has URLs and may not be asked now."""

    host: str
    until: float
    for_address: bool
    """It waits for its address, not for its own clock."""
    crawl_delay: bool
    """Its delay is the one its robots.txt asks for."""
    failure: Failure
    """What its last fetch came to."""


class HostReport(NamedTuple):
    """One host, for reports."""

    host: str
    queued: int
    accepted: int
    """URLs ever queued."""
    finished: int
    failed: int
    """Fetches that failed."""
    ready_at: float
    parked: bool
    given_up: bool
    address: str

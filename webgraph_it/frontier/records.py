"""The frontier's inputs and outputs: frozen records, no behaviour.

A time is in seconds since 1970 UTC, and the caller always gives it. A delay is in seconds. A "host" is the part of a
key before `)`: the spellings of a site (http, https, with and without www, any port) share a queue and a
clock.
"""

from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import NamedTuple

from webgraph_it.items import Link, State

from .visits import Visit


class FrontierError(Exception):
    """The store cannot be used: one sentence that says what was found and what to do."""


class DamageError(FrontierError):
    """The store's files may be damaged."""


class Order(StrEnum):
    """The order of the URLs of one host (FRONTIER_ORDER)."""

    BREADTH = "breadth"
    """By depth, then first come first served."""
    LEVEL = "level"
    """By 10 × slashes in the path + labels below the registrable domain, then first come first served."""
    OUTSIDE = "outside"
    """Links that leave their site, then those within it, each by depth."""
    KEYWORDS = "keywords"
    """The weights of the words in the URL and in the text of the link."""
    POPULAR = "popular"
    """By the number of pages that link to it, as the last plan counted them (webgraph-it recrawl plan)."""


Ordering = Order | Mapping[str, int]
"""An order, or, for KEYWORDS, the weight of each word."""


class Limits(NamedTuple):
    """Limits beyond which a URL is not queued. 0 means no limit."""

    max_pages_per_host: int
    max_depth: int
    max_host_depth: int
    """Consecutive ancestors on the link's own host."""
    max_queries_per_path: int
    """Distinct queries on one (host, path)."""
    max_same_content: int
    """Pages of one host with the same body; the links of further copies are not queued."""
    max_hosts_per_domain: int
    """Hosts below one registrable domain; seeds are not limited."""
    max_pages_per_domain: int = 0
    """Of all hosts of one registrable domain."""


class Cut(NamedTuple):
    """A URL that was seen for the first time and not queued."""

    link: Link
    state: State
    """QUOTA_CUT or TRAP_CUT."""
    reason: str
    """pages-per-host, pages-per-domain, depth, host-depth, queries-per-path, same-content, hosts-per-domain, or the
    caller's own."""
    host_depth: int = 0
    """As its lease would have had."""


class Added(NamedTuple):
    """What one batch of links changed."""

    new: list[Link]
    """Links seen for the first time, in order of appearance, including cut ones. Each goes to the URL list once."""
    cut: list[Cut]
    """Those of `new` that are not queued. Each goes to the page log once."""
    uncut: tuple[State, ...] = ()
    """The former states of known links that were cut before and are queued now."""


class Lease(NamedTuple):
    """A URL that may be fetched now. It stays in the store until `done`: a crash gives it back."""

    url: str
    key: str
    digest: bytes
    depth: int
    """Links from a seed."""
    host_depth: int
    """Consecutive ancestors on the same host."""
    via: str
    """Key of the page where it was first found; empty for a seed."""
    host: str
    attempts: int
    """Failed fetches so far (Kind.RETRY)."""
    spellings: int
    """How often the node moved to another spelling (Kind.SPELLING)."""
    address: str
    """Where the host answered last; empty if unknown."""
    given_up: bool
    """The host was given up: record the URL as an error without fetching it, then call `done`."""
    entry: bytes
    """The place in the queue; for the frontier only."""
    is_revisit: bool = False
    """The page was fetched before, and is visited again."""


class PlannedVisit(NamedTuple):
    """A page to visit again. The place of its fields is that of a line of the plan."""

    priority: int
    """0 … 65535; the lowest of its host is first."""
    key: str
    url: str
    depth: int
    host_depth: int
    via: str


class Stranger(NamedTuple):
    """A host whose address is not known."""

    host: str
    url: str
    """Its next URL, which has the host name that DNS knows."""


class Kind(Enum):
    """What happens to a leased URL."""

    FINISHED = 1
    """Fetched, denied or finally failed: it is never handed out again."""
    RETRY = 2
    """The same URL later, after the others of its depth, with attempts + 1."""
    SPELLING = 3
    """The same node next at Outcome.url, with spellings + 1."""


class Failure(Enum):
    """Why a fetch failed, seen from the host. Any but NONE counts towards back-off and parking."""

    NONE = 0
    """The host gave a proper reply; a 404 is one."""
    BUSY = 1
    """429 or 503."""
    SERVER = 2
    """Another 5xx."""
    NETWORK = 3
    """Refused, reset, timed out, TLS."""
    DNS = 4
    """The name does not resolve."""


class Outcome(NamedTuple):
    """How a lease ended, and what the fetch showed about its host."""

    kind: Kind = Kind.FINISHED
    failure: Failure = Failure.NONE
    fetched: bool = True
    """False if no request was sent (robots denied it, the host was given up): clocks stay as they are."""
    duration_seconds: float = 0.0
    address: str = ""
    """Empty if unknown: the host keeps the one it had."""
    retry_after_seconds: float | None = None
    crawl_delay_seconds: float | None = None
    """From robots.txt; None keeps the known value, 0 removes it."""
    url: str = ""
    """The other spelling, for Kind.SPELLING."""
    state: State | None = None
    """What to remember about a finished URL; None: nothing."""
    status: int = 0
    """Its HTTP status, remembered with the state."""
    visit: Visit | None = None
    """What to remember for the next visit; None: what is known stays."""


class Counts(NamedTuple):
    """The frontier in numbers, all O(1)."""

    seen: int
    queued: int
    """URLs in host queues, without the leased ones, including planned re-visits."""
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
    """Hosts with URLs that rest for a while after repeated failures."""
    uncommitted: int
    """Changes in memory since the last commit."""
    planned: int = 0
    """Those of queued and leased that are planned re-visits."""
    revisits: int = 0
    """Re-visits that are finished."""


class Wait(NamedTuple):
    """A host that has URLs and may not be asked now."""

    host: str
    until: float
    for_address: bool
    """Whether it waits for its address, rather than for its own clock."""
    crawl_delay: bool
    """Whether its delay is the Crawl-delay of its robots.txt."""
    failure: Failure
    """The result of its last fetch."""


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

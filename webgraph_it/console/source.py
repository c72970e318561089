"""What the console asks of a running crawl (engine/observed.py answers). All of it is known anyway, and cheap."""

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from webgraph_it.robots.record import RobotsRecord

Row = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Counters:
    """The crawl in numbers, for /metrics."""

    states: Mapping[str, int]
    """Pages by state, over all runs."""
    statuses: Mapping[str, int]
    reasons: Mapping[str, int]
    links: int
    wire_bytes: int
    """Of this run."""
    bandwidth_cap: float | None
    """Bytes per second; None = no limit."""
    connections: int
    connections_cap: int
    queued: int
    leased: int
    done: int
    cut: int
    hosts_ready: int
    hosts_waiting: int
    hosts_parked: int
    pauses: tuple[str, ...]
    commits: int
    commit_seconds: float
    """Of all commits of this run."""
    committed_at: float
    free_disk_bytes: int
    rss_bytes: int


class Crawl(Protocol):
    """One running crawl."""

    def status(self) -> dict[str, Any]:
        """One JSON object (crawl/status.py), and a few facts more."""

    def counters(self) -> Counters: ...

    async def do(self, said: object, who: str) -> dict[str, Any]:
        """A verb (crawl/operations.py). ActionError is the sentence for whoever asked."""

    @property
    def recent(self) -> deque[str]:
        """The last lines of the page log, oldest first."""

    @property
    def busy(self) -> Counter[str]:
        """Answers 429 and 503 by host, of those that have most (crawl/tally.py)."""

    @property
    def parked(self) -> Mapping[str, float]:
        """Hosts that operators parked, and until when."""

    # -- hosts ---------------------------------------------------------------------------------------------

    @property
    def host_count(self) -> int: ...

    def host_rows(self) -> Iterator[Row]:
        """Every host, as it is now: in the crawl's own thread."""

    def committed_host_rows(self, first: bytes) -> Iterator[Row]:
        """As of the last commit, in any thread."""

    def host_record(self, name: str) -> Row | None: ...

    def host_delay(self, name: str) -> float: ...

    def queue_head(self, name: str, most: int) -> list[str]:
        """As of the last commit, in any thread."""

    def robots(self, origin: str) -> RobotsRecord | None: ...

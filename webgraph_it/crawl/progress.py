"""How the crawl is doing: a Snapshot, as a live line on a terminal, a log line elsewhere, JSON in a file.

Pure but for writing to the streams it is given.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import NamedTuple, TextIO

SHORTEST_SECONDS = 1e-6
"""The shortest interval over which a rate is computed."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The crawl at one moment. Rates are since the previous snapshot."""

    time: float
    pages: int
    pages_per_second: float
    mean_pages_per_second: float
    wire_bytes: int
    """Bytes received on the wire in this run, read or not, including headers and TLS: what bandwidth_cap limits."""
    wire_bytes_per_second: float
    bandwidth_cap: float | None
    """Bytes per second on the wire allowed at this hour; None = no limit."""
    connections: int
    connections_cap: int
    hosts_ready: int
    hosts_waiting: int
    hosts_parked: int
    queued: int
    seen: int
    links_per_page: float
    free_disk_bytes: int
    rss_bytes: int

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def __str__(self) -> str:
        cap = "no cap" if self.bandwidth_cap is None else f"cap {self.bandwidth_cap / 1000:,.0f}"
        return (
            f"{self.pages:,} pages | {self.pages_per_second:,.0f}/s (mean {self.mean_pages_per_second:,.0f}/s) | "
            f"{self.wire_bytes_per_second / 1000:,.0f} KB/s ({cap}) | "
            f"{self.connections:,} connections (cap {self.connections_cap:,}) | "
            f"hosts {self.hosts_ready:,} ready {self.hosts_waiting:,} waiting {self.hosts_parked:,} parked | "
            f"frontier {self.queued:,} of {self.seen:,} | {self.links_per_page:.1f} links/page | "
            f"{self.free_disk_bytes / 1e9:,.0f} GB free"
        )


class Run(NamedTuple):
    """Where this run of the crawl began."""

    opened_at: float
    """By a monotonic clock, like all times here except Snapshot.time."""
    pages: int
    """Of the runs before."""
    seconds: float
    """Of the runs before."""

    def seconds_at(self, now: float) -> float:
        """Total crawling time over all runs."""
        return self.seconds + now - self.opened_at


class Moment(NamedTuple):
    """A snapshot, and when it was taken."""

    when: float
    snapshot: Snapshot


TakeMoment = Callable[[Moment | None], Moment]
"""Takes the current moment; its rates are since the given moment, or since the run began."""


class Rates(NamedTuple):
    """Per second."""

    pages: float
    mean_pages: float
    """Since the run began."""
    wire_bytes: float


def rates(pages: int, wire_bytes: int, now: float, run: Run, last: Moment | None) -> Rates:
    """Rates since `last`, or since the run began. `pages` counts all runs, `wire_bytes` only this one."""
    since, pages_then, bytes_then = (
        (last.when, last.snapshot.pages, last.snapshot.wire_bytes) if last else (run.opened_at, run.pages, 0)
    )
    elapsed = max(SHORTEST_SECONDS, now - since)
    return Rates(
        (pages - pages_then) / elapsed,
        (pages - run.pages) / max(SHORTEST_SECONDS, now - run.opened_at),
        (wire_bytes - bytes_then) / elapsed,
    )


class LiveLine:
    """A status line that rewrites itself at the bottom of a terminal."""

    def __init__(self, stream: TextIO, columns: int) -> None:
        self._stream = stream
        self._columns = columns

    def show(self, text: str) -> None:
        self._stream.write("\r\x1b[2K" + text[: self._columns - 1])
        self._stream.flush()

    def end(self) -> None:
        self._stream.write("\n")
        self._stream.flush()

"""Why nothing is fetched, and until when: one sentence for the log, from a record of facts. Pure.

    Nothing was fetched for 60 s: the schedule allows 0 B/s until 06:00; 90 URLs queued.
    Nothing was fetched for 5 min: 2 hosts wait until 04:58 after repeated 5xx answers; 90 URLs queued.

Every current reason is named; those that stop the whole crawl come first. A standstill without a known reason is a bug:
the sentence says so and asks the reader to report it.
"""

from collections.abc import Iterable
from datetime import datetime, tzinfo
from enum import Enum
from typing import NamedTuple

DAY_SECONDS = 86_400.0


class Why(Enum):
    """Why a host that has URLs is not asked now. The value completes: "2 hosts wait until 04:58 …"."""

    DELAY = "for the delay between two fetches"
    CRAWL_DELAY = "for the Crawl-delay of their robots.txt"
    ADDRESS = "for their IP address, which others share"
    ROBOTS = "because their robots.txt could not be reached"
    BUSY = "after repeated 429 or 503 answers"
    SERVER = "after repeated 5xx answers"
    NETWORK = "after repeated network errors"
    DNS = "after repeated DNS failures"


class HostWait(NamedTuple):
    """Hosts that wait for the same reason."""

    why: Why
    hosts: int
    until: float
    """When the first of them may be asked. Seconds since 1970, by the machine's clock."""


class Facts(NamedTuple):
    """What can hold up a crawl, at this moment. Times are seconds since 1970, by the machine's clock."""

    now: float
    idle_seconds: float
    """Since the last response."""
    queued: int
    """URLs."""
    pauses: tuple[str, ...] = ()
    disk_is_full: bool = False
    """Whether a write is waiting for free space."""
    bytes_per_second: float | None = None
    """The rate that the schedule allows now; None = no limit."""
    rate_until: float | None = None
    """When the schedule's rate next changes; None = never, or not known."""
    waiting_for_bandwidth: int = 0
    """Fetches that may not start, or whose response may not be read further."""
    connections: int = 0
    connections_cap: int = 0
    waiting_for_connection: int = 0
    waiting_for_dns: int = 0
    """Names that are being looked up."""
    awaiting_response: int = 0
    """Requests that were sent."""
    under_way: int = 0
    """All fetches, at whatever stage."""
    waiting_for_extraction: int = 0
    """Pages that were fetched and wait for link extraction."""
    host_waits: tuple[HostWait, ...] = ()
    other_hosts: int = 0
    """Hosts that wait but were not examined, because there are too many."""
    awaits_plan: bool = False
    """Whether a continuous crawl has visited all that it has, and waits for its next plan."""


def sentence(facts: Facts, zone: tzinfo | None = None) -> str:
    """Why nothing is fetched, and until when. `zone` is the reader's time zone (None: the machine's)."""
    stops = list(_stops(facts, zone))
    reasons = [*stops, *_queues(facts), *_hosts(facts, zone, are_stopped=bool(stops))]
    if not reasons and facts.under_way:
        reasons = [f"{counted(facts.under_way, 'fetch', 'fetches')} under way in middlewares"]
    if not reasons:
        reasons = ["no reason is known: please report it as a bug, with the log"]
    return (
        f"Nothing was fetched for {duration(facts.idle_seconds)}: "
        f"{'; '.join(reasons)}; {counted(facts.queued, 'URL')} queued."
    )


def _stops(facts: Facts, zone: tzinfo | None) -> Iterable[str]:
    if facts.pauses:
        yield f"paused: {', '.join(facts.pauses)}"
    if facts.disk_is_full:
        yield "the disk is full, and a write waits for room"
    rate = facts.bytes_per_second
    if rate == 0 or (rate is not None and facts.waiting_for_bandwidth):
        until = "" if facts.rate_until is None else f" until {moment(facts.rate_until, facts.now, zone)}"
        waiting = facts.waiting_for_bandwidth
        yield (
            f"the schedule allows {rate:,.0f} B/s{until}{f' ({_fetches_wait(waiting)})' if waiting else ''}"
        )


def _queues(facts: Facts) -> Iterable[str]:
    if facts.waiting_for_connection:
        yield (
            f"{_fetches_wait(facts.waiting_for_connection)} for one of the "
            f"{facts.connections_cap:,} connections ({facts.connections:,} are in use)"
        )
    if facts.waiting_for_dns:
        yield f"{counted(facts.waiting_for_dns, 'DNS answer')} outstanding"
    if facts.awaiting_response:
        yield f"{counted(facts.awaiting_response, 'response')} outstanding"
    if facts.waiting_for_extraction:
        yield f"the extraction workers are busy with {counted(facts.waiting_for_extraction, 'page')}"


def _hosts(facts: Facts, zone: tzinfo | None, *, are_stopped: bool) -> Iterable[str]:
    """When the whole crawl is stopped, hosts whose time has come wait for nothing else."""
    for why, hosts, until in sorted(facts.host_waits, key=lambda wait: wait.until):
        if are_stopped and until <= facts.now:
            continue
        verb, words = ("waits", why.value.replace("their", "its")) if hosts == 1 else ("wait", why.value)
        yield f"{counted(hosts, 'host')} {verb} until {moment(until, facts.now, zone)} {words}"
    if facts.other_hosts:
        yield f"{counted(facts.other_hosts, 'other host')} behind them"


def _fetches_wait(count: int) -> str:
    return f"{counted(count, 'fetch', 'fetches')} {'waits' if count == 1 else 'wait'}"


def counted(count: int, one: str, many: str = "") -> str:
    """`1 host`, `2 hosts`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """`60 s`, `5 min`, `3 h`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_200 else f"{seconds / 3_600:.0f} h"


def moment(when: float, now: float, zone: tzinfo | None) -> str:
    """`04:58`; with seconds if it is soon, with the date if it is more than a day away."""
    local = datetime.fromtimestamp(when, zone)
    if when - now < 120:
        return f"{local:%H:%M:%S}"
    return f"{local:%H:%M}" if when - now < DAY_SECONDS else f"{local:%Y-%m-%d %H:%M}"

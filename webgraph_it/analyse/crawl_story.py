"""What a crawl directory says about the crawl: progress over time, answers, media types, states, slow hosts.

Reads `reports/progress.jsonl` (a line about every ten seconds) and `pages/*.jsonl` (a line per fetched
URL), up to the lengths in `committed.json` if it exists. Every file is optional. Without it, its fields are empty.
A line that is not a JSON object (torn by a crash) is counted and left out. Memory holds about twelve numbers per
host, and nothing per page."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webgraph_it.analyse.side_by_side import Moment, merged
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.fleet import members
from webgraph_it.shards.formats import PAGES_FOLDER, json_lines
from webgraph_it.urls.domains import host_name

MAX_POINTS = 180
"""Maximum number of points of a chart over time. Longer series are reduced to means."""
MIN_FETCHES_OF_SLOW_HOST = 5
"""A host with fewer timed fetches is not listed as slow, because one slow fetch would decide."""

MAX_NUMBER = 1e18
"""The maximum of a time, size or count in a log. A larger number is ignored."""

NOT_TRIED = frozenset({"trap-cut", "quota-cut", "never-tried"})
"""States of URLs that were never tried."""
NOT_ASKED = NOT_TRIED | {"robots-denied"}
"""States of URLs that were never requested from a server. They count as states and reasons only."""


@dataclass(slots=True)
class HostTally:
    pages: int = 0
    bytes: int = 0
    first: float = float("inf")
    last: float = 0.0

    fetches: int = 0
    """Pages whose line has the duration of the fetch."""
    fetch_seconds: float = 0.0

    @property
    def mean_fetch_seconds(self) -> float | None:
        """Mean time from the request to the last byte. None if no line has it."""
        return self.fetch_seconds / self.fetches if self.fetches else None


@dataclass(slots=True)
class CrawlStory:
    """One crawl, or several one after the other.

    Each number has one source. The page log counts the states of URLs. Time and bytes on the wire come
    from the progress log. Only if there is none, the times come from the page log.
    """

    progress: list[Moment] = field(default_factory=list)
    """Each moment has `elapsed` (s since the first) in addition to the fields of the file."""
    statuses: Counter[str] = field(default_factory=Counter)
    media_types: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    depths: Counter[int] = field(default_factory=Counter)
    hosts: dict[str, HostTally] = field(default_factory=dict)
    tried: int = 0
    """URLs that were tried, including those that robots.txt denied: `pages` of the progress log."""
    pages: int = 0
    """URLs that were requested from a server."""
    bytes: int = 0
    """Bytes of their bodies, decompressed."""
    wire_bytes: float | None = None
    """All bytes on the wire. None if the progress log does not have them."""
    running_seconds: float | None = None
    """Seconds during which a process ran, by the progress log."""
    first: float = float("inf")
    last: float = 0.0
    bad_lines: int = 0

    @property
    def seconds(self) -> float:
        """The duration of the crawl."""
        logged = max(0.0, self.last - self.first)
        return logged if self.running_seconds is None else self.running_seconds

    @property
    def tried_per_second(self) -> float | None:
        """The mean speed. None if the duration is unknown."""
        return self.tried / self.seconds if self.seconds > 0 else None

    def slowest_hosts(self, count: int) -> list[tuple[str, HostTally]]:
        """Hosts whose fetches took longest on average."""
        slow = [item for item in self.hosts.items() if item[1].fetches >= MIN_FETCHES_OF_SLOW_HOST]
        return sorted(slow, key=lambda item: (-(item[1].mean_fetch_seconds or 0.0), item[0]))[:count]

    def largest_hosts(self, count: int) -> list[tuple[str, HostTally]]:
        return sorted(self.hosts.items(), key=lambda item: (-item[1].pages, item[0]))[:count]


def read_story(folders: list[Path]) -> CrawlStory | None:
    """The story of these crawl directories; the members of a fleet are one crawl. None if none of them has any data."""
    story = CrawlStory()
    moments: list[Moment] = []
    for folder in folders:
        fleet = members(folder)
        series = [_read(CrawlDirectory(path), story) for path in fleet.values() or [folder]]
        moments.extend(merged(series) if fleet else series[0])
    moments = _with_elapsed(moments)
    story.wire_bytes = _total(moments, "wire_bytes")
    story.running_seconds = _running_seconds(moments)
    story.progress = _thinned(moments)
    return story if story.pages or story.progress else None


def _read(crawl: CrawlDirectory, story: CrawlStory) -> list[Moment]:
    """Count the page log of one directory. Returns its progress."""
    lengths = crawl.committed()
    for part in crawl.parts_within(PAGES_FOLDER, crawl.sizes() if lengths is None else lengths):
        for line in _objects(json_lines(part), story):
            _count_page(story, line)
    progress = _objects(crawl.progress(), story)
    return [{key: _number(value) for key, value in line.items()} for line in progress]


def _objects(lines: Iterable[dict[str, Any] | None], story: CrawlStory) -> Iterator[dict[str, Any]]:
    """The lines that are JSON objects. The others are counted."""
    for line in lines:
        if line is None:
            story.bad_lines += 1
        else:
            yield line


def _count_page(story: CrawlStory, line: dict[str, Any]) -> None:
    story.states[str(line.get("state", ""))] += 1
    story.tried += line.get("state") not in NOT_TRIED
    if reason := str(line.get("reason") or ""):
        story.reasons[reason] += 1
    time, size = _number(line.get("time")) or 0.0, int(_number(line.get("bytes")) or 0)
    if time <= 0 or line.get("state") in NOT_ASKED:
        return
    story.pages += 1
    story.bytes += size
    story.statuses[_status(line.get("status"))] += 1
    story.depths[int(_number(line.get("depth")) or 0)] += 1
    if media_type := str(line.get("type") or "").partition(";")[0].strip().lower():
        story.media_types[media_type] += 1
    host = host_name(str(line.get("key", "")))
    tally = story.hosts.get(host) or story.hosts.setdefault(host, HostTally())
    tally.pages += 1
    tally.bytes += size
    if seconds := _number(line.get("seconds")):  # 0 means no fetch; older logs do not have it
        tally.fetches += 1
        tally.fetch_seconds += seconds
    for counted in (story, tally):
        counted.first, counted.last = min(counted.first, time), max(counted.last, time)


def _status(value: object) -> str:
    return str(value) if value else "no answer"


def _number(value: object) -> float | None:
    """A finite number. None for anything else."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < MAX_NUMBER:
        return None
    return float(value)


def _with_elapsed(moments: list[Moment]) -> list[Moment]:
    timed = sorted(
        (moment for moment in moments if moment.get("time") is not None), key=lambda m: m["time"] or 0.0
    )
    start = timed[0]["time"] or 0.0 if timed else 0.0
    return [{**moment, "elapsed": (moment["time"] or 0.0) - start} for moment in timed]


def _total(moments: list[Moment], key: str) -> float | None:
    """The sum over all runs of a counter that starts at zero in each run."""
    known = [value for moment in moments if (value := moment.get(key)) is not None]
    ends = [last for last, following in itertools.pairwise([*known, -1.0]) if following < last]
    return sum(ends) if known else None


def _running_seconds(moments: list[Moment]) -> float | None:
    """From the first moment to the last, without the time between runs (where the byte counter falls)."""
    if len(moments) < 2:
        return None
    pairs = itertools.pairwise(moments)
    return sum(
        (b["elapsed"] or 0.0) - (a["elapsed"] or 0.0)
        for a, b in pairs
        if (b.get("wire_bytes") or 0.0) >= (a.get("wire_bytes") or 0.0)
    )


def _thinned(moments: list[Moment]) -> list[Moment]:
    """At most MAX_POINTS points, each the mean of the same number of neighbours."""
    step = -(-len(moments) // MAX_POINTS) or 1
    return [_mean(moments[start : start + step]) for start in range(0, len(moments), step)]


def _mean(moments: list[Moment]) -> Moment:
    result: Moment = {}
    for key in dict.fromkeys(key for moment in moments for key in moment):
        known = [value for moment in moments if (value := moment.get(key)) is not None]
        result[key] = sum(known) / len(known) if known else None
    return result

"""The reports that archivists know, under Heritrix's names: crawl, hosts, mimetype, responsecode, seeds.

They are made from a Tally, the frontier's host counts and the seed file. `write_reports` puts them in reports/, each a
renamed file, so a reader never sees half a report. Memory does not grow with the number of hosts or
seeds. No line contains a control character, because a report may be shown on a terminal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from heapq import merge
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from webgraph_it.crawl.tally import Tally
from webgraph_it.files.own import whole_file
from webgraph_it.items import State
from webgraph_it.urls.scope import Scope
from webgraph_it.urls.seeds import read_batches

SORTED_AT_ONCE = 10_000
"""Lines of the hosts report in memory, about 3 MB."""
CRAWLED = (State.FETCHED, State.REDIRECT)


class HostLine(NamedTuple):
    """One host as the frontier counts it."""

    host: str
    """Reversed labels, as in the keys: `it,unipd`."""
    done: int
    queued: int
    failures: int


class SeedLine(NamedTuple):
    """One seed, and what became of it."""

    url: str
    state: str
    """A State, or why the scope refuses the seed."""
    status: int


def seed_lines(
    path: Path, scope: Scope, states_of: Callable[[Sequence[bytes]], list[tuple[State, int]]]
) -> Iterator[SeedLine]:
    """The usable lines of the seed file, in its order. A node that is listed twice appears twice."""
    for batch in read_batches(path):
        states = states_of([name.digest for name in batch.names])
        for (url, key, _), (state, status) in zip(batch.names, states, strict=True):
            verdict = scope.verdict(key, url)
            yield SeedLine(url, str(state) if verdict.fetchable else verdict.reason, status)


def write_reports(
    folder: Path, tally: Tally, hosts: Iterable[HostLine], seeds: Iterable[SeedLine], **facts: Any
) -> None:
    """`facts`: name=JOBDIR, and the current status, seconds, queued and seen."""
    _write(folder / "hosts-report.txt", hosts_report(hosts, folder))
    _write(folder / "mimetype-report.txt", mimetype_report(tally))
    _write(folder / "responsecode-report.txt", responsecode_report(tally))
    counts: Counter[str] = Counter()
    _write(folder / "seeds-report.txt", seeds_report(seeds, counts))
    _write(folder / "crawl-report.txt", crawl_report(tally, counts, **facts))


def crawl_report(
    tally: Tally,
    seeds: Counter[str],
    *,
    name: str,
    status: str,
    seconds: float,
    queued: int,
    seen: int,
    host_count: int,
) -> Iterator[str]:
    yield f"Crawl Name: {name}"
    yield f"Crawl Status: {status}"
    yield f"Duration Time: {_duration(seconds)}"
    yield f"Total Seeds: {seeds.total()}"
    yield f"Total Seeds Crawled: {sum(seeds[state] for state in CRAWLED)}"
    yield f"Total Hosts: {host_count}"
    yield f"URIs Processed: {tally.pages}"
    yield f"URIs Known: {seen}"
    yield f"URIs Queued: {queued}"
    yield f"Pages in the Graph: {tally.parents}"
    yield f"Links in the Graph: {tally.links}"
    yield f"Mean Links per Document: {tally.links_per_page:.2f}"
    yield f"Total Bytes: {tally.bytes}"
    yield f"URIs/sec: {tally.pages / seconds if seconds else 0:.2f}"
    yield f"KB/sec: {tally.bytes / 1000 / seconds if seconds else 0:.1f}"
    for state, count in sorted(tally.states.items()):
        yield f"State {state}: {count}"
    for reason, count in tally.reasons.most_common():
        yield f"Reason {reason}: {count}"


def hosts_report(hosts: Iterable[HostLine], folder: Path) -> Iterator[str]:
    """Hosts with the most URLs first. What does not fit in memory is sorted in temporary files in `folder`."""
    yield "[#urls] [#queued] [#failures] [host]"
    with ExitStack() as stack:
        runs = []
        for lines in _sorted_runs(hosts):
            run = stack.enter_context(TemporaryFile("w+", encoding="utf-8", newline="\n", dir=folder))
            run.writelines(f"{line.host} {line.done} {line.queued} {line.failures}\n" for line in lines)
            run.seek(0)
            runs.append(map(_host_line, run))
        for line in merge(*runs, key=_most_first):
            host = ".".join(reversed(line.host.split(",")))
            yield f"{line.done} {line.queued} {line.failures} {host}"


def _sorted_runs(hosts: Iterable[HostLine]) -> Iterator[list[HostLine]]:
    remaining = iter(hosts)
    while lines := list(islice(remaining, SORTED_AT_ONCE)):
        lines.sort(key=_most_first)
        yield lines


def _most_first(line: HostLine) -> tuple[int, str]:
    return -line.done, line.host


def _host_line(text: str) -> HostLine:
    host, *counts = text.rstrip("\n").rsplit(" ", 3)
    return HostLine(host, *map(int, counts))


def mimetype_report(tally: Tally) -> Iterator[str]:
    yield "[#urls] [#bytes] [mime-types]"
    for media_type, count in _ranked(tally.media_types):
        yield f"{count} {tally.media_bytes[media_type]} {media_type}"


def responsecode_report(tally: Tally) -> Iterator[str]:
    """As in Heritrix, 0 means no response."""
    yield "[#urls] [rescode]"
    for status, count in _ranked(tally.statuses):
        yield f"{count} {status}"


def seeds_report(seeds: Iterable[SeedLine], counts: Counter[str]) -> Iterator[str]:
    """Also counts in `counts` how many seeds are in each state."""
    yield "[code] [status] [seed]"
    for url, state, status in seeds:
        counts[state] += 1
        yield f"{status} {'CRAWLED' if state in CRAWLED else f'NOTCRAWLED ({state})'} {url}"


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _duration(seconds: float) -> str:
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{days}d{hour}h{minute}m{second}s"


def printable(text: str) -> str:
    """The text with its control characters escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _write(path: Path, lines: Iterable[str]) -> None:
    with whole_file(path) as file:
        file.writelines(f"{printable(line)}\n".encode() for line in lines)

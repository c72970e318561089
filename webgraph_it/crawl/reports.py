"""The reports archivists know, by Heritrix's names: crawl, hosts, mimetype, responsecode, seeds.

Pure text out of a Tally and the frontier's host counts; `write_reports` puts them under reports/, each a
renamed file, so a reader never sees half a report. No line holds a control character, whatever it was made of: a
report may be shown on a terminal.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from webgraph_it.graph.disk import whole_file
from webgraph_it.graph.tally import Tally


class HostLine(NamedTuple):
    """One host as the frontier counts it."""

    host: str
    """Reversed labels, as in the keys: `it,unipd`."""
    done: int
    queued: int
    failures: int


def write_reports(
    folder: Path, tally: Tally, hosts: Iterable[HostLine], seeds: Mapping[str, str], **facts: Any
) -> None:
    """`seeds`: key → url of every seed; `facts`: name=JOBDIR, status, seconds, queued, seen of this moment."""
    _write(folder / "hosts-report.txt", hosts_report(hosts))
    _write(folder / "mimetype-report.txt", mimetype_report(tally))
    _write(folder / "responsecode-report.txt", responsecode_report(tally))
    _write(folder / "seeds-report.txt", seeds_report(tally, seeds))
    _write(folder / "crawl-report.txt", crawl_report(tally, len(seeds), **facts))


def crawl_report(
    tally: Tally,
    seeds: int,
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
    yield f"Total Seeds: {seeds}"
    yield f"Total Seeds Crawled: {sum(state in ('fetched', 'redirect') for _, state, _ in tally.seeds.values())}"
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


def hosts_report(hosts: Iterable[HostLine]) -> Iterator[str]:
    yield "[#urls] [#queued] [#failures] [host]"
    for line in sorted(hosts, key=lambda line: (-line.done, line.host)):
        host = ".".join(reversed(line.host.split(",")))
        yield f"{line.done} {line.queued} {line.failures} {host}"


def mimetype_report(tally: Tally) -> Iterator[str]:
    yield "[#urls] [#bytes] [mime-types]"
    for media_type, count in _ranked(tally.media_types):
        yield f"{count} {tally.media_bytes[media_type]} {media_type}"


def responsecode_report(tally: Tally) -> Iterator[str]:
    """0 is Heritrix's habit for `no response`."""
    yield "[#urls] [rescode]"
    for status, count in _ranked(tally.statuses):
        yield f"{count} {status}"


def seeds_report(tally: Tally, seeds: Mapping[str, str]) -> Iterator[str]:
    yield "[code] [status] [seed]"
    for key, url in seeds.items():
        _, state, status = tally.seeds.get(key, [url, "never-tried", 0])
        verdict = "CRAWLED" if state in ("fetched", "redirect") else f"NOTCRAWLED ({state})"
        yield f"{status} {verdict} {url}"


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _duration(seconds: float) -> str:
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{days}d{hour}h{minute}m{second}s"


def printable(text: str) -> str:
    """The text, with escapes in place of what a terminal would obey instead of show."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _write(path: Path, lines: Iterable[str]) -> None:
    with whole_file(path) as file:
        file.writelines(f"{printable(line)}\n".encode() for line in lines)

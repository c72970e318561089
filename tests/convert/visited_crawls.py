"""Crawl directories with re-visits, written by hand, and what must become of them (in plain Python)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.convert.crawls import digest, shard

DAY = 86_400
Arc = tuple[str, str]
STATUS = {"fetched": 200, "redirect": 301, "unchanged": 304, "gone": 404, "revisit-failed": 500, "error": 404}


class Visit(NamedTuple):
    """One line of the page log. `links` of a visit that showed the page."""

    day: int
    key: str
    state: str
    links: tuple[str, ...] = ()
    via: str = ""
    status: int = 0


@dataclass
class Days:
    """first, last and ended of an arc."""

    first: int
    last: int
    ended: int = 0


@dataclass
class Expected:
    """What a correct conversion of some visits shows."""

    arcs: dict[Arc, Days] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    gone: dict[str, bool] = field(default_factory=dict)


def url(key: str) -> str:
    host, _, path = key.partition(")")
    return "http://" + ".".join(reversed(host.split(","))) + path


def time_of(visit: Visit, number: int) -> float:
    return visit.day * DAY + number


def page_line(visit: Visit, number: int, change: float = 0.0) -> str:
    line = {
        "key": visit.key, "url": url(visit.key), "time": time_of(visit, number),
        "status": visit.status or STATUS[visit.state], "type": "text/html", "bytes": 10, "digest": "00" * 16,
        "depth": 1, "via": visit.via, "links": len(visit.links), "address": "127.0.0.1", "state": visit.state,
        "reason": "", "seconds": 0.1, "host_depth": 0, "visit": number + 1, "change": change,
    }  # fmt: skip
    return json.dumps(line) + "\n"


def write_visits(path: Path, visits: Sequence[Visit], changes: Mapping[int, float] | None = None) -> Path:
    """A crawl directory. Visits are in the order of their numbers, a second apart from each other on a day."""
    for folder in ("graph", "urls", "pages"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    (path / "crawl.json").write_text(json.dumps({"recipe_version": 1, "scope": ["it,"]}))
    nodes = dict.fromkeys(key for visit in visits for key in (visit.key, *visit.links))
    (path / "urls" / "000001.tsv").write_text("".join(f"{key}\t{url(key)}\n" for key in nodes))
    lines = [page_line(visit, n, (changes or {}).get(n, 0.0)) for n, visit in enumerate(visits)]
    (path / "pages" / "000001.jsonl").write_text("".join(lines))
    shown = [visit for visit in visits if visit.state in ("fetched", "redirect")]
    (path / "graph" / "000001.g16").write_bytes(b"".join(shard({v.key: v.links}) for v in shown))
    assert all(len(digest(key)) == 16 for key in nodes)
    return path


def expected(visits: Sequence[Visit]) -> Expected:
    """By following the visits one after the other."""
    found, links = Expected(), dict[str, set[str]]()
    for visit in visits:
        if visit.state in ("fetched", "redirect", "unchanged"):
            shown = links.get(visit.key, set()) if visit.state == "unchanged" else set(visit.links)
        elif visit.state == "gone" or (visit.state == "error" and visit.key in found.visits):
            shown = set()
        else:
            continue
        before = links.get(visit.key, set())
        gone = visit.state in ("gone", "error")
        changed = shown != before or gone != found.gone.get(visit.key, gone)
        for target in shown:
            days = found.arcs.setdefault((visit.key, target), Days(visit.day, visit.day))
            days.last, days.ended = visit.day, 0
        for target in before - shown:
            found.arcs[visit.key, target].ended = visit.day
        found.changes[visit.key] = found.changes.get(visit.key, 0) + (changed and visit.key in found.visits)
        found.visits[visit.key] = found.visits.get(visit.key, 0) + 1
        found.gone[visit.key], links[visit.key] = gone, shown
    return found


def lists_on(visits: Sequence[Visit], day: int) -> dict[str, set[str]]:
    """The links of each page that is there at the end of a day."""
    links: dict[str, set[str]] = {}
    for visit in visits:
        if visit.day > day:
            continue
        if visit.state in ("fetched", "redirect"):
            links[visit.key] = set(visit.links)
        elif visit.state == "gone" or (visit.state == "error" and visit.status != 500):
            links.pop(visit.key, None)
    return links


def graph_on(visits: Sequence[Visit], day: int) -> dict[str, set[str]]:
    """The nodes and links of a day: what can be reached from the roots tried until then."""
    links, linked = lists_on(visits, day), {target for visit in visits for target in visit.links}
    waiting = [v.key for v in visits if v.day <= day and (not v.via or v.key not in linked)]
    nodes: dict[str, set[str]] = {}
    while waiting:
        key = waiting.pop()
        if key not in nodes:
            nodes[key] = links.get(key, set())
            waiting += nodes[key]
    return nodes

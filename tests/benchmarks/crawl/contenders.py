"""One run of one contender: ours, compared with the truth, or a peer, whose pages are counted."""

import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.crawl.watch import Watched, succeed, watch
from tests.crawl.crawling import crawl_command, differences
from webgraph_it.simweb import SimWeb

OURS = "ours"
PEERS = {
    "scrapy": ("scrapy", "scrapy"),
    "scrapy-jobdir": ("scrapy", "scrapy"),
    "crawlee": ("crawlee", "crawlee"),
    "bare": ("bare", "selectolax"),
}
"""Name → module peer_*.py, and a package that must be installed for it."""


class Run(NamedTuple):
    pages: int
    seconds: float
    cpu_seconds: float
    peak_mb: float
    """Of the crawl's process."""
    workers_mb: float
    """Of the processes beside it, added up."""
    others_cores: float
    """Kept busy by programs that have nothing to do with it."""


class PeerFailed(Exception):
    """A peer did not come to its end; the text says how."""


class WrongGraph(Exception):
    """Our graph is not the truth: nothing else counts."""


def missing(name: str) -> bool:
    """Whether the peer is not installed."""
    return name in PEERS and find_spec(PEERS[name][1]) is None


def run_ours(web: SimWeb, folder: Path) -> Run:
    watched = succeed(crawl_command(web, folder), partners=[web.process_id])
    check(web, folder)
    return _run(watched, sum(1 for _ in page_log(folder)))


def run_peer(name: str, web: SimWeb, hosts: Path, seeds: Path, folder: Path, timeout_seconds: float) -> Run:
    command = [sys.executable, "-m", f"tests.benchmarks.crawl.peer_{PEERS[name][0]}", str(hosts), str(seeds)]
    if name == "scrapy-jobdir":
        command.append(str(folder))
    watched = watch(command, partners=[web.process_id], timeout_seconds=timeout_seconds)
    said = watched.text.strip().splitlines() or ["{}"]
    if watched.code or not said[-1].startswith('{"pages"'):
        raise PeerFailed(f"{name} ended with code {watched.code}:\n{watched.text[-2000:]}")
    return _run(watched, json.loads(said[-1])["pages"])


def check(web: SimWeb, folder: Path) -> None:
    """Raises WrongGraph unless the crawl directory holds the truth."""
    wrong = differences(web, folder)
    if wrong:
        raise WrongGraph(f"Our graph is not the truth: {len(wrong)} differences, first: {wrong[0]}")


def page_log(folder: Path) -> Iterator[dict[str, Any]]:
    """Every page of the crawl, as the page log has it."""
    for path in sorted((folder / "pages").iterdir()):
        with path.open() as lines:
            yield from map(json.loads, lines)


def _run(watched: Watched, pages: int) -> Run:
    return Run(
        pages,
        watched.seconds,
        watched.cpu_seconds,
        watched.peak_mb,
        watched.children_peak_mb,
        watched.others_cores,
    )

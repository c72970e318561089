"""A plan on its way into the frontier: pages to visit again, and untried URLs that move.

    python -m tests.benchmarks.plan_import                    200,000 pages, and half as many untried URLs
    python -m tests.benchmarks.plan_import --pages 1000000

The import is the one of a crawl (crawl/plan_import.py) with commits into RocksDB, without a fetch beside it. Pages a
minute by the clock, and per minute of processor time, which other work on the machine disturbs little. Memory is what
the import adds to the peak of the process. The longest slice is what a fetch would have waited."""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.defaults import frontier_limits, politeness
from webgraph_it.crawl.commits import MAX_UNCOMMITTED
from webgraph_it.crawl.plan_import import imported
from webgraph_it.frontier import Frontier, Order, RocksStore
from webgraph_it.frontier.visits import Visit
from webgraph_it.items import Link
from webgraph_it.recrawl.plan_files import Planned, new_plan, popularity
from webgraph_it.urls.names import digest

HOSTS = 5_000
AIM_PAGES_A_MINUTE = 1_000_000
NOW = 1_800_000_000.0
ROW = Visit(0, NOW, NOW, 1, 0.0, bytes(8), bytes(8), 1, 1, 0, 30, b'"0123456789abcdef"')


class Imported(NamedTuple):
    """What was measured."""

    pages_a_minute: float
    pages_a_cpu_minute: float
    untried_a_cpu_minute: float
    megabytes: float
    longest_slice_seconds: float


def measured(pages: int, folder: Path) -> Imported:
    """Make a frontier and a plan, and import it."""
    store = RocksStore(folder / "frontier")
    limits = frontier_limits(max_queries_per_path=0)
    frontier = Frontier.open(store, politeness(), Order.POPULAR, limits, NOW)
    keys = sorted(f"it,sito{n % HOSTS:05d})/sezione/pagina-{n}.html" for n in range(pages))
    untried = [f"it,sito{n % HOSTS:05d})/nuovo/{n}.html" for n in range(pages // 2)]
    for key in keys:
        frontier.keep_visit(digest(key), ROW)
        commit_if(frontier, MAX_UNCOMMITTED)
    for key in untried:
        frontier.add([Link(f"http://{key}", key, digest(key), "a")], 1, "it,v)/", NOW)
        commit_if(frontier, MAX_UNCOMMITTED)
    commit_if(frontier, 0)
    with new_plan(folder, "benchmark", NOW + 1) as plan:
        for n, key in enumerate(keys):
            plan.revisit(Planned(n * 7919 % 65_536, key, f"http://{key}", 2, 1, "it,v)/"))
        for name in sorted(map(digest, untried)):
            plan.put_untried(name, popularity(1 + name[0] % 50))
    try:
        return _timed(frontier, folder, pages, len(untried))
    finally:
        frontier.close()


def _timed(frontier: Frontier, folder: Path, pages: int, untried: int) -> Imported:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, cpu, longest = time.monotonic(), time.process_time(), 0.0
    planned_seconds = planned_cpu = 0.0
    slice_began = began
    for count in imported(frontier, folder, NOW + 2, moves_untried=True):
        longest = max(longest, time.monotonic() - slice_began)
        commit_if(frontier, MAX_UNCOMMITTED)
        if count == pages and not planned_seconds:
            planned_seconds, planned_cpu = time.monotonic() - began, time.process_time() - cpu
        slice_began = time.monotonic()
    commit_if(frontier, 0)
    moved_cpu = time.process_time() - cpu - planned_cpu
    added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    minutes = [60 * pages / seconds for seconds in (planned_seconds, planned_cpu)]
    return Imported(*minutes, 60 * untried / moved_cpu, added / 1e3, longest)


def commit_if(frontier: Frontier, more_than: int) -> None:
    if frontier.counts().uncommitted > more_than:
        frozen = frontier.freeze()
        frozen.write()
        frontier.forget(frozen)


def main(say: Callable[[str], None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--pages", type=int, default=200_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="plan-import-") as folder:
        found = measured(options.pages, Path(folder))
    say(f"{options.pages:,} pages to visit again: {found.pages_a_minute / 1e6:.2f} M a minute by the clock, ")
    say(f"  {found.pages_a_cpu_minute / 1e6:.2f} M a minute of CPU; aim {AIM_PAGES_A_MINUTE / 1e6:.0f} M")
    say(f"{options.pages // 2:,} untried URLs: {found.untried_a_cpu_minute / 1e6:.2f} M a minute of CPU")
    say(f"memory + {found.megabytes:.0f} MB; longest slice {1e3 * found.longest_slice_seconds:.0f} ms")


if __name__ == "__main__":
    main()

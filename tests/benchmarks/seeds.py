"""A registry's list of domains on its way into a crawl, and out again into the seeds report.

    python -m tests.benchmarks.seeds                    a million lines
    python -m tests.benchmarks.seeds --lines 3000000    three million, as a national registry has

Three stages, the very same as in a crawl but without Scrapy and without a fetch beside them:

    scope    what the list means for the scope, and its checksum, before the crawl begins
    load     each line is read, named, judged, queued in the frontier, written to the URL list and committed
             (SeedLoading, Recorder, Commits, RocksDB, all files synced)
    report   reports/seeds-report.txt: each line is read again and looked up in the frontier

Lines a second by the clock, and per second of processor time (all threads, RocksDB's included), which other work on
the machine disturbs little. Memory is the peak of the process above that of a list of 1,000 lines. The longest turn is
that of the event loop while the list is loaded: what a fetch would have waited.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from tests.defaults import default_scope, frontier_limits, politeness, read_seeds
from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.commits import Commits
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.failures import Failures
from webgraph_it.crawl.progress import Run
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.reports import seed_lines, write_reports
from webgraph_it.crawl.tally import Tally
from webgraph_it.engine.seed_loading import SeedLoading
from webgraph_it.frontier import Frontier, Order, RocksStore
from webgraph_it.frontier.leases import Leases
from webgraph_it.shards.writer import Shards

FEW = 1_000
AIM_LINES = 50_000
"""A second."""
AIM_MEGABYTES = 50
LOOK_SECONDS = 0.005
"""A turn of the event loop that lasts longer is noticed."""
SEQUENCES = {"graph": 1800, "urls": 1800, "pages": 1800}


class Stage(NamedTuple):
    """Seconds that one stage took."""

    clock: float
    processor: float


class Result(NamedTuple):
    """One list."""

    lines: int
    stages: dict[str, Stage]
    peak_megabytes: float
    longest_turn_milliseconds: float


def registry(path: Path, lines: int) -> Path:
    """As a registry gives it: names of second-level domains in the order of the alphabet."""
    width = len(str(lines))
    with path.open("w") as file:
        file.writelines(f"nome{number:0{width}d}.it\n" for number in range(lines))
    return path


def measured(work: Callable[[], Any]) -> Stage:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Stage(time.perf_counter() - clock, time.process_time() - processor)


class Crawl:
    """The parts of a crawl that seeds pass through."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        directory = JobDirectory(folder)
        directory.claim({})
        self.frontier = Frontier.open(
            RocksStore(directory.frontier), politeness(), Order.BREADTH, frontier_limits(), time.time()
        )
        self.tally = tally = Tally(None)
        self.shards = Shards(folder, None, SEQUENCES)
        leases = Leases()
        self.recorder = recorder = Recorder(self.frontier, leases, time.time, self.shards, tally)
        committer = Committer(directory, self.frontier, self.shards, tally, recorder.step)
        run = Run(time.monotonic(), 0, 0.0)
        self.commits = Commits(committer, self.frontier, tally, run, _fail)
        self.longest_turn_seconds = 0.0

    def load(self, path: Path) -> None:
        asyncio.run(self._load(path))

    async def _load(self, path: Path) -> None:
        scheduler: Any = SimpleNamespace(
            ended=False, is_closing=False, held=False, frontier=self.frontier, wake=lambda: None
        )
        loading = SeedLoading(
            scheduler, self.recorder, self.commits, Failures(self.folder), _fail, hold=False
        )
        watch = asyncio.ensure_future(self._watch_turns())
        await loading.load(path, default_scope())
        await self.commits.commit()
        watch.cancel()

    async def _watch_turns(self) -> None:
        while True:
            due = time.perf_counter() + LOOK_SECONDS
            await asyncio.sleep(LOOK_SECONDS)
            self.longest_turn_seconds = max(self.longest_turn_seconds, time.perf_counter() - due)

    def report(self, path: Path) -> None:
        seeds = seed_lines(path, default_scope(), self.frontier.committed_states)
        facts = {"name": str(self.folder), "status": "Running", "seconds": 1.0, "queued": 0, "seen": 0}
        write_reports(self.folder / "reports", self.tally, (), seeds, **facts, host_count=0)

    def close(self) -> None:
        self.shards.close()
        self.frontier.close()


def _fail(why: object, **_: object) -> None:
    raise RuntimeError(f"the crawl failed: {why}")


def run_here(lines: int) -> Result:
    """In this process, whose memory then shows it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = registry(folder / "registro.txt", lines)
        stages = {"scope": measured(lambda: read_seeds(path))}
        crawl = Crawl(folder / "crawl")
        stages["load"] = measured(lambda: crawl.load(path))
        stages["report"] = measured(lambda: crawl.report(path))
        counts = crawl.frontier.counts()
        assert (counts.seen, counts.queued) == (lines, lines), counts
        with (folder / "crawl/reports/seeds-report.txt").open("rb") as report:
            assert sum(1 for _ in report) == lines + 1
        crawl.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Result(lines, stages, peak, crawl.longest_turn_seconds * 1e3)


def run_apart(lines: int) -> Result:
    """In a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.seeds", "--here", "--lines", str(lines)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    _, stages, *others = json.loads(printed)
    return Result(lines, {name: Stage(*seconds) for name, seconds in stages.items()}, *others)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--here", action="store_true", help="print one list's figures as JSON")
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(run_here(arguments.lines)))
        return 0
    few, many = run_apart(FEW), run_apart(arguments.lines)
    print(f"{many.lines:,} lines")
    for name, (clock, processor) in many.stages.items():
        per_clock, per_processor = many.lines / clock, many.lines / processor
        print(f"{name:8}{per_clock:>10,.0f} lines/s{per_processor:>10,.0f} per CPU second{clock:>8.1f} s")
    more = many.peak_megabytes - few.peak_megabytes
    print(f"memory  +{more:.0f} MB above {FEW:,} lines ({few.peak_megabytes:.0f} MB)")
    print(f"longest turn of the event loop {many.longest_turn_milliseconds:.0f} ms")
    load = many.stages["load"]
    fine = many.lines / load.clock >= AIM_LINES and more <= AIM_MEGABYTES
    print(f"aims: load at {AIM_LINES:,} lines/s, +{AIM_MEGABYTES} MB: {'reached' if fine else 'missed'}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

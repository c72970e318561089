"""Where the crawl's time goes: CPU milliseconds a page by stage, from one run of ours under py-spy.

py-spy looks 200 times a second at what each running thread does. A look belongs to the stage of the innermost module
of ours on its stack: whatever a room calls is the room's. A process' looks are then scaled to the CPU time that the
kernel counted for it, so the stages of a process add up to its CPU time; that also spreads what py-spy cannot see
(RocksDB's own threads) over the stages. The run is slower than an undisturbed one: read shares, not speed.
"""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.crawl.watch import Watched, watch

LOOKS_PER_SECOND = 200

START, LOOP, ENGINE = "start: imports", "event loop", "engine"
ROOMS = (
    ("/webgraph_it/extract/naming.py", "names"),
    ("/webgraph_it/urls/", "names"),
    ("/webgraph_it/extract/", "extraction"),
    ("/webgraph_it/fetch/", "fetch"),
    ("/webgraph_it/robots/", "fetch"),
    ("/webgraph_it/frontier/", "frontier"),
    ("/webgraph_it/shards/", "graph"),
    ("/webgraph_it/spiders/", ENGINE),
    ("/webgraph_it/engine/", ENGINE),
    ("/webgraph_it/crawl/", ENGINE),
)
"""The first that is part of a frame's path."""
STAGES = (START, LOOP, ENGINE, "fetch", "frontier", "extraction", "names", "graph")
MEANINGS = {
    START: "Python modules, mostly before the first page",
    LOOP: "uvloop: sockets and timers (what it does in C)",
    ENGINE: "Scrapy, Twisted, asyncio, the lane and the spider",
    "fetch": "HTTP, DNS, robots, caps",
    "frontier": "which URL is next; the store",
    "extraction": "links of documents; in the crawl process: talking to the workers",
    "names": "normal forms, keys, digests, scope",
    "graph": "shards, URL list, page log",
}


class NoProfile(Exception):
    """py-spy is not there or may not look; the text is one sentence for the user."""


class Look(NamedTuple):
    """One kind of stack and how often it was seen."""

    root: int
    """The process that py-spy started."""
    process: int
    thread: int
    frames: list[str]
    """Innermost first, each `function (path:line)`."""
    times: int


class Profile(NamedTuple):
    """One profiled run."""

    watched: Watched
    looks: Counter[tuple[int, str]]
    """(process, stage) → looks"""
    crawl_process: int

    def cpu_seconds(self, process: int) -> dict[str, float]:
        """Of one process by stage."""
        seen = {stage: self.looks[process, stage] for stage in STAGES}
        whole = self.watched.processes[process].cpu_seconds
        return {stage: whole * count / max(1, sum(seen.values())) for stage, count in seen.items()}

    @property
    def workers(self) -> list[int]:
        return sorted({process for process, _ in self.looks} - {self.crawl_process})


def parse(lines: Iterable[str]) -> list[Look]:
    """py-spy's raw format: `process 1:"…";process 2:"…";thread (3): name;outermost;…;innermost count`."""
    looks = []
    for line in lines:
        stack, _, count = line.rstrip("\n").rpartition(" ")
        parts = stack.split(";")
        processes = [part for part in parts if part.startswith("process ")]
        threads = [part for part in parts if part.startswith("thread (")]
        if processes and threads:
            root, process = (int(part.split()[1].partition(":")[0]) for part in (processes[0], processes[-1]))
            thread = int(threads[-1][len("thread (") :].partition(")")[0])
            frames = parts[parts.index(threads[-1]) + 1 :]
            looks.append(Look(root, process, thread, frames[::-1], int(count)))
    return looks


def stage_of(look: Look) -> str | None:
    """The stage it belongs to; None for a thread that only waits for work."""
    if any("<frozen importlib" in frame for frame in look.frames):
        return START
    for frame in look.frames:
        for path, stage in ROOMS:
            if path in frame:
                return stage
    if look.thread != look.process:
        return None
    innermost = look.frames[0] if look.frames else ""
    return LOOP if "asyncioreactor.py" in innermost else ENGINE


def profile(command: list[str], scratch: Path) -> Profile:
    """Run the crawl under py-spy. Raises NoProfile."""
    raw = scratch / "looks.txt"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    spy = shutil.which("py-spy", path=path)
    if spy is None:
        raise NoProfile("No stages: py-spy is not installed (pip install py-spy).")
    options = f"record --format raw --rate {LOOKS_PER_SECOND} --subprocesses --threads --full-filenames"
    watched = watch([spy, *options.split(), "--output", str(raw), "--", *command])
    if not raw.exists() or not raw.stat().st_size:
        raise NoProfile(f"No stages: py-spy may not look into processes here ({_last_line(watched.text)}).")
    found = parse(raw.read_text().splitlines())
    looks: Counter[tuple[int, str]] = Counter()
    for look in found:
        stage = stage_of(look)
        if stage is not None and look.process in watched.processes:
            looks[look.process, stage] += look.times
    return Profile(watched, looks, found[0].root)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1]


def print_table(found: Profile, pages: int) -> None:
    """CPU milliseconds a page; the crawl process and the workers beside each other."""
    crawl = found.cpu_seconds(found.crawl_process)
    workers: Counter[str] = Counter()
    for process in found.workers:
        workers.update(found.cpu_seconds(process))
    print(f"\nCPU ms a page, one run under py-spy at {pages / found.watched.seconds:.0f} pages/s:")
    print(f"{'':16}{'crawl process':>14}{'workers':>10}")
    for stage in STAGES:
        print(
            f"{stage:16}{1e3 * crawl[stage] / pages:14.3f}{1e3 * workers[stage] / pages:10.3f}   {MEANINGS[stage]}"
        )
    sums = sum(crawl.values()), sum(workers.values())
    print(f"{'all CPU':16}{1e3 * sums[0] / pages:14.3f}{1e3 * sums[1] / pages:10.3f}")
    idle = [
        max(0.0, found.watched.seconds * many - cpu)
        for many, cpu in zip((1, len(found.workers)), sums, strict=True)
    ]
    print(
        f"{'idle':16}{1e3 * idle[0] / pages:14.3f}{1e3 * idle[1] / pages:10.3f}   waiting for work, or for a core"
    )
    looks = sum(found.looks.values()) / LOOKS_PER_SECOND
    print(f"py-spy saw threads run for {looks:.1f} s; the kernel counted {sum(sums):.1f} s of CPU.")

"""The demo: start a small Italian internet, crawl it, compare the result with what was built, convert and analyse.

Every stage is a command that a user could type. This module only runs the commands in order and reports what
happened. In a terminal the crawl shows its own progress line. Elsewhere this module reports the progress.
However the demo ends, no process is left running. If it fails, one sentence says what to do.
"""

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from webgraph_it.progress import Progress
from webgraph_it.simweb import SimWeb

HOSTS, PAGES, SEED = 200, 3000, 7
LATENCY_SECONDS = 0.005
"""Median delay of slow hosts. It is low, so that the largest host does not take longer than all others together."""
BUDGET = ("-s", 'BANDWIDTH_SCHEDULE=[["*", "4 MB/s"]]', "-s", "MAX_TCP_CONNECTIONS=200")
LIMITS = ("-s", "MAX_HOST_DEPTH=30", "-s", "MIN_FREE_DISK=100 MB")
"""Low, so that traps stay a few per cent of the graph. The demo itself checks the free disk space before it starts."""
MIN_FREE_BYTES = 500_000_000
OURS = frozenset({"crawl", "graph", "truth"})
"""Names that an earlier demo leaves in its folder."""
TELL_SECONDS = 5.0


class StageFailed(Exception):
    """The demo cannot continue. The text is the whole explanation."""


def make_room(
    folder: Path, free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
) -> None:
    """Return an empty folder. It replaces the folder of an earlier demo. Nothing else is ever removed."""
    if folder.exists() and not folder.is_dir():
        raise StageFailed(f"{folder} is a file. Give another folder with --folder.")
    if folder.exists() and (others := sorted({path.name for path in folder.iterdir()} - OURS)):
        raise StageFailed(
            f"{folder}/ holds {others[0]}, which is not from a demo, and would be deleted. "
            "Give another folder with --folder."
        )
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    if (free := free_bytes(folder)) < MIN_FREE_BYTES:
        raise StageFailed(
            f"{folder}/ has {free / 1e6:,.0f} MB of free disk, and the demo needs {MIN_FREE_BYTES / 1e6:,.0f} MB. "
            "Make room, or give another folder with --folder."
        )


def demo(hosts: int, pages: int, folder: Path) -> None:
    """Run all stages. StageFailed says why one failed. SIGTERM has the same effect as Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    make_room(folder)
    began = time.monotonic()
    crawl, graph, truth = folder / "crawl", folder / "graph", folder / "truth"
    say(
        1, f"Starting a small Italian internet: {hosts} hosts, {pages:,} pages, every habit of the real web …"
    )
    with internet(hosts, pages) as web:
        web.truth.write(truth)
        say(2, "Crawling it, at most 4 MB/s and 200 connections: scrapy crawl italy …")
        options = (*web.arguments, *BUDGET, *LIMITS, "-s", f"JOBDIR={crawl}", "-s", "LOG_LEVEL=WARNING")
        run("scrapy", "crawl", "italy", *options, watch=None if sys.stderr.isatty() else Watch(crawl))
        tell(f"    {summary(crawl / 'reports/crawl-report.txt')}")
    say(3, f"Comparing with what was built: webgraph-it simweb compare {truth} {crawl} …")
    run("webgraph_it", "simweb", "compare", str(truth), str(crawl))
    say(4, f"Converting the shards: webgraph-it convert {crawl} --out {graph} …")
    run("webgraph_it", "convert", str(crawl), "--out", str(graph))
    say(5, f"Analysing the graph: webgraph-it analyse {graph} …")
    run("webgraph_it", "analyse", str(graph), "--crawl", str(crawl))
    tell(f"\n{picture(graph / 'analysis')}")
    tell(f"\nDone in {time.monotonic() - began:.0f} s. Look at {(graph / 'analysis/report.html').resolve()}")


@contextlib.contextmanager
def internet(hosts: int, pages: int, http_port: int = 0) -> Iterator[SimWeb]:
    """A simulated web, on free ports unless one is given. Raises StageFailed if it cannot be served."""
    web = SimWeb(hosts=hosts, pages=pages, seed=SEED, latency_seconds=LATENCY_SECONDS, http_port=http_port)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(web)
        except RuntimeError as error:
            raise StageFailed(
                f"{error}. It needs the addresses 127.1.0.1 to 127.1.255.1 of this machine, as Linux has them, "
                "and some free ports."
            ) from None
        yield web


def summary(report: Path) -> str:
    """The crawl in one line, from its own report."""
    facts = dict(line.split(": ", 1) for line in report.read_text().splitlines())
    return (
        f"{int(facts['URIs Processed']):,} URLs tried on {facts['Total Hosts']} hosts in {facts['Duration Time']}, "
        f"{int(facts['Links in the Graph']):,} links; reports in {report.parent}/"
    )


def picture(analysis: Path) -> str:
    """The graph in a few lines of text: its bow-tie and its first hosts by PageRank."""
    pages = json.loads((analysis / "summary.json").read_text())["levels"]["pages"]
    parts = {name: count for name, count in pages["bow_tie"].items() if count}
    best = [line.split("\t") for line in (analysis / "hosts/top-pagerank.txt").read_text().splitlines()[1:6]]
    rows = [
        ("Bow-tie of the pages", [(name, count / pages["nodes"]) for name, count in parts.items()]),
        ("First hosts by PageRank", [(name, float(value)) for _, value, name in best]),
    ]
    return "\n".join(line for title, values in rows for line in [f"    {title}", *map(_bar, values)])


def _bar(row: tuple[str, float]) -> str:
    name, share = row
    return f"      {name:<28} {'█' * max(1, round(40 * share))} {100 * share:.1f} %"


def say(stage: int, sentence: str) -> None:
    tell(f"{stage}/5 {sentence}")


def tell(words: str) -> None:
    """Print without buffering, because the stages write to the same terminal or file."""
    Progress(sys.stdout).note(words)


class Watch:
    """Reports the progress of a crawl from time to time, from its progress log."""

    def __init__(self, jobdir: Path) -> None:
        self._log = jobdir / "reports/progress.jsonl"

    def __call__(self) -> None:
        lines = self._log.read_bytes().splitlines() if self._log.exists() else []
        if lines:
            now = json.loads(lines[-1])
            rate = now["wire_bytes_per_second"] / 1e6
            tell(
                f"    {now['pages']:,} URLs tried, {now['queued']:,} waiting; "
                f"{now['pages_per_second']:,.0f} a second, {rate:.1f} MB/s"
            )


def run(module: str, *arguments: str, watch: Callable[[], None] | None = None) -> None:
    """Run one stage in a process that never outlives us. `watch` is called from time to time meanwhile."""
    process = subprocess.Popen([sys.executable, "-m", module, *arguments])
    try:
        code = _wait(process, watch)
    except KeyboardInterrupt:
        process.send_signal(signal.SIGTERM)
        _end(process)
        raise
    if code:
        raise StageFailed(
            f"`{' '.join([module.replace('_', '-'), *arguments[:2]])} …` ended with code {code}. "
            "Its output is above. "
            "To start again: `make demo`."
        )


def _wait(process: "subprocess.Popen[bytes]", watch: Callable[[], None] | None) -> int:
    while watch is not None:
        try:
            return process.wait(TELL_SECONDS)
        except subprocess.TimeoutExpired:
            watch()
    return process.wait()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Give it time to finish cleanly, then kill it."""
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    from webgraph_it.cli import main

    sys.exit(main(["demo", *sys.argv[1:]]))

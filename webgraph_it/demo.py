"""The demo: a small Italian internet is started, crawled, compared with what was built, converted and analysed.

Every stage is the command that a user would type; this module only starts them one after the other and says
what happened. While the crawl runs it says how far it is (in a terminal the crawl's own line does). Whatever ends it
early, nothing is left running, and one sentence says what to do.
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
"""Of slow hosts, median: the largest host must not take longer than all others together."""
BUDGET = ("-s", 'BANDWIDTH_SCHEDULE=[["*", "4 MB/s"]]', "-s", "MAX_TCP_CONNECTIONS=200")
LIMITS = ("-s", "MAX_HOST_DEPTH=30", "-s", "MIN_FREE_DISK=100 MB")
"""Traps are shown, not explored: they stay a few per cent of the graph. The disk is checked here, before the start."""
MIN_FREE_BYTES = 500_000_000
OURS = frozenset({"crawl", "graph", "truth"})
"""What a folder of an earlier demo holds."""
TELL_SECONDS = 5.0


class StageFailed(Exception):
    """The demo cannot go on; the text is the whole explanation."""


def make_room(
    folder: Path, free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
) -> None:
    """An empty folder, in place of that of an earlier demo; nothing else is ever removed."""
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
    """All stages; StageFailed says why not. SIGTERM ends it as Ctrl-C does."""
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
    """A simulated web, on free ports unless one is given; StageFailed when it cannot be served."""
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
    """The crawl in one line, out of its own report."""
    facts = dict(line.split(": ", 1) for line in report.read_text().splitlines())
    return (
        f"{int(facts['URIs Processed']):,} URLs tried on {facts['Total Hosts']} hosts in {facts['Duration Time']}, "
        f"{int(facts['Links in the Graph']):,} links; reports in {report.parent}/"
    )


def picture(analysis: Path) -> str:
    """The graph in a few lines of text: its bow-tie, and who ranks first."""
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
    """At once: the stages write to the same terminal or file."""
    Progress(sys.stdout).note(words)


class Watch:
    """Says now and then how far a crawl is, by its progress log."""

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
    """One stage, in a process of its own, which ends with us; `watch` is called now and then meanwhile."""
    process = subprocess.Popen([sys.executable, "-m", module, *arguments])
    try:
        code = _wait(process, watch)
    except KeyboardInterrupt:
        process.send_signal(signal.SIGTERM)
        _end(process)
        raise
    if code:
        raise StageFailed(
            f"`{' '.join([module.replace('_', '-'), *arguments[:2]])} …` ended with code {code}; "
            "what it said is above. "
            "`make demo` begins again."
        )


def _wait(process: "subprocess.Popen[bytes]", watch: Callable[[], None] | None) -> int:
    while watch is not None:
        try:
            return process.wait(TELL_SECONDS)
        except subprocess.TimeoutExpired:
            watch()
    return process.wait()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Give it time to finish cleanly, then insist."""
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    from webgraph_it.cli import main

    sys.exit(main(["demo", *sys.argv[1:]]))

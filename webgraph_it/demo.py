"""`make demo`: a small Italian internet is started, crawled, converted and analysed, and a picture drawn.

Every stage is the command that a user would type; this module only starts them one after the other and says
what happened. Ctrl-C ends whatever runs and says how to go on.
"""

import argparse
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from webgraph_it.simweb import SimWeb

HOSTS, PAGES, SEED = 200, 3000, 7
BUDGET = ("-s", 'BANDWIDTH_SCHEDULE=[["*", "4 MB/s"]]', "-s", "MAX_TCP_CONNECTIONS=200")


class StageFailed(Exception):
    """A command of the demo ended with an error; it has said why."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m webgraph_it.demo", description=__doc__)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--folder", type=Path, default=Path("demo"), help="made anew (default: demo)")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if options.folder.exists():
        shutil.rmtree(options.folder)
    options.folder.mkdir(parents=True)
    try:
        _demo(options.hosts, options.pages, options.folder / "crawl", options.folder / "graph")
    except KeyboardInterrupt:
        print(f"\nStopped. Nothing is left running; what was made so far is in {options.folder}/.")
        print("`make demo` begins again.")
        return 130
    except StageFailed as failure:
        print(f"The demo stops here: {failure}")
        return 1
    return 0


def _demo(hosts: int, pages: int, crawl: Path, graph: Path) -> None:
    began = time.monotonic()
    say(
        1, f"Starting a small Italian internet: {hosts} hosts, {pages:,} pages, every habit of the real web …"
    )
    with SimWeb(hosts=hosts, pages=pages, seed=SEED) as web:
        say(2, "Crawling it, at most 4 MB/s and 200 connections: scrapy crawl italy …")
        options = (*web.arguments, *BUDGET, "-s", f"JOBDIR={crawl}", "-s", "LOG_LEVEL=WARNING")
        run("-m", "scrapy", "crawl", "italy", *options)
        print(f"    {summary(crawl / 'reports/crawl-report.txt')}")
        truth = web.truth
    say(3, f"Converting the shards: python -m webgraph_it.convert {crawl} --out {graph} …")
    run("-m", "webgraph_it.convert", str(crawl), "--out", str(graph))
    found = json.loads((graph / "graph.json").read_text())
    print(
        f"    {found['nodes']:,} nodes and {found['arcs']:,} arcs ({len(truth.arcs):,} outside traps, as built)."
    )
    say(4, f"Analysing the graph: python -m webgraph_it.analyse {graph} …")
    run("-m", "webgraph_it.analyse", str(graph), "--crawl", str(crawl))
    print(f"\nDone in {time.monotonic() - began:.0f} s. Look at {(graph / 'analysis/report.html').resolve()}")


def summary(report: Path) -> str:
    """The crawl in one line, out of its own report."""
    facts = dict(line.split(": ", 1) for line in report.read_text().splitlines())
    return (
        f"{int(facts['URIs Processed']):,} URLs tried on {facts['Total Hosts']} hosts in {facts['Duration Time']}, "
        f"{int(facts['Links in the Graph']):,} links; reports in {report.parent}/"
    )


def say(stage: int, sentence: str) -> None:
    print(f"{stage}/4 {sentence}", flush=True)


def run(*arguments: str) -> None:
    """One stage, in a process of its own, which ends with us."""
    process = subprocess.Popen([sys.executable, *arguments])
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGTERM)
        _end(process)
        raise
    if code:
        raise StageFailed(f"`python {' '.join(arguments[:3])} …` ended with code {code}.")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Give it time to finish cleanly, then insist."""
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())

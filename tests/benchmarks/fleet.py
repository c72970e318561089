"""What does a fleet cost? CPU of a page with 1, 2 and 4 members, links shipped, and how soon the crawl ends.

    python -m tests.benchmarks.fleet [--pages 12000] [--rounds 3] [--sizes 1,2,4]

The fleets crawl the same web in alternation, each member with extraction in its own process, so that no core is shared
out differently. CPU counts from the first status of a member, after its start-up, which is once per member and not per
page. Judged are medians: the CPU of a page with the most members is at most LIMIT times that with one.

shipped     links to other members' sites that were logged, for each page; every link once for each member that finds it
end         from the last page to the exit of the last member; its last commit, its reports and its shutdown are in it

The graph of every round is compared with the truth; a difference fails the benchmark.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from tests.crawl.crawling import differences, start_crawl
from webgraph_it.fleet.local import board_of
from webgraph_it.shards.fleet import member_folder
from webgraph_it.simweb import SimWeb

LIMIT = 1.10
COMMIT_SECONDS = 10.0
TIMEOUT_SECONDS = 900.0


class Result(NamedTuple):
    """One crawl by a fleet."""

    pages: int
    cpu_ms_per_page: float
    shipped_per_page: float
    seconds: float
    end_seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=12_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", default="1,2,4")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    results: dict[int, list[Result]] = {size: [] for size in sizes}
    with (
        SimWeb(hosts=options.pages // 20, pages=options.pages, seed=20, only=["plain"]) as web,
        tempfile.TemporaryDirectory() as folder,
    ):
        for round_ in range(options.rounds):
            for size in sizes:
                results[size].append(crawled(web, Path(folder) / f"{round_}-{size}", size))
    return judged(results)


def crawled(web: SimWeb, directory: Path, size: int) -> Result:
    began = time.time()
    members = {
        member: start_crawl(
            web,
            directory,
            FLEET_SIZE=size,
            FLEET_MEMBER=member,
            EXTRACT_WORKERS=0,
            COMMIT_INTERVAL=COMMIT_SECONDS,
            LOG_LEVEL="WARNING",
        )
        for member in range(1, size + 1)
    }
    at_start: dict[int, float] = {}
    stop = time.monotonic() + TIMEOUT_SECONDS
    while len(at_start) < size and time.monotonic() < stop:
        for member in board_of(directory):
            if member not in at_start:
                at_start[member] = cpu_of(members[member])
        time.sleep(0.02)
    cpu = sum(waited(process) for process in members.values()) - sum(at_start.values())
    ended = time.time()
    wrong = differences(web, directory)
    assert not wrong, wrong
    statuses = board_of(directory).values()
    pages = int(sum(status.facts["pages"] for status in statuses))
    shipped = sum(status.facts["logged"] for status in statuses)
    result = Result(
        pages, 1000 * cpu / pages, shipped / pages, ended - began, ended - last_page(directory, size)
    )
    print(
        f"{size} members: {pages:,} pages, {result.cpu_ms_per_page:.2f} ms of CPU a page, "
        f"{result.shipped_per_page:.2f} links shipped a page, {result.seconds:.1f} s, "
        f"end {result.end_seconds:.1f} s after the last page",
        flush=True,
    )
    return result


def cpu_of(process: subprocess.Popen[str]) -> float:
    times = psutil.Process(process.pid).cpu_times()
    return times.user + times.system


def waited(process: subprocess.Popen[str]) -> float:
    """CPU seconds of a member, once it has ended."""
    assert process.stdout
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, output[-2000:]
    return usage.ru_utime + usage.ru_stime


def last_page(directory: Path, size: int) -> float:
    """When the last fetch ended."""
    ends = [0.0]
    for member in range(1, size + 1):
        for path in (directory / member_folder(member) / "pages").iterdir():
            pages = map(json.loads, path.read_text().splitlines())
            ends += [page["time"] + page["seconds"] for page in pages]
    return max(ends)


def judged(results: dict[int, list[Result]]) -> int:
    print("\n| members | CPU ms a page | against one | links shipped a page | end after the last page |")
    print("|---|---|---|---|---|")
    first = median(each.cpu_ms_per_page for each in results[min(results)])
    failed = False
    for size, found in results.items():
        cpu = median(each.cpu_ms_per_page for each in found)
        shipped, end = (median(each[place] for each in found) for place in (2, 4))
        print(f"| {size} | {cpu:.2f} | {cpu / first:.2f} | {shipped:.2f} | {end:.1f} s |")
        failed = failed or cpu > LIMIT * first or end > 2 * COMMIT_SECONDS
    print("too much" if failed else f"at most {LIMIT} times the CPU, and over within two commit rounds")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

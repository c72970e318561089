"""What does a fleet cost? CPU of a page with 1, 2 and 4 members, links shipped, and how soon the crawl ends.

    python -m tests.benchmarks.fleet [--pages 100000] [--rounds 5] [--sizes 2,4] [--transport local|redis]

A machine's speed changes within minutes by more than the figure in question. So a fleet of one member and a larger one
crawl the same web at the same time, in turns on one core: the one member for as long as all members of the other, each
of which has a turn for itself, as on a machine with a core for each. Who has no turn is suspended. The web is served
from another core. Extraction is in each member's own process.

CPU counts from the first status of a member, after its start-up, which is once per member and not per page. Its
shutdown and reports count. Judged are medians of the ratio in each round: at most LIMIT.

shipped     links to other members' sites that were logged, for each page; every link once for each member that finds it
end         from the last page to the last commit of the last member
memory      the peak of the largest member, extraction included (VmHWM, as in tests/benchmarks/crawl/watch.py)
broker      CPU and the most memory of the Redis or Valkey server; local, the members do its work, and it is in theirs

The graph of every round is compared with the truth; a difference fails the benchmark.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import psutil

from tests.benchmarks.crawl.__main__ import SETS
from tests.crawl.crawling import differences, start_crawl
from tests.fleet.redis.servers import PROGRAM, Server
from webgraph_it.fleet.exchange import Status
from webgraph_it.fleet.local import board_of
from webgraph_it.fleet.redis.board import read_board
from webgraph_it.shards.fleet import member_folder
from webgraph_it.simweb import SimWeb

LIMIT = 1.10
PAGES = SETS["15"]
"""The pages of tests.benchmarks.crawl."""
COMMIT_SECONDS = 10.0
TURN_SECONDS = 2.0
"""Of a fleet. Its share of the budget, which lasts five seconds, has not run out when its next turn comes."""


class Result(NamedTuple):
    """One crawl by a fleet."""

    cpu_ms_per_page: float
    shipped_per_page: float
    end_seconds: float
    megabytes: float
    """Peak of the largest member."""
    broker_ms_per_page: float
    broker_megabytes: float


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", default="2,4", help="what is compared with one member")
    parser.add_argument("--transport", choices=("local", "redis"), default="local")
    options = parser.parse_args()
    if options.transport == "redis" and PROGRAM is None:
        print("neither redis-server nor valkey-server is installed")
        return 1
    sizes = [int(size) for size in options.sizes.split(",")]
    pairs: dict[int, list[tuple[Result, Result]]] = {size: [] for size in sizes}
    os.environ["PYTHONHASHSEED"] = "0"  # otherwise one process may be some per cent faster than another
    first, *others = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {first})
    with served(options.pages) as web, tempfile.TemporaryDirectory() as folder:
        os.sched_setaffinity(0, {others[0] if others else first})
        for round_ in range(options.rounds):
            for size in sizes:
                place = Path(folder) / f"{round_}-{size}"
                pairs[size].append(side_by_side(web, place, size, options.transport))
    return judged(pairs)


def served(pages: int) -> SimWeb:
    return SimWeb(
        hosts=pages // 20,
        pages=pages,
        seed=20,
        only=["plain"],
        page_bytes=PAGES.page_bytes,
        degree=PAGES.degree,
        hits=False,
        keep=True,
    )


def side_by_side(web: SimWeb, place: Path, size: int, transport: str) -> tuple[Result, Result]:
    """A fleet of one, and a larger one at the same time."""
    with ExitStack() as servers:
        fleets = []
        for members in (1, size):
            directory = place / str(members)
            directory.mkdir(parents=True)
            server = servers.enter_context(Server(directory)) if transport == "redis" else None
            fleets.append(Fleet(web, directory / "crawl", members, server))
        while not all([fleet.has_started() for fleet in fleets]):  # noqa: C419 - each must be asked
            assert not any(fleet.has_ended() for fleet in fleets), "a member ended before it had started"
            time.sleep(0.02)
        take_turns(fleets)
        one, more = (fleet.result() for fleet in fleets)
    print(
        f"1 and {size} members: {one.cpu_ms_per_page:.3f} and {more.cpu_ms_per_page:.3f} ms of CPU a page, ratio "
        f"{more.cpu_ms_per_page / one.cpu_ms_per_page:.3f}, end after {one.end_seconds:.1f} and "
        f"{more.end_seconds:.1f} s, memory {one.megabytes:.0f} and {more.megabytes:.0f} MB",
        flush=True,
    )
    return one, more


def take_turns(fleets: list["Fleet"]) -> None:
    """Until one of the fleets has ended. The others' processes are running then."""
    turns = [
        (process, TURN_SECONDS / len(fleet.processes)) for fleet in fleets for process in fleet.processes
    ]
    for fleet in fleets:
        fleet.signal(signal.SIGSTOP)
    while not any(fleet.has_ended() for fleet in fleets):
        for fleet in fleets:
            fleet.note_memory()
        for process, seconds in turns:
            os.kill(process.pid, signal.SIGCONT)
            time.sleep(seconds)
            os.kill(process.pid, signal.SIGSTOP)
    for fleet in fleets:
        fleet.signal(signal.SIGCONT)


class Fleet:
    """Members that crawl."""

    def __init__(self, web: SimWeb, directory: Path, size: int, server: Server | None) -> None:
        self._web = web
        self._directory = directory
        self._size = size
        self._server = server
        if server is not None:
            server.age()
        self._broker = Broker(server)
        fleet: dict[str, Any] = {} if server is None else {"FLEET": server.url}
        self._members = {
            member: start_crawl(
                web,
                directory,
                FLEET_SIZE=size,
                FLEET_MEMBER=member,
                EXTRACT_WORKERS=0,
                COMMIT_INTERVAL=COMMIT_SECONDS,
                LOG_LEVEL="WARNING",
                **fleet,
            )
            for member in range(1, size + 1)
        }
        self._at_start: dict[int, float] = {}
        self._peak_bytes = 0

    def has_started(self) -> bool:
        """Whether all members have put a status. To be asked often: it notes the CPU that each had used by then."""
        for member in self._board().keys() - self._at_start.keys():
            self._at_start[member] = cpu_of(self._members[member].pid)
        return len(self._at_start) == self._size

    def has_ended(self) -> bool:
        """Whether a member has ended, though nobody has waited for it."""
        return any(map(is_over, self.processes))

    def note_memory(self) -> None:
        self._peak_bytes = max(self._peak_bytes, *(peak_bytes(process.pid) for process in self.processes))

    @property
    def processes(self) -> Collection[subprocess.Popen[str]]:
        return self._members.values()

    def signal(self, number: int) -> None:
        for process in self.processes:
            os.kill(process.pid, number)

    def result(self) -> Result:
        """Waits for the end."""
        while not all(map(is_over, self.processes)):
            self.note_memory()
            time.sleep(0.05)
        cpu = sum(map(waited, self.processes)) - sum(self._at_start.values())
        statuses = self._board().values()
        broker_seconds, broker_bytes = self._broker.cost()
        wrong = differences(self._web, self._directory)
        assert not wrong, wrong
        pages = int(sum(status.facts["pages"] for status in statuses))
        shipped = sum(status.facts["logged"] for status in statuses)
        last_commit = max(status.facts["time"] for status in statuses)
        return Result(
            1000 * cpu / pages,
            shipped / pages,
            last_commit - last_page(self._directory, self._size),
            self._peak_bytes / 1e6,
            1000 * broker_seconds / pages,
            broker_bytes / 1e6,
        )

    def _board(self) -> dict[int, Status]:
        return board_of(self._directory) if self._server is None else read_board(self._server.url, self._size)


class Broker:
    """What a server has cost since this was made: nothing if there is none."""

    def __init__(self, server: Server | None) -> None:
        self._server = server
        self._began = cpu_of(server.pid) if server else 0.0

    def cost(self) -> tuple[float, int]:
        """CPU seconds, and the most bytes of memory."""
        if self._server is None:
            return 0.0, 0
        memory = self._server.client().info("memory")
        return cpu_of(self._server.pid) - self._began, int(memory["used_memory_peak"])


def cpu_of(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def peak_bytes(pid: int) -> int:
    """The most memory that a process has had so far; 0 when it has ended."""
    peak = Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()
    return int(peak[0]) * 1024 if peak else 0


def is_over(process: subprocess.Popen[str]) -> bool:
    """Whether it has ended, though nobody has waited for it."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


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


def judged(pairs: dict[int, list[tuple[Result, Result]]]) -> int:
    print(
        "\n| members | CPU a page | against one | links shipped a page | end after the last page "
        "| memory of a member, and of one | broker: CPU a page, memory |"
    )
    print("|---|---|---|---|---|---|---|")
    failed = False
    for size, found in pairs.items():
        ratios = [more.cpu_ms_per_page / one.cpu_ms_per_page for one, more in found]
        middle = Result(*map(median, zip(*(more for _, more in found), strict=True)))
        one = Result(*map(median, zip(*(one for one, _ in found), strict=True)))
        print(
            f"| {size} | {middle.cpu_ms_per_page:.3f} ms, one {one.cpu_ms_per_page:.3f} ms "
            f"| {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}) "
            f"| {middle.shipped_per_page:.2f} | {middle.end_seconds:.1f} s "
            f"| {middle.megabytes:.0f} MB, {one.megabytes:.0f} MB "
            f"| {middle.broker_ms_per_page:.3f} ms, {middle.broker_megabytes:.1f} MB |"
        )
        failed = failed or median(ratios) > LIMIT or middle.end_seconds > 2 * COMMIT_SECONDS
    print("too much" if failed else f"at most {LIMIT} times the CPU, and over within two commit rounds")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

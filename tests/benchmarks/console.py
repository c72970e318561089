"""What the console costs: CPU a page of a crawl whose console is open and scraped every second, and of one without.

    python -m tests.benchmarks.console [--part crawl,turns,second,hosts] [--hosts 1500] [--pages 40000] [--rounds 5]

crawl     Both crawl the same web to its end, in alternation, and both graphs are compared with the truth. Judged is the
          median over the rounds of the CPU of the crawl's own process, with ÷ without, after the start and with it: the
          console's libraries are imported once, and a crawl of months does not notice. The worker's time is not in it,
          so the ratio is higher than that of all processes. "Open" is what the page asks for (static/console.js):
          events, charts, hosts, one host, page log and audit log, as often as it does; and /metrics every second.
          Whoever asks is another process.
turns     One crawl, whose console is asked the same for TURN_SECONDS and then left alone for as long, in turns. CPU a
          page of the turns with ÷ those without, over all turns: the ups and downs of a shared machine cancel out. The
          status is asked for instead of the events, which is not cheaper, and everything at the start of a turn.
second    CPU milliseconds a second of a paused crawl, alone and while the same is asked. The difference is what the
          console costs, whatever the speed of the crawl: hardly any noise, because nothing else runs.
hosts     A crawl with 200,000 hosts: how long /api/hosts takes, from the first request on, and /metrics.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.benchmarks.crawl.contenders import check
from tests.console.watched import Watched, free_port, watched
from tests.crawl.crawling import PROJECT, crawl_command
from webgraph_it.console.hosts import SORTS
from webgraph_it.simweb import SimWeb

ALLOWED = 1.02
ASKED: tuple[tuple[str, float], ...] = (
    ("/metrics", 1.0),
    ("/api/progress?since={hour_ago}&points=600", 5.0),
    ("/api/hosts?sort=queue&most=50", 5.0),
    ("/api/hosts/{host}", 5.0),
    ("/api/pages?most=100&filter=", 3.0),
    ("/api/actions?most=50", 15.0),
)
"""What is asked for, and every how many seconds: the first is Prometheus, the others are the page."""
TICKS = os.sysconf("SC_CLK_TCK")
SETTLE_SECONDS = 3.0
RATE_SECONDS = 30.0
TURN_SECONDS = 5.0
MANY_HOSTS = 200_000


class Spent(NamedTuple):
    """CPU seconds of the crawl's own process."""

    start: float
    """Until the first page."""
    whole: float
    pages: int

    @property
    def milliseconds_a_page(self) -> float:
        """After the start."""
        return 1e3 * (self.whole - self.start) / self.pages


class Ratio(NamedTuple):
    """One round, with the console ÷ without."""

    cpu: float
    whole: float


def ratio_of(plain: Spent, open_: Spent) -> Ratio:
    return Ratio(
        open_.milliseconds_a_page / plain.milliseconds_a_page,
        (open_.whole / open_.pages) / (plain.whole / plain.pages),
    )


def cpu_seconds(pid: int) -> float:
    """User and system time of one process with its threads; children do not count."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def spent_by(command: list[str], folder: Path) -> Spent:
    """Runs a crawl to its end."""
    with tempfile.TemporaryFile("w+") as output:
        crawl = subprocess.Popen(command, cwd=PROJECT, stdout=output, stderr=subprocess.STDOUT)
        dead = os.WEXITED | os.WNOWAIT  # what a dead process spent can still be read
        while not (folder / "urls" / "000001.tsv").exists():
            if os.waitid(os.P_PID, crawl.pid, dead | os.WNOHANG) is not None:
                break
            time.sleep(0.01)
        start = cpu_seconds(crawl.pid)
        os.waitid(os.P_PID, crawl.pid, dead)
        whole = cpu_seconds(crawl.pid)
        if crawl.wait():
            output.seek(0)
            raise SystemExit(f"the crawl ended with code {crawl.returncode}:\n{output.read()[-2000:]}")
    return Spent(start, whole, sum(path.read_bytes().count(b"\n") for path in (folder / "pages").iterdir()))


def look_on(port: int, seconds: float = float("inf")) -> None:
    """What a browser with the page open and a Prometheus ask, for so long."""
    until = time.monotonic() + seconds
    if seconds == float("inf"):
        threading.Thread(target=_listen, args=(port,), daemon=True).start()
    asked = ASKED if seconds == float("inf") else (*ASKED, ("/api/status", 2.0))
    due = dict.fromkeys((path for path, _ in asked), 0.0)
    host, connection = "it", http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while time.monotonic() < until:
        for path, every in asked:
            if time.monotonic() < due[path]:
                continue
            due[path] = time.monotonic() + every
            try:
                answer = _got(connection, path.format(hour_ago=time.time() - 3600, host=host))
            except (OSError, http.client.HTTPException):
                connection.close()
                continue
            if path.startswith("/api/hosts?") and (rows := json.loads(answer)["hosts"]):
                host = rows[0]["host"]
        time.sleep(0.05)
    connection.close()


def _got(connection: http.client.HTTPConnection, path: str) -> bytes:
    connection.request("GET", path)
    return connection.getresponse().read()


def _listen(port: int) -> None:
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/api/events")
            answer = connection.getresponse()
            while answer.readline():
                pass
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)


def one(web: SimWeb, console: bool) -> Spent:
    with tempfile.TemporaryDirectory() as scratch:
        folder, port = Path(scratch) / "crawl", free_port()
        settings: dict[str, Any] = {"CONSOLE": f"127.0.0.1:{port}"} if console else {}
        command = crawl_command(web, folder, **settings)
        asking = subprocess.Popen([sys.executable, "-m", __spec__.name, "--look-on", str(port)], cwd=PROJECT)
        try:
            spent = spent_by(command, folder)
        finally:
            asking.kill()
            asking.wait()
        check(web, folder)
        return spent


class Turns(NamedTuple):
    """CPU seconds and pages of the turns of one kind."""

    seconds: float = 0.0
    pages: int = 0

    def plus(self, seconds: float, pages: int) -> "Turns":
        return Turns(self.seconds + seconds, self.pages + pages)


def thread_seconds(pid: int) -> float:
    """As `cpu_seconds`, to the nanosecond. Threads that have ended do not count, and a crawl's do not end."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def in_turns(hosts: int, pages: int) -> None:
    """Until nine tenths of the pages are fetched: at the end few hosts are left."""
    found = {True: Turns(), False: Turns()}
    ratios: list[float] = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(hosts, pages, seed=7, only=["plain"], size_exponent=0.0, hits=False) as web,
        watched(web, Path(scratch) / "crawl") as crawl,
    ):
        crawl.wait_for_pages(pages // 20)
        while crawl.status()["pages"] < 0.9 * pages:
            pair: dict[bool, float] = {}
            for is_open in (bool(len(ratios) % 2), not len(ratios) % 2):
                began, before = thread_seconds(crawl.crawl.pid), crawl.status()["pages"]
                look_on(crawl.port, TURN_SECONDS) if is_open else time.sleep(TURN_SECONDS)
                spent, done = thread_seconds(crawl.crawl.pid) - began, crawl.status()["pages"] - before
                found[is_open] = found[is_open].plus(spent, done)
                pair[is_open] = spent / max(1, done)
            ratios.append(pair[True] / pair[False])
    costs = {is_open: turns.seconds / turns.pages for is_open, turns in found.items()}
    print(
        f"{len(ratios)} pairs of turns, {found[True].pages:,} and {found[False].pages:,} pages; CPU ms a page without "
        f"{1e3 * costs[False]:.3f}, with {1e3 * costs[True]:.3f}: {costs[True] / costs[False]:.3f}; "
        f"median of the pairs {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
    )


def a_second(hosts: int, pages: int) -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(hosts, pages, seed=7, only=["plain"], hits=False) as web,
        watched(web, Path(scratch) / "crawl") as crawl,
    ):
        crawl.wait_for_pages(pages // 8)
        crawl.do("pause")
        time.sleep(SETTLE_SECONDS)
        alone = _rate(crawl.crawl.pid)
        asking = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, "--look-on", str(crawl.port)], cwd=PROJECT
        )
        try:
            time.sleep(SETTLE_SECONDS)
            looked_at = _rate(crawl.crawl.pid)
        finally:
            asking.kill()
            asking.wait()
    print(
        f"a paused crawl uses {alone:.1f} ms of CPU a second, {looked_at:.1f} while its console is open and scraped: "
        f"{looked_at - alone:.1f} ms a second, {(looked_at - alone) / 10:.2f} % of a core"
    )


def _rate(pid: int) -> float:
    """CPU milliseconds a second."""
    began, before = time.monotonic(), cpu_seconds(pid)
    time.sleep(RATE_SECONDS)
    return 1e3 * (cpu_seconds(pid) - before) / (time.monotonic() - began)


def many_hosts(hosts: int = MANY_HOSTS) -> tuple[list[float], list[float]]:
    """Seconds of each answer: /api/hosts until the list is complete and for every order, and /metrics."""
    with tempfile.TemporaryDirectory() as scratch, SimWeb(2, 4, seed=7, only=["plain"], hits=False) as web:
        seeds = Path(scratch) / "seeds.txt"
        seeds.write_text("".join(f"http://ospite-{number}.it/\n" for number in range(hosts)))
        with watched(web, Path(scratch) / "crawl", SEEDS=str(seeds), COMMIT_INTERVAL=1) as crawl:
            crawl.do("pause")
            while crawl.status()["hosts"] < hosts:
                time.sleep(0.2)
            time.sleep(SETTLE_SECONDS)  # until all is committed
            lists, is_complete = [], False
            while not is_complete:
                seconds, body = _timed(crawl, "/api/hosts?sort=queue&most=50")
                is_complete = json.loads(body)["complete"]
                lists.append(seconds)
                time.sleep(0.1)
            assert json.loads(body)["read"] == hosts, body[:200]
            lists += [_timed(crawl, f"/api/hosts?sort={sort}&most=200")[0] for sort in SORTS]
            lists.append(_timed(crawl, "/api/hosts?find=it,ospite-19")[0])
            return lists, [_timed(crawl, "/metrics")[0] for _ in range(20)]


def _timed(crawl: Watched, path: str) -> tuple[float, bytes]:
    began = time.perf_counter()
    answer = crawl.ask("GET", path)
    assert answer.status == 200, answer.body
    return time.perf_counter() - began, answer.body


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=1500)
    parser.add_argument("--pages", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--part", default="crawl,turns,second,hosts")
    parser.add_argument("--look-on", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.look_on:
        look_on(options.look_on)
    parts = options.part.split(",")
    if "crawl" in parts:
        crawls(options.hosts, options.pages, options.rounds)
    if "turns" in parts:
        in_turns(2 * options.hosts, 4 * options.pages)
    if "second" in parts:
        a_second(options.hosts, options.pages)
    if "hosts" in parts:
        lists, metrics = many_hosts()
        print(
            f"{MANY_HOSTS:,} hosts: /api/hosts {1e3 * median(lists):.1f} ms, at most {1e3 * max(lists):.1f} of "
            f"{len(lists)} requests; /metrics {1e3 * median(metrics):.2f} ms, at most {1e3 * max(metrics):.2f}"
        )
    return 0


def crawls(hosts: int, pages: int, rounds: int) -> None:
    ratios: list[Ratio] = []
    with SimWeb(hosts, pages, seed=7, only=["plain"], hits=False) as web:
        one(web, console=False)  # the web makes its pages when they are first asked for
        for number in range(rounds):
            first = bool(number % 2)  # whoever is second finds a warmer machine
            found = {console: one(web, console) for console in (first, not first)}
            plain, open_ = found[False], found[True]
            ratios.append(ratio_of(plain, open_))
            print(
                f"round {number + 1}: {plain.pages:,} pages; CPU ms a page without {plain.milliseconds_a_page:.3f}, "
                f"with {open_.milliseconds_a_page:.3f}: {ratios[-1].cpu:.3f}; with the start "
                f"({plain.start:.2f} and {open_.start:.2f} s) {ratios[-1].whole:.3f}",
                flush=True,
            )
    for name, words in zip(Ratio._fields, ("after the start", "start included"), strict=True):
        values = sorted(getattr(ratio, name) for ratio in ratios)
        print(
            f"{words}: median {median(values):.3f} ({values[0]:.3f} to {values[-1]:.3f}), at most {ALLOWED} is asked"
        )


if __name__ == "__main__":
    sys.exit(main())

"""What the console costs: CPU a page of a crawl whose console is open and scraped every second, and of one without.

    python -m tests.benchmarks.console [--hosts 1500] [--pages 40000] [--rounds 5] [--profile FILE]

Both crawl the same web to its end, in alternation, and both graphs are compared with the truth. Judged is the median
over the rounds of the CPU of the crawl's own process, with ÷ without, from the first page to the end (`cpu`) and with
the start (`all`): the console's libraries are imported once, and a crawl of months does not notice. The worker's time
is not in it, so the ratio is higher than that of all processes. "Open" is what the page asks for (static/console.js): the
events, charts, hosts, one host, the page log and the audit log, as often as it does. Whoever asks is another process.
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
from tests.console.watched import free_port
from tests.crawl.crawling import PROJECT, crawl_command
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


def ratio_of(plain: Spent, watched: Spent) -> Ratio:
    return Ratio(
        watched.milliseconds_a_page / plain.milliseconds_a_page,
        (watched.whole / watched.pages) / (plain.whole / plain.pages),
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


def look_on(port: int) -> None:
    """What a browser with the page open and a Prometheus ask, until they are stopped."""
    threading.Thread(target=_listen, args=(port,), daemon=True).start()
    due = dict.fromkeys((path for path, _ in ASKED), 0.0)
    host, connection = "it", http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while True:
        for path, seconds in ASKED:
            if time.monotonic() < due[path]:
                continue
            due[path] = time.monotonic() + seconds
            try:
                answer = _got(connection, path.format(hour_ago=time.time() - 3600, host=host))
            except (OSError, http.client.HTTPException):
                connection.close()
                continue
            if path.startswith("/api/hosts?") and (rows := json.loads(answer)["hosts"]):
                host = rows[0]["host"]
        time.sleep(0.05)


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


def one(web: SimWeb, console: bool, profile: str = "") -> Spent:
    with tempfile.TemporaryDirectory() as scratch:
        folder, port = Path(scratch) / "crawl", free_port()
        settings: dict[str, Any] = {"CONSOLE": f"127.0.0.1:{port}"} if console else {}
        command = crawl_command(web, folder, **settings)
        if profile:
            command[1:3] = ["-m", "cProfile", "-o", profile, "-m", "scrapy"]
        asking = subprocess.Popen([sys.executable, "-m", __spec__.name, "--look-on", str(port)], cwd=PROJECT)
        try:
            spent = spent_by(command, folder)
        finally:
            asking.kill()
            asking.wait()
        check(web, folder)
        return spent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=1500)
    parser.add_argument("--pages", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", default="", help="one crawl with the console, under cProfile; no rounds")
    parser.add_argument("--look-on", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.look_on:
        look_on(options.look_on)
    ratios: list[Ratio] = []
    with SimWeb(options.hosts, options.pages, seed=7, only=["plain"], hits=False) as web:
        one(web, console=False)  # the web makes its pages when they are first asked for
        if options.profile:
            one(web, True, options.profile)
            return 0
        for number in range(options.rounds):
            first = bool(number % 2)  # whoever is second finds a warmer machine
            found = {console: one(web, console) for console in (first, not first)}
            plain, watched = found[False], found[True]
            ratios.append(ratio_of(plain, watched))
            print(
                f"round {number + 1}: {plain.pages:,} pages; CPU ms a page without {plain.milliseconds_a_page:.3f}, "
                f"with {watched.milliseconds_a_page:.3f}: {ratios[-1].cpu:.3f}; with the start "
                f"({plain.start:.2f} and {watched.start:.2f} s) {ratios[-1].whole:.3f}",
                flush=True,
            )
    for name, words in zip(Ratio._fields, ("after the start", "start included"), strict=True):
        values = sorted(getattr(ratio, name) for ratio in ratios)
        print(
            f"{words}: median {median(values):.3f} ({values[0]:.3f} to {values[-1]:.3f}), at most {ALLOWED} is asked"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

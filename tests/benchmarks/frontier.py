"""The frontier's memory and time: millions of distinct URLs in, and out again.

    python -m tests.benchmarks.frontier                     10 million URLs on 200,000 hosts, and all comparisons
    python -m tests.benchmarks.frontier --urls 1000000      a tenth of it

Each row is a process of its own. URLs come 26 at a time, each batch for 26 different hosts (the web is
kinder: most links of a page stay on its host); delays are 0; commits run in a second thread, as in a crawl.
Columns: µs per URL for `add`, and for `next` plus `done`, the commits' share of the processor included; the
largest resident memory.

Compared are a tenth of the URLs with all of them (memory within 1.2, time within 1.3 times), 1,000 hosts with
200,000 (pop time within 1.5 times), and, as a peer, the queue that Scrapy recommends for broad crawls, in
memory.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import psutil

from webgraph_it.frontier import Frontier, Frozen, Limits, Order, Outcome, Politeness, RocksStore
from webgraph_it.items import Link
from webgraph_it.urls.names import digest

LINKS_A_PAGE = 26
CHANGES_A_COMMIT = 200_000
FEW_HOSTS = 1_000
EAGER = Politeness(host_delay_seconds=0, delay_factor=0, address_delay_seconds=0)
STRIDE = 7_919
"""A prime: neighbouring URLs are on different hosts."""


class Row(NamedTuple):
    """One measurement."""

    urls: int
    hosts: int
    add_microseconds: float
    pop_microseconds: float
    memory_megabytes: float
    disk_megabytes: float


class Commits:
    """One at a time, in a thread; whoever wants the next one waits for the one before."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._thread: threading.Thread | None = None
        self.count = 0

    def perhaps(self) -> None:
        if self._frontier.counts().uncommitted >= CHANGES_A_COMMIT:
            self.start()

    def start(self) -> None:
        self.wait()
        self._thread = threading.Thread(target=Frozen.write, args=(self._frontier.freeze(),))
        self._thread.start()
        self.count += 1

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()


def link(number: int, hosts: int) -> Link:
    host, page = number * STRIDE % hosts, number // hosts
    key = f"it,comune{host})/uffici/anagrafe/pagina?id={page}"
    return Link(f"http://www.comune{host}.it/uffici/anagrafe/pagina?id={page}", key, digest(key), "a")


def feed(frontier: Frontier, commits: Commits, urls: int, hosts: int) -> float:
    spent = 0.0
    for first in range(0, urls, LINKS_A_PAGE):
        batch = [link(number, hosts) for number in range(first, min(first + LINKS_A_PAGE, urls))]
        start = time.perf_counter()
        new = len(frontier.add(batch, 1, "it,esempio)/", start).new)
        commits.perhaps()
        spent += time.perf_counter() - start
        assert new == len(batch)
    return spent


def empty(frontier: Frontier, commits: Commits) -> tuple[int, float]:
    taken, now, outcome = 0, time.perf_counter(), Outcome()
    while (lease := frontier.next(now)) is not None:
        frontier.done(lease, outcome, now)
        taken += 1
        if taken % LINKS_A_PAGE == 0:
            commits.perhaps()
    return taken, time.perf_counter() - now


def measure(urls: int, hosts: int) -> Row:
    memory = Watch()
    with tempfile.TemporaryDirectory() as directory:
        limits = Limits(max_queries_per_path=0)
        frontier = Frontier.open(RocksStore(directory), EAGER, Order.BREADTH, limits, 0.0)
        commits = Commits(frontier)
        add_seconds = feed(frontier, commits, urls, hosts)
        commits.start()
        commits.wait()
        disk = sum(file.stat().st_size for file in Path(directory).iterdir())
        taken, pop_seconds = empty(frontier, commits)
        commits.wait()
        assert taken == urls, f"{taken} of {urls} came out"
        frontier.close()
    return Row(urls, hosts, add_seconds / urls * 1e6, pop_seconds / urls * 1e6, memory.largest(), disk / 1e6)


class Watch:
    """The largest resident memory of this process, in MB, sampled ten times a second."""

    def __init__(self) -> None:
        self._largest = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        process = psutil.Process()
        while True:
            self._largest = max(self._largest, process.memory_info().rss)
            time.sleep(0.1)

    def largest(self) -> float:
        return self._largest / 1e6


def measured(urls: int, hosts: int) -> Row:
    """`measure` in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, "--measure", str(urls), str(hosts)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Row(*json.loads(done.stdout))


def scrapy_pop_microseconds(hosts: int, pops: int) -> float:
    """DownloaderAwarePriorityQueue with one request per host, in memory."""
    from queuelib.queue import FifoMemoryQueue
    from scrapy import Request
    from scrapy.pqueues import DownloaderAwarePriorityQueue
    from scrapy.utils.test import get_crawler

    crawler: Any = get_crawler()
    crawler.engine = SimpleNamespace(
        downloader=SimpleNamespace(slots={}, get_slot_key=lambda request: request.meta["download_slot"])
    )
    queue_class = type("Queue", (FifoMemoryQueue,), {"from_crawler": classmethod(lambda cls, *_: cls())})
    queue: Any = DownloaderAwarePriorityQueue(crawler, queue_class, key="")
    for host in range(hosts):
        queue.push(Request(f"http://h{host}.it/", meta={"download_slot": f"h{host}"}))
    start = time.perf_counter()
    for _ in range(pops):
        assert queue.pop() is not None
    return (time.perf_counter() - start) / pops * 1e6


def show(row: Row) -> None:
    print(
        f"{row.urls:>12,}{row.hosts:>10,}{row.add_microseconds:>10.1f}{row.pop_microseconds:>14.1f}"
        f"{row.memory_megabytes:>14.0f}{row.disk_megabytes:>12.0f}",
        flush=True,
    )


def compare(name: str, ratio: float, limit: float) -> None:
    print(f"{name:58}{ratio:6.2f}  (at most {limit})  {'holds' if ratio <= limit else 'DOES NOT HOLD'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=200_000)
    parser.add_argument("--measure", nargs=2, type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(*arguments.measure)))
        return
    urls, hosts = arguments.urls, arguments.hosts
    print(f"{'URLs':>12}{'hosts':>10}{'µs add':>10}{'µs next+done':>14}{'MB memory':>14}{'MB disk':>12}")
    rows = []
    for size in ((urls // 10, hosts), (urls, FEW_HOSTS), (urls, hosts)):
        rows.append(measured(*size))
        show(rows[-1])
    tenth, few_hosts, whole = rows
    compare("memory, all URLs against a tenth", whole.memory_megabytes / tenth.memory_megabytes, 1.2)
    compare("memory, all URLs, in units of 600 MB", whole.memory_megabytes / 600, 1.0)
    tenth_time = tenth.add_microseconds + tenth.pop_microseconds
    compare(
        "time per URL, all URLs against a tenth",
        (whole.add_microseconds + whole.pop_microseconds) / tenth_time,
        1.3,
    )
    compare("pop time, many hosts against 1,000", whole.pop_microseconds / few_hosts.pop_microseconds, 1.5)
    for count in (1_000, 10_000):
        print(f"Scrapy's queue at {count:,} hosts: {scrapy_pop_microseconds(count, 200):.0f} µs a pop")


if __name__ == "__main__":
    main()

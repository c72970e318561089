"""The frontier's memory and time: millions of distinct URLs in, and out again.

    python -m tests.benchmarks.frontier                     10 million URLs on 200,000 hosts, and all comparisons
    python -m tests.benchmarks.frontier --urls 1000000      a tenth of it

Each row is a process of its own. URLs come 26 at a time, each batch for 26 different hosts (the web is
kinder: most links of a page stay on its host); delays are 0; commits run in a second thread, as in a crawl.
Columns: µs per URL for `add`, and for `next` plus `done`, of processor time (that of the commit thread and of
RocksDB's own threads included) and on the clock; the largest resident memory.

Compared are a tenth of the URLs with all of them (memory within 1.2, time within 1.3 times), 1,000 hosts with
200,000 (pop time within 1.5 times), and, as a peer, the queue that Scrapy recommends for broad crawls, in
memory. Times are compared by processor time, which other work on the machine disturbs little; the ratio on the
clock stands beside it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import psutil

from tests.defaults import frontier_limits, politeness
from webgraph_it.crawl.commits import MAX_UNCOMMITTED
from webgraph_it.frontier import Frontier, Frozen, Order, Outcome, RocksStore
from webgraph_it.items import Link
from webgraph_it.urls.names import digest

LINKS_A_PAGE = 26
FEW_HOSTS = 1_000
EAGER = politeness(host_delay_seconds=0, delay_factor=0, address_delay_seconds=0)
NOW = 1.8e9
STRIDE = 7_919
"""A prime: neighbouring URLs are on different hosts."""


class Microseconds(NamedTuple):
    """Per URL."""

    processor: float
    clock: float

    def __add__(self, other: "Microseconds") -> "Microseconds":  # type: ignore[override]
        return Microseconds(self.processor + other.processor, self.clock + other.clock)


class Row(NamedTuple):
    """One measurement."""

    urls: int
    hosts: int
    add: Microseconds
    pop: Microseconds
    memory_megabytes: float
    disk_megabytes: float


class Commits:
    """One at a time, in a thread; whoever wants the next one waits for the one before."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._thread: threading.Thread | None = None
        self.count = 0

    def perhaps(self) -> None:
        if self._frontier.counts().uncommitted >= MAX_UNCOMMITTED:
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


class Stopwatch:
    """Processor time of the whole process, and time on the clock, in seconds, from its making to `stop`."""

    def __init__(self) -> None:
        self._processor, self._clock = -time.process_time(), -time.perf_counter()

    @contextmanager
    def left_out(self) -> Iterator[None]:
        """What this thread does here does not count; other threads do."""
        processor, clock = time.thread_time(), time.perf_counter()
        yield
        self._processor -= time.thread_time() - processor
        self._clock -= time.perf_counter() - clock

    def stop(self, urls: int) -> Microseconds:
        processor, clock = self._processor + time.process_time(), self._clock + time.perf_counter()
        return Microseconds(processor / urls * 1e6, clock / urls * 1e6)


class Progress:
    """One line on a terminal's stderr, written over itself; nothing if stderr is no terminal."""

    def __init__(self, what: str, urls: int) -> None:
        self._what = what
        self._urls = urls
        self._next = 0

    def at(self, done: int) -> None:
        if done >= self._next and sys.stderr.isatty():
            self._next = done + self._urls // 100
            percent = 100 * done // self._urls
            print(f"\r{self._what} {self._urls:,} URLs: {percent} %  ", end="", file=sys.stderr, flush=True)

    def over(self) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def feed(frontier: Frontier, commits: Commits, urls: int, hosts: int) -> Microseconds:
    watch, progress = Stopwatch(), Progress("adding", urls)
    for first in range(0, urls, LINKS_A_PAGE):
        with watch.left_out():
            batch = [link(number, hosts) for number in range(first, min(first + LINKS_A_PAGE, urls))]
            progress.at(first)
        new = len(frontier.add(batch, 1, "it,esempio)/", NOW).new)
        commits.perhaps()
        assert new == len(batch)
    commits.start()
    commits.wait()
    progress.over()
    return watch.stop(urls)


def empty(frontier: Frontier, commits: Commits, urls: int) -> Microseconds:
    watch, progress = Stopwatch(), Progress("taking", urls)
    taken, outcome = 0, Outcome()
    while (lease := frontier.next(NOW)) is not None:
        frontier.done(lease, outcome, NOW)
        taken += 1
        if taken % LINKS_A_PAGE == 0:
            commits.perhaps()
            progress.at(taken)
    commits.wait()
    progress.over()
    assert taken == urls, f"{taken} of {urls} came out"
    return watch.stop(urls)


def measure(urls: int, hosts: int) -> Row:
    memory = Watch()
    with tempfile.TemporaryDirectory() as directory:
        limits = frontier_limits(max_queries_per_path=0)
        frontier = Frontier.open(RocksStore(directory), EAGER, Order.BREADTH, limits, 0.0)
        commits = Commits(frontier)
        add = feed(frontier, commits, urls, hosts)
        disk = sum(file.stat().st_size for file in Path(directory).iterdir())
        pop = empty(frontier, commits, urls)
        frontier.close()
    return Row(urls, hosts, add, pop, memory.largest(), disk / 1e6)


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
    urls, hosts, add, pop, *space = json.loads(done.stdout)
    return Row(urls, hosts, Microseconds(*add), Microseconds(*pop), *space)


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
    times = "".join(f"{each.processor:>9.1f}{each.clock:>9.1f}" for each in (row.add, row.pop))
    space = f"{row.memory_megabytes:>13.0f}{row.disk_megabytes:>11.0f}"
    print(f"{row.urls:>12,}{row.hosts:>10,}{times}{space}", flush=True)


def compare(name: str, ratio: float, limit: float, beside: str = "") -> None:
    verdict = "holds" if ratio <= limit else "DOES NOT HOLD"
    print(f"{name:58}{ratio:6.2f}  (at most {limit})  {verdict}{beside}")


def compare_times(name: str, ours: Microseconds, base: Microseconds, limit: float) -> None:
    beside = f"  ({ours.clock / base.clock:.2f} on the clock)"
    compare(f"{name} (processor)", ours.processor / base.processor, limit, beside)


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
    print(f"{'':22}{'µs add':>18}{'µs next+done':>18}")
    print(
        f"{'URLs':>12}{'hosts':>10}{'CPU':>9}{'clock':>9}{'CPU':>9}{'clock':>9}{'MB memory':>13}{'MB disk':>11}"
    )
    rows = []
    for size in ((urls // 10, hosts), (urls, hosts), (urls, FEW_HOSTS)):
        rows.append(measured(*size))
        show(rows[-1])
    tenth, whole, few_hosts = rows
    compare("memory, all URLs against a tenth", whole.memory_megabytes / tenth.memory_megabytes, 1.2)
    compare("memory, all URLs, in units of 600 MB", whole.memory_megabytes / 600, 1.0)
    compare_times("time per URL, all URLs against a tenth", whole.add + whole.pop, tenth.add + tenth.pop, 1.3)
    compare_times("pop time, many hosts against 1,000", whole.pop, few_hosts.pop, 1.5)
    for count in (1_000, 10_000):
        print(f"Scrapy's queue at {count:,} hosts: {scrapy_pop_microseconds(count, 200):.0f} µs a pop")


if __name__ == "__main__":
    main()

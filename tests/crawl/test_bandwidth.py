"""BANDWIDTH_SCHEDULE over a whole crawl: what the crawl process really reads, second by second.

The witness beside the crawl's own stats is the kernel, which counts what the process reads (/proc/PID/io): every
byte of every socket, headers, robots.txt, and its files too, so it can only count too much. With what waits in the
sockets' receive queues (/proc/net/tcp) it is what has come over the wire. That is the same over a minute, but a queue
holds some kilobytes that nobody has read yet, so it follows a change of the plan more slowly. The server's log would
not do: it tells when a response was handed to the server's own kernel, long before the crawl lets it come.
"""

import json
import os
import signal
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.crawl.crawling import finish, start_crawl
from tests.crawl.observing import Sampler, bytes_queued, bytes_read, stats
from tests.crawl.test_connection_cap import eager_seeds
from webgraph_it.simweb import SimWeb

CAP = 400_000
SETTLING_SECONDS = 2.0

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/io").exists(), reason="the kernel does not count what processes read"
)


def write_plan(path: Path, rate: str) -> None:
    """As a careful editor does: a finished file is a renamed file."""
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json.dumps([["*", rate]]))
    unfinished.rename(path)


def wait_for_traffic(web: SimWeb, seconds: float = 30.0) -> None:
    """Until the first page was asked for: modules and stores have been read by then."""
    end = time.monotonic() + seconds
    while not any(hit["event"] == "response" for hit in web.hits()):
        assert time.monotonic() < end, "the crawl asked for nothing"


def fullest_window(samples: list[tuple[float, int]], seconds: float = 1.0) -> float:
    """Most bytes a second between two samples that are at least `seconds` apart, and as little more as possible."""
    most, first = 0.0, 0
    for when, total in samples:
        while first + 1 < len(samples) and when - samples[first + 1][0] >= seconds:
            first += 1
        elapsed = when - samples[first][0]
        if elapsed >= seconds:
            most = max(most, (total - samples[first][1]) / elapsed)
    return most


class Phase:
    """Bytes per second between two moments: as read by the crawl, and as come over the wire."""

    def __init__(self, samples: list[tuple[float, tuple[int, int]]], begin: float, end: float) -> None:
        seen = [(when, *counts) for when, counts in samples if begin <= when <= end]
        read = [(when, total) for when, total, _ in seen]
        (began, before), (ended, after) = read[0], read[-1]
        self.mean = (after - before) / (ended - began)
        self.most_read = fullest_window(read)
        self.most_arrived = fullest_window([(when, total + queued) for when, total, queued in seen])


def crawl_by_plan(tmp_path: Path, phases: list[tuple[str, float]], pages: int):
    """Crawl a web that could give far more; each phase is a rate and the seconds it is in force.

    Returns what was seen of each phase after SETTLING_SECONDS, and the stats.
    """
    plan = tmp_path / "plan.json"
    write_plan(plan, phases[0][0])
    with SimWeb(hosts=300, pages=pages, seed=9, only=["plain"], page_bytes=20_000) as web:
        crawl = start_crawl(
            web,
            tmp_path / "crawl",
            SEEDS=str(eager_seeds(web, tmp_path)),
            BANDWIDTH_SCHEDULE_FILE=str(plan),
            EXTRACT_WORKERS=0,  # or the kernel would count what comes back from them,
            COMMIT_INTERVAL=3600,  # and what the store reads of its own files
        )
        try:
            wait_for_traffic(web)
            with Sampler(lambda: (bytes_read(crawl), bytes_queued(web)), 0.05) as kernel:
                changes = [time.monotonic()]
                for (_, seconds), following in zip(phases, [*phases[1:], None], strict=True):
                    time.sleep(seconds)
                    changes.append(time.monotonic())
                    if following:
                        write_plan(plan, following[0])
            write_plan(plan, "100 MB/s")  # what is under way need not take long
            os.kill(crawl.pid, signal.SIGINT)
            output = finish(crawl)
        finally:
            crawl.kill()
    seen = [Phase(kernel.samples, begin + SETTLING_SECONDS, end) for begin, end in pairwise(changes)]
    return seen, stats(output)


def test_no_second_holds_more_than_the_cap_and_a_new_plan_holds_within_two(tmp_path):
    phases = [("400 KB/s", 6.0), ("100 KB/s", 3.5)]
    (first, second), found = crawl_by_plan(tmp_path, phases, pages=900)
    assert first.most_read <= 1.1 * CAP
    assert 0.8 * CAP <= first.mean <= 1.02 * CAP
    assert second.most_read <= 1.1 * 100_000
    assert found["bandwidth/bytes"] > 6 * 0.8 * CAP


@pytest.mark.slow
def test_more_is_taken_when_the_plan_allows_more(tmp_path):
    phases = [("200 KB/s", 5.0), ("400 KB/s", 6.0)]
    (first, second), _ = crawl_by_plan(tmp_path, phases, pages=900)
    assert first.most_read <= 1.1 * 200_000
    assert 0.8 * CAP <= second.mean <= 1.02 * CAP


@pytest.mark.slow
def test_a_minute_at_400_kb_is_used_and_not_exceeded(tmp_path):
    (minute,), _ = crawl_by_plan(tmp_path, [("400 KB/s", 62.0)], pages=3000)
    assert minute.most_read <= 1.1 * CAP
    assert minute.most_arrived <= 1.1 * CAP
    assert 0.95 * CAP <= minute.mean <= 1.01 * CAP

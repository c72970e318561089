"""Why nothing is fetched: every reason has its words, and a crawl that stands still says them."""

import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from socket import SOCK_DGRAM, socket
from typing import Any

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences, finish, run_crawl
from webgraph_it.crawl.host_waits import grouped, why
from webgraph_it.crawl.standstill import Facts, HostWait, Why, sentence
from webgraph_it.frontier.records import Failure, Wait
from webgraph_it.simweb import SimWeb

NOW = datetime(2026, 11, 18, 3, 30, tzinfo=UTC).timestamp()
SIX = datetime(2026, 11, 18, 6, 0, tzinfo=UTC).timestamp()
QUIET = Facts(now=NOW, idle_seconds=60.0, queued=90)


def test_a_paused_crawl_names_no_time_that_is_past() -> None:
    waits = (HostWait(Why.DELAY, 3, NOW - 50), HostWait(Why.SERVER, 2, SIX))
    assert sentence(QUIET._replace(pauses=("operator",), host_waits=waits), UTC) == (
        "Nothing was fetched for 60 s: paused: operator; 2 hosts wait until 06:00 after repeated 5xx answers; "
        "90 URLs queued."
    )


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"pauses": ("disk",)}, "paused: disk"),
        ({"pauses": ("disk", "failed")}, "paused: disk, failed"),
        ({"disk_is_full": True}, "the disk is full, and a write waits for room"),
        ({"bytes_per_second": 0.0, "rate_until": SIX}, "the schedule allows 0 B/s until 06:00"),
        ({"bytes_per_second": 0.0}, "the schedule allows 0 B/s"),
        (
            {"bytes_per_second": 1.0, "rate_until": SIX, "waiting_for_bandwidth": 20},
            "the schedule allows 1 B/s until 06:00 (20 fetches wait)",
        ),
        (
            {"connections": 5000, "connections_cap": 5000, "waiting_for_connection": 12},
            "12 fetches wait for one of the 5,000 connections (5,000 are in use)",
        ),
        ({"waiting_for_dns": 1}, "1 DNS answer outstanding"),
        ({"awaiting_response": 2000}, "2,000 responses outstanding"),
        ({"waiting_for_extraction": 300}, "the extraction workers are busy with 300 pages"),
        ({"under_way": 3}, "3 fetches under way in middlewares"),
        ({}, "no reason is known: please report it as a bug, with the log"),
    ],
)
def test_every_reason_has_its_words(facts: dict[str, Any], words: str) -> None:
    said = sentence(QUIET._replace(**facts), UTC)
    assert said == f"Nothing was fetched for 60 s: {words}; 90 URLs queued."


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Why.DELAY, "2 hosts wait until 04:58 for the delay between two fetches"),
        (Why.CRAWL_DELAY, "2 hosts wait until 04:58 for the Crawl-delay of their robots.txt"),
        (Why.ADDRESS, "2 hosts wait until 04:58 for their IP address, which others share"),
        (Why.ROBOTS, "2 hosts wait until 04:58 because their robots.txt could not be reached"),
        (Why.BUSY, "2 hosts wait until 04:58 after repeated 429 or 503 answers"),
        (Why.SERVER, "2 hosts wait until 04:58 after repeated 5xx answers"),
        (Why.NETWORK, "2 hosts wait until 04:58 after repeated network errors"),
        (Why.DNS, "2 hosts wait until 04:58 after repeated DNS failures"),
    ],
)
def test_every_wait_of_hosts_has_its_words(reason: Why, words: str) -> None:
    waits = (HostWait(reason, 2, NOW + 88 * 60),)
    assert sentence(QUIET._replace(host_waits=waits), UTC) == (
        f"Nothing was fetched for 60 s: {words}; 90 URLs queued."
    )
    assert len({each.value for each in Why}) == len(Why) == 8


def test_reasons_are_joined_the_soonest_host_first_and_one_host_is_one() -> None:
    waits = (HostWait(Why.SERVER, 3, NOW + 3600), HostWait(Why.ROBOTS, 1, NOW + 30))
    facts = QUIET._replace(idle_seconds=600, queued=1, host_waits=waits, other_hosts=7)
    assert sentence(facts, UTC) == (
        "Nothing was fetched for 10 min: 1 host waits until 03:30:30 because its robots.txt could not be reached; "
        "3 hosts wait until 04:30 after repeated 5xx answers; 7 other hosts behind them; 1 URL queued."
    )


def test_a_moment_beyond_a_day_has_its_date() -> None:
    facts = QUIET._replace(host_waits=(HostWait(Why.BUSY, 2, NOW + 90_000),))
    assert "until 2026-11-19 04:30 after" in sentence(facts, UTC)


@pytest.mark.parametrize(
    ("wait", "reason"),
    [
        (Wait("it,a", 1.0, True, True, Failure.SERVER), Why.ADDRESS),
        (Wait("it,robots", 1.0, False, True, Failure.SERVER), Why.ROBOTS),
        (Wait("it,a", 1.0, False, True, Failure.BUSY), Why.BUSY),
        (Wait("it,a", 1.0, False, True, Failure.SERVER), Why.SERVER),
        (Wait("it,a", 1.0, False, False, Failure.NETWORK), Why.NETWORK),
        (Wait("it,a", 1.0, False, False, Failure.DNS), Why.DNS),
        (Wait("it,a", 1.0, False, True, Failure.NONE), Why.CRAWL_DELAY),
        (Wait("it,a", 1.0, False, False, Failure.NONE), Why.DELAY),
    ],
)
def test_a_host_waits_for_one_reason(wait: Wait, reason: Why) -> None:
    assert why(wait, {"it,robots"}) is reason


def test_hosts_are_grouped_by_reason_with_the_soonest_time_on_the_machines_clock() -> None:
    waits = [Wait(f"it,{n}", 1_000.0 + n, False, False, Failure.DNS) for n in range(3)]
    assert grouped(waits, (), ahead=100.0) == (HostWait(Why.DNS, 3, 900.0),)


IMPATIENT = """
from scrapy.cmdline import execute
from webgraph_it.crawl import standstill_watch
standstill_watch.STANDSTILL_SECONDS = 1.0
execute()
"""


def impatient(web: SimWeb, jobdir: Path, **settings: Any) -> subprocess.Popen[str]:
    """A crawl that calls a second a standstill."""
    words = crawl_command(web, jobdir, **settings)[3:]
    return subprocess.Popen(
        [sys.executable, "-c", IMPATIENT, *words],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def lines_until(crawl: subprocess.Popen[str], words: str, seconds: float = 60) -> str:
    """Its output up to the line with `words`. It is killed if they do not come in time."""
    too_late = threading.Timer(seconds, crawl.kill)
    too_late.start()
    seen: list[str] = []
    assert crawl.stdout
    for line in crawl.stdout:
        seen.append(line)
        if words in line:
            break
    too_late.cancel()
    return "".join(seen)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"BANDWIDTH_SCHEDULE": [["*", "0"]]}, "the schedule allows 0 B/s"),
        ({"MIN_FREE_DISK": "1000000 TB"}, "paused: disk"),
        ({"HOST_DELAY": 30}, "for the delay between two fetches"),
        ({"ADDRESS_DELAY": 30}, "for their IP address, which others share"),
    ],
)
def test_a_crawl_that_stands_still_says_why(tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    with SimWeb(hosts=4, pages=40, seed=5, only=["plain"], addresses=1) as web:
        crawl = impatient(web, tmp_path, DOWNLOAD_TIMEOUT=5, **settings)
        said = lines_until(crawl, "Nothing was fetched for")
        crawl.send_signal(signal.SIGTERM)
        said += finish(crawl, 30)
    line = next((line for line in said.splitlines() if "Nothing was fetched for" in line), said)
    assert words in line
    assert "queued." in line


def test_a_resolver_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with SimWeb(hosts=4, pages=40, seed=5, only=["plain"]) as web, socket(type=SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        dns = [f"127.0.0.1:{silent.getsockname()[1]}"]
        crawl = impatient(web, tmp_path, DOWNLOAD_TIMEOUT=5, DNS_SERVERS=dns, DNS_TRY_TIMEOUT=20)
        said = lines_until(crawl, "Nothing was fetched for")
        crawl.send_signal(signal.SIGTERM)
        finish(crawl, 30)
    assert "outstanding" in said.splitlines()[-1]
    assert "DNS answer" in said.splitlines()[-1]


def test_hosts_that_always_fail_are_named_with_their_failure(tmp_path: Path) -> None:
    nobody_listens = {"80": 9, "443": 9}
    with SimWeb(hosts=4, pages=40, seed=5, only=["plain"]) as web:
        crawl = impatient(web, tmp_path, PORT_MAP=nobody_listens, BACK_OFF=20, RETRY_TIMES=3)
        said = lines_until(crawl, "after repeated")
        crawl.send_signal(signal.SIGTERM)
        said += finish(crawl, 30)
    assert "after repeated network errors" in said, said[-3000:]


def test_a_crawl_that_stood_still_resumes_exactly(tmp_path: Path) -> None:
    with SimWeb(hosts=6, pages=60, seed=5, only=["plain"]) as web:
        crawl = impatient(web, tmp_path, BANDWIDTH_SCHEDULE=[["*", "0"]])
        lines_until(crawl, "Nothing was fetched for")
        crawl.send_signal(signal.SIGTERM)
        finish(crawl, 30)
        run_crawl(web, tmp_path, BANDWIDTH_SCHEDULE=[])
        assert differences(web, tmp_path) == []

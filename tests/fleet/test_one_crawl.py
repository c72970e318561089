"""A fleet as the servers see it: one crawl, with one bandwidth plan, one connection cap and one clock per address."""

import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import finish
from tests.crawl.observing import Sampler, open_at_the_server, sockets
from tests.crawl.test_connection_cap import eager_seeds
from tests.fleet.fleets import Fleet
from tests.fleet.redis.servers import TRANSPORTS, transport
from webgraph_it.fleet.transport import SHARE_SECONDS
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.wire import Samples, between, fullest_second, mean_rate

CAP_BYTES = 400_000
SETTLING_SECONDS = 3.0

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the kernel does not count what arrives")


def wait_for_pages(web: SimWeb, pages: int = 1, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while sum(hit["event"] == "response" for hit in web.hits()) < pages:
        assert time.monotonic() < end, "the fleet asked for nothing"
        time.sleep(0.05)


def stopped(fleet: Fleet) -> None:
    for process in fleet.processes.values():
        process.send_signal(signal.SIGINT)
    for process in fleet.processes.values():
        finish(process)


def wire_of(
    tmp_path: Path,
    size: int,
    seconds: float,
    cap: int = CAP_BYTES,
    meanwhile: Callable[[Fleet], None] = lambda fleet: None,
    **settings: Any,
) -> Samples:
    """What came over the wire while a fleet crawled a web that could give far more."""
    with SimWeb(
        hosts=300,
        pages=int(cap / 20_000 * seconds * 1.5) + 300,
        seed=9,
        only=["plain"],
        shares={"https": 0.5},
        page_bytes=20_000,
        wire=True,
    ) as web:
        plan = f'[["*", "{cap // 1000} KB/s"]]'
        seeds = str(eager_seeds(web, tmp_path))
        fleet = Fleet(web, tmp_path / "fleet", size, SEEDS=seeds, BANDWIDTH_SCHEDULE=plan, **settings)
        try:
            fleet.start_all()
            wait_for_pages(web, 20)
            began = time.time()
            meanwhile(fleet)
            time.sleep(max(began + seconds - time.time(), 0.0))
            ended = time.time()
            stopped(fleet)
        finally:
            fleet.stop()
        wire = [(hit["at"], hit["bytes"]) for hit in web.hits() if hit["event"] == "wire"]
    return between(wire, began + SETTLING_SECONDS, ended)


@linux_only
@pytest.mark.slow
def test_two_members_together_receive_what_one_crawl_may(tmp_path: Path) -> None:
    wire = wire_of(tmp_path, 2, 7.0)
    assert fullest_second(wire) <= 1.1 * CAP_BYTES
    assert 0.85 * CAP_BYTES <= mean_rate(wire) <= 1.02 * CAP_BYTES


@linux_only
@pytest.mark.slow
@pytest.mark.parametrize("kind", TRANSPORTS)
@pytest.mark.parametrize("size", [2, 4])
def test_a_minute_of_the_plan_is_used_and_not_exceeded(size: int, kind: str, tmp_path: Path) -> None:
    """After first contact with all hosts, whose bounds are wider (fetch/bandwidth.py)."""
    cap = 200_000 * size
    with transport(kind, tmp_path / "redis") as settings:
        wire = wire_of(tmp_path, size, 70.0, cap, **settings)
    wire = between(wire, wire[0][0] + 7.0, wire[-1][0])
    assert fullest_second(wire) <= 1.1 * cap
    assert 0.95 * cap <= mean_rate(wire) <= cap


@linux_only
@pytest.mark.slow
@pytest.mark.parametrize("kind", TRANSPORTS)
def test_a_member_that_was_suspended_does_not_exceed_the_plan_when_it_wakes_up(
    kind: str, tmp_path: Path
) -> None:
    """Meanwhile the others have its share. It is stopped for three lease times, twice, and another one is killed."""

    def disturb(fleet: Fleet) -> None:
        time.sleep(SETTLING_SECONDS)
        for _ in range(2):
            os.kill(fleet.processes[1].pid, signal.SIGSTOP)
            time.sleep(3 * SHARE_SECONDS)
            os.kill(fleet.processes[1].pid, signal.SIGCONT)
            time.sleep(3.0)
        fleet.processes[2].kill()
        finish(fleet.processes[2])
        fleet.start(2)

    with transport(kind, tmp_path / "redis") as settings:
        wire = wire_of(tmp_path, 3, 50.0, meanwhile=disturb, **settings)
    assert fullest_second(wire) <= 1.1 * CAP_BYTES
    assert mean_rate(wire) >= 0.8 * CAP_BYTES


def crowd(tmp_path: Path, size: int, cap: int, hosts: int, **settings: Any) -> tuple[list[int], list[int]]:
    """Sockets of a fleet on many eager hosts: in the kernel, and by the servers' events."""
    with SimWeb(
        hosts=hosts, pages=hosts + 100, seed=7, only=["plain"], shares={"latency": 1.0}, latency_seconds=0.4
    ) as web:
        seeds = str(eager_seeds(web, tmp_path))
        fleet = Fleet(web, tmp_path / "fleet", size, SEEDS=seeds, MAX_TCP_CONNECTIONS=cap, **settings)
        try:
            with Sampler(lambda: sockets(web), 0.05) as kernel:
                fleet.run()
        finally:
            fleet.stop()
        return [sample.to_the_web for sample in kernel.values], open_at_the_server(web.hits())


@linux_only
@pytest.mark.slow
def test_members_together_have_no_more_connections_than_one_crawl_may(tmp_path: Path) -> None:
    in_the_kernel, at_the_server = crowd(tmp_path, 3, 30, 200)
    assert max(in_the_kernel) <= 30
    assert max(at_the_server) <= 30
    assert max(in_the_kernel) >= 0.95 * 30


@linux_only
@pytest.mark.slow
@pytest.mark.parametrize("kind", TRANSPORTS)
def test_the_connection_cap_is_used_while_there_is_work(kind: str, tmp_path: Path) -> None:
    with transport(kind, tmp_path / "redis") as settings:
        in_the_kernel, at_the_server = crowd(tmp_path, 4, 60, 3000, **settings)
    assert max(in_the_kernel) <= 60
    assert max(at_the_server) <= 60
    busy = sorted(in_the_kernel)[len(in_the_kernel) * 3 // 4]
    assert busy >= 0.95 * 60, (
        "for three quarters of the time, start and end included, some of it was not used"
    )


def requests_by(web: SimWeb, what: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for hit in web.hits():
        if hit["event"] == "request":
            found[hit[what]].append(hit["time"])
    return found


def shortest(times: dict[str, list[float]]) -> float:
    return min(later - earlier for each in times.values() for earlier, later in pairwise(sorted(each)))


def polite_crawl(tmp_path: Path, size: int, pages: int, delay_seconds: float, **settings: Any) -> float:
    """The shortest time between two requests to one address, over all members."""
    with SimWeb(hosts=24, pages=pages, seed=3, only=["plain"], addresses=6) as web:
        seeds = str(eager_seeds(web, tmp_path))
        fleet = Fleet(web, tmp_path / "fleet", size, SEEDS=seeds, ADDRESS_DELAY=delay_seconds, **settings)
        try:
            fleet.start_all()
            fleet.wait(300)
        finally:
            fleet.stop()
        by_address = requests_by(web, "address")
        assert len(by_address) <= 6
        return shortest(by_address)


def test_an_address_is_asked_by_one_member_at_a_time_with_its_delay_in_between(tmp_path: Path) -> None:
    assert polite_crawl(tmp_path, 3, 60, 0.1) >= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("kind", TRANSPORTS)
def test_address_delays_hold_over_a_long_crawl(kind: str, tmp_path: Path) -> None:
    with transport(kind, tmp_path / "redis") as settings:
        assert polite_crawl(tmp_path, 4, 300, 0.25, **settings) >= 0.25

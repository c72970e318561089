"""A fleet over a real server finds the graph of a single crawl, whatever happens to the server."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crawl.crawling import differences, finish, run_crawl
from tests.fleet.fleets import FAST, Fleet, compact
from tests.fleet.redis.servers import Server, needs_server
from webgraph_it.fleet.transport import SHARE_SECONDS
from webgraph_it.simweb import SimWeb

pytestmark = needs_server


def disturbed(fleet: Fleet, disturb: Callable[[], None]) -> list[str]:
    """The outputs of all members; meanwhile `disturb` runs once."""
    meanwhile = threading.Thread(target=disturb)
    fleet.start_all()
    meanwhile.start()
    try:
        return fleet.wait(300)
    finally:
        meanwhile.join()
        fleet.stop()


def wait_for_pages(web: SimWeb, pages: int) -> None:
    while sum(hit["event"] == "response" for hit in web.hits()) < pages:
        time.sleep(0.02)


def test_a_server_that_forgets_everything_costs_time_and_no_arc(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    with SimWeb(hosts=20, pages=120, seed=7) as web, Server(tmp_path / "server") as server:
        server.age()
        fleet = Fleet(web, tmp_path / "fleet", 2, FLEET=server.url)

        def forget() -> None:
            wait_for_pages(web, 40)
            server.forget()

        disturbed(fleet, forget)
        assert differences(web, tmp_path / "fleet") == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 5])
def test_kills_and_stops_of_the_server_and_of_members_change_nothing(size: int, tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    chance = random.Random(size)
    with SimWeb(hosts=60, pages=1500, seed=size) as web, Server(tmp_path / "server") as server:
        run_crawl(web, tmp_path / "single", **FAST)
        fleet = Fleet(web, tmp_path / "fleet", size, FLEET=server.url, HOST_DELAY=0.3)

        def disturb() -> None:
            for trouble in ("kill", "forget", "stop", "stop member", "kill member", "kill", "forget"):
                time.sleep(chance.uniform(3.0, 6.0))
                member = chance.randint(1, size)
                process = fleet.processes[member]
                if trouble == "kill":
                    server.kill()
                    time.sleep(1.0)
                    server.start()
                elif trouble == "forget":
                    server.forget()
                elif trouble == "stop":
                    server.suspend()
                    time.sleep(3 * SHARE_SECONDS)
                    server.go_on()
                elif process.poll() is not None:
                    continue
                elif trouble == "stop member":
                    os.kill(process.pid, signal.SIGSTOP)
                    time.sleep(3 * SHARE_SECONDS)
                    os.kill(process.pid, signal.SIGCONT)
                else:
                    process.kill()
                    finish(process)
                    fleet.start(member)

        fleet.start_all()
        try:
            disturb()
            fleet.wait(300)
        finally:
            fleet.stop()
        assert differences(web, tmp_path / "fleet") == []
        assert compact(tmp_path / "fleet", tmp_path / "g") == compact(tmp_path / "single", tmp_path / "g1")

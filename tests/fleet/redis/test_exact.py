"""A fleet over a real server finds the graph of a single crawl, whatever happens to the server."""

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crawl.crawling import differences, finish, run_crawl
from tests.fleet.fleets import FAST, Fleet, compact
from tests.fleet.redis.servers import Server, needs_server
from webgraph_it.fleet.exchange import starts
from webgraph_it.fleet.redis.board import read_board
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


@pytest.mark.slow
def test_a_clone_is_refused_while_the_original_runs_and_a_woken_original_while_its_clone_runs(
    tmp_path: Path,
) -> None:
    """As on two machines: the directories differ, so no lock tells one of the other."""
    (tmp_path / "server").mkdir()
    with SimWeb(hosts=40, pages=900, seed=31) as web, Server(tmp_path / "server") as server:
        server.age()
        fleet = Fleet(web, tmp_path / "fleet", 2, FLEET=server.url, HOST_DELAY=0.2)
        elsewhere = Fleet(web, tmp_path / "elsewhere", 2, FLEET=server.url, HOST_DELAY=0.2)
        try:
            fleet.start_all()
            wait_for_pages(web, 100)
            original = fleet.processes[1]
            original.kill()
            finish(original)
            shutil.copytree(fleet.path(1), elsewhere.path(1), ignore=shutil.ignore_patterns("*.sock"))
            original = fleet.start(1)
            wait_for_pages(web, 300)
            refused(elsewhere.start(1))
            shutil.rmtree(elsewhere.directory)
            refused(elsewhere.start(1))  # a new directory, as of a mistyped JOBDIR
            assert not elsewhere.directory.exists()
            assert original.poll() is None

            original.send_signal(signal.SIGSTOP)
            shutil.copytree(fleet.path(1), elsewhere.path(1), ignore=shutil.ignore_patterns("*.sock"))
            clone = elsewhere.start(1)
            wait_until_it_is_on_the_board(server, clone_starts=3)
            wait_for_pages(web, 500)
            original.send_signal(signal.SIGCONT)
            refused(original)
            assert clone.poll() is None
            for process in (clone, fleet.processes[2]):
                output = finish(process)
                assert process.returncode == 0, output[-3000:]
        finally:
            fleet.stop()
            elsewhere.stop()
        shutil.rmtree(fleet.path(1))
        elsewhere.path(1).rename(fleet.path(1))
        assert differences(web, fleet.directory) == []


def wait_until_it_is_on_the_board(server: Server, clone_starts: int) -> None:
    end = time.monotonic() + 60
    while starts(read_board(server.url, 2)[1].epoch) != clone_starts:
        assert time.monotonic() < end, "the clone did not start"
        time.sleep(0.1)


def refused(member: subprocess.Popen[str]) -> None:
    output = finish(member, 60)
    assert member.returncode == 2, output[-3000:]
    assert "must not run" in output

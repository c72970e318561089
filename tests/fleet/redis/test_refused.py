"""A start that the others refuse leaves nothing behind: neither in its directory nor on the server."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import content, finish
from tests.fleet.fleets import Fleet
from tests.fleet.redis.servers import Server, needs_server
from tests.fleet.redis.test_exact import wait_for_pages
from webgraph_it.killpoint import REFUSED_POINT
from webgraph_it.simweb import SimWeb

pytestmark = needs_server


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Fleet, Server]]:
    """Members 1 and 2 of three run, for as long as member 3 is missing."""
    (tmp_path / "server").mkdir()
    with SimWeb(hosts=12, pages=40, seed=7) as web, Server(tmp_path / "server") as server:
        server.age()
        fleet = Fleet(web, tmp_path / "fleet", 3, FLEET=server.url)
        try:
            fleet.start(1)
            fleet.start(2)
            wait_for_pages(web, 5)
            yield fleet, server
        finally:
            fleet.stop()


def known_of(server: Server, member: int) -> dict[str, Any]:
    """What the server has of a member."""
    client = server.client()
    found = {
        "epochs": client.hget("webgraph_it:epochs", str(member)),
        "board": client.hget("webgraph_it:board", str(member)),
        "broker": client.hget("webgraph_it:broker", f"m:{member}"),
        "questions": client.hget("webgraph_it:questions", str(member)),
    }
    return {name: value for name, value in found.items() if value is not None}


def refused(fleet: Fleet, member: int, words: str, **settings: Any) -> str:
    process = fleet.start(member, **settings)
    output = finish(process, 60)
    assert process.returncode == 2, output[-3000:]
    assert words in output
    assert "Traceback" not in output
    assert "Task was destroyed" not in output
    return output


def test_a_first_start_that_is_refused_leaves_nothing_behind(
    running: tuple[Fleet, Server], tmp_path: Path
) -> None:
    fleet, server = running
    other = tmp_path / "other.txt"
    other.write_text("http://a.it/\n")
    before = sorted(path.name for path in fleet.directory.iterdir())

    refused(fleet, 3, "its SEEDS is", SEEDS=str(other))
    assert sorted(path.name for path in fleet.directory.iterdir()) == before
    assert known_of(server, 3) == {}

    refused(fleet, 3, "its ADDRESS_DELAY is", ADDRESS_DELAY=0.3)
    assert known_of(server, 3) == {}

    killed = fleet.start(3, kill_at=REFUSED_POINT, SEEDS=str(other))
    finish(killed, 60)
    assert killed.returncode == -signal.SIGKILL
    fleet.start(3)
    fleet.wait()
    assert sorted(path.name for path in fleet.directory.iterdir()) == [*before, "member-03"]


def test_a_refused_resume_changes_nothing(running: tuple[Fleet, Server]) -> None:
    fleet, server = running
    process = fleet.start(3)
    while not known_of(server, 3):
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    output = finish(process, 60)
    assert process.returncode == 3, output[-3000:]
    before, known = content(fleet.path(3)), known_of(server, 3)

    refused(fleet, 3, "its ADDRESS_DELAY is", ADDRESS_DELAY=0.3)
    more = fleet.directory.parent / "more.txt"
    more.write_text(Path(json.loads(before["crawl.json"])["SEEDS"]["file"]).read_text() + "http://piu.it/\n")
    refused(fleet, 3, "its SEEDS is", SEEDS=str(more))
    after = content(fleet.path(3))
    assert {name: after[name] for name in before if "reports" not in name} == {
        name: value for name, value in before.items() if "reports" not in name
    }
    assert not any(after[name] for name in after.keys() - before.keys()), "empty shards were opened"
    assert known_of(server, 3) == known
    fleet.start(3)
    fleet.wait()


def test_a_first_start_that_is_stopped_while_it_watches_leaves_nothing_behind(
    running: tuple[Fleet, Server],
) -> None:
    fleet, server = running
    for member in 1, 2:
        fleet.processes[member].send_signal(signal.SIGSTOP)
    process = fleet.start(3, ADDRESS_DELAY=0.3)
    while not (fleet.path(3) / "control.sock").exists():
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    output = finish(process, 60)
    assert process.returncode == 3, output[-3000:]
    assert "Traceback" not in output
    assert not fleet.path(3).exists()
    assert known_of(server, 3) == {}
    for member in 1, 2:
        fleet.processes[member].send_signal(signal.SIGCONT)

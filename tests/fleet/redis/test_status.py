"""`webgraph-it fleet status` of a fleet on several machines asks its server."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.crawl.test_membership import begin
from tests.fleet.redis.servers import Server, needs_server
from tests.fleet.test_words import status
from webgraph_it.cli import main
from webgraph_it.fleet.redis.mailboxes import RedisMailboxes

pytestmark = needs_server


async def put(url: str, **more: float) -> None:
    """Member 2, on another machine, whose clock is an hour ahead."""
    mailboxes = RedisMailboxes(url, 2)
    now = time.time() + 3600
    facts = {"pages": 2400, "time": now, "committed": now, "rate": 3, **more}
    there = replace(status(2, 7000, 3000), facts=facts)
    await mailboxes.put(2, there.epoch, there.to_bytes())
    await mailboxes.close()


@contextmanager
def running(url: str) -> Iterator[None]:
    """It puts its status, as a process that runs."""
    ended = Event()

    def run() -> None:
        while not ended.wait(0.2):
            asyncio.run(put(url))

    thread = Thread(target=run)
    thread.start()
    yield
    ended.set()
    thread.join()


def test_members_on_other_machines_are_shown_by_what_they_put(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    folder = tmp_path / "server"
    folder.mkdir()

    def rows() -> list[list[str]]:
        assert main(["fleet", "status", str(tmp_path / "fleet"), "--fleet", server.url]) == 0
        return [line.split() for line in capsys.readouterr().out.splitlines()[1:]]

    with Server(folder) as server:
        asyncio.run(put(server.url))
        with running(server.url):
            first, second = rows()
        assert first[:2] == ["1", "starting"]  # this process has its lock file
        assert second[:5] == ["2", "crawling", "1", "2,400", "3/s"]
        assert rows()[1][:7] == ["2", "silent", "for", "3", "s", "1", "2,400"]
        asyncio.run(put(server.url, ended=1.0))
        assert rows()[1][:5] == ["2", "stopped", "1", "2,400", "-"]


def test_a_server_that_does_not_answer_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    assert main(["fleet", "status", str(tmp_path / "fleet"), "--fleet", "redis://127.0.0.1:1/0"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("The server does not answer: redis://127.0.0.1:1/0: ")
    assert ".." not in said.replace("127.0.0.1", "")
    assert said.endswith(" Start it, or give --fleet as the members have FLEET.\n")


def test_a_wrong_password_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    folder = tmp_path / "server"
    folder.mkdir()
    with Server(folder, password="right") as server:
        url = server.url.replace("right", "not-it")
        assert main(["fleet", "status", str(tmp_path / "fleet"), "--fleet", url]) == 2
    said = capsys.readouterr().err
    assert "not-it" not in said
    assert said.endswith(" Start it, or give --fleet as the members have FLEET.\n")

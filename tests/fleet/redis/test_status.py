"""`webgraph-it fleet status` of a fleet on several machines asks its server."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crawl.test_membership import begin
from tests.fleet.redis.servers import Server, needs_server
from tests.fleet.test_words import status
from webgraph_it.cli import main
from webgraph_it.fleet.redis.mailboxes import RedisMailboxes

pytestmark = needs_server


async def put(url: str) -> None:
    """Member 2 runs on another machine."""
    mailboxes = RedisMailboxes(url, 2)
    now = time.time()
    there = replace(status(2, 7000, 3000), facts={"pages": 2400, "time": now, "committed": now, "rate": 3})
    await mailboxes.put(2, there.epoch, there.to_bytes())
    await mailboxes.close()


def test_members_on_other_machines_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    folder = tmp_path / "server"
    folder.mkdir()
    with Server(folder) as server:
        asyncio.run(put(server.url))
        assert main(["fleet", "status", str(tmp_path / "fleet"), "--fleet", server.url]) == 0
    _, first, second = capsys.readouterr().out.splitlines()
    assert first.split()[:2] == ["1", "starting"]  # this process has its lock file
    assert second.split()[:4] == ["2", "crawling", "1", "2,400"]


def test_a_server_that_does_not_answer_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    assert main(["fleet", "status", str(tmp_path / "fleet"), "--fleet", "redis://127.0.0.1:1/0"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("The server does not answer: redis://127.0.0.1:1/0: ")
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

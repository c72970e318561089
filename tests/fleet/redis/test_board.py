"""The notice board of a server, as the supervisor of a fleet shows it."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fleet.redis.servers import Server, needs_server
from tests.fleet.redis.test_status import put
from webgraph_it.cli.fleet import _board_at
from webgraph_it.fleet.redis.board import WatchedBoard

pytestmark = needs_server


def wait_until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 20.0
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def test_the_board_of_a_server_is_read_and_its_trouble_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    with Server(tmp_path) as server:
        board = WatchedBoard(server.url, 2, said.append)
        assert said == []
        asyncio.run(put(server.url))
        wait_until(lambda: board().get(2))
        assert board()[2].facts["pages"] == 2400
    wait_until(lambda: board() and said)
    time.sleep(1.2)
    assert board()[2].facts["pages"] == 2400  # what was read last
    assert len(said) == 1
    assert said[0].startswith(
        f"The server does not answer, and without it no member fetches: redis://127.0.0.1:{server.port}/0: "
    )


def test_a_wrong_password_is_said_and_not_shown(tmp_path: Path) -> None:
    said: list[str] = []
    with Server(tmp_path, password="right") as server:
        board = WatchedBoard(server.url.replace("right", "wrong"), 2, said.append)
        wait_until(lambda: board() or said)
    assert "wrong" not in said[0].lower().replace("wrongpass", "")


@pytest.mark.parametrize(
    ("transport", "is_there"), [("", False), ("local", False), ("redis://127.0.0.1:1/0", True)]
)
def test_the_setting_fleet_names_the_board(transport: str, is_there: bool) -> None:
    assert (_board_at(transport, 2) is not None) == is_there

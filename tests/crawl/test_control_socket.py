"""Real sockets: what the owner says reaches the crawl, and one sentence comes back."""

import asyncio
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from webgraph_it.crawl.actions import ActionError
from webgraph_it.crawl.control_socket import SOCKET_FILE, ControlError, ControlSocket, ask


async def echo(said: object, who: str) -> Any:
    if said == {"action": "wrong"}:
        raise ActionError("that is wrong")
    return {"said": said, "who": who}


async def asked(directory: Path, said: dict[str, Any]) -> Any:
    serving = ControlSocket(directory, echo)
    await serving.open()
    try:
        return await asyncio.to_thread(ask, directory, said)
    finally:
        await serving.close()
        await asyncio.sleep(0.05)  # the other end has seen it


def test_an_answer_comes_back_and_the_kernel_says_who_asked(tmp_path: Path) -> None:
    answer = asyncio.run(asked(tmp_path, {"action": "pause"}))
    assert answer == {"said": {"action": "pause"}, "who": f"user {os.getuid()} (process {os.getpid()})"}


def test_a_refusal_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ControlError, match=r"^that is wrong$"):
        asyncio.run(asked(tmp_path, {"action": "wrong"}))


def test_the_path_of_the_directory_may_be_longer_than_a_sockets_name(tmp_path: Path) -> None:
    deep = tmp_path / ("a" * 100) / ("b" * 100)
    deep.mkdir(parents=True)
    assert asyncio.run(asked(deep, {}))["said"] == {}


def test_it_is_for_its_owner_alone_and_gone_afterwards(tmp_path: Path) -> None:
    async def mode() -> int:
        serving = ControlSocket(tmp_path, echo)
        await serving.open()
        found = stat.S_IMODE((tmp_path / SOCKET_FILE).stat().st_mode)
        await serving.close()
        return found

    assert asyncio.run(mode()) == 0o600
    assert not (tmp_path / SOCKET_FILE).exists()


def test_a_socket_that_a_killed_crawl_left_is_said_so_and_replaced(tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(tmp_path / SOCKET_FILE))
    with pytest.raises(ControlError, match=r"the last one was killed"):
        ask(tmp_path, {})
    assert asyncio.run(asked(tmp_path, {}))["said"] == {}


def test_without_a_crawl_it_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(ControlError, match=r"no crawl runs in .* scrapy crawl italy -s JOBDIR="):
        ask(tmp_path, {})
    (tmp_path / "crawl.json").write_text('{"spider": "brazil"}')
    with pytest.raises(ControlError, match=r"no crawl runs in .* scrapy crawl brazil -s JOBDIR="):
        ask(tmp_path, {})


def test_what_is_not_json_is_refused_and_the_next_line_is_heard(tmp_path: Path) -> None:
    async def talk() -> list[dict[str, Any]]:
        serving = ControlSocket(tmp_path, echo)
        await serving.open()
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / SOCKET_FILE))
        writer.write(b"[" * 100_000 + b"\n" + b"{}\n")
        answers = [json.loads(await reader.readline()) for _ in range(2)]
        writer.close()
        await writer.wait_closed()
        await serving.close()
        await asyncio.sleep(0.05)
        return answers

    refused, heard = asyncio.run(talk())
    assert "is not JSON" in refused["error"]
    assert heard["ok"]["said"] == {}


def test_what_is_being_carried_out_is_answered_before_the_socket_closes(tmp_path: Path) -> None:
    async def slowly(said: object, who: str) -> Any:
        await asyncio.sleep(0.3)
        return "done"

    async def answer() -> Any:
        serving = ControlSocket(tmp_path, slowly)
        await serving.open()
        asking = asyncio.create_task(asyncio.to_thread(ask, tmp_path, {"action": "block"}))
        await asyncio.sleep(0.15)
        await serving.close()
        return await asking

    assert asyncio.run(answer()) == "done"

"""The connection to a server that dies, stops, forgets or wants a password."""

import asyncio
import gc
import time
from pathlib import Path

import pytest

from tests.fleet.redis.servers import CONFIG, Server, certificate, needs_server
from webgraph_it.fleet.redis.link import TIMEOUT_SECONDS, Answer, Link, place_of
from webgraph_it.fleet.transport import TransportError

pytestmark = needs_server
ECHO = "return ARGV[1]"


async def echoed(link: Link, word: str) -> Answer:
    return await link.run(ECHO, [], [word])


def test_a_server_that_is_killed_is_reached_again_when_it_is_back(tmp_path: Path) -> None:
    async def talk(server: Server) -> None:
        link = Link(server.url)
        assert await echoed(link, "one") == b"one"
        server.kill()
        with pytest.raises(TransportError, match=f"^redis://127.0.0.1:{server.port}/0: "):
            await echoed(link, "two")
        server.start()
        assert await echoed(link, "three") == b"three"  # the script is gone from the server, too
        await link.close()

    with Server(tmp_path) as server:
        asyncio.run(talk(server))


def test_a_suspended_server_costs_a_timeout_and_no_answer_is_taken_for_another(tmp_path: Path) -> None:
    async def talk(server: Server) -> None:
        link = Link(server.url)
        await echoed(link, "before")
        server.suspend()
        began = time.monotonic()
        with pytest.raises(TransportError, match="Timeout"):
            await echoed(link, "lost")
        assert TIMEOUT_SECONDS <= time.monotonic() - began < TIMEOUT_SECONDS + 1.0
        server.go_on()
        assert await echoed(link, "after") == b"after"
        await link.close()

    with Server(tmp_path) as server:
        asyncio.run(talk(server))


def test_a_cancelled_task_leaves_the_connection_whole(tmp_path: Path) -> None:
    """redis-py #2624: the next command would read the answer to the cancelled one."""

    async def talk(server: Server) -> None:
        link = Link(server.url)
        await echoed(link, "before")
        for number in range(50):
            asking = asyncio.create_task(echoed(link, f"cancelled {number}"))
            await asyncio.sleep(0)
            asking.cancel()
            assert await echoed(link, f"kept {number}") == f"kept {number}".encode()
        await link.close()

    with Server(tmp_path) as server:
        asyncio.run(talk(server))


def test_an_error_that_comes_after_a_cancellation_is_not_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A member that gets SIGTERM while its server stands still."""

    async def talk(server: Server) -> None:
        link = Link(server.url)
        await echoed(link, "before")
        server.suspend()
        asking = asyncio.create_task(echoed(link, "lost"))
        await asyncio.sleep(0.1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.sleep(TIMEOUT_SECONDS + 0.5)
        gc.collect()
        await link.close()

    with Server(tmp_path) as server:
        asyncio.run(talk(server))
    assert caplog.text == ""


def test_a_password_is_used_and_never_shown(tmp_path: Path) -> None:
    async def talk(server: Server) -> None:
        link = Link(server.url)
        assert await echoed(link, "known") == b"known"
        assert "secret" not in repr(link)
        await link.close()
        stranger = Link(server.url.replace("secret", "wrong-one"))
        with pytest.raises(TransportError, match=r"invalid username-password pair|WRONGPASS") as refused:
            await echoed(stranger, "unknown")
        assert "wrong-one" not in str(refused.value)
        await stranger.close()

    with Server(tmp_path, password="secret") as server:
        asyncio.run(talk(server))


def test_a_place_has_neither_user_nor_password_nor_options() -> None:
    assert place_of("rediss://me:pass@word@host.it:1/0?ssl_ca_certs=/x") == "rediss://host.it:1/0"


def test_tls_is_spoken_and_the_certificate_is_checked(tmp_path: Path) -> None:
    authority, key = certificate(tmp_path)

    async def talk(server: Server) -> None:
        link = Link(f"{server.url}?ssl_ca_certs={authority}")
        assert await echoed(link, "in private") == b"in private"
        await link.close()
        careful = Link(server.url)
        with pytest.raises(TransportError, match="certificate verify failed"):
            await echoed(careful, "to a stranger")
        await careful.close()

    options = ("--tls-cert-file", str(authority), "--tls-key-file", str(key), "--tls-auth-clients", "no")
    with Server(tmp_path, *options, tls=True) as server:
        asyncio.run(talk(server))


def test_the_broker_starts_with_its_file_and_keeps_nothing(tmp_path: Path) -> None:
    assert CONFIG.parts[-2:] == ("deploy", "valkey.conf")
    with Server(tmp_path) as server:
        client = server.client()
        expected = {
            "save": "",
            "appendonly": "no",
            "maxmemory": str(64 << 20),
            "maxmemory-policy": "noeviction",
        }
        for name, value in expected.items():
            assert client.config_get(name) == {name: value}

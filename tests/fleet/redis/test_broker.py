"""Shares and leases over a server that dies and forgets, and that anybody may have written to."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.redis.servers import Server, needs_server
from webgraph_it.fleet.redis import broker as module
from webgraph_it.fleet.redis.broker import RedisBroker
from webgraph_it.fleet.transport import (
    ALL_BANDWIDTH,
    LEASE_SECONDS,
    NOTHING,
    SHARE_SECONDS,
    Amounts,
    Report,
    TransportError,
)

CAPS = Amounts(ALL_BANDWIDTH, 60)
QUARANTINE_SECONDS = 1.0
"""Shorter than in earnest."""
pytestmark = needs_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path) as server:
        yield server


def report(member: int, question: int) -> Report:
    return Report(member, 1, question, NOTHING, CAPS)


@pytest.mark.parametrize("loss", ["flush", "kill"])
def test_a_server_that_forgot_grants_nothing_until_all_forgotten_shares_have_run_out(
    loss: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHARE_SECONDS", QUARANTINE_SECONDS)
    monkeypatch.setattr(module, "LEASE_SECONDS", QUARANTINE_SECONDS)

    async def talk() -> float:
        server.age()
        broker = RedisBroker(server.url, CAPS, 1.0)
        assert (await broker.exchange(report(1, 1))).amounts == CAPS
        if loss == "flush":
            server.forget()
        else:
            server.kill()
            with pytest.raises(TransportError):
                await broker.exchange(report(1, 2))
            server.start()
        began = time.monotonic()
        for question in range(3, 100):
            share = await broker.exchange(report(2, question))
            granted = await broker.lease_addresses(2, 1, ["192.0.2.1"], [])
            assert bool(granted.leased) == (share.amounts == CAPS), "both have the same quarantine"
            if share.amounts == CAPS:
                assert granted.fresh == {"192.0.2.1"}
                break
            await asyncio.sleep(0.1)
        await broker.close()
        return time.monotonic() - began

    assert LEASE_SECONDS == SHARE_SECONDS
    assert QUARANTINE_SECONDS <= asyncio.run(talk()) < QUARANTINE_SECONDS + 2.0


@pytest.mark.slow
def test_a_suspended_server_that_wakes_up_does_not_end_shares_early(server: Server) -> None:
    """It first answers what it was asked long ago. Nobody believes that, and its clock has not run far."""

    async def talk() -> None:
        server.age()
        one, two = (RedisBroker(server.url, CAPS, 1.0) for _ in range(2))
        assert (await one.exchange(report(1, 1))).amounts == CAPS
        server.suspend()
        with pytest.raises(TransportError, match="Timeout"):
            await one.exchange(report(1, 2))
        await asyncio.sleep(SHARE_SECONDS)
        server.go_on()
        assert (await two.exchange(report(2, 1))).amounts == NOTHING
        await one.close()
        await two.close()

    asyncio.run(talk())


def test_whoever_writes_to_the_server_cannot_raise_a_members_own_caps(server: Server) -> None:
    client = server.client()

    async def talk() -> None:
        server.age()
        broker = RedisBroker(server.url, CAPS, 1.0)
        client.hset("webgraph_it:broker", "m:2", "1 1 -5000000 -900 0 0 9999999")
        share = await broker.exchange(report(1, 1))
        assert share.amounts == CAPS
        client.hset("webgraph_it:leases", "192.0.2.1", "1 1 nan nan nan")
        client.hset("webgraph_it:leases", "192.0.2.2", "1 1 1e300 0 0")
        granted = await broker.lease_addresses(1, 1, ["192.0.2.1", "192.0.2.2"], [])
        assert all(0.0 < seconds <= LEASE_SECONDS for seconds in granted.leased.values())
        client.sadd("webgraph_it:recall:1", "x" * 1_000_000, "192.0.2.9")
        assert (await broker.lease_addresses(1, 1, [], [])).wanted_by_others == {"192.0.2.9"}
        await broker.close()

    asyncio.run(talk())


@pytest.mark.parametrize("key", ["broker", "leases", "epochs"])
def test_a_key_of_another_kind_is_an_error_and_not_a_share(key: str, server: Server) -> None:
    server.client().set(f"webgraph_it:{key}", "a text")

    async def talk() -> None:
        broker = RedisBroker(server.url, CAPS, 1.0)
        asking = broker.lease_addresses(1, 1, ["192.0.2.1"], [])
        with pytest.raises(TransportError, match="WRONGTYPE"):
            await asking
        await broker.close()

    asyncio.run(talk())

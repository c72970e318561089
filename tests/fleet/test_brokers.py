"""The contract of every broker: local, and over Redis."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fleet.redis.servers import Server, needs_server
from webgraph_it.fleet.local_broker import LocalBroker
from webgraph_it.fleet.redis.broker import RedisBroker
from webgraph_it.fleet.transport import (
    ALL_BANDWIDTH,
    LEASE_SECONDS,
    NOTHING,
    Amounts,
    Broker,
    Fenced,
    Report,
)

CAPS = Amounts(ALL_BANDWIDTH, 60)
HALF = Amounts(ALL_BANDWIDTH // 2, 30)
DELAY_SECONDS = 1.0
Make = Callable[[], Broker]


@pytest.fixture(params=["local", pytest.param("redis", marks=needs_server)])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes brokers that share a memory, which is long past its quarantine."""
    if request.param == "local":
        yield lambda: LocalBroker(tmp_path, CAPS, DELAY_SECONDS)
        return
    with Server(tmp_path) as server:
        server.age()
        yield lambda: RedisBroker(server.url, CAPS, DELAY_SECONDS)


def report(
    member: int, question: int, used: Amounts = NOTHING, wanted: Amounts = CAPS, epoch: int = 1
) -> Report:
    return Report(member, epoch, question, used, wanted)


def test_members_that_want_all_get_equal_shares_and_a_silent_one_frees_its_own(make: Make) -> None:
    async def talk() -> None:
        a, b = make(), make()
        assert (await a.exchange(report(1, 1))).amounts == CAPS
        assert (await b.exchange(report(2, 1))).amounts == NOTHING
        assert (await a.exchange(report(1, 2, CAPS))).amounts == HALF
        assert (await b.exchange(report(2, 2))).amounts == NOTHING  # the other used all when it asked
        assert (await a.exchange(report(1, 3, HALF))).amounts == HALF
        assert (await b.exchange(report(2, 3))).amounts == HALF
        assert (await a.exchange(report(1, 4, NOTHING, NOTHING))).amounts == NOTHING
        share = await b.exchange(report(2, 4, HALF))
        assert (share.question, share.amounts) == (4, CAPS)
        await a.close()
        await b.close()

    asyncio.run(talk())


def test_an_older_epoch_is_refused_in_both_conversations(make: Make) -> None:
    async def talk() -> None:
        old, new = make(), make()
        await old.exchange(report(1, 1, epoch=(7 << 32) + 5))
        await new.exchange(report(1, 1, epoch=(8 << 32) + 1))
        with pytest.raises(Fenced, match="another process runs as member 1"):
            await old.exchange(report(1, 2, epoch=(7 << 32) + 5))
        await new.lease_addresses(1, (8 << 32) + 1, [], [])
        with pytest.raises(Fenced, match="started later, from another directory"):
            await old.lease_addresses(1, (7 << 32) + 5, ["192.0.2.1"], [])
        await old.close()
        await new.close()

    asyncio.run(talk())


def test_an_address_has_one_holder_and_goes_to_whoever_waits(make: Make) -> None:
    async def talk() -> None:
        a, b = make(), make()
        name, other = "192.0.2.1", "2001:db8::/64"
        granted = await a.lease_addresses(1, 1, [name, other], [])
        assert set(granted.leased) == {name, other}
        assert all(LEASE_SECONDS - 0.5 < seconds <= LEASE_SECONDS for seconds in granted.leased.values())
        assert granted.fresh == frozenset()
        assert (await b.lease_addresses(2, 1, [name], [])).leased == {}
        told = await a.lease_addresses(1, 1, [], [])
        assert told.wanted_by_others == {name}
        assert (await a.lease_addresses(1, 1, [], [name])).wanted_by_others == frozenset()
        assert (await a.lease_addresses(1, 1, [name], [])).leased == {}  # the other was first
        granted = await b.lease_addresses(2, 1, [name, other], [])
        assert (set(granted.leased), granted.fresh) == ({name}, {name})
        again = await b.lease_addresses(2, 1, [name], [])
        assert (set(again.leased), again.fresh) == ({name}, {name})  # the first answer may be lost
        await asyncio.sleep(DELAY_SECONDS)
        assert (await b.lease_addresses(2, 1, [name], [])).fresh == frozenset()
        await a.close()
        await b.close()

    asyncio.run(talk())


def test_many_addresses_fit_into_one_message(make: Make) -> None:
    async def talk() -> None:
        broker = make()
        names = [f"192.0.{number // 250}.{number % 250}" for number in range(256)]
        assert set((await broker.lease_addresses(1, 1, names, [])).leased) == set(names)
        assert (await broker.lease_addresses(1, 1, [], names)).leased == {}
        await broker.close()

    asyncio.run(talk())

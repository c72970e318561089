"""One request at a time per address, and never sooner than its clock allows."""

import asyncio
import time
from ipaddress import ip_address
from itertools import pairwise

from tests.fetch.servers import OK, DnsServer, Engine, HttpServer, run
from webgraph_it.fetch.address_gate import ASSUMED_SEEN_SECONDS, AddressGate

ADDRESS = ip_address("127.1.0.1")


class Clock:
    """ADDRESS_DELAY after the last use."""

    def __init__(self, delay_seconds: float) -> None:
        self._delay = delay_seconds
        self.uses: list[tuple[str, float]] = []

    def ready_at(self, address: str, now: float) -> float:
        last = [when for name, when in self.uses if name == address]
        return last[-1] + self._delay if last else now

    def used(self, address: str, when: float) -> None:
        self.uses.append((address, when))


def test_those_who_wait_are_served_in_order_and_who_gives_up_does_not_block() -> None:
    async def line() -> list[str]:
        gate = AddressGate(Clock(0.0), time.time)
        served: list[str] = []

        async def one(name: str) -> None:
            await gate.enter(ADDRESS)
            served.append(name)
            await asyncio.sleep(0.02)
            gate.leave(ADDRESS, time.time())

        tasks = [asyncio.ensure_future(one(name)) for name in "abcde"]
        await asyncio.sleep(0.01)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not gate._busy, "nothing is remembered of an address that nobody asks"
        return served

    assert run(line()) == ["a", "b", "d", "e"]


def test_a_turn_that_comes_to_one_who_is_just_being_cancelled_goes_on() -> None:
    async def line() -> bool:
        gate = AddressGate(Clock(0.0), time.time)
        await gate.enter(ADDRESS)
        second, third = (asyncio.ensure_future(gate.enter(ADDRESS)) for _ in range(2))
        await asyncio.sleep(0.01)
        second.cancel()
        gate.leave(ADDRESS, time.time())
        await third
        gate.leave(ADDRESS, time.time())
        fourth, fifth = (asyncio.ensure_future(gate.enter(ADDRESS)) for _ in range(2))
        await asyncio.sleep(0.01)
        gate.leave(ADDRESS, time.time())
        fifth.cancel()
        await asyncio.gather(second, fourth, fifth, return_exceptions=True)
        return not gate._busy

    assert run(line())


def test_who_is_cancelled_while_the_clock_runs_lets_the_next_one_in() -> None:
    async def line() -> bool:
        clock = Clock(0.3)
        clock.used(str(ADDRESS), time.time())
        gate = AddressGate(clock, time.time)
        first = asyncio.ensure_future(gate.enter(ADDRESS))
        second = asyncio.ensure_future(gate.enter(ADDRESS))
        await asyncio.sleep(0.05)
        first.cancel()
        await second
        return time.time() - clock.uses[0][1] >= 0.3

    assert run(line())


def test_starts_at_one_address_are_never_closer_than_its_delay_as_the_server_sees_them() -> None:
    starts: list[float] = []

    async def answer(request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        starts.append(time.time())
        await asyncio.sleep(0.03)
        writer.write(OK)

    async def crawl() -> int:
        server = await HttpServer(answer).start("127.1.0.1", "127.1.0.2")
        hosts = {f"h{n}.it": [("127.1.0.1", 60)] for n in range(10)}
        dns = await DnsServer({**hosts, "altrove.it": [("127.1.0.2", 60)]}).start()
        async with Engine(dns.address, port_map={80: server.port}) as engine:
            clock = Clock(0.1)
            engine.fetcher.use_clock(clock)
            await asyncio.gather(*(engine.get(f"http://{host}/") for host in hosts))
            gaps = [b - a for a, b in pairwise(starts)]
            assert min(gaps) >= 0.1
            return len(clock.uses)

    assert run(crawl()) == 10


def test_other_addresses_do_not_wait() -> None:
    async def crawl() -> float:
        server = await HttpServer().start("127.1.0.1", "127.1.0.2", "127.1.0.3")
        async with Engine(port_map={80: server.port}) as engine:
            engine.fetcher.use_clock(Clock(10.0))
            began = time.monotonic()
            await asyncio.gather(*(engine.get(f"http://127.1.0.{n}/") for n in (1, 2, 3)))
            return time.monotonic() - began

    assert run(crawl()) < 5.0


def test_a_slow_server_counts_as_seen_after_two_seconds() -> None:
    async def slow(request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(ASSUMED_SEEN_SECONDS + 0.4)
        writer.write(OK)

    async def crawl() -> tuple[int, float]:
        server = await HttpServer(slow).start()
        async with Engine(port_map={80: server.port}) as engine:
            clock = Clock(0.0)
            engine.fetcher.use_clock(clock)
            reply = await engine.get("http://127.1.0.1/")
            return len(clock.uses), clock.uses[0][1] - reply.times.start

    uses, seen_after = run(crawl())
    assert uses == 1
    assert ASSUMED_SEEN_SECONDS - 0.1 <= seen_after < ASSUMED_SEEN_SECONDS + 0.3


def test_a_failure_counts_as_seen() -> None:
    async def crawl() -> int:
        async with Engine(port_map={80: 1}) as engine:
            clock = Clock(0.0)
            engine.fetcher.use_clock(clock)
            await asyncio.gather(*(engine.get("http://127.1.0.1/") for _ in range(2)), return_exceptions=True)
            return len(clock.uses)

    assert run(crawl()) == 2


def test_the_next_one_goes_on_when_the_first_clock_rings() -> None:
    async def wait() -> None:
        gate = AddressGate(Clock(100.0), lambda: 1000.0)
        assert gate.next_at is None
        late, soon = ip_address("127.1.0.1"), ip_address("127.1.0.2")
        gate._clock.used(str(late), 990.0)
        gate._clock.used(str(soon), 950.0)
        tasks = [asyncio.ensure_future(gate.enter(address)) for address in (late, soon)]
        await asyncio.sleep(0)
        assert gate.next_at == 1050.0
        assert gate.waiting == 2
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert gate.next_at is None
        assert gate.waiting == 0

    run(wait())

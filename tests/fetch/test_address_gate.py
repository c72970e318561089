"""One request at a time per address, and never sooner than its clock allows."""

import asyncio
import time
from ipaddress import ip_address
from itertools import pairwise

import pytest

from tests.fetch.servers import OK, DnsServer, Engine, HttpServer, run
from webgraph_it.fetch.address_gate import ASSUMED_SEEN_SECONDS, AddressBusy, AddressGate
from webgraph_it.fetch.connection import FetchError
from webgraph_it.fetch.target import target_of

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

    def is_ours(self, address: str) -> bool:
        return True


def test_an_address_that_is_being_asked_refuses() -> None:
    gate = AddressGate(Clock(0.0), time.time)
    gate.enter(ADDRESS)
    gate.enter(ip_address("127.1.0.2"))
    with pytest.raises(AddressBusy) as refused:
        gate.enter(ADDRESS)
    assert (refused.value.address, str(refused.value)) == ("127.1.0.1", "127.1.0.1 may not be asked now")
    gate.leave(ADDRESS, time.time())
    gate.enter(ADDRESS)


def test_an_address_whose_clock_runs_refuses() -> None:
    clock, now = Clock(1.0), [100.0]
    gate = AddressGate(clock, lambda: now[0])
    gate.enter(ADDRESS)
    gate.leave(ADDRESS, 100.0)
    now[0] = 100.9
    with pytest.raises(AddressBusy):
        gate.enter(ADDRESS)
    now[0] = 101.0
    gate.enter(ADDRESS)


async def until_it_passes(engine: Engine, url: str) -> None:
    while True:
        try:
            await engine.get(url)
            return
        except AddressBusy:
            await asyncio.sleep(0.005)


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
            await asyncio.gather(*(until_it_passes(engine, f"http://{host}/") for host in hosts))
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
            with pytest.raises(FetchError):
                await engine.get("http://127.1.0.1/")
            return len(clock.uses)

    assert run(crawl()) == 1


def test_who_is_refused_sends_nothing_and_takes_no_place() -> None:
    async def crawl() -> tuple[int, int]:
        server = await HttpServer().start()
        async with Engine(port_map={80: server.port}) as engine:
            engine.fetcher.use_clock(Clock(10.0))
            await engine.get("http://127.1.0.1/")
            refused = await asyncio.gather(
                *(engine.get("http://127.1.0.1/") for _ in range(50)), return_exceptions=True
            )
            return sum(isinstance(each, AddressBusy) for each in refused), engine.fetcher.governor.waiting

    assert run(crawl()) == (50, 0)


def test_of_several_addresses_the_one_whose_turn_it_is_comes_first() -> None:
    async def crawl() -> str:
        server = await HttpServer().start("127.1.0.1", "127.1.0.2")
        dns = await DnsServer({"due.it": [("127.1.0.1", 60), ("127.1.0.2", 60)]}).start()
        async with Engine(dns.address, port_map={80: server.port}) as engine:
            engine.fetcher.use_clock(Clock(10.0))
            target = target_of("http://due.it/")
            message = b"GET / HTTP/1.1\r\nHost: due.it\r\n\r\n"
            return str((await engine.fetcher.fetch(target, message, at="127.1.0.2")).address)

    assert run(crawl()) == "127.1.0.2"


def test_addresses_of_one_ipv6_network_are_one_address() -> None:
    gate = AddressGate(Clock(0.0), time.time)
    gate.enter(ip_address("2001:db8:1:2::1"))
    with pytest.raises(AddressBusy):
        gate.enter(ip_address("2001:db8:1:2::2"))
    gate.enter(ip_address("2001:db8:1:3::1"))
    gate.leave(ip_address("2001:db8:1:2::1"), time.time())
    gate.enter(ip_address("2001:db8:1:2::2"))


class LostClock(Clock):
    """The address is another member's by the time that the request could be sent."""

    def is_ours(self, address: str) -> bool:
        return False


@pytest.mark.parametrize("lost", ["address", "share"])
def test_what_was_lost_while_a_request_waited_is_not_used(lost: str) -> None:
    async def crawl() -> tuple[int, int]:
        server = await HttpServer().start()
        async with Engine(port_map={80: server.port}) as engine:
            engine.fetcher.use_clock(LostClock(0.0) if lost == "address" else Clock(0.0))
            shares = iter([True, lost == "address"])  # for the connection, and for the request
            engine.fetcher.share_lasts = lambda: next(shares)
            with pytest.raises(AddressBusy):
                await engine.get("http://127.1.0.1/")
            return len(server.requests), engine.fetcher.governor.open

    assert run(crawl()) == (0, 0)

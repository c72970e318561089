"""Reading in step with the bandwidth limit, on real sockets."""

import asyncio
import math
import time
from pathlib import Path

import pytest

from tests.fetch.certificate import server_context
from tests.fetch.servers import OK, Engine, HttpServer, run
from webgraph_it.fetch.arrivals import Reader
from webgraph_it.fetch.shaper import Shaper

RATE = 400_000
BODY = b"x" * 60_000
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


class RecordingShaper(Shaper):
    """Remembers when how much was read."""

    def __init__(self, bytes_per_second: float) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(time.monotonic, loop.call_later, bytes_per_second)
        self.reads: list[tuple[float, int]] = []

    def received(self, nbytes: int, reader: Reader) -> bool:
        self.reads.append((time.monotonic(), nbytes))
        return super().received(nbytes, reader)

    def fullest_second(self, after: float) -> int:
        moments = [moment for moment, _ in self.reads if moment >= after]
        return max(sum(n for when, n in self.reads if start <= when < start + 1.0) for start in moments)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_bytes_are_read_at_the_rate_and_no_connection_starves(scheme: str, tmp_path: Path) -> None:
    async def crawl() -> None:
        tls = server_context(tmp_path) if scheme == "https" else None
        server = await HttpServer(PAGE, tls).start(*(f"127.1.0.{n}" for n in range(1, 21)))
        async with Engine(port_map={80: server.port, 443: server.port}) as engine:
            shaper = engine.fetcher.shaper = RecordingShaper(RATE)
            began = time.monotonic()
            replies = await asyncio.gather(*(engine.get(f"{scheme}://127.1.0.{n}/") for n in range(1, 21)))
            took = time.monotonic() - began
        assert all(reply.body == BODY for reply in replies)
        total = sum(size for _, size in shaper.reads)
        assert total >= 20 * len(PAGE), "headers count too"
        assert total / took <= 1.05 * RATE
        assert shaper.fullest_second(began + 0.5) <= 1.1 * RATE
        assert max(size for _, size in shaper.reads) <= RATE / 5

    run(crawl())


def test_a_pause_of_ours_does_not_count_as_the_servers_silence() -> None:
    async def crawl() -> int:
        server = await HttpServer(PAGE).start()
        async with Engine(port_map={80: server.port}, silence_seconds=0.3, total_seconds=0.6) as engine:
            shaper = engine.fetcher.shaper = RecordingShaper(0.0)  # an hour at which nothing may be read
            asyncio.get_running_loop().call_later(1.5, shaper.set_rate, math.inf)
            return len((await engine.get("http://127.1.0.1/")).body)

    assert run(crawl()) == len(BODY)


def test_a_paused_connection_that_is_cancelled_leaves_the_line() -> None:
    async def crawl() -> int:
        server = await HttpServer(PAGE).start()
        async with Engine(port_map={80: server.port}) as engine:
            shaper = engine.fetcher.shaper = RecordingShaper(10_000)
            task = asyncio.ensure_future(engine.get("http://127.1.0.1/"))
            await asyncio.sleep(0.3)
            assert shaper._readers
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return len(shaper._readers)

    assert run(crawl()) == 0


def test_a_kept_connection_that_was_paused_at_its_end_is_used_again() -> None:
    async def crawl() -> list[int]:
        server = await HttpServer(OK).start()
        async with Engine(port_map={80: server.port}) as engine:
            engine.fetcher.shaper = RecordingShaper(2_000)
            statuses = [(await engine.get("http://127.1.0.1/")).status for _ in range(5)]
            return [*statuses, server.connections]

    assert run(crawl()) == [200] * 5 + [1]


def test_a_kept_connection_with_more_room_than_a_new_limit_allows_is_replaced() -> None:
    """Its server may send at once as much as it was promised."""

    async def crawl() -> list[int]:
        server = await HttpServer(OK).start()
        opened = []
        async with Engine(port_map={80: server.port}) as engine:
            shaper = engine.fetcher.shaper = RecordingShaper(math.inf)
            for rate in (math.inf, math.inf, 50_000_000, 400_000, 400_000, math.inf):
                shaper.set_rate(rate)
                assert (await engine.get("http://127.1.0.1/")).status == 200
                opened.append(server.connections)
        return opened

    assert run(crawl()) == [1, 1, 2, 3, 3, 3]

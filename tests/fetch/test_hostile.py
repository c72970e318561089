"""The hostile corner of the small Italian internet, asked by the engine alone: every attack ends, by its name."""

import asyncio
import contextlib
import gc
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import response_limits
from tests.fetch.servers import Engine, run
from webgraph_it.crawl.watchdog import INTERVAL_SECONDS, Watchdog
from webgraph_it.fetch.client import Reply
from webgraph_it.fetch.connection import FetchError
from webgraph_it.fetch.response_head import BadResponse
from webgraph_it.fetch.response_parser import ResponseParser
from webgraph_it.simweb import SimWeb

TOTAL_SECONDS, SILENCE_SECONDS = 5.0, 1.5
BODY_BYTES = 1_000_000
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
TIMES = 10
"""How often each attack is run, all at once."""

OUTCOMES = {
    "http://hostile-silence.it/": "silence",
    "http://hostile-drip-head.it/": "timeout",
    "http://hostile-drip-body.it/": "timeout",
    "http://hostile-endless-headers.it/": "head-bytes",
    "http://hostile-endless-body.it/": "truncated",
    "http://hostile-endless-chunk.it/": "truncated",
    "http://hostile-huge-header.it/": "head-bytes",
    "http://hostile-packed-bombs.it/0.html": "bomb",
    "http://hostile-packed-bombs.it/1.html": "bomb",
    "http://hostile-packed-bombs.it/2.html": "bomb",
    "http://hostile-packed-bombs.it/3.html": "bomb",
    "http://hostile-packed-bombs.it/4.html": "undecodable",
    "http://hostile-packed-bombs.it/5.html": "bomb",
    "http://hostile-packed-bombs.it/6.html": "bomb,undecodable",
    "http://hostile-packed-bombs.it/7.html": "truncated,undecodable",
    "http://hostile-robots.it/robots.txt": "truncated",
    "https://hostile-tls-garbage.it/": "tls",
    "https://hostile-tls-silence.it/": "connect-timeout",
    "http://hostile-dns-forbidden.it/": "forbidden/loopback",
    "http://hostile-dns-mixed.it/": "",
    "http://hostile-dns-many.it/": "",
    "http://127.2.0.1/": "forbidden/loopback",
    "http://2130837505/": "forbidden/loopback",
    "http://[::ffff:127.2.0.1]/": "forbidden/embedded-ipv4",
    "http://localhost/": "dns-nxdomain",
}


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=4, pages=20, seed=7, only=["plain"], hostile=True) as web:
        yield web


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_every_attack_ends_in_time_by_its_name_and_leaves_nothing_behind(web: SimWeb) -> None:
    async def attacks() -> tuple[dict[str, Counter[str]], float]:
        ports = {int(port): int(to) for port, to in web.settings["PORT_MAP"].items()}
        outcomes: dict[str, Counter[str]] = {url: Counter() for url in OUTCOMES}
        longest = 0.0
        async with Engine(
            web.settings["DNS_SERVERS"][0],
            port_map=ports,
            total_seconds=TOTAL_SECONDS,
            silence_seconds=SILENCE_SECONDS,
            connect_seconds=SILENCE_SECONDS,
            limits=response_limits(body_bytes=BODY_BYTES),
        ) as engine:

            async def one(url: str) -> None:
                nonlocal longest
                began = time.monotonic()
                try:
                    outcomes[url][named(await engine.get(url))] += 1
                except FetchError as error:
                    outcomes[url][error.reason] += 1
                longest = max(longest, time.monotonic() - began)

            await asyncio.gather(*(one(url) for url in OUTCOMES for _ in range(TIMES)))
            await asyncio.sleep(0.3)
            assert engine.fetcher.governor.open == engine.fetcher.governor.idle
            assert not engine.fetcher.governor.closing
        return outcomes, longest

    def named(reply: Reply) -> str:
        assert len(reply.body) <= BODY_BYTES
        return ",".join(reply.flags)

    before = resident_bytes()
    outcomes, longest = run(attacks(), seconds=60)
    assert {url: set(found) for url, found in outcomes.items()} == {
        url: {end} for url, end in OUTCOMES.items()
    }
    assert longest < 4 * TOTAL_SECONDS, "measured on a machine that does other things too"
    assert resident_bytes() - before < 200_000_000
    assert web.decoy_hits() == []


QUICK = [url for url, end in OUTCOMES.items() if end not in ("silence", "timeout", "connect-timeout")]


def test_no_answer_holds_the_event_loop(web: SimWeb) -> None:
    """One after the other, so that what is seen is one answer's doing. As in a crawl, all that is old is frozen."""

    async def attacks() -> dict[str, float]:
        ports = {int(port): int(to) for port, to in web.settings["PORT_MAP"].items()}
        stalls: dict[str, float] = {}
        async with Engine(web.settings["DNS_SERVERS"][0], port_map=ports) as engine:
            for url in QUICK:
                watchdog = Watchdog()
                watchdog.start()
                with contextlib.suppress(FetchError):
                    await engine.get(url)
                await asyncio.sleep(2 * INTERVAL_SECONDS)
                watchdog.stop()
                if watchdog.stalls:
                    stalls[url] = watchdog.stall_seconds
        return stalls

    gc.collect()
    gc.freeze()
    try:
        assert run(attacks(), seconds=120) == {}
    finally:
        gc.unfreeze()


@given(st.binary(max_size=200), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", CHUNKED]))
def test_what_is_said_of_a_bad_response_is_printable(data: bytes, start: bytes) -> None:
    parser = ResponseParser(response_limits(head_bytes=150, header_count=3))
    try:
        if not parser.feed(start + data):
            parser.eof()
    except BadResponse as error:
        assert str(error).isprintable()  # noqa: PT017
        assert len(str(error)) < 500  # noqa: PT017

"""The fetcher against real servers on loopback: limits, kept connections, the cap, the guard."""

import asyncio
import errno
import gzip
import random
import socket
import ssl
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.defaults import response_limits
from tests.fetch.certificate import server_context
from tests.fetch.servers import OK, PAGE, DnsServer, Engine, HttpServer, run
from webgraph_it.fetch.client import Reply
from webgraph_it.fetch.connection import FetchError
from webgraph_it.fetch.connections import Governor
from webgraph_it.fetch.kernel import table_rows


async def fetch_once(answer: Any, path: str = "/", **settings: Any) -> tuple[Reply | str, Engine, HttpServer]:
    """One request to a server that answers so; the reply, or the reason why there is none."""
    server = await HttpServer(answer).start()
    async with Engine(port_map={80: server.port}, **settings) as engine:
        try:
            return await engine.get(f"http://127.1.0.1{path}"), engine, server
        except FetchError as error:
            return error.reason, engine, server


def writes(*pieces: bytes | float, close: bool = False) -> Callable[..., Awaitable[None]]:
    """A server that writes these pieces, sleeping for the numbers between them."""

    async def answer(request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            if isinstance(piece, bytes):
                writer.write(piece)
                await writer.drain()
            else:
                await asyncio.sleep(piece)
        if close:
            writer.close()

    return answer


def test_a_page() -> None:
    before = time.time()
    reply, engine, server = run(fetch_once(OK, "/pagina?x=1"))
    assert isinstance(reply, Reply)
    assert (reply.status, reply.body, reply.flags, str(reply.address)) == (200, PAGE, [], "127.1.0.1")
    assert before <= reply.times.start <= reply.times.first_byte <= reply.times.end <= time.time()
    assert server.requests[0].startswith(b"GET /pagina?x=1 HTTP/1.1\r\nHost: 127.1.0.1\r\nUser-Agent: ")
    assert engine.fetcher.governor.peak == 1


def test_a_coded_page_is_decoded_and_its_header_gone() -> None:
    body = gzip.compress(PAGE)
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    reply, _, _ = run(fetch_once(answer))
    assert isinstance(reply, Reply)
    assert reply.body == PAGE
    assert b"Content-Encoding" not in reply.headers


def test_a_bomb_is_cut_and_counted() -> None:
    body = gzip.compress(b"x" * 20_000_000)
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    reply, engine, _ = run(fetch_once(answer, limits=response_limits(body_bytes=100_000)))
    assert isinstance(reply, Reply)
    assert (len(reply.body), reply.flags) == (100_000, ["bomb"])
    assert engine.stats["fetch/cut/bomb"] == 1


def test_an_endless_body_is_cut_and_the_connection_closed() -> None:
    async def endless(request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"<a href=/x>" * 1000)
            await writer.drain()

    reply, engine, _ = run(fetch_once(endless, limits=response_limits(body_bytes=300_000)))
    assert isinstance(reply, Reply)
    assert (len(reply.body), reply.flags) == (300_000, ["truncated"])
    assert engine.stats["fetch/cut/truncated"] == 1


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (writes(3.0), "silence"),
        (writes(HEAD, b"x", 3.0), "silence"),
        (writes(*[part for n in range(20) for part in (HEAD[n : n + 1], 0.2)]), "timeout"),
        (writes(HEAD, *[b"x", 0.1] * 40), "timeout"),
        (writes(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000), "head-bytes"),
        (writes(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n"), "header-count"),
        (writes(b"junk " * 10_000), "not-http"),
        (writes(b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000), "head-bytes"),
        (writes(close=True), "no-response"),
        (writes(b"HTTP/1.1 200 O", close=True), "incomplete-head"),
    ],
)
def test_every_attack_ends_with_its_name(answer: Any, reason: str) -> None:
    began = time.monotonic()
    found, engine, _ = run(fetch_once(answer, total_seconds=1.0, silence_seconds=0.5))
    assert found == reason
    assert time.monotonic() - began < 2.0, "no request outlives its time limit"
    assert engine.fetcher.governor.open == 0, "its socket is closed"


def test_a_slow_but_steady_server_is_waited_for() -> None:
    pieces = [part for n in range(100) for part in (b"x", 0.01)]
    reply, _, _ = run(fetch_once(writes(HEAD, *pieces), silence_seconds=0.5))
    assert isinstance(reply, Reply)
    assert reply.body == b"x" * 100


def test_a_connection_is_kept_and_used_again() -> None:
    async def three() -> tuple[int, str]:
        server = await HttpServer().start()
        async with Engine(port_map={80: server.port}) as engine:
            for _ in range(3):
                await engine.get("http://127.1.0.1/")
            return server.connections, repr(engine.fetcher.governor)

    assert run(three()) == (1, "[Sockets: 0 active, 1 idle, 0 closing, cap 5000 | 0 waiting]")


def test_two_hosts_at_one_address_do_not_share_a_connection() -> None:
    async def two() -> int:
        server = await HttpServer().start()
        dns = await DnsServer({"a.it": [("127.1.0.1", 60)], "b.it": [("127.1.0.1", 60)]}).start()
        async with Engine(dns.address, port_map={80: server.port}) as engine:
            await engine.get("http://a.it/")
            await engine.get("http://b.it/")
            return server.connections

    assert run(two()) == 2


def test_a_kept_connection_is_closed_after_a_while() -> None:
    async def rest() -> tuple[int, int]:
        server = await HttpServer().start()
        async with Engine(port_map={80: server.port}, idle_seconds=0.2) as engine:
            await engine.get("http://127.1.0.1/")
            kept = server.open
            await asyncio.sleep(0.6)
            return kept, server.open + engine.fetcher.governor.sockets

    assert run(rest()) == (1, 0)


def test_a_kept_connection_that_the_server_closed_is_replaced() -> None:
    async def twice() -> tuple[list[int], int]:
        server = await HttpServer(first_then_close).start()
        async with Engine(port_map={80: server.port}) as engine:
            return [(await engine.get("http://127.1.0.1/")).status for _ in range(4)], server.connections

    async def first_then_close(
        request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(OK)
        await reader.readuntil(b"\r\n\r\n")  # the next request finds a connection that dies
        writer.transport.abort()

    statuses, connections = run(twice())
    assert statuses == [200] * 4
    assert connections == 4


def test_a_body_after_the_answer_closes_an_idle_connection() -> None:
    async def chatty() -> int:
        server = await HttpServer(writes(OK, 0.05, OK)).start()
        async with Engine(port_map={80: server.port}) as engine:
            await engine.get("http://127.1.0.1/")
            await asyncio.sleep(0.2)
            return engine.fetcher.governor.open

    assert run(chatty()) == 0


def test_refused_and_unknown_hosts_are_named() -> None:
    async def reasons() -> list[str]:
        dns = await DnsServer({"chiuso.it": [("127.1.0.9", 60)]}).start()
        with socket.socket() as unused:
            unused.bind(("127.1.0.9", 0))
            async with Engine(dns.address, port_map={80: unused.getsockname()[1]}) as engine:
                return [await reason_of(engine, url) for url in ("http://chiuso.it/", "http://assente.it/")]

    assert run(reasons()) == ["refused", "dns-nxdomain"]


async def reason_of(engine: Engine, url: str) -> str:
    with pytest.raises(FetchError) as error:
        await engine.get(url)
    return error.value.reason


def test_our_own_lack_of_files_is_not_the_servers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    async def starved() -> tuple[str, int]:
        async with Engine(port_map={80: 1}) as engine:

            def no_file(*arguments: object) -> None:
                raise OSError(errno.EMFILE, "Too many open files")

            monkeypatch.setattr("webgraph_it.fetch.client.new_socket", no_file)
            reason = await reason_of(engine, "http://127.1.0.1/")
            await asyncio.sleep(0.05)
            return reason, engine.fetcher.governor.sockets

    assert run(starved()) == ("local-files", 0)


def test_the_next_address_is_tried_when_the_first_refuses() -> None:
    async def second() -> str:
        server = await HttpServer().start("127.1.0.2")
        dns = await DnsServer({"due.it": [("127.1.0.9", 60), ("127.1.0.2", 60)]}).start()
        async with Engine(dns.address, port_map={80: server.port}) as engine:
            return str((await engine.get("http://due.it/")).address)

    assert run(second()) == "127.1.0.2"


def test_a_server_that_never_accepts_costs_the_connect_time_only() -> None:
    async def full() -> str:
        with socket.socket() as listener:
            listener.bind(("127.1.0.1", 0))
            listener.listen(0)
            fillers = []
            for _ in range(3):  # the backlog is full: further SYNs are not answered
                filler = socket.socket()
                filler.setblocking(False)
                filler.connect_ex(listener.getsockname())
                fillers.append(filler)
            async with Engine(port_map={80: listener.getsockname()[1]}, connect_seconds=0.4) as engine:
                reason = await reason_of(engine, "http://127.1.0.1/")
                await asyncio.sleep(0.1)
                assert engine.fetcher.governor.sockets == 0
            for filler in fillers:
                filler.close()
            return reason

    assert run(full()) == "connect-timeout"


def test_https_with_a_certificate_that_nobody_signed(tmp_path: Path) -> None:
    async def secure() -> tuple[int, list[str]]:
        names: list[str] = []
        context = server_context(tmp_path)
        context.sni_callback = lambda _, name, __: names.append(name)
        server = await HttpServer(tls=context).start()
        dns = await DnsServer({"sicuro.it": [("127.1.0.1", 60)]}).start()
        async with Engine(dns.address, port_map={443: server.port}) as engine:
            statuses = [(await engine.get("https://sicuro.it/")).status for _ in range(2)]
        return sum(statuses), names

    assert run(secure()) == (400, ["sicuro.it"])


def test_tls_1_0_is_spoken(tmp_path: Path) -> None:
    async def old() -> int:
        context = server_context(tmp_path)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
        context.set_ciphers("ALL:@SECLEVEL=0")
        server = await HttpServer(tls=context).start()
        async with Engine(port_map={443: server.port}) as engine:
            return (await engine.get("https://127.1.0.1/")).status

    with pytest.warns(DeprecationWarning, match="TLSv1"):
        assert run(old()) == 200


def test_plain_http_on_the_https_port_is_a_tls_failure() -> None:
    async def plain() -> str:
        server = await HttpServer(writes(b"HTTP/1.1 400 Bad Request\r\n\r\n", close=True)).start()
        async with Engine(port_map={443: server.port}, connect_seconds=1.0) as engine:
            return await reason_of(engine, "https://127.1.0.1/")

    assert run(plain()) in ("tls", "connect-timeout")


def test_a_cancelled_request_leaves_nothing_behind() -> None:
    async def cancel() -> int:
        server = await HttpServer(writes(5.0)).start()
        async with Engine(port_map={80: server.port}, connection_cap=1) as engine:
            tasks = [asyncio.ensure_future(engine.get("http://127.1.0.1/")) for _ in range(3)]
            await asyncio.sleep(0.1)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0.2)
            return engine.fetcher.governor.sockets + engine.fetcher.governor.waiting

    assert run(cancel()) == 0


def test_who_is_cancelled_in_the_queue_leaves_it_at_once() -> None:
    """Else connections would not rest while nobody but it waits."""

    async def cancel() -> None:
        server = await HttpServer(writes(5.0)).start()
        async with Engine(port_map={80: server.port}, connection_cap=1) as engine:
            first = asyncio.ensure_future(engine.get("http://127.1.0.1/"))
            await asyncio.sleep(0.1)
            second = asyncio.ensure_future(engine.get("http://127.1.0.2/"))
            await asyncio.sleep(0.1)
            assert engine.fetcher.waiting_for_place == 1
            second.cancel()
            await asyncio.gather(second, return_exceptions=True)
            assert engine.fetcher.waiting_for_place == 0
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)

    run(cancel())


def test_a_server_that_says_close_and_does_not_is_closed_by_us() -> None:
    async def fetch() -> None:
        server = await HttpServer(OK.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)).start()
        async with Engine(port_map={80: server.port}) as engine:
            for count in (1, 2):
                await engine.get("http://127.1.0.1/")
                await asyncio.sleep(0.1)
                assert (server.connections, server.open) == (count, 0)
                assert engine.fetcher.governor.idle == 0

    run(fetch())


def test_the_end_closes_what_rests_and_whoever_waits_for_dns_is_told() -> None:
    async def fetch() -> None:
        server = await HttpServer(OK).start()
        dns = await DnsServer({"muto.it": "silent"}).start()
        async with Engine(dns.address, port_map={80: server.port}) as engine:
            await engine.get("http://127.1.0.1/")
            assert (engine.fetcher.governor.idle, server.open) == (1, 1)
            waiting = asyncio.ensure_future(engine.get("http://muto.it/"))
            await asyncio.sleep(0.1)
            assert engine.fetcher.waiting_for_dns == 1
        await asyncio.sleep(0.1)
        assert (engine.fetcher.governor.idle, server.open) == (0, 0)
        with pytest.raises(FetchError, match="the resolver was closed"):
            await asyncio.wait_for(waiting, 1)

    run(fetch())


# -- the cap, seen from the server and from the kernel ------------------------------------------------------------

CAP = 60
HOSTS = 600
SECONDS_PER_FETCH = 0.25


def test_sixty_sockets_and_six_hundred_eager_hosts() -> None:
    async def answer(request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(SECONDS_PER_FETCH)
        writer.write(OK)

    async def crawl() -> None:
        addresses = [f"127.1.{n // 250 + 1}.{n % 250 + 1}" for n in range(HOSTS)]
        server = await HttpServer(answer).start(*addresses)
        samples: list[int] = []
        taken_while_others_wait: set[int] = set()
        async with Engine(port_map={80: server.port}, connection_cap=CAP) as engine:
            governor = engine.fetcher.governor
            sampler = asyncio.ensure_future(sample(server.port, samples, governor, taken_while_others_wait))
            await asyncio.gather(*(engine.get(f"http://{address}/") for address in addresses))
            sampler.cancel()
        assert len(samples) > 10
        assert max(samples) <= CAP
        assert server.peak <= CAP
        assert engine.fetcher.governor.peak == CAP
        assert engine.stats["connections/waited"] == HOSTS - CAP
        assert taken_while_others_wait == {CAP}, "no place stays free while anybody waits"

    kernel_table = Path("/proc/net/tcp").read_bytes

    async def sample(port: int, samples: list[int], governor: Governor[Any, Any], taken: set[int]) -> None:
        """Our ends of the connections to the server, as the kernel sees them, TIME_WAIT aside."""
        suffix = b":%04X" % port
        while True:
            rows = table_rows(kernel_table())
            samples.append(sum(remote.endswith(suffix) for _, remote in rows))
            if governor.waiting:
                taken.add(governor.sockets)
            await asyncio.sleep(0.05)

    run(crawl(), seconds=30)


def test_a_place_given_to_one_who_is_just_being_cancelled_goes_on() -> None:
    """Woken and cancelled in one turn of the loop, or cancelled before: the next in line has the place, once."""

    async def play() -> None:
        async with Engine(connection_cap=1) as engine:
            fetcher = engine.fetcher
            assert await fetcher._place(("127.1.0.1", 80, False, "a.it")) is None
            line = [
                asyncio.create_task(fetcher._place(("127.1.0.2", 80, False, f"{n}.it"))) for n in range(3)
            ]
            await asyncio.sleep(0)
            fetcher._grant(fetcher.governor.give_back())  # wakes the first …
            line[0].cancel()  # … which is called off before it runs
            line[1].cancel()
            done = await asyncio.wait_for(asyncio.gather(*line, return_exceptions=True), 2)
            assert [type(end) for end in done] == [asyncio.CancelledError, asyncio.CancelledError, type(None)]
            assert (fetcher.governor.sockets, fetcher.governor.waiting) == (1, 0)
            fetcher._grant(fetcher.governor.give_back())
            assert fetcher.governor.sockets == 0

    run(play())


def test_idle_connections_make_room_for_other_hosts() -> None:
    async def crawl() -> None:
        addresses = [f"127.1.0.{n + 1}" for n in range(30)]
        server = await HttpServer().start(*addresses)
        async with Engine(port_map={80: server.port}, connection_cap=5) as engine:
            for address in addresses:
                await engine.get(f"http://{address}/")
            assert engine.fetcher.governor.peak == 5
            assert server.peak <= 5

    run(crawl())


def test_of_more_hosts_in_turn_than_may_rest_most_find_their_connection() -> None:
    """Two of three hosts keep theirs; the third opens one a turn."""

    async def crawl() -> None:
        addresses = ["127.1.0.1", "127.1.0.2", "127.1.0.3"]
        server = await HttpServer().start(*addresses)
        async with Engine(port_map={80: server.port}, idle_cap=2) as engine:
            for _ in range(5):
                for address in addresses:
                    await engine.get(f"http://{address}/")
            assert engine.stats["connections/opened"] == server.connections == 2 + 5

    run(crawl())


def test_requests_beyond_the_queue_wait_outside_in_order() -> None:
    async def crowd() -> list[int]:
        server = await HttpServer(writes(0.05, OK)).start(*(f"127.1.0.{n + 1}" for n in range(12)))
        finished: list[int] = []
        async with Engine(port_map={80: server.port}, connection_cap=2) as engine:

            async def one(number: int) -> None:
                await engine.fetcher.room()
                await engine.get(f"http://127.1.0.{number + 1}/")
                finished.append(number)
                assert engine.fetcher.governor.waiting <= 2

            await asyncio.gather(*map(one, range(12)))
        return finished

    assert sorted(run(crowd())) == list(range(12))


def test_after_any_mixture_of_good_and_bad_ends_every_place_is_free_again() -> None:
    chance = random.Random(7)

    async def moody(request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mood = chance.randrange(6)
        await asyncio.sleep(chance.random() * 0.02)
        if mood < 3:
            writer.write(OK)
        elif mood == 3:
            writer.write(OK[:-5])
            writer.close()
        elif mood == 4:
            writer.transport.abort()
        else:
            await asyncio.sleep(0.5)

    async def crawl() -> tuple[int, int, str]:
        server = await HttpServer(moody).start(*(f"127.1.0.{n + 1}" for n in range(10)))
        async with Engine(port_map={80: server.port}, connection_cap=20, silence_seconds=0.2) as engine:

            async def one(number: int) -> int:
                try:
                    return (await engine.get(f"http://127.1.0.{number % 11 + 1}/")).status
                except FetchError:
                    return 0

            tasks = [asyncio.ensure_future(one(number)) for number in range(600)]
            for task in chance.sample(tasks, 60):
                asyncio.get_running_loop().call_later(chance.random(), task.cancel)
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0.6)  # the server's own pauses end
            governor = engine.fetcher.governor
            assert governor.sockets == governor.idle
            assert governor.peak == 20
            assert not engine.fetcher._flows.keys() - governor._idle.keys()
            return len(ends), governor.waiting, repr(governor.closing)

    assert run(crawl(), seconds=40) == (600, 0, "{}")

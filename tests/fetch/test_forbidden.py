"""Twenty spellings of a forbidden address, none of which is connected to.

127.1.0.0/16 is allowed; decoys listen at 127.66.0.1 (its IPv6-mapped form arrives there too) and 127.67.0.1,
on the port where a connection would arrive. Whatever goes wrong, packets stay inside 127.0.0.0/8.
"""

import asyncio
import socket
from typing import Any

import pytest

from tests.fetch.servers import OK, DnsServer, Engine, HttpServer, run
from webgraph_it.fetch.connection import FetchError

SPELLINGS = {
    "literal": "http://127.66.0.1/",
    "literal with a dot": "http://127.66.0.1./",
    "literal, https": "https://127.66.0.1/",
    "with a user": "http://www.buono.it@127.66.0.1/",
    "with a port": "http://127.66.0.1:80/",
    "short": "http://127.66.1/",
    "decimal": "http://2135031809/",
    "hexadecimal": "http://0x7f420001/",
    "hexadecimal parts": "http://0x7f.0x42.0x0.0x1/",
    "octal": "http://017720400001/",
    "octal parts": "http://0177.0102.0.01/",
    "mixed bases": "http://0x7f.66.01/",
    "IPv6-mapped": "http://[::ffff:127.66.0.1]/",
    "IPv6-mapped in hexadecimal": "http://[::ffff:7f42:1]/",
    "IPv6-mapped, whole": "http://[0:0:0:0:0:ffff:7f42:0001]/",
    "by DNS": "http://cattivo.it/",
    "by DNS, https": "https://cattivo.it/",
    "by an alias": "http://alias.it/",
    "by a wildcard name": "http://127.66.0.1.nip.it/",
    "by DNS, several": "http://tutti.it/",
}
TABLE: dict[str, Any] = {
    "buono.it": [("127.1.0.1", 60)],
    "cattivo.it": [("127.66.0.1", 60)],
    "alias.it": "alias:cattivo.it",
    "127.66.0.1.nip.it": [("127.66.0.1", 60)],
    "tutti.it": [("127.66.0.1", 60), ("127.66.0.1", 60), ("127.67.0.1", 60)],
    "cambia.it": [[("127.1.0.1", 0)], [("127.66.0.1", 0)]],
    "misto.it": [("127.66.0.1", 60), ("127.1.0.1", 60)],
}


class Decoys:
    """Listeners that must never be called, and a good server beside them, all on one port."""

    async def start(self, good: Any = OK) -> "Decoys":
        self.touched = 0
        self.good = await HttpServer(good).start("127.1.0.1")
        for address in ("127.66.0.1", "127.67.0.1"):
            await asyncio.start_server(self._touch, address, self.good.port)
        self.dns = await DnsServer(
            {name: list(entry) if isinstance(entry, list) else entry for name, entry in TABLE.items()}
        ).start()
        return self

    def _touch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.touched += 1
        writer.transport.abort()

    def engine(self, **dns: Any) -> Engine:
        ports = {80: self.good.port, 443: self.good.port}
        return Engine(self.dns.address, dns_settings=dns, port_map=ports, connect_seconds=2.0)


def test_there_are_twenty_spellings() -> None:
    assert len(SPELLINGS) >= 20


def test_the_decoys_witness_a_connection() -> None:
    async def touch() -> int:
        decoys = await Decoys().start()
        for address in ("127.66.0.1", "127.67.0.1", "::ffff:127.66.0.1"):
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            sock = socket.socket(family)
            sock.setblocking(False)
            await asyncio.get_running_loop().sock_connect(sock, (address, decoys.good.port))
            sock.close()
        await asyncio.sleep(0.05)
        return decoys.touched

    try:
        assert run(touch()) == 3
    except OSError as error:
        pytest.skip(f"no IPv6 on this machine: {error}")


@pytest.mark.parametrize("url", SPELLINGS.values(), ids=SPELLINGS)
def test_no_spelling_is_connected_to(url: str) -> None:
    async def fetch() -> tuple[str, int]:
        decoys = await Decoys().start()
        async with decoys.engine() as engine:
            with pytest.raises(FetchError) as error:
                await engine.get(url)
            await asyncio.sleep(0.02)
            assert engine.stats[f"dns/{error.value.reason}"] == 1
            return error.value.reason, decoys.touched

    reason, touched = run(fetch())
    assert reason in ("forbidden/loopback", "forbidden/embedded-ipv4")
    assert touched == 0


def test_a_redirect_there_is_not_followed_by_the_engine_and_refused_when_asked_for() -> None:
    async def fetch() -> tuple[int, bytes, str, int]:
        redirect = b"HTTP/1.1 302 Found\r\nLocation: http://127.66.0.1/\r\nContent-Length: 0\r\n\r\n"
        decoys = await Decoys().start(redirect)
        async with decoys.engine() as engine:
            reply = await engine.get("http://buono.it/")
            location = reply.headers[b"Location"][0]
            with pytest.raises(FetchError) as error:
                await engine.get(location.decode())
            return reply.status, location, error.value.reason, decoys.touched

    assert run(fetch()) == (302, b"http://127.66.0.1/", "forbidden/loopback", 0)


def test_rebinding_leads_nowhere() -> None:
    async def fetch() -> tuple[int, str, int]:
        decoys = await Decoys().start(OK.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        async with decoys.engine(minimum_ttl=0.1) as engine:
            first = await engine.get("http://cambia.it/")
            await asyncio.sleep(1.1)
            with pytest.raises(FetchError) as error:
                await engine.get("http://cambia.it/")
            return first.status, error.value.reason, decoys.touched

    assert run(fetch()) == (200, "forbidden/loopback", 0)


def test_a_kept_connection_goes_on_to_the_checked_address_after_rebinding() -> None:
    async def fetch() -> tuple[set[str], int]:
        decoys = await Decoys().start()
        async with decoys.engine() as engine:
            replies = [await engine.get("http://misto.it/") for _ in range(3)]
            return {str(reply.address) for reply in replies}, decoys.touched

    assert run(fetch()) == ({"127.1.0.1"}, 0)


# -- ports ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("allowed", "asked"), [(frozenset(), 0), (frozenset((6667,)), 1)])
def test_a_bad_port_is_not_connected_to_unless_it_is_allowed(allowed: frozenset[int], asked: int) -> None:
    """Whoever asks: a page, or a robots.txt that redirects to an arbitrary path there."""

    async def fetch() -> tuple[str, int]:
        server = HttpServer(OK)
        server.port = 6667
        await server.start("127.1.0.25")
        async with Engine(allowed_ports=allowed) as engine:
            try:
                reason = str((await engine.get("http://127.1.0.25:6667/QUIT")).status)
            except FetchError as error:
                reason = error.reason
            await asyncio.sleep(0.02)
            return reason, server.connections

    assert run(fetch()) == ("200" if asked else "forbidden/port", asked)


def test_the_port_of_the_url_counts_not_the_one_it_is_mapped_to() -> None:
    async def fetch() -> int:
        server = HttpServer(OK)
        server.port = 6667
        await server.start("127.1.0.26")
        async with Engine(port_map={80: 6667}) as engine:
            return (await engine.get("http://127.1.0.26/")).status

    assert run(fetch()) == 200

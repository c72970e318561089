"""Real servers on loopback for the tests of the engine: HTTP as written by the test, and DNS from a table.

Everything binds to 127.0.0.0/8 and to a free port.
"""

import asyncio
import ssl
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from ipaddress import ip_network
from typing import Any, TypeVar

import uvloop
from dnslib import AAAA, CNAME, QTYPE, RCODE, RR, A, DNSRecord

from tests import defaults
from webgraph_it.fetch.client import Fetcher, Reply
from webgraph_it.fetch.dns import Resolver
from webgraph_it.fetch.guard import Guard
from webgraph_it.fetch.request_message import RequestWriter
from webgraph_it.fetch.target import target_of

T = TypeVar("T")
Answerer = Callable[[bytes, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

PAGE = b"<html><a href=/altra>altra</a></html>"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE


def run(test: Coroutine[Any, Any, T], seconds: float = 20.0) -> T:
    """Run an asynchronous test on the event loop of the crawl, for a bounded time."""

    async def bounded() -> T:
        try:
            async with asyncio.timeout(seconds):
                return await test
        finally:
            while _to_close:
                _to_close.pop()()
            await asyncio.sleep(0.02)  # transports end in the next turns of the loop

    with warnings.catch_warnings():
        # A warning turned into an error inside uvloop's close leaves the loop waiting for ever.
        warnings.simplefilter("ignore", ResourceWarning)
        return uvloop.run(bounded())


_to_close: list[Callable[[], object]] = []
"""What the servers of the running test opened."""


class HttpServer:
    """Answers each request with what `answer` writes; counts connections and keeps the requests."""

    def __init__(self, answer: Answerer | bytes = OK, tls: ssl.SSLContext | None = None) -> None:
        self._answer = answer
        self._tls = tls
        self._writers: set[asyncio.StreamWriter] = set()
        self.requests: list[bytes] = []
        self.connections = 0
        self.open = 0
        self.peak = 0
        self.port = 0

    async def start(self, *addresses: str) -> "HttpServer":
        for address in addresses or ("127.1.0.1",):
            server = await asyncio.start_server(self._serve, address, self.port, ssl=self._tls, backlog=1024)
            _to_close.append(server.close)
            self.port = server.sockets[0].getsockname()[1]
        _to_close.append(self._drop)
        return self

    def _drop(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.connections += 1
        self.open += 1
        self.peak = max(self.peak, self.open)
        try:
            while not writer.is_closing():
                request = await reader.readuntil(b"\r\n\r\n")
                self.requests.append(request)
                if isinstance(self._answer, bytes):
                    writer.write(self._answer)
                else:
                    await self._answer(request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open -= 1
            self._writers.discard(writer)
            writer.transport.abort()


class DnsServer(asyncio.DatagramProtocol):
    """Answers from a table `name → [(address, ttl), …]`; a missing name does not exist.

    An entry may also be the text "silent", "servfail", "truncated" (UDP says: ask by TCP), or "alias:<name>".
    A list of lists is a changing answer: each query takes the next list, the last one stays.
    """

    HOST = "127.1.0.53"
    """Not 127.0.0.1: there the ports of all clients of this machine are taken too."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.table = table
        self.queries: Counter[str] = Counter()
        self.tcp_queries = 0
        self._transport: Any = None
        self.address = ""

    async def start(self, *, tcp: bool = True) -> "DnsServer":
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(self.HOST, 0))
        port = self._transport.get_extra_info("sockname")[1]
        _to_close.append(self._transport.close)
        if tcp:
            server = await asyncio.start_server(self._serve_tcp, self.HOST, port)
            _to_close.append(server.close)
        self.address = f"{self.HOST}:{port}"
        return self

    def datagram_received(self, data: bytes, sender: Any) -> None:
        answer = self._answer(data, tcp=False)
        if answer is not None:
            self._transport.sendto(answer, sender)

    async def _serve_tcp(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _to_close.append(writer.transport.abort)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(2), "big")
                self.tcp_queries += 1
                answer = self._answer(await reader.readexactly(size), tcp=True)
                assert answer is not None
                writer.write(len(answer).to_bytes(2, "big") + answer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _answer(self, data: bytes, tcp: bool) -> bytes | None:
        query = DNSRecord.parse(data)
        name = str(query.q.qname).rstrip(".").lower()
        self.queries[name] += 1
        reply = query.reply()
        entry = self.table.get(name)
        if isinstance(entry, list) and entry and isinstance(entry[0], list):
            entry = entry.pop(0) if len(entry) > 1 else entry[0]
        if entry == "silent":
            return None
        if entry == "servfail":
            reply.header.rcode = RCODE.SERVFAIL
        elif entry == "truncated" and not tcp:
            reply.header.tc = 1
        elif entry is None:
            reply.header.rcode = RCODE.NXDOMAIN
        else:
            self._add_records(reply, query, name, [("127.1.0.1", 60)] if entry == "truncated" else entry)
        packed: bytes = reply.pack()
        return packed

    def _add_records(self, reply: DNSRecord, query: DNSRecord, name: str, entry: Any) -> None:
        if isinstance(entry, str):
            alias = entry.removeprefix("alias:")
            reply.add_answer(RR(name, QTYPE.CNAME, rdata=CNAME(alias), ttl=30))
            name, entry = alias, self.table[alias]
        for address, ttl in entry:
            kind = "AAAA" if ":" in address else "A"
            if QTYPE[query.q.qtype] == kind:
                data = AAAA(address) if kind == "AAAA" else A(address)
                reply.add_answer(RR(name, getattr(QTYPE, kind), rdata=data, ttl=ttl))


class Engine:
    """A fetcher as a crawl has it, but allowed to 127.1.0.0/16 only, with its stats at hand."""

    def __init__(
        self, dns: str = "127.0.0.1:1", dns_settings: dict[str, Any] | None = None, **settings: Any
    ) -> None:
        self.stats: Counter[str] = Counter()
        self.guard = Guard([ip_network("127.1.0.0/16")], public=False)
        self.resolver = Resolver(
            defaults.dns_settings(servers=(dns,), **(dns_settings or {})), self.guard, self._count
        )
        self.fetcher = Fetcher(defaults.fetch_settings(**settings), self.resolver, self._count)
        self._writer = RequestWriter("webgraph_it/test")

    def _count(self, name: str) -> None:
        self.stats[name] += 1

    async def __aenter__(self) -> "Engine":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.fetcher.close()

    async def get(self, url: str, **options: Any) -> Reply:
        target = target_of(url)
        return await self.fetcher.fetch(target, self._writer.write(target), **options)

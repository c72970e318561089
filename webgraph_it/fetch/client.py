"""The fetcher: from a request to a reply, through DNS, the guard, the address gate and the connection cap.

    resolve ─► pass the address's gate ─► take a place ─► connect or reuse ─► exchange ─► rest or close

Guarantees: a socket is connected only to an address that the resolver returned, hence that the guard allowed. There are
never more sockets than MAX_TCP_CONNECTIONS. Each request ends in one `Reply`, in one `FetchError` with a named reason,
or, if its address may not be asked now, in AddressBusy before anything was sent. Its time limit starts when it gets its
place, because waiting in our own queues is not the server's fault. If the server closed a kept connection just when it
was reused, a new one replaces it.

It knows no Scrapy; engine/handler.py does.
"""

import asyncio
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from webgraph_it.fetch.address_gate import (
    ASSUMED_SEEN_SECONDS,
    AddressBusy,
    AddressClock,
    AddressGate,
    SeenOnce,
)
from webgraph_it.fetch.connection import Connection, Exchange, FetchError, ReadBuffer, Shaper
from webgraph_it.fetch.connections import Governor, Watcher
from webgraph_it.fetch.decode import decode_in_turns
from webgraph_it.fetch.dns import Answer, Resolver
from webgraph_it.fetch.guard import Address, text_of
from webgraph_it.fetch.kept import exchange_of
from webgraph_it.fetch.kernel import Flow, kernel
from webgraph_it.fetch.reply import FetchTimes, Reply
from webgraph_it.fetch.response_parser import Limits, ResponseParser
from webgraph_it.fetch.sockets import connect_failure, connect_socket, lenient_tls, new_socket, server_name
from webgraph_it.fetch.target import Target
from webgraph_it.fetch.tls_stream import TlsStream
from webgraph_it.urls.ports import BAD_PORTS


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """All times in seconds."""

    connection_cap: int
    idle_cap: int
    idle_seconds: float
    connect_seconds: float
    total_seconds: float
    silence_seconds: float
    limits: Limits
    port_map: Mapping[int, int]
    allowed_ports: frozenset[int]
    """The bad ports of `urls/ports.py` that are allowed nevertheless."""
    address_tries: int = 2
    """How many of a host's addresses are tried before it counts as unreachable."""
    keep_exchanges: bool = False
    """Whether replies keep what was on the wire, for an archive."""


class _Request(NamedTuple):
    target: Target
    message: bytes
    head: bool
    total_seconds: float


_Key = tuple[str, int, bool, str]


class Fetcher:
    """Fetches; one for a whole crawl."""

    def __init__(
        self,
        settings: FetchSettings,
        resolver: Resolver,
        count: Callable[[str], None],
        shaper: Shaper | None = None,
        clock: AddressClock | None = None,
    ) -> None:
        self.settings = settings
        self.shaper = shaper
        """The bandwidth limit. It may be set later, for connections opened after that."""
        self.governor: Governor[Connection, asyncio.Future[None]] = Governor(
            settings.connection_cap, settings.idle_cap, lambda: self.share_lasts()
        )
        self.share_lasts: Callable[[], bool] = lambda: True
        """Whether this crawl may use the network now: the member of a fleet has a share of it for some seconds."""
        self._own_cap = self._share = settings.connection_cap
        self._resolver = resolver
        self._bad_ports = BAD_PORTS - settings.allowed_ports
        self._count = count
        self._gate = AddressGate(clock, time.time) if clock is not None else None
        self._watcher = Watcher(self.governor.closing, self._gone, kernel())
        self._flows: dict[Connection, Flow] = {}
        self._outside: deque[asyncio.Future[None]] = deque()
        """Requests that wait until they may queue for a place."""
        self._tls = lenient_tls()
        self._read_buffer = ReadBuffer()
        self._sweep_timer: asyncio.TimerHandle | None = None
        self.exchanging: set[asyncio.Task[object]] = set()
        """Tasks whose request was sent and whose response has not yet come."""
        self.replies = 0
        """Responses so far."""

    def use_clock(self, clock: AddressClock | None) -> None:
        """Set the clock of the addresses, which may be made after the fetcher."""
        self._gate = AddressGate(clock, time.time) if clock is not None else None

    # -- one request ----------------------------------------------------------------------------------------

    def locate(self, host: str) -> "asyncio.Future[Answer]":
        """The addresses of a name. The future is shared, so it must not be cancelled."""
        return self._resolver.ask(host)

    async def fetch(
        self,
        target: Target,
        message: bytes,
        head: bool = False,
        total_seconds: float | None = None,
        *,
        at: str = "",
    ) -> Reply:
        """Send `message` to the `target`. Returns the reply, or raises FetchError or AddressBusy.

        Of several addresses, the one in `at` comes first, because the request waited for its turn there.
        """
        if target.port in self._bad_ports:
            raise FetchError("forbidden/port", f"port {target.port} is not a port for pages")
        request = _Request(target, message, head, total_seconds or self.settings.total_seconds)
        answer = self._resolver.cached(target.host) or await self._resolver.resolve(target.host)
        if not answer.addresses:
            raise _not_resolved(answer)
        addresses: Sequence[Address] = answer.addresses
        if at and len(addresses) > 1:
            addresses = sorted(addresses, key=lambda address: text_of(address) != at)
        *others, last = addresses[: self.settings.address_tries]
        for address in others:
            try:
                return await self._fetch_at(address, request)
            except FetchError as error:
                if error.reason not in _TRY_NEXT_ADDRESS:
                    raise
        return await self._fetch_at(last, request)

    async def _fetch_at(self, address: Address, request: _Request) -> Reply:
        gate = self._gate
        if gate is None:
            return await self._fetch_once_more(address, request, None)
        gate.enter(address)
        seen = SeenOnce(partial(gate.leave, address))
        try:
            return await self._fetch_once_more(address, request, seen)
        finally:
            seen()

    async def _fetch_once_more(self, address: Address, request: _Request, seen: SeenOnce | None) -> Reply:
        """Fetch. If a kept connection turns out to be dead, retry once on another."""
        target = request.target
        key = (
            text_of(address),
            self.settings.port_map.get(target.port, target.port),
            target.tls,
            target.host,
        )
        loop = asyncio.get_running_loop()
        deadline = 0.0
        while True:
            connection = await self._place(key)
            if connection is not None and connection.is_outgrown:
                connection.close()
                continue
            deadline = deadline or loop.time() + request.total_seconds
            if connection is None:
                connection = await self._connect(key, deadline)
            kept = connection.requests > 0
            try:
                return await self._exchange(connection, key, address, request, deadline, seen)
            except FetchError as error:
                if not (kept and error.reason in _DEAD_CONNECTION):
                    raise
                self._count("fetch/kept_connection_dead")

    async def _exchange(
        self,
        connection: Connection,
        key: _Key,
        address: Address,
        request: _Request,
        deadline: float,
        seen: SeenOnce | None,
    ) -> Reply:
        self._check_before_sending(connection, address)
        loop = asyncio.get_running_loop()
        keep = self.settings.keep_exchanges
        parser = ResponseParser(self.settings.limits, request.head, keep=keep)
        done = loop.create_future()
        exchange = Exchange(parser, done, deadline, self.settings.silence_seconds, seen)
        task = asyncio.current_task()
        assert task is not None
        sent_at, began = time.time(), loop.time()
        connection.send(request.message, exchange)
        self.exchanging.add(task)
        if seen is not None:
            seen.assume_after(ASSUMED_SEEN_SECONDS, loop)
        try:
            await done
        except asyncio.CancelledError:
            connection.close()
            raise
        finally:
            self.exchanging.discard(task)
        self.replies += 1
        if connection.usable:
            self._rest(connection, key)
        ended_at = sent_at + loop.time() - began  # a duration must not depend on the wall clock
        first_byte_at = min(max(exchange.first_byte_at, sent_at), ended_at)
        times = FetchTimes(sent_at, first_byte_at, ended_at)
        kept = exchange_of(request.target.url, request.message, parser, key[0], sent_at) if keep else None
        body = parser.body if kept is None else kept.entity
        if body and b"Content-Encoding" in parser.headers:
            body = await self._decoded(body, parser)
        for flag in parser.flags:
            self._count(f"fetch/cut/{flag}")
        head = parser.status, parser.headers
        return Reply(request.target.url, *head, body, parser.flags, address, parser.version, times, kept)

    def _check_before_sending(self, connection: Connection, address: Address) -> None:
        """What was allowed when the request joined the queue may have run out while it waited there."""
        if not (self.share_lasts() and (self._gate is None or self._gate.may_send(address))):
            connection.close()
            raise AddressBusy(text_of(address))

    async def _decoded(self, body: bytes, parser: ResponseParser) -> bytes:
        """The body without its content codings."""
        codings = b",".join(parser.headers.pop(b"Content-Encoding")).split(b",")
        decoded = await decode_in_turns(body, codings, self.settings.limits.body_bytes)
        parser.flags.extend(decoded.flags)
        return decoded.body

    # -- places and sockets ---------------------------------------------------------------------------------

    @property
    def waiting_for_dns(self) -> int:
        """How many names are being looked up."""
        return self._resolver.waiting

    @property
    def waiting_for_place(self) -> int:
        """How many requests wait for a connection, or to join its queue."""
        return self.governor.waiting + len(self._outside)

    @property
    def crowded(self) -> bool:
        """Whether as many requests wait for a place as there are places."""
        return self.governor.waiting >= self.governor.cap

    async def room(self) -> None:
        """Return when the fetcher is not crowded. Waiting requests continue in the order of their arrival."""
        while self.crowded:
            turn = asyncio.get_running_loop().create_future()
            self._outside.append(turn)
            await turn

    async def _place(self, key: _Key) -> Connection | None:
        """Wait for a place: an idle connection, or None for a new one."""
        kept = self.governor.take_idle(key)
        if kept is not None:
            return kept
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = self.governor.ask(ticket, key)
        if place.close is not None:
            place.close.close()
        if place.granted:
            return place.reuse
        self._count("connections/waited")
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():
                self._grant(self.governor.give_back())
            else:
                self.governor.give_up(ticket)
                self._let_one_in()
            raise
        return None

    async def _connect(self, key: _Key, deadline: float) -> Connection:
        """A new connection to exactly the address in `key`; its place has been taken already."""
        address, port, tls, host = key
        loop = asyncio.get_running_loop()
        connection = Connection(loop, self._read_buffer, self.shaper, self._closed)
        seconds = min(self.settings.connect_seconds, max(deadline - loop.time(), 0.0))
        sock: socket.socket | None = None
        try:
            async with asyncio.timeout(seconds):
                receive_buffer_bytes = self.shaper.receive_buffer_bytes() if self.shaper else 0
                sock = new_socket(address, receive_buffer_bytes)
                await connect_socket(loop, sock, (address, port))
                self._flows[connection] = Flow(sock.getsockname()[:2], sock.getpeername()[:2])
                connection.opened(sock, receive_buffer_bytes)
                self._count("connections/opened")
                await loop.create_connection(lambda: connection, sock=sock)
                if tls:
                    await connection.secure(TlsStream(self._tls, server_name(host)))
        except BaseException as error:
            connection.close()
            if sock is not None and not connection.has_transport:
                sock.close()
            failure = connect_failure(error, f"{address}:{port}", tls)
            if failure is None:
                raise
            raise failure from error
        return connection

    def _rest(self, connection: Connection, key: _Key) -> None:
        loop = asyncio.get_running_loop()
        if not self.governor.rest(connection, key, loop.time()):
            connection.close()
            return
        if self._sweep_timer is None:
            self._sweep_timer = loop.call_later(self.settings.idle_seconds, self._sweep, loop)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close connections that were idle too long; repeats while any is idle."""
        self._sweep_timer = None
        for connection in self.governor.idle_since(loop.time() - self.settings.idle_seconds):
            connection.close()
        if self.governor.idle:
            self._sweep_timer = loop.call_later(min(1.0, self.settings.idle_seconds), self._sweep, loop)

    def _closed(self, connection: Connection) -> None:
        """A connection's socket was closed. Its place is free when the kernel confirms it."""
        self.governor.closed(connection, self._flows.pop(connection, connection))
        self._watcher.wake()

    def _gone(self, names: list[object]) -> None:
        self._grant(self.governor.gone(names))

    def _grant(self, tickets: list[asyncio.Future[None]]) -> None:
        """Wake the requests that got a place. One that was cancelled in the meantime passes it on."""
        granted = deque(tickets)
        while granted:
            ticket = granted.popleft()
            if ticket.done():
                granted.extend(self.governor.give_back())
            else:
                ticket.set_result(None)
                self._let_one_in()

    def _let_one_in(self) -> None:
        while self._outside:
            turn = self._outside.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def set_connection_cap(self, cap: int) -> None:
        """MAX_TCP_CONNECTIONS is `cap` from now on."""
        self._own_cap = cap
        self._resize()

    def set_connection_share(self, share: int) -> None:
        """Of the fleet's MAX_TCP_CONNECTIONS, this crawl may have `share` from now on."""
        self._share = share
        self._resize()

    def _resize(self) -> None:
        cap = min(self._own_cap, self._share)
        surplus, granted = self.governor.resize(cap, min(self.settings.idle_cap, cap))
        for connection in surplus:
            connection.close()
        self._grant(granted)
        for _ in range(min(cap - self.governor.waiting, len(self._outside))):
            self._let_one_in()

    async def close(self) -> None:
        """Close every idle connection and stop."""
        for connection in self.governor.idle_since(float("inf")):
            connection.close()
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
        self._watcher.stop()
        self._resolver.close()


_TRY_NEXT_ADDRESS = ("refused", "connect-timeout", "unreachable", "tls")
_DEAD_CONNECTION = ("no-response", "reset")


def _not_resolved(answer: Answer) -> FetchError:
    """The guard refused, this machine could not ask, or DNS has no address: `forbidden/…`, `local-…`, `dns-…`."""
    own_name = answer.reason.startswith(("forbidden/", "local-"))
    return FetchError(answer.reason if own_name else f"dns-{answer.reason}", answer.message)

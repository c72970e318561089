"""One socket to one server: requests go out, a response comes in, one at a time.

Guarantees: an exchange ends by its `deadline`, and within `silence_seconds` of the last byte. The shaper counts bytes
as they are read, before TLS is decrypted, and reading stops for as long as it says. That pause counts towards neither
limit, because it is ours, not the server's. Any failure of an exchange closes the socket.

Sockets are closed with a reset: the response has been read or is not wanted, so nothing is lost, and neither
side, nor a firewall between them, keeps a finished connection in its table for minutes (TIME_WAIT).
"""

import asyncio
import contextlib
import socket
import ssl
import time
from collections.abc import Callable
from typing import Protocol

from webgraph_it.fetch.arrivals import Reader
from webgraph_it.fetch.kernel import arrived_bytes
from webgraph_it.fetch.response_head import BadResponse
from webgraph_it.fetch.response_parser import ResponseParser
from webgraph_it.fetch.tls_stream import TlsStream


class Shaper(Protocol):
    """The bandwidth limit that all connections share (see shaper.py)."""

    def receive_buffer_bytes(self) -> int:
        """SO_RCVBUF of a socket, so that what is not read stays at the server; 0 means the system's default."""

    def begin(self, reader: Reader) -> None:
        """A response is about to arrive."""

    def read_bytes(self, reader: Reader) -> int:
        """The maximum for the next read."""

    def received(self, nbytes: int, reader: Reader) -> bool:
        """Charge bytes that were read. If True, pause reading until `reader.go_on` is called."""

    def end(self, reader: Reader) -> None:
        """The response has ended."""

    def forget(self, reader: Reader) -> None:
        """The connection is about to be closed and no longer waits."""


_AMPLE_BYTES = 64 * 1024
"""Size of a receive buffer when a limit has ended: the system no longer chooses one itself."""


class ReadBuffer:
    """The buffer of all connections: the loop reads one at a time, and each copies its bytes at once."""

    SIZE_BYTES = 64 * 1024

    def __init__(self) -> None:
        self.view = memoryview(bytearray(self.SIZE_BYTES))


class FetchError(Exception):
    """Why there is no response. `reason` is its name in the stats."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Exchange:
    """One request and its response on a connection."""

    __slots__ = (
        "deadline",
        "done",
        "first_byte_at",
        "last_byte_at",
        "on_first_byte",
        "parser",
        "silence_seconds",
    )

    def __init__(
        self,
        parser: ResponseParser,
        done: "asyncio.Future[None]",
        deadline: float,
        silence_seconds: float,
        on_first_byte: Callable[[], None] | None,
    ) -> None:
        self.parser = parser
        self.done = done
        self.deadline = deadline
        """In the event loop's time."""
        self.silence_seconds = silence_seconds
        self.on_first_byte = on_first_byte
        self.first_byte_at = 0.0
        """Wall clock; 0 while nothing has come."""
        self.last_byte_at = 0.0


class Connection(asyncio.BufferedProtocol):
    """A connected socket, plain or TLS."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        buffer: ReadBuffer,
        shaper: Shaper | None,
        on_lost: Callable[["Connection"], None],
    ) -> None:
        self._loop = loop
        self._view = buffer.view
        self._shaper = shaper
        self._on_lost = on_lost
        self._socket: socket.socket | None = None
        self._receive_buffer_bytes = 0
        self._promised_bytes = 0
        """The largest receive window ever announced to the server; 0 means the system's default."""
        self._transport: asyncio.Transport | None = None
        self._tls: TlsStream | None = None
        self._secured: asyncio.Future[None] | None = None
        self._shaken_bytes = 0
        """Bytes of the handshake not yet charged: the handshake does not wait for the shaper."""
        self._read_bytes = 0
        self._exchange: Exchange | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._paused_at = 0.0
        self.requests = 0
        self.usable = True
        """False once closed, by either side."""

    # -- what the client calls ------------------------------------------------------------------------------

    @property
    def has_transport(self) -> bool:
        """If true, the event loop closes the socket; otherwise its opener must."""
        return self._transport is not None

    @property
    def is_outgrown(self) -> bool:
        """Whether the announced window is larger than a newer limit allows. A window cannot be taken back."""
        wanted = self._shaper.receive_buffer_bytes() if self._shaper is not None else 0
        return wanted != 0 and not 0 < self._promised_bytes <= wanted

    def opened(self, sock: socket.socket, receive_buffer_bytes: int) -> None:
        """The socket is connected; a transport for it comes next."""
        self._socket = sock
        self._receive_buffer_bytes = self._promised_bytes = receive_buffer_bytes
        if self._shaper is not None:
            self._shaper.begin(self)

    async def secure(self, tls: TlsStream) -> None:
        """Do the TLS handshake. Raises ssl.SSLError, or ConnectionResetError if the server closes the connection."""
        assert self._transport is not None
        self._tls = tls
        self._secured = self._loop.create_future()
        tls.shake_hands()
        self._transport.write(tls.to_send())
        await self._secured

    def send(self, request: bytes, exchange: Exchange) -> None:
        """Begin an exchange. Its `done` is set at the end."""
        assert self._transport is not None
        assert self._exchange is None
        if self._shaper is not None and self.requests:
            self._fit_receive_buffer(self._shaper)
            self._shaper.begin(self)
        self._exchange = exchange
        self.requests += 1
        exchange.last_byte_at = self._loop.time()
        self._set_timer(min(exchange.deadline, exchange.last_byte_at + exchange.silence_seconds))
        if self._tls is not None:
            self._tls.encrypt(request)
            request = self._tls.to_send()
        self._transport.write(request)

    def close(self) -> None:
        """Close at once. Calling it again does nothing."""
        if not self.usable:
            return
        self.usable = False
        self._stop_timer()
        if self._shaper is not None:
            self._shaper.forget(self)
        if self._transport is not None:
            self._transport.abort()
        self._on_lost(self)

    # -- what the shaper calls ------------------------------------------------------------------------------

    def arrived_bytes(self) -> int:
        """All bytes that have arrived so far, read or not. If the kernel does not say, the bytes that were read."""
        return max(self._read_bytes, arrived_bytes(self._socket) if self._socket is not None else 0)

    def unread_bytes(self) -> int:
        return self.arrived_bytes() - self._read_bytes

    def go_on(self) -> None:
        """Resume reading. The pause was ours, so both time limits are extended by its length."""
        if not self.usable:
            return
        assert self._transport is not None
        if self._exchange is not None:
            now = self._loop.time()
            self._exchange.deadline += now - self._paused_at
            self._exchange.last_byte_at = now
        self._paused_at = 0.0
        if self._shaper is not None:
            self._fit_receive_buffer(self._shaper)
        self._transport.resume_reading()

    # -- what the event loop calls --------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view if self._shaper is None else self._view[: self._shaper.read_bytes(self)]

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(self._view[:nbytes])
        self._read_bytes += nbytes
        if self._tls is not None and not self._tls.is_secured:
            self._shaken_bytes += nbytes
        elif self._shaper is not None:
            if self._shaper.received(nbytes + self._shaken_bytes, self):
                self._pause()
            self._shaken_bytes = 0
        if self._tls is not None:
            self._decrypt(self._tls, data)
        else:
            self._feed(data)

    def eof_received(self) -> None:
        self._server_closed(None)

    def connection_lost(self, error: Exception | None) -> None:
        self._server_closed(error)

    # -- TLS ------------------------------------------------------------------------------------------------

    def _decrypt(self, tls: TlsStream, data: bytes) -> None:
        assert self._transport is not None
        try:
            plain = tls.decrypt(data)
        except ssl.SSLError as error:
            self._server_closed(error)
            return
        answer = tls.to_send()
        if answer:
            self._transport.write(answer)
        if tls.is_secured and self._secured is not None and not self._secured.done():
            self._secured.set_result(None)
        if plain:
            self._feed(plain)
        if tls.is_ended and self.usable:
            self._server_closed(None)

    # -- the exchange ---------------------------------------------------------------------------------------

    def _feed(self, data: bytes) -> None:
        exchange = self._exchange
        if exchange is None:  # nothing may arrive on an idle connection
            self.close()
            return
        if not exchange.first_byte_at:
            self._first_byte(exchange)
        exchange.last_byte_at = self._loop.time()
        try:
            complete = exchange.parser.feed(data)
        except BadResponse as error:
            self._fail(FetchError(error.reason, str(error)))
            return
        if complete:
            self._finish(exchange)

    def _first_byte(self, exchange: Exchange) -> None:
        exchange.first_byte_at = time.time()
        if exchange.on_first_byte is not None:
            exchange.on_first_byte()

    def _finish(self, exchange: Exchange) -> None:
        self._exchange = None
        self._stop_timer()
        if not exchange.parser.reusable:
            self.close()
        elif self._shaper is not None:
            self._shaper.end(self)
        if not exchange.done.done():
            exchange.done.set_result(None)

    def _fail(self, error: FetchError) -> None:
        exchange, self._exchange = self._exchange, None
        self.close()
        if exchange is not None and not exchange.done.done():
            exchange.done.set_exception(error)

    def _server_closed(self, error: Exception | None) -> None:
        if self._secured is not None and not self._secured.done():
            self._secured.set_exception(
                error or ConnectionResetError("the connection was closed during the handshake")
            )
        exchange = self._exchange
        if exchange is None:
            self.close()
            return
        try:
            exchange.parser.eof()
        except BadResponse as bad:
            if bad.reason == "no-response" and error is not None:
                self._fail(FetchError("reset", f"the connection was reset before a response came ({error})"))
            else:
                self._fail(FetchError(bad.reason, str(bad)))
            return
        self._finish(exchange)

    def _pause(self) -> None:
        assert self._transport is not None
        self._paused_at = self._loop.time()
        self._transport.pause_reading()

    def _fit_receive_buffer(self, shaper: Shaper) -> None:
        """A limit has begun, changed or ended since the socket was opened."""
        wanted = shaper.receive_buffer_bytes()
        if wanted != self._receive_buffer_bytes and self._socket is not None:
            self._receive_buffer_bytes = wanted
            self._promised_bytes = max(self._promised_bytes, wanted) if wanted and self._promised_bytes else 0
            with contextlib.suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, wanted or _AMPLE_BYTES)

    # -- the time limits ------------------------------------------------------------------------------------

    def _set_timer(self, when: float) -> None:
        self._timer = self._loop.call_at(when, self._check_time)

    def _check_time(self) -> None:
        """One timer for both limits: arriving bytes move the deadline, not the timer."""
        exchange = self._exchange
        if exchange is None:
            return
        now = self._loop.time()
        if self._paused_at:
            self._set_timer(now + 1.0)
        elif now >= exchange.deadline:
            self._fail(FetchError("timeout", "the response took longer than its time limit"))
        elif now >= exchange.last_byte_at + exchange.silence_seconds:
            self._fail(FetchError("silence", f"no byte came for {exchange.silence_seconds:g} s"))
        else:
            self._set_timer(min(exchange.deadline, exchange.last_byte_at + exchange.silence_seconds))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

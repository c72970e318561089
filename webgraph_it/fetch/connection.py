"""One socket to one server: requests go out, a response comes in, one at a time.

Guarantees: an exchange ends by its `deadline`, and within `silence_seconds` of the last byte; bytes are
shown to the shaper as they are read, and reading stops for as long as it says (that time counts
towards neither limit: it is ours, not the server's). Whatever ends an exchange badly closes the socket.

Sockets are closed with a reset: the response has been read or is not wanted, so nothing is lost, and neither
side, nor a firewall between them, keeps a finished connection in its table for minutes (TIME_WAIT).
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from webgraph_it.fetch.response_head import BadResponse
from webgraph_it.fetch.response_parser import ResponseParser


class Shaper(Protocol):
    """The bandwidth limit that all connections share (see shaper.py)."""

    def receive_buffer_bytes(self) -> int:
        """SO_RCVBUF of a new socket, so that what is not read stays at the server; 0 is the system's own."""

    def read_bytes(self) -> int:
        """The most that the next read should bring."""

    def received(self, nbytes: int, resume: Callable[[], None]) -> bool:
        """Account for bytes that were read. True: pause reading until `resume` is called."""

    def forget(self, resume: Callable[[], None]) -> None:
        """The connection is closed and no longer waits."""


class ReadBuffer:
    """Where all connections read to: a loop reads one at a time, and each copies at once what it got."""

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
        self._transport: asyncio.Transport | None = None
        self._exchange: Exchange | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._paused_at = 0.0
        self.requests = 0
        self.usable = True
        """False once closed, by either side."""

    # -- what the client calls ------------------------------------------------------------------------------

    def send(self, request: bytes, exchange: Exchange) -> None:
        """Begin an exchange; its `done` tells the end."""
        assert self._transport is not None
        assert self._exchange is None
        self._exchange = exchange
        self.requests += 1
        exchange.last_byte_at = self._loop.time()
        self._set_timer(min(exchange.deadline, exchange.last_byte_at + exchange.silence_seconds))
        self._transport.write(request)

    def close(self) -> None:
        """Close at once. Calling it again does nothing."""
        if not self.usable:
            return
        self.usable = False
        self._stop_timer()
        if self._shaper is not None:
            self._shaper.forget(self._go_on)
        if self._transport is not None:
            self._transport.abort()
        self._on_lost(self)

    # -- what the event loop calls --------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view if self._shaper is None else self._view[: self._shaper.read_bytes()]

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(self._view[:nbytes])
        exchange = self._exchange
        if self._shaper is not None and self._shaper.received(nbytes, self._go_on):
            self._pause()
        if exchange is None:  # an idle connection has nothing to say
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

    def eof_received(self) -> None:
        self._server_closed(None)

    def connection_lost(self, error: Exception | None) -> None:
        self._server_closed(error)

    # -- the exchange's way ---------------------------------------------------------------------------------

    def _first_byte(self, exchange: Exchange) -> None:
        exchange.first_byte_at = time.time()
        if exchange.on_first_byte is not None:
            exchange.on_first_byte()

    def _finish(self, exchange: Exchange) -> None:
        self._exchange = None
        self._stop_timer()
        if not exchange.parser.reusable:
            self.close()
        if not exchange.done.done():
            exchange.done.set_result(None)

    def _fail(self, error: FetchError) -> None:
        exchange, self._exchange = self._exchange, None
        self.close()
        if exchange is not None and not exchange.done.done():
            exchange.done.set_exception(error)

    def _server_closed(self, error: Exception | None) -> None:
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

    def _go_on(self) -> None:
        """Read again; the pause was ours, so both limits move by its length."""
        if not self.usable:
            return
        assert self._transport is not None
        if self._exchange is not None:
            now = self._loop.time()
            self._exchange.deadline += now - self._paused_at
            self._exchange.last_byte_at = now
        self._paused_at = 0.0
        self._transport.resume_reading()

    # -- the time limits ------------------------------------------------------------------------------------

    def _set_timer(self, when: float) -> None:
        self._timer = self._loop.call_at(when, self._check_time)

    def _check_time(self) -> None:
        """One timer for both limits: bytes only move the moment, not the timer."""
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

"""One socket to one server: requests go out, a response comes in, one at a time.

Guarantees: an exchange ends by its `deadline`, and within `silence_seconds` of the last byte; bytes are
shown to the token bucket as they are read, and reading stops for as long as it says (that time counts
towards neither limit: it is ours, not the server's). Whatever ends an exchange badly closes the socket.

Sockets are closed with a reset: the response has been read or is not wanted, so nothing is lost, and neither
side, nor a firewall between them, keeps a finished connection in its table for minutes (TIME_WAIT).
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from webgraph_it.fetch.response_parser import BadResponse, ResponseParser


class TokenBucket(Protocol):
    """The bandwidth limit that all connections share (see bandwidth.py)."""

    def take(self, nbytes: int, now: float) -> float:
        """Account for bytes that were read; returns how many seconds to wait before reading on."""


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


class Connection(asyncio.Protocol):
    """A connected socket, plain or TLS."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        bucket: TokenBucket | None,
        on_lost: Callable[["Connection"], None],
    ) -> None:
        self._loop = loop
        self._bucket = bucket
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._exchange: Exchange | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._resume: asyncio.TimerHandle | None = None
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
        self._stop_timers()
        if self._transport is not None:
            self._transport.abort()
        self._on_lost(self)

    # -- what the event loop calls --------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        exchange = self._exchange
        wait_seconds = self._bucket.take(len(data), self._loop.time()) if self._bucket else 0.0
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
        elif wait_seconds > 0:
            self._pause(exchange, wait_seconds)

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
        self._stop_timers()
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

    def _pause(self, exchange: Exchange, wait_seconds: float) -> None:
        assert self._transport is not None
        self._transport.pause_reading()
        exchange.deadline += wait_seconds
        exchange.last_byte_at += wait_seconds
        self._resume = self._loop.call_later(wait_seconds, self._go_on)

    def _go_on(self) -> None:
        self._resume = None
        if self.usable and self._transport is not None:
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
        if now >= exchange.deadline:
            self._fail(FetchError("timeout", "the response took longer than its time limit"))
        elif now >= exchange.last_byte_at + exchange.silence_seconds:
            self._fail(FetchError("silence", f"no byte came for {exchange.silence_seconds:g} s"))
        else:
            self._set_timer(min(exchange.deadline, exchange.last_byte_at + exchange.silence_seconds))

    def _stop_timers(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._resume is not None:
            self._resume.cancel()
            self._resume = None

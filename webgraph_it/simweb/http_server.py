"""HTTP/1.1 on uvloop and httptools: reads the requests of a connection in order, and sends the site's answers.

Bodies are made on request, and kept only if the site keeps them. A connection's events go to the hit log.
"""

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

import httptools

from webgraph_it.simweb import answers
from webgraph_it.simweb.answers import Answer
from webgraph_it.simweb.site import Request, Site

MAX_SCRIPT_BYTES = 1 << 32
MAX_WAITING = 100
"""Maximum number of requests that a client may send before their answers."""


NO_REQUEST = Request("", "", "", "", "", "", keep=False)


class Door(NamedTuple):
    """An address and port that accepts connections."""

    scheme: str
    address: str
    port: int


class HttpConnection(asyncio.Protocol):
    """One TCP connection of a client.

    It is logged as open when it is accepted, before TLS, and as closed when it is lost. If the TLS handshake
    fails, the loop never passes the connection to us. Then it is logged as closed when the object is deleted.
    """

    def __init__(self, site: Site, door: Door) -> None:
        self._site = site
        self._door = door
        self._number = next(site.serial)
        self._waiting: deque[Request] = deque()
        self._request = NO_REQUEST
        self._busy = False
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._script: Iterator[tuple[float, bytes]] = iter(())
        self._choked = False
        self._open = True
        self._forget_request()
        self._log("open", port=door.port)

    def __del__(self) -> None:
        if self._open:
            self._log_close()

    # -- asyncio's callbacks --------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._parser = httptools.HttpRequestParser(self)
        if self._site.wire is not None:
            self._watched = self._site.wire.add(transport.get_extra_info("socket").fileno())

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._send(answers.short(400, "Richiesta non capita.\n"), keep=False)

    def connection_lost(self, error: Exception | None) -> None:
        if self._timer:
            self._timer.cancel()
        self._waiting.clear()
        self._script = iter(())
        if self._site.wire is not None:
            self._site.wire.remove(self._watched)
        self._log_close()

    def pause_writing(self) -> None:
        self._choked = True

    def resume_writing(self) -> None:
        self._choked = False
        if self._busy and self._timer is None:
            self._play_on(self._answering)

    # -- httptools' callbacks -------------------------------------------------------------------------------

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.lower()] = value

    def on_message_complete(self) -> None:
        request = Request(
            self._parser.get_method().decode("ascii"),
            self._door.scheme,
            self._headers.get(b"host", b"").decode("latin-1").partition(":")[0],
            self._url.decode("utf-8", "replace"),
            self._headers.get(b"accept-encoding", b"").decode("latin-1"),
            self._headers.get(b"user-agent", b"").decode("latin-1"),
            self._parser.should_keep_alive(),
            self._headers.get(b"if-none-match", b"").decode("latin-1"),
            self._headers.get(b"if-modified-since", b"").decode("latin-1"),
            self._headers.get(b"cookie", b"").decode("latin-1"),
        )
        self._forget_request()
        self._log(
            "request",
            scheme=self._door.scheme,
            host=request.host,
            path=request.target,
            agent=request.agent,
            **({"cookie": request.cookie} if request.cookie else {}),
        )
        if self._busy:
            self._queue(request)
        else:
            self._serve(request)

    # -- one request after the other ------------------------------------------------------------------------

    def _forget_request(self) -> None:
        self._url = b""
        self._headers: dict[bytes, bytes] = {}

    def _queue(self, request: Request) -> None:
        self._waiting.append(request)
        if len(self._waiting) > MAX_WAITING:
            self._transport.abort()

    def _serve(self, request: Request) -> None:
        self._request = request
        answer = self._site.answer(request)
        if answer.script:
            self._busy = True
            self._script = answer.script()
            self._play_on(answer)
        elif answer.delay_seconds or answer.pieces > 1:
            self._busy = True
            self._later(answer.delay_seconds, lambda: self._send_piece(answer, 0))
        else:
            self._send(answer, request.keep)

    def _send_piece(self, answer: Answer, at: int) -> None:
        if answer.pieces <= 1:
            self._send(answer, self._request.keep)
            return
        step = len(answer.data) // answer.pieces + 1
        self._write(answer.data[at : at + step])
        if at + step < len(answer.data):
            self._later(answers.SLOW_PAUSE_SECONDS, lambda: self._send_piece(answer, at + step))
        else:
            self._finish(answer, self._request.keep)

    def _play_on(self, answer: Answer) -> None:
        """The next step of a script. If the client does not read, `resume_writing` continues later."""
        self._answering, self._timer = answer, None
        step = None if self._choked else next(self._script, None)
        if step is not None and self._bytes < MAX_SCRIPT_BYTES:
            self._later(step[0], lambda: self._play_step(answer, step[1]))
        elif not self._choked:
            self._finish(answer, keep=False)

    def _play_step(self, answer: Answer, data: bytes) -> None:
        self._write(data)
        self._play_on(answer)

    def _send(self, answer: Answer, keep: bool) -> None:
        if answer.data:
            self._write(answer.data)
        self._finish(answer, keep)

    def _write(self, data: bytes) -> None:
        self._bytes += len(data)
        self._transport.write(data)

    def _finish(self, answer: Answer, keep: bool) -> None:
        self._busy = False
        request = self._request
        facts: dict[str, object] = {"status": answer.status, "bytes": len(answer.data)}
        plan = self._site.world.plan
        if plan.is_changing:
            facts["day"] = plan.day
        self._log("response", host=request.host, path=request.target, **facts)
        if answer.reset:
            self._reset()
        elif not (keep and answer.keep):
            self._transport.close()
        elif self._waiting:
            self._serve(self._waiting.popleft())

    def _reset(self) -> None:
        """Close with RST. The kernel sends it if the linger time is zero."""
        raw: socket.socket = self._transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, action)

    def _log_close(self) -> None:
        self._open = False
        self._log("close", host=self._request.host, path=self._request.target, bytes=self._bytes)

    def _log(self, event: str, **facts: object) -> None:
        self._site.log.write(event, connection=self._number, address=self._door.address, **facts)

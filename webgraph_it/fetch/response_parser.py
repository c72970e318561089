"""Parses one HTTP/1 response, as tolerantly as the web requires (pure: no I/O, no clock).

    feed(data) … feed(data) [, eof()] ─► status, headers, body, flags

Guarantees: whatever the bytes and however they are split, the parser either completes, or raises `BadResponse` with a
named reason, or wants more. It never holds more than `Limits` allow. It accepts what browsers accept: bare LF, missing
reason or version, Latin-1 and folded headers, lines without a colon, junk before the status line, wrong and
contradictory lengths, bodies that are not chunked although they should be.

We do not use httptools, because it is strict: this parser would be needed behind it, and one parser has one behaviour.
A usual response takes 9 µs, with httptools 4 µs (tests/benchmarks/handler.py); the difference is 1 % of a page's time.
It does not decode content codings; decode.py does.
"""

import re
from dataclasses import dataclass

from webgraph_it.fetch.response_head import BadResponse, head_end, read_head, status_line_start

CUT_BODY = "truncated"
"""The body was longer than MAX_BODY_BYTES; its beginning is kept."""
CUT_FRAMING = "framing"
"""The body came in more and smaller chunks than any honest server sends; its beginning is kept."""
DATA_LOSS = "dataloss"
"""The connection or the chunks ended before the announced end of the body."""
NOT_CHUNKED = "not-chunked"
"""The header announced chunks, but the body had none."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one response may cost."""

    head_bytes: int
    """Status line and headers, including interim responses and junk before them."""
    header_count: int
    body_bytes: int
    framing_bytes: int = 1024 * 1024
    """Bytes between the chunks. A body sent byte by byte would cost us more than its sender."""


class ResponseParser:
    """Reads one response; a new one is made for each request."""

    __slots__ = (
        "_body_size",
        "_buffer",
        "_chunk_seen",
        "_framing_size",
        "_head_request",
        "_head_size",
        "_keep",
        "_left",
        "_limits",
        "_pieces",
        "_raw",
        "_scanned",
        "_state",
        "complete",
        "flags",
        "head",
        "headers",
        "reusable",
        "status",
        "version",
    )

    def __init__(self, limits: Limits, head_request: bool = False, *, keep: bool = False) -> None:
        """`keep`: remember the head and the body as received, for an archive."""
        self._limits = limits
        self._head_request = head_request
        self._keep = keep
        self._raw: list[bytes] = []
        self.head = b""
        """Status line and headers as received, with the empty line; empty unless it is kept."""
        self._state = _HEAD
        self._buffer = b""
        self._head_size = 0
        self._pieces: list[bytes] = []
        self._body_size = 0
        self._left = 0
        self._scanned = 0
        self._chunk_seen = False
        self._framing_size = 0
        self.status = 0
        self.version = b"1.1"
        self.headers: dict[bytes, list[bytes]] = {}
        """Names in Scrapy's spelling (`Content-Type`), values in order."""
        self.flags: list[str] = []
        self.complete = False
        self.reusable = False
        """After completion: whether the connection may carry another request."""

    @property
    def body(self) -> bytes:
        pieces = self._pieces
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    @property
    def chunked_body(self) -> bytes | None:
        """The body as received, with its chunk sizes. None if it has none, or is not kept."""
        return b"".join(self._raw) if self._raw else None

    @property
    def started(self) -> bool:
        """Whether the final head has been read."""
        return self._state is not _HEAD

    def feed(self, data: bytes) -> bool:
        """Take what the server sent. True when the response is complete; do not feed more after that."""
        if self._state is _HEAD:
            self._read_heads(self._buffer + data if self._buffer else data)
        else:
            self._read_body(data)
        return self.complete

    def eof(self) -> None:
        """The server closed the connection. Completes the response, perhaps with a flag, or raises BadResponse."""
        if self._state is _HEAD:
            if not self._head_size and not self._buffer.strip():
                raise BadResponse("no-response", "the connection was closed without a response")
            if status_line_start(self._buffer) < 0 and not self._head_size:
                raise BadResponse("not-http", f"not an HTTP response: {self._buffer[:40]!r}")
            self._end_head()
        if self._state is _CHUNKS and self._buffer and not self._chunk_seen:
            self._not_chunked(self._buffer)
        if not self.complete and self._state is not _UNTIL_CLOSE and not self._last_chunk_came():
            self.flags.append(DATA_LOSS)
        self._finish(reusable=False)

    def _end_head(self) -> None:
        """A head that lacks only its empty line is complete. Nothing arrived of a body that should follow."""
        if self._buffer.endswith(b"\n"):
            self._read_heads(self._buffer + b"\r\n")
        if self._state is _HEAD:
            raise BadResponse("incomplete-head", "the connection was closed in the middle of the headers")
        if self._state is _UNTIL_CLOSE and not 300 <= self.status < 400:
            self.flags.append(DATA_LOSS)

    # -- the head -------------------------------------------------------------------------------------------

    def _read_heads(self, data: bytes) -> None:
        """Read interim responses (1xx) and the final head, and pass the rest to the body."""
        while True:
            start = status_line_start(data)
            end, after = head_end(data, max(start, self._scanned)) if start >= 0 else (-1, -1)
            if end < 0:
                self._wait_for_head(data, start)
                return
            self._count_head(after)
            self.version, self.status, self.headers = read_head(data[start:end], self._limits.header_count)
            if self._keep:
                self.head = data[start:after]
            data = data[after:]
            self._scanned = 0
            if not 100 <= self.status < 200 or self.status == 101:
                break
        self._buffer = b""
        self._choose_framing()
        if data or self._left == 0:
            self._read_body(data)

    def _wait_for_head(self, data: bytes, start: int) -> None:
        if self._head_size + len(data) > self._limits.head_bytes:
            self._count_head(len(data))
        if start < 0 and len(data) > _MAX_JUNK_BYTES:
            raise BadResponse("not-http", f"not an HTTP response: {data[:40]!r}")
        self._buffer = data
        self._scanned = max(0, len(data) - 3) if start >= 0 else 0

    def _count_head(self, size: int) -> None:
        self._head_size += size
        if self._head_size > self._limits.head_bytes:
            raise BadResponse("head-bytes", f"more than {self._limits.head_bytes} bytes of headers")

    # -- how long the body is -------------------------------------------------------------------------------

    def _choose_framing(self) -> None:
        if self.status in _WITHOUT_BODY or self._head_request:
            self._state = _LENGTH
        elif self._chunked():
            self._state = _CHUNKS
        else:
            self._left = self._content_length()
            self._state = _UNTIL_CLOSE if self._left < 0 else _LENGTH

    def _chunked(self) -> bool:
        values = self.headers.get(b"Transfer-Encoding")
        return values is not None and b"chunked" in values[-1].lower()

    def _content_length(self) -> int:
        """The announced length; the greatest, if there are several; -1 if none makes sense."""
        values = self.headers.get(b"Content-Length")
        if values is None:
            return -1
        if len(values) == 1 and values[0].isdigit() and len(values[0]) < 18:
            return int(values[0])
        found = [_LENGTH_VALUE.fullmatch(part) for value in values for part in value.split(b",")]
        return max((int(match[1]) for match in found if match), default=-1)

    def _keep_alive(self) -> bool:
        values = self.headers.get(b"Connection")
        if not values:
            return self.version == b"1.1"
        last = values[-1].lower()
        return b"close" not in last and (self.version == b"1.1" or b"keep-alive" in last)

    # -- the body -------------------------------------------------------------------------------------------

    def _read_body(self, data: bytes) -> None:
        if self._state is _LENGTH:
            self._read_length(data)
        elif self._state is _CHUNKS:
            self._read_chunks(data)
        else:
            self._take(data)

    def _take(self, data: bytes) -> int:
        """Keep body bytes, up to the cap. Returns how many."""
        room = self._limits.body_bytes - self._body_size
        if len(data) > room:
            self._pieces.append(data[:room])
            self._body_size += room
            self._cut(CUT_BODY)
            return room
        self._pieces.append(data)
        self._body_size += len(data)
        return len(data)

    def _cut(self, flag: str) -> None:
        self.flags.append(flag)
        self._finish(reusable=False)

    def _finish(self, reusable: bool) -> None:
        self.complete = True
        self.reusable = reusable

    def _read_length(self, data: bytes) -> None:
        size = len(data)
        if size < self._left:
            self._left -= size
            self._take(data)
            return
        extra = size > self._left
        self._take(data[: self._left] if extra else data)
        self._left = 0
        if CUT_BODY not in self.flags:
            self._finish(reusable=not extra and self._one_length() and self._keep_alive())

    def _one_length(self) -> bool:
        return len(set(self.headers.get(b"Content-Length", ()))) <= 1

    # -- chunks ---------------------------------------------------------------------------------------------

    def _read_chunks(self, data: bytes) -> None:
        if self._buffer:
            data = self._buffer + data
            self._buffer = b""
        position = self._read_chunks_of(data)
        if self._keep and self._state is _CHUNKS:
            self._raw.append(data[:position])

    def _read_chunks_of(self, data: bytes) -> int:
        """Returns how much was read. The rest waits in the buffer, or does not belong to the response."""
        position = 0
        while self._state is _CHUNKS and not self.complete:
            if self._left > 0:
                piece = data[position : position + self._left]
                if not piece:
                    return position
                self._left -= len(piece)
                position += self._take(piece)
            else:
                after = self._read_framing(data, position)
                if after < 0:
                    return position
                position = after
        return position

    def _read_framing(self, data: bytes, position: int) -> int:
        """Read one line that is not body: a size, the end of a chunk, a trailer. -1 if it has not arrived yet."""
        after = data.find(b"\n", position) + 1
        if not after:
            self._wait_for_line(data[position:])
            return -1
        self._framing_size += after - position
        if self._framing_size > self._limits.framing_bytes:
            self._cut(CUT_FRAMING)
            return after
        line = data[position:after].strip()
        if self._left == _TRAILERS:
            if not line:
                self._finish(reusable=after == len(data) and self._keep_alive())
        elif line:  # an empty line is the end of the previous chunk
            self._read_size(line, data, position)
        return after

    def _read_size(self, line: bytes, data: bytes, position: int) -> None:
        match = _CHUNK_SIZE.match(line)
        if match is None:
            self._not_chunked(data[position:])
            return
        self._chunk_seen = True
        self._left = int(match[1], 16) or _TRAILERS

    def _last_chunk_came(self) -> bool:
        return self._state is _CHUNKS and self._left == _TRAILERS

    def _wait_for_line(self, rest: bytes) -> None:
        if len(rest) > _MAX_CHUNK_LINE_BYTES:
            self._not_chunked(rest)
        else:
            self._buffer = rest

    def _not_chunked(self, rest: bytes) -> None:
        """The body is plain after all: read it by its length, if there is one, or until the end.

        After good chunks it is not plain. What follows is unknown, so the body ends here.
        """
        if self._chunk_seen:
            self._cut(DATA_LOSS)
            return
        self._raw.clear()
        self.flags.append(NOT_CHUNKED)
        self._left = self._content_length()
        self._state = _UNTIL_CLOSE if self._left < 0 else _LENGTH
        self._read_body(rest)


_HEAD, _LENGTH, _CHUNKS, _UNTIL_CLOSE = "head", "length", "chunks", "until-close"
_TRAILERS = -1
"""In place of a chunk's remaining bytes: the last chunk has been read."""
_MAX_CHUNK_LINE_BYTES = 4096
_MAX_JUNK_BYTES = 4096
"""Maximum of junk before the status line."""

_LENGTH_VALUE = re.compile(rb"\s*\+?([0-9]{1,18})\s*")
_CHUNK_SIZE = re.compile(rb"(?:0x)?([0-9A-Fa-f]{1,15})(?![0-9A-Fa-f])")
_WITHOUT_BODY = (101, 204, 304)

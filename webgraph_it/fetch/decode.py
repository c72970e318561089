"""Decodes content codings: gzip, deflate, br and zstd, with a cap on the result (pure).

Guarantees: never raises, never returns more than `cap_bytes`, and never holds much more than that in memory,
whatever the body would expand to. A broken stream is kept as far as it could be decoded. If not even its
first byte could be, the body is left as received: some servers say gzip and send plain text. Each such case has a flag.

The work is linear in the bytes received plus the bytes returned. It is done in slices of at most a few milliseconds
(`decode_in_slices`), whatever the body contains, so that an event loop can run other tasks in between. Two limits make
it linear: an inner layer may be at most INNER_RATIO times as long as what it was unpacked from (well-packed data cannot
be packed again), and a gzip body has at most MAX_MEMBERS members.
"""

import asyncio
import zlib
from collections.abc import Callable, Generator, Sequence
from typing import IO, NamedTuple, cast

import brotli
import zstandard

BOMB = "bomb"
"""The decoded body was truncated at the cap, or at a limit on nested layers or on members."""
UNDECODABLE = "undecodable"
"""The body was not in the coding that its header named, and is left as received."""
PARTLY_DECODED = "partly-decoded"
"""The coded stream ended early or was damaged; what could be decoded is kept."""

MAX_LAYERS = 2
MAX_MEMBERS = 256
"""Maximum of members in a gzip stream. Honest streams have one, or one per 64 KB or more (bgzip, pigz)."""
INNER_RATIO = 4
INNER_FLOOR_BYTES = 64 * 1024
"""An inner layer may always be this long."""
_FEED_BYTES = 4 * 1024
"""Input for a decoder at a time: 4 KB of headers and tables without content take less than two milliseconds."""
_DRAIN_BYTES = 128 * 1024
"""Output from a decoder at a time."""
_SLICE_WORK = 512 * 1024
"""Work in one slice: bytes of output, plus _FEED_WEIGHT times the bytes of input."""
_FEED_WEIGHT = 12
_ZSTD_WINDOW_BYTES = 8 * 1024 * 1024
"""RFC 9659: no zstd content coding needs a larger window."""


class Decoded(NamedTuple):
    body: bytes
    flags: tuple[str, ...]


Slices = Generator[None, None, Decoded]


def decode(body: bytes, codings: Sequence[bytes], cap_bytes: int) -> Decoded:
    """Decode all `codings` (as listed in Content-Encoding, the last applied one last) at once."""
    slices = decode_in_slices(body, codings, cap_bytes)
    while True:
        try:
            next(slices)
        except StopIteration as end:
            decoded: Decoded = end.value
            return decoded


async def decode_in_turns(body: bytes, codings: Sequence[bytes], cap_bytes: int) -> Decoded:
    """As `decode`; other tasks run between the slices of a large body."""
    slices = decode_in_slices(body, codings, cap_bytes)
    while True:
        try:
            next(slices)
        except StopIteration as end:
            decoded: Decoded = end.value
            return decoded
        await asyncio.sleep(0)


def decode_in_slices(body: bytes, codings: Sequence[bytes], cap_bytes: int) -> Slices:
    """As `decode`, but a generator that yields where other tasks may run. Most bodies need only one slice."""
    layers = [decoder for coding in codings if (decoder := _DECODERS.get(coding.strip().lower()))]
    if len(layers) > MAX_LAYERS:
        return Decoded(body, (UNDECODABLE,))
    flags: dict[str, None] = {}
    while layers and body:
        decoder = layers.pop()
        limit = min(cap_bytes, max(INNER_RATIO * len(body), INNER_FLOOR_BYTES)) if layers else cap_bytes
        output = _Output(limit)
        yield from _undo(decoder, body, output)
        if output.flag:
            flags[output.flag] = None
        if output.flag != UNDECODABLE:
            body = bytes(output.decoded)
    return Decoded(body, tuple(flags))


class _Full(Exception):
    """The output exceeds the limit."""


class _Broken(Exception):
    """The decoder gave up."""


class _Output:
    """What has been decoded so far, up to a limit, and how much work that was."""

    __slots__ = ("_limit", "_work", "decoded", "flag")

    def __init__(self, limit: int) -> None:
        self.decoded = bytearray()
        self.flag = ""
        self._limit = limit
        self._work = 0

    def write(self, part: bytes) -> int:
        """Keep a part. Raises _Full at the first byte beyond the limit. (zstandard writes here by itself.)"""
        self._work += len(part)
        room = self._limit - len(self.decoded)
        if len(part) > room:
            self.decoded += part[:room]
            raise _Full
        self.decoded += part
        return len(part)

    def fed(self, size: int) -> bool:
        """`size` bytes were given to the decoder. Returns whether it is time for a pause."""
        self._work += _FEED_WEIGHT * size
        if self._work < _SLICE_WORK:
            return False
        self._work = 0
        return True


_Decoder = Callable[[bytes, _Output], Generator[None, None, None]]


def _undo(decoder: _Decoder, body: bytes, output: _Output) -> Generator[None, None, None]:
    try:
        yield from decoder(body, output)
    except _Full:
        output.flag = BOMB
    except _Broken:
        output.flag = PARTLY_DECODED if output.decoded else UNDECODABLE


def _gzip(body: bytes, output: _Output) -> Generator[None, None, None]:
    """All members of a gzip stream, one after the other. Trailing bytes that are not a member are ignored."""
    at = 0
    for number in range(MAX_MEMBERS):
        before = len(output.decoded)
        try:
            at = yield from _inflate(zlib.decompressobj(16 + zlib.MAX_WBITS), body, at, output)
        except _Broken:
            if number and len(output.decoded) == before:
                return
            raise
        if at == len(body):
            return
    raise _Full


def _deflate(body: bytes, output: _Output) -> Generator[None, None, None]:
    """zlib, as the standard says, or bare deflate, as many servers send."""
    try:
        yield from _inflate(zlib.decompressobj(), body, 0, output)
    except _Broken:
        if output.decoded:
            raise
        yield from _inflate(zlib.decompressobj(-zlib.MAX_WBITS), body, 0, output)


def _inflate(stream: "zlib._Decompress", body: bytes, at: int, output: _Output) -> Generator[None, None, int]:
    """Decode the stream that begins at `at`, in pieces, so that an error late in it does not lose its beginning.

    Returns where the stream ends.
    """
    while at < len(body):
        piece = body[at : at + _FEED_BYTES]
        at += len(piece)
        fed = len(piece)
        while piece:
            try:
                part = stream.decompress(piece, _DRAIN_BYTES)
            except zlib.error:
                raise _Broken from None
            if part:
                output.write(part)
            if output.fed(fed):
                yield
            fed, piece = 0, stream.unconsumed_tail
            if not piece and len(part) == _DRAIN_BYTES:  # the rest of the output is still in the decoder
                yield from _drain(stream, output)
        if stream.eof:
            return at - len(stream.unused_data)
    raise _Broken


def _drain(stream: "zlib._Decompress", output: _Output) -> Generator[None, None, None]:
    while not stream.eof and (part := stream.decompress(b"", _DRAIN_BYTES)):
        output.write(part)
        if output.fed(0):
            yield


def _brotli(body: bytes, output: _Output) -> Generator[None, None, None]:
    stream = brotli.Decompressor()
    for at in range(0, len(body), _FEED_BYTES):
        piece = body[at : at + _FEED_BYTES]
        fed = len(piece)
        while fed or not stream.can_accept_more_data():
            try:
                part = stream.process(piece, output_buffer_limit=_DRAIN_BYTES)
            except brotli.error:
                raise _Broken from None
            if part:
                output.write(part)
            if output.fed(fed):
                yield
            if stream.is_finished():
                return
            fed, piece = 0, b""
    raise _Broken


def _zstd(body: bytes, output: _Output) -> Generator[None, None, None]:
    """Frame after frame. An incomplete frame is not reported; what could be decoded is kept."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
    stream = decompressor.stream_writer(cast("IO[bytes]", output), write_size=_DRAIN_BYTES)
    for at in range(0, len(body), _FEED_BYTES):
        piece = body[at : at + _FEED_BYTES]
        try:
            stream.write(piece)
        except zstandard.ZstdError:
            raise _Broken from None
        if output.fed(len(piece)):
            yield
    if not output.decoded:
        raise _Broken


_DECODERS: dict[bytes, _Decoder] = {
    b"gzip": _gzip,
    b"x-gzip": _gzip,
    b"deflate": _deflate,
    b"br": _brotli,
    b"zstd": _zstd,
}

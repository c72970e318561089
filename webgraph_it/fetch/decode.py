"""Content codings undone: gzip, deflate, br and zstd, with a cap on the result (pure).

Guarantees: never raises, never returns more than `cap_bytes`, and never holds much more than that in memory,
whatever the body would expand to. A broken stream is kept as far as it could be decoded or, when not even its
first byte could be, as it came: servers do say gzip and send plain text. Each such case has a flag.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import brotli
import zstandard

BOMB = "bomb"
"""The decoded body was cut at the cap."""
UNDECODABLE = "undecodable"
"""The body was not in the coding that its header named; it is left as it came."""
PARTLY_DECODED = "partly-decoded"
"""The coding broke off or broke; what came before is there."""

MAX_LAYERS = 3
_ZSTD_WINDOW_BYTES = 8 * 1024 * 1024
"""RFC 9659: no zstd content coding needs a larger window."""


class Decoded(NamedTuple):
    body: bytes
    flags: tuple[str, ...]


class _Broken(Exception):
    """The decoder gave up; what it had decoded is its argument."""


def decode(body: bytes, codings: Sequence[bytes], cap_bytes: int) -> Decoded:
    """Undo `codings` (as listed in Content-Encoding, the last applied one last)."""
    layers = [decoder for coding in codings if (decoder := _DECODERS.get(coding.strip().lower()))]
    flags: list[str] = []
    if len(layers) > MAX_LAYERS:
        return Decoded(body, (UNDECODABLE,))
    for decoder in reversed(layers):
        if not body:
            break
        body, flag = _undo(decoder, body, cap_bytes)
        if flag:
            flags.append(flag)
    return Decoded(body, tuple(flags))


def _undo(decoder: "_Decoder", body: bytes, cap_bytes: int) -> tuple[bytes, str]:
    try:
        decoded = decoder(body, cap_bytes + 1)
    except _Broken as broken:
        part: bytes = broken.args[0]
        if not part:
            return body, UNDECODABLE
        return part[:cap_bytes], PARTLY_DECODED
    return (decoded[:cap_bytes], BOMB) if len(decoded) > cap_bytes else (decoded, "")


_Decoder = Callable[[bytes, int], bytes]


def _gzip(body: bytes, limit: int) -> bytes:
    """All members of a gzip stream, one after the other; bytes after them that are no member are ignored."""
    parts: list[bytes] = []
    size = 0
    while body and size < limit:
        stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            part = _inflate(stream, body, limit - size)
        except _Broken as broken:
            if parts and not broken.args[0]:
                break
            raise _Broken(b"".join([*parts, broken.args[0]])) from None
        parts.append(part)
        size += len(part)
        body = stream.unused_data if stream.eof else b""
    return b"".join(parts)


def _deflate(body: bytes, limit: int) -> bytes:
    """zlib, as the standard says, or bare deflate, as many servers send."""
    try:
        return _inflate(zlib.decompressobj(), body, limit)
    except _Broken as broken:
        if broken.args[0]:
            raise
    return _inflate(zlib.decompressobj(-zlib.MAX_WBITS), body, limit)


def _inflate(stream: "zlib._Decompress", body: bytes, limit: int) -> bytes:
    """Decode in pieces, so that an error late in the stream does not lose its beginning."""
    parts: list[bytes] = []
    size = 0
    for start in range(0, len(body), _PIECE_BYTES):
        piece = body[start : start + _PIECE_BYTES]
        while piece and size < limit:
            try:
                parts.append(stream.decompress(piece, limit - size))
            except zlib.error:
                raise _Broken(b"".join(parts)) from None
            size += len(parts[-1])
            piece = stream.unconsumed_tail
        if stream.eof:
            _keep_rest(stream, body[start + _PIECE_BYTES :])
            return b"".join(parts)
    if size < limit:
        raise _Broken(b"".join(parts))
    return b"".join(parts)


_PIECE_BYTES = 16 * 1024


def _keep_rest(stream: "zlib._Decompress", rest: bytes) -> None:
    """Let `unused_data` hold everything after the stream's end, the pieces not yet fed included."""
    if rest:
        stream.decompress(rest)


def _brotli(body: bytes, limit: int) -> bytes:
    stream = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    feed = body
    while size < limit:
        try:
            part = stream.process(feed, output_buffer_limit=limit - size)
        except brotli.error:
            raise _Broken(b"".join(parts)) from None
        parts.append(part)
        size += len(part)
        feed = b""
        if stream.is_finished():
            return b"".join(parts)
        if not part and stream.can_accept_more_data():
            raise _Broken(b"".join(parts))
    return b"".join(parts)


def _zstd(body: bytes, limit: int) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
    parts: list[bytes] = []
    size = 0
    try:
        with decompressor.stream_reader(body, read_across_frames=True) as reader:
            while size < limit and (part := reader.read(min(_READ_BYTES, limit - size))):
                parts.append(part)
                size += len(part)
    except zstandard.ZstdError:
        raise _Broken(b"".join(parts)) from None
    if not parts:
        raise _Broken(b"")
    return b"".join(parts)


_READ_BYTES = 64 * 1024

_DECODERS: dict[bytes, _Decoder] = {
    b"gzip": _gzip,
    b"x-gzip": _gzip,
    b"deflate": _deflate,
    b"br": _brotli,
    b"zstd": _zstd,
}

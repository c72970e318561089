"""Compressed bodies that cost their reader far more than their size.

Some decompress to BOMB_BYTES. Others decompress to almost nothing, but slowly: they consist of members and blocks
without content, each with a header that must be read.
"""

import gzip
import struct
import zlib
from collections.abc import Callable
from functools import cache

import brotli

BOMB_BYTES = 256 << 20
_BLOCK_BYTES = 1 << 20
_EMPTY_BYTES = 4 << 20
_GZIP_HEAD = b"\x1f\x8b\x08" + bytes(6) + b"\xff"


@cache
def zeros(coding: str) -> bytes:
    """BOMB_BYTES of zeros, compressed to a few hundred kilobytes or less. One block is compressed and repeated."""
    block, blocks = bytes(_BLOCK_BYTES), BOMB_BYTES // _BLOCK_BYTES
    if coding == "br":
        brotler = brotli.Compressor(quality=1)
        return b"".join(brotler.process(block) for _ in range(blocks)) + bytes(brotler.finish())
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = (packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)) * blocks + b"\x03\x00"
    if coding == "deflate":
        return b"\x78\xda" + packed + struct.pack(">I", _checksum(zlib.adler32, block, blocks))
    trailer = struct.pack("<II", _checksum(zlib.crc32, block, blocks), BOMB_BYTES)
    return _GZIP_HEAD + packed + trailer


def _checksum(step: Callable[[bytes, int], int], block: bytes, blocks: int) -> int:
    """The checksum of all the blocks together."""
    value = 1 if step is zlib.adler32 else 0
    for _ in range(blocks):
        value = step(block, value)
    return value


def empty_members(size: int) -> bytes:
    """This many bytes of gzip members without content, 20 bytes each."""
    member = gzip.compress(b"", mtime=0)
    return member * (size // len(member))


def empty_blocks(size: int) -> bytes:
    """This many bytes of deflate blocks without content, 90 bits each, nearly all of them tables of codes."""
    bits = "".join(bits for bits, _ in _EMPTY_BLOCK) * 8
    eight = int(bits[::-1], 2).to_bytes(len(bits) // 8, "little")
    return eight * (size // len(eight))


_EMPTY_BLOCK = (
    ("0", "not the last"),
    ("01", "with tables of its own"),
    ("00000" + "00000" + "0111", "257 codes, one distance, 18 lengths of lengths"),
    ("000" * 2 + "100" + "000" * 14 + "100", "code 0 is `one bit long`, code 1 is `this many unused`"),
    ("1" + "1111111" + "1" + "1101011", "138 and 118 codes unused"),
    ("0" + "0", "the end of the block is one bit long, and the distance"),
    ("0", "the end of the block"),
)
"""Bits in the order of the stream. Numbers start with their lowest bit."""

PACKED: tuple[tuple[str, Callable[[], bytes]], ...] = (
    ("gzip", lambda: zeros("gzip")),
    ("deflate", lambda: zeros("deflate")),
    ("br", lambda: zeros("br")),
    ("gzip, gzip", lambda: gzip.compress(zeros("gzip"), mtime=0)),
    ("gzip, gzip, gzip", lambda: _twice(empty_members(_EMPTY_BYTES))),
    ("gzip, gzip", lambda: gzip.compress(empty_members(_EMPTY_BYTES), mtime=0)),
    ("gzip, gzip", lambda: gzip.compress(_GZIP_HEAD + empty_blocks(_EMPTY_BYTES), mtime=0)),
    ("gzip", lambda: _GZIP_HEAD + empty_blocks(_EMPTY_BYTES)),
)
"""Content-Encoding and body."""


def _twice(data: bytes) -> bytes:
    return gzip.compress(gzip.compress(data, mtime=0), mtime=0)


@cache
def packed(number: int) -> bytes:
    """The body of PACKED[number]."""
    return PACKED[number][1]()


def prepare() -> None:
    """Make all of them, so that the first request does not wait."""
    for number in range(len(PACKED)):
        packed(number)

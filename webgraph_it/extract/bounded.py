"""Bounded decompression: output stops at a limit, and what comes before damage is kept.

Every reader of a compressed format goes through here. No exception of zlib or lzma escapes.
"""

import lzma
import zlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

LIMIT_BYTES = 50 * 1024 * 1024
"""Maximum total size of one unpacked document: the sitemap protocol's own limit."""
LIMIT_STEPS = 600_000
"""Maximum of tags, tokens or actions that a reader written in Python examines: about a second."""
_CHUNK_BYTES = 1 << 16
RAW_DEFLATE, ZLIB, GZIP = -zlib.MAX_WBITS, zlib.MAX_WBITS, 16 + zlib.MAX_WBITS

T = TypeVar("T")


class Budget:
    """What a document may still use: bytes of output and steps of the reader. All its parts share it."""

    __slots__ = ("exceeded", "left_bytes", "left_steps")

    def __init__(self, limit_bytes: int = LIMIT_BYTES, limit_steps: int = LIMIT_STEPS) -> None:
        self.left_bytes = limit_bytes
        self.left_steps = limit_steps
        self.exceeded = False

    @property
    def reason(self) -> str:
        return "bomb" if self.exceeded else ""

    def take(self, wanted_bytes: int) -> int:
        """How many of `wanted_bytes` are still allowed. Remembers if that is too few."""
        granted = min(wanted_bytes, self.left_bytes)
        self.exceeded = self.exceeded or granted < wanted_bytes
        self.left_bytes -= granted
        return granted

    def steps(self, things: Iterable[T]) -> Iterator[T]:
        """As many of `things` as the remaining steps allow."""
        for thing in things:
            if not self.left_steps:
                self.exceeded = True
                return
            self.left_steps -= 1
            yield thing


def inflated(data: bytes, budget: Budget, wbits: int = ZLIB) -> bytes:
    """`data` decompressed (zlib, raw deflate or gzip), up to the first damage or the end of the budget."""
    machine = zlib.decompressobj(wbits)
    parts: list[bytes] = []
    try:
        for start in range(0, len(data), _CHUNK_BYTES):
            parts.append(machine.decompress(data[start : start + _CHUNK_BYTES], budget.left_bytes + 1))
            if budget.take(len(parts[-1])) < len(parts[-1]) or machine.eof:
                break
    except zlib.error:
        pass
    return b"".join(parts)


def unpacked_lzma(properties: bytes, data: bytes, length_bytes: int, budget: Budget) -> bytes:
    """A raw LZMA1 stream whose five `properties` bytes are separate, as in SWF."""
    granted = budget.take(length_bytes)
    try:
        machine = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[_lzma_filter(properties, granted)])
        return machine.decompress(data, granted) if granted else b""
    except (lzma.LZMAError, ValueError, EOFError):
        return b""


def _lzma_filter(properties: bytes, length_bytes: int) -> dict[str, int]:
    """A dictionary larger than the output is never needed, and the declared size may be a bomb itself."""
    if len(properties) < 5 or properties[0] >= 9 * 5 * 5:
        raise ValueError("no LZMA properties")
    rest, lc = divmod(properties[0], 9)
    pb, lp = divmod(rest, 5)
    declared = int.from_bytes(properties[1:5], "little")
    size = max(4096, min(declared, length_bytes))
    return {"id": lzma.FILTER_LZMA1, "dict_size": size, "lc": lc, "lp": lp, "pb": pb}

"""The records of one ARC file, the format of the Internet Archive before WARC, gzipped or plain.

A record is a line `URL address date type length` (version 2 has five more fields before the length), then as many
bytes, then an empty line. The first record, `filedesc://`, names the version. ARC has no digests and no revisits.
Guarantees: as records.py. After damage, reading continues at the next gzip member; a plain file ends there.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final, cast

from webgraph_it.ingest.records import Damage, Record
from webgraph_it.ingest.times import seconds_of

FIRST: Final = b"filedesc://"
_HEADER: Final = re.compile(
    r"(\S+(?: \S+)*?) ([0-9.]+|[0-9a-fA-F:]+|-) (\d{8,17}) (\S+)(?: \S+){0,5} (\d{1,18})"
)
_GZIP: Final = b"\x1f\x8b\x08"
_MAX_LINE: Final = 1 << 16
_SEARCH_BYTES: Final = 1 << 20
_DAMAGES: Final = (OSError, EOFError, zlib.error)


def is_arc(start: bytes) -> bool:
    """Whether a file with these first bytes (unpacked) is an ARC file."""
    return start.startswith(FIRST)


def records(file: BinaryIO, cap_bytes: int) -> Iterator[Record | Damage]:
    """The records except the first, and the damage between them."""
    file.seek(0)
    is_packed = file.read(3) == _GZIP
    start: int | None = 0
    while start is not None:
        file.seek(start)
        opened = cast("BinaryIO", gzip.GzipFile(fileobj=file)) if is_packed else file
        reason = ""
        try:
            while (found := _next(opened, cap_bytes)) is not None:
                if isinstance(found, Damage):
                    reason = found.reason
                    break
                if not found.url.startswith("filedesc:"):
                    yield found
        except _DAMAGES:
            reason = "compression"
        if not reason:
            return
        yield Damage(reason)
        start = (
            _next_member(file, max(start + 1, file.tell() - io.DEFAULT_BUFFER_SIZE)) if is_packed else None
        )


def _next(opened: BinaryIO, cap_bytes: int) -> Record | Damage | None:
    line = b"\n"
    while line in (b"\n", b"\r\n"):
        line = opened.readline(_MAX_LINE)
    if not line:
        return None
    match = _HEADER.fullmatch(line.decode("utf-8", "replace").rstrip("\r\n"))
    if match is None:
        return Damage("header")
    url, address, date, media_type, length_text = match.groups()
    length = int(length_text)
    block = opened.read(min(length, cap_bytes))
    if len(block) < min(length, cap_bytes):
        return Damage("truncated")
    left = length - len(block)
    while left and (skipped := opened.read(min(left, _SEARCH_BYTES))):
        left -= len(skipped)
    return Record("response", url, seconds_of(date), block, -1, media_type, "" if address == "-" else address)


def _next_member(file: BinaryIO, at: int) -> int | None:
    """Where the next gzip member may begin; None if there is none."""
    while True:
        file.seek(at)
        data = file.read(_SEARCH_BYTES + len(_GZIP))
        found = data.find(_GZIP)
        if found >= 0:
            return at + found
        if len(data) <= _SEARCH_BYTES:
            return None
        at += _SEARCH_BYTES


def first_bytes(file: BinaryIO, count: int = 64) -> bytes:
    """The first bytes of the file, unpacked if it is gzipped. Empty if they cannot be read."""
    file.seek(0)
    try:
        if file.read(3) == _GZIP:
            file.seek(0)
            return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(file.read(1 << 16), count)
        file.seek(0)
        return file.read(count)
    except zlib.error:
        return b""
    finally:
        file.seek(0, io.SEEK_SET)

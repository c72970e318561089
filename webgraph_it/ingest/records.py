"""The records of one WARC file, in order. Damaged ones are reported by name and skipped.

fastwarc reads gzip, zstd and plain files, and stops at the first damage. Then we search for the next start of a gzip
member, a zstd frame or a plain record, and continue there. A wrong Content-Length makes a record swallow those after
it. So a record is passed on only once the next one begins well; otherwise it must be whole by itself, and what it
swallowed is read again.

Guarantees: returns for every input; raises nothing but OSError of the file itself. The same file gives the same
sequence, so a place in it is the number of items before it. Holds two records in memory, each cut at `cap_bytes`.
"""

import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from webgraph_it.ingest.times import seconds_of
from webgraph_it.warc.record import RESOURCE_TYPE

WANTED: Final = (
    WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit | WarcRecordType.metadata
)
MAX_HEADER_BYTES: Final = 1 << 20
_STARTS: Final = {
    b"\x1f\x8b": re.compile(rb"\x1f\x8b\x08[\x00-\x1f]"),
    b"\x28\xb5": re.compile(rb"\x28\xb5\x2f\xfd"),
}
"""First bytes of a file → what begins a record in it. In any other file that is a plain record."""
_PLAIN_START: Final = re.compile(rb"WARC/[01]\.\d+\r?\n")
_LONGEST_START: Final = 16
_SEARCH_BYTES: Final = 1 << 20
_CANDIDATES: Final = 8
"""Compressed data contains what looks like a start once in 16 MB or so."""


OURS: Final = (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)
"""Exceptions that do not come from fastwarc. It is written in Rust, and a failure there is a BaseException without a
name that could be imported."""


class Record(NamedTuple):
    """One record of an archive."""

    kind: str
    """WARC-Type: response, resource, revisit, metadata."""
    url: str
    """As written, without the angle brackets of WARC/1.0."""
    time: float
    """Seconds since 1970 UTC; 0 if the record does not say."""
    block: bytes
    """The content, cut at the cap."""
    position: int = -1
    """Where its gzip member, zstd frame or plain record begins in the file; -1 if that is not known."""
    content_type: str = ""
    address: str = ""
    digest: str = ""
    """WARC-Payload-Digest as written; empty if there is none."""
    profile: str = ""
    """Of a revisit: what makes it one."""
    resource_type: str = ""
    """WARC-Resource-Type as written: our own archives mark sitemaps with it."""


class Damage(NamedTuple):
    """A place where a record could not be read."""

    reason: str


def records(file: BinaryIO, cap_bytes: int, position: int = 0) -> Iterator[Record | Damage]:
    """The records of the wanted types, and the damage between them, from the record at `position` on."""
    file.seek(0)
    pattern = _STARTS.get(file.read(2), _PLAIN_START)
    start: int | None = position
    reported = False
    while start is not None:
        held: Record | None = None
        reason = ""
        try:
            file.seek(start)
            for found in _iterator(file):
                taken = _taken(found, cap_bytes)
                if held is not None:
                    yield held
                    reported = False
                held = taken
                if held is None:
                    reason, start = "truncated", max(found.stream_pos, start)
                    break
        except OURS:
            raise
        except BaseException as error:
            reason = _named(error)
        if not reason:
            if held is not None:
                yield held
            return
        at, start = _after_damage(file, pattern, start, held)
        if at is not None:
            yield at
            reported = isinstance(at, Damage)
        elif not reported:
            yield Damage(reason)
            reported = True


def _after_damage(
    file: BinaryIO, pattern: re.Pattern[bytes], start: int, held: Record | None
) -> tuple[Record | Damage | None, int | None]:
    """What becomes of the record before the damage (None if there was none), and where to continue."""
    if held is None:
        return None, next(_starts(file, pattern, start + 1), None)
    first: int | None = None
    for number, candidate in enumerate(_starts(file, pattern, held.position + 1)):
        first = candidate if first is None else first
        if _is_whole(file, held.position, candidate):
            return held, candidate
        if number == _CANDIDATES:
            break
    if first is None:
        return (held if _is_whole(file, held.position, _size(file)) else Damage("length")), None
    return Damage("length"), first


def _is_whole(file: BinaryIO, start: int, end: int) -> bool:
    """Whether these bytes are one record, all of it, and nothing else."""
    if end - start > 1 << 26:
        return False
    file.seek(start)
    try:
        found = [
            len(record.reader.read()) == record.content_length
            for record in ArchiveIterator(io.BytesIO(file.read(end - start)), parse_http=False)
        ]
    except OURS:
        raise
    except BaseException:
        return False
    return found == [True]


def _starts(file: BinaryIO, pattern: re.Pattern[bytes], at: int) -> Iterator[int]:
    """Where records may begin, from `at` on."""
    while True:
        file.seek(at)
        data = file.read(_SEARCH_BYTES + _LONGEST_START)
        for match in pattern.finditer(data):
            if match.start() < _SEARCH_BYTES:
                yield at + match.start()
        if len(data) <= _SEARCH_BYTES:
            return
        at += _SEARCH_BYTES


def _size(file: BinaryIO) -> int:
    return file.seek(0, io.SEEK_END)


def _iterator(file: BinaryIO) -> ArchiveIterator:
    return ArchiveIterator(file, record_types=WANTED, parse_http=False, max_header_len=MAX_HEADER_BYTES)


def has_records(file: BinaryIO) -> bool:
    """Whether the file begins with a record of any type, also one that is not wanted."""
    file.seek(0)
    try:
        return any(
            found.headers.get("WARC-Type") for found in islice(ArchiveIterator(file, parse_http=False), 1)
        )
    except OURS:
        raise
    except BaseException:
        return False


def record_at(file: BinaryIO, position: int, cap_bytes: int) -> Record | None:
    """The record that begins there; None if there is none."""
    file.seek(position)
    try:
        for found in _iterator(file):
            return _taken(found, cap_bytes) if found.stream_pos == position else None
    except OURS:
        raise
    except BaseException:
        return None
    return None


def _taken(found: WarcRecord, cap_bytes: int) -> Record | None:
    """A record of fastwarc as ours; None if the file ends inside it."""
    block = found.reader.read(cap_bytes)
    length = found.content_length
    if len(block) < min(length, cap_bytes):
        return None
    get = found.headers.get
    return Record(
        get("WARC-Type") or "",
        (get("WARC-Target-URI") or "").strip().removeprefix("<").removesuffix(">"),
        seconds_of(get("WARC-Date") or ""),
        block,
        found.stream_pos,
        get("Content-Type") or "",
        get("WARC-IP-Address") or "",
        get("WARC-Payload-Digest") or "",
        get("WARC-Profile") or "",
        get(RESOURCE_TYPE) or "",
    )


def _named(error: BaseException) -> str:
    text = str(error).lower()
    if "decompress" in text or "zstd" in text or "gzip" in text:
        return "compression"
    return "header" if "header" in text else "unreadable"

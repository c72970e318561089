"""Reads the WARC files of a crawl, member by member: to index a file that a killed run left without an index.

It reads what record.py writes, and no other tool's files: the room `ingest` does that. Any fault is one ShardError.
"""

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from webgraph_it.shards.formats import Part, ShardError
from webgraph_it.warc import cdxj

_READ_BYTES = 256 * 1024
_EMPTY_LINE = re.compile(rb"\n\r?\n")


class Member(NamedTuple):
    offset: int
    length: int
    record: bytes


def members(part: Part) -> Iterator[Member]:
    """The records of a file with their places, one at a time in memory."""
    offset, left = 0, part.length
    with part.path.open("rb") as file:
        data = b""
        while left or data:
            unpacking, pieces, length = zlib.decompressobj(16 + zlib.MAX_WBITS), [], 0
            while not unpacking.eof:
                if not data:
                    data = file.read(min(left, _READ_BYTES))
                    left -= len(data)
                if not data:
                    raise ShardError(f"{part.path} ends within a record: restore the file from a copy.")
                try:
                    pieces.append(unpacking.decompress(data))
                except zlib.error as error:
                    raise ShardError(
                        f"{part.path} is damaged at byte {offset} ({error}): restore the file from a copy."
                    ) from None
                length += len(data) - len(unpacking.unused_data)
                data = unpacking.unused_data
            yield Member(offset, length, b"".join(pieces))
            offset += length


def index_lines(part: Part) -> Iterator[str]:
    """The lines of its CDXJ, in the order of the records."""
    for member in members(part):
        head, _, block = member.record.partition(b"\r\n\r\n")
        fields = dict(each.split(": ", 1) for each in head.decode().splitlines()[1:])
        kind = fields["WARC-Type"]
        if kind in ("response", "revisit"):
            yield cdxj.line(
                fields["WARC-Target-URI"],
                fields["WARC-Date"],
                _head_of(block[: int(fields["Content-Length"])]),
                fields.get("WARC-Payload-Digest", ""),
                (member.offset, member.length),
                part.path.name,
                revisit=kind == "revisit",
            )


def _head_of(block: bytes) -> bytes:
    """Status line and headers of an HTTP response."""
    end = _EMPTY_LINE.search(block)
    return block[: end.end()] if end else block

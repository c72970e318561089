"""Links of OLE2 compound files: the hyperlink fields of Word 97 (DOC) and the hyperlinks of Excel 97 (XLS).

A bounded reader of our own: no library with a permissive licence reads DOC fields, and the container is only a few
tables. A sector chain is followed for at most as many sectors as there are, so loops end. Damaged files give no links.
"""

import re
import struct
from collections.abc import Iterator

from webgraph_it.extract.records import Found
from webgraph_it.extract.viewer import opened
from webgraph_it.extract.word import field_targets

MAGIC = bytes.fromhex("D0CF11E0A1B11AE1")
_END = 0xFFFFFFFA  # this and higher numbers are not sectors
_FAT_SECTORS_IN_HEADER = 109
_ENTRY_BYTES = 128
_MAX_ENTRIES = 4096
_MINI_CUTOFF_BYTES = 4096
_MINI_SECTOR_BYTES = 64
_CLX_AT = 0x01A2
_EIGHT_BIT = 1 << 30
_URL_MONIKER = bytes.fromhex("E0C9EA79F9BACE118C8200AA004BA90B")
_LONGEST_URL_BYTES = 2 * 8192
_RAW_FIELD = re.compile(r"\x13([^\x13]{1,8192}?)[\x14\x15]")


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The hyperlinks of a Word or Excel file, in the order of its text or records."""
    try:
        streams = _Container(body)
        targets = list(_word_targets(streams)) + list(_excel_targets(streams))
    except (_Damaged, struct.error):
        return Found((), base, reason="broken")
    return Found([(target, "document", "") for target in targets], base)


class _Damaged(ValueError):
    """The file has something that no writer of compound files writes."""


class _Container:
    """The file system inside: streams by name."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        shift = struct.unpack_from("<H", body, 30)[0]
        if shift not in (9, 12):
            raise _Damaged(f"sectors of 2**{shift} bytes")
        self._sector_bytes = 1 << shift
        self._table = self._allocation_table()
        self._entries = dict(self._directory(struct.unpack_from("<I", body, 48)[0]))
        self._mini_table = self._numbers(self._chained(struct.unpack_from("<I", body, 60)[0]))
        start, length = self._entries.get("Root Entry", (_END, 0))
        self._mini_stream = self._chained(start)[:length]

    def stream(self, name: str) -> bytes:
        """The content of a stream; empty if there is none of that name."""
        start, length = self._entries.get(name, (_END, 0))
        if length >= _MINI_CUTOFF_BYTES:
            return self._chained(start)[:length]
        chain = _chain(start, self._mini_table)
        return b"".join(self._mini_sector(number) for number in chain)[:length]

    def _mini_sector(self, number: int) -> bytes:
        return self._mini_stream[number * _MINI_SECTOR_BYTES : (number + 1) * _MINI_SECTOR_BYTES]

    def _sector(self, number: int) -> bytes:
        start = (number + 1) * self._sector_bytes
        return self._body[start : start + self._sector_bytes]

    def _chained(self, start: int) -> bytes:
        return b"".join(self._sector(number) for number in _chain(start, self._table))

    def _numbers(self, data: bytes) -> tuple[int, ...]:
        return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])

    def _allocation_table(self) -> tuple[int, ...]:
        """The next sector of each sector, from the sectors that the header and the lists name."""
        fat = list(struct.unpack_from(f"<{_FAT_SECTORS_IN_HEADER}I", self._body, 76))
        following, count = struct.unpack_from("<II", self._body, 68)
        for _ in range(min(count, len(self._body) // self._sector_bytes)):
            numbers = self._numbers(self._sector(following)) if following < _END else ()
            if not numbers:
                break
            fat.extend(numbers[:-1])
            following = numbers[-1]
        most = len(self._body) // self._sector_bytes // (self._sector_bytes // 4) + 1
        sectors = [number for number in fat if number < _END][:most]
        return self._numbers(b"".join(self._sector(number) for number in sectors))

    def _directory(self, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
        data = self._chained(start)
        for at in range(0, min(len(data), _MAX_ENTRIES * _ENTRY_BYTES) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
            name_bytes, kind = struct.unpack_from("<HB", data, at + 64)
            if kind:
                name = data[at : at + max(0, min(name_bytes, 64) - 2)].decode("utf-16-le", "replace")
                yield name, struct.unpack_from("<II", data, at + 116)


def _chain(start: int, table: tuple[int, ...]) -> Iterator[int]:
    """The sector numbers of a chain from `start`; never more than the table has."""
    for _ in range(len(table)):
        if start >= len(table):
            return
        yield start
        start = table[start]


def _word_targets(container: _Container) -> Iterator[str]:
    document = container.stream("WordDocument")
    if len(document) < _CLX_AT + 8:
        return
    table = container.stream("1Table" if document[11] & 2 else "0Table")
    text = "".join(_pieces(document, table)) or document.decode("latin-1")
    for field in _RAW_FIELD.finditer(text):
        yield from field_targets(field[1])[:1]


def _pieces(document: bytes, table: bytes) -> Iterator[str]:
    """The text of the document, piece by piece in its logical order ([MS-DOC] 2.4.1)."""
    offset, length = struct.unpack_from("<II", document, _CLX_AT)
    clx = table[offset : offset + length]
    position, left_bytes = 0, len(document)
    while clx[position : position + 1] == b"\x01":  # formatting that pieces share
        position += 3 + struct.unpack_from("<H", clx, position + 1)[0]
    if clx[position : position + 1] != b"\x02":
        return
    plc = clx[position + 5 : position + 5 + struct.unpack_from("<I", clx, position + 1)[0]]
    count = max(0, (len(plc) - 4) // 12)
    for number in range(count):
        first, last = struct.unpack_from("<II", plc, 4 * number)
        place = struct.unpack_from("<I", plc, 4 * (count + 1) + 8 * number + 2)[0]
        piece = _piece(document, place, min(max(0, last - first), left_bytes))
        left_bytes -= len(piece)
        yield piece


def _piece(document: bytes, place: int, characters: int) -> str:
    if place & _EIGHT_BIT:
        start = (place & ~_EIGHT_BIT) // 2
        return document[start : start + characters].decode("cp1252", "replace")
    return document[place : place + 2 * characters].decode("utf-16-le", "replace")


def _excel_targets(container: _Container) -> Iterator[str]:
    """URL monikers in hyperlink records ([MS-OSHARED] 2.3.7.6): a class id, a length, a UTF-16 string."""
    workbook = container.stream("Workbook") or container.stream("Book")
    for chunk in workbook.split(_URL_MONIKER)[1:]:
        length = min(int.from_bytes(chunk[:4], "little"), _LONGEST_URL_BYTES)
        if url := chunk[4 : 4 + length].decode("utf-16-le", "replace").partition("\0")[0]:
            yield opened(url)

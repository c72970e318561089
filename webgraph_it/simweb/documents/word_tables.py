"""The tables of a Word 97 document ([MS-DOC]): positions and formats.

    WordDocument   FIB, up to TEXT_START | the text, in pieces | pages of 512 bytes with formatted runs
    1Table         style sheet, sections, runs, paragraphs, fonts, fields, document properties, pieces

Only what a reader needs: one style (Normal), one font, one section, and runs that mark the characters of fields
as special.
"""

import struct
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

TEXT_START = 1024
FIELD_BEGIN, FIELD_MIDDLE, FIELD_END = "\x13", "\x14", "\x15"

_PAGE = 512
_ITALIAN = 0x0410
_NOWHERE = 0xFFFFFFFF
_EIGHT_BIT = 1 << 30
_HYPERLINK = 88  # the field's type
_SPECIAL = bytes.fromhex("03 5508 01")  # three bytes follow: sprmCFSpec, 1
_FIXED_STYLES = 15
_STYLES, _SECTIONS, _RUNS, _PARAGRAPHS, _FONTS, _FIELDS, _PROPERTIES, _PIECES = 1, 6, 12, 13, 15, 16, 31, 33
"""Places in the FIB's list of tables."""


class Piece(NamedTuple):
    """Consecutive text in one encoding."""

    text: str
    eight_bit: bool

    def encoded(self) -> bytes:
        """Padded to an even number of bytes, because every piece starts at an even position."""
        content = self.text.encode("cp1252" if self.eight_bit else "utf-16-le")
        return content + bytes(len(content) % 2)


class _Run(NamedTuple):
    """Text with one format: a paragraph, or characters that are special or not."""

    start: int
    end: int
    special: bool


def streams(pieces: Sequence[Piece]) -> dict[str, bytes]:
    """The two streams of a document with this text. Every paragraph ends with a carriage return."""
    text = b"".join(piece.encoded() for piece in pieces)
    first_page = -(-(TEXT_START + len(text)) // _PAGE)
    characters = _characters(pieces)
    length = sum(_units(piece.text) for piece in pieces)
    runs = _filled(_runs(characters), 80)
    paragraphs = _filled(_paragraphs(characters), 29)
    tables = {
        _STYLES: _style_sheet(),
        _SECTIONS: struct.pack("<II", 0, length) + struct.pack("<HIHI", 0, _NOWHERE, 0, _NOWHERE),
        _RUNS: _page_table(runs, first_page),
        _PARAGRAPHS: _page_table(paragraphs, first_page + len(runs)),
        _FONTS: _font_table("Times New Roman"),
        _FIELDS: _field_table(pieces),
        _PROPERTIES: bytes(500),
        _PIECES: _piece_table(pieces),
    }
    pages = b"".join([*map(_run_page, runs), *map(_paragraph_page, paragraphs)])
    body = text.ljust(first_page * _PAGE - TEXT_START, b"\0") + pages
    fib = _file_information_block(len(text), TEXT_START + len(body), length, tables)
    return {"WordDocument": fib.ljust(TEXT_START, b"\0") + body, "1Table": b"".join(tables.values())}


# -- formats: pages of runs, and tables of pages ----------------------------------------------------------------


def _characters(pieces: Iterable[Piece]) -> list[tuple[str, int, int]]:
    """Each character with its start and end in the stream."""
    places, piece_start = [], TEXT_START
    for piece in pieces:
        place, width = piece_start, 1 if piece.eight_bit else 2
        for character in piece.text:
            end = place + width * _units(character)
            places.append((character, place, end))
            place = end
        piece_start += len(piece.encoded())
    return places


def _units(text: str) -> int:
    """Character positions are counted in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def _runs(characters: Iterable[tuple[str, int, int]]) -> list[_Run]:
    runs: list[_Run] = []
    for character, start, end in characters:
        special = character in (FIELD_BEGIN, FIELD_MIDDLE, FIELD_END)
        if runs and runs[-1].special == special:
            start = runs.pop().start
        runs.append(_Run(start, end, special))
    return runs


def _paragraphs(characters: Iterable[tuple[str, int, int]]) -> list[_Run]:
    ends = [TEXT_START, *(end for character, _, end in characters if character == "\r")]
    return [_Run(start, end, False) for start, end in pairwise(ends)]


def _filled(runs: Sequence[_Run], most: int) -> list[Sequence[_Run]]:
    return [runs[first : first + most] for first in range(0, len(runs), most)]


def _page_table(pages: Sequence[Sequence[_Run]], first_page: int) -> bytes:
    """Which part of the text each page formats."""
    bounds = [*(page[0].start for page in pages), pages[-1][-1].end]
    numbers = range(first_page, first_page + len(pages))
    return struct.pack(f"<{len(bounds)}I{len(pages)}I", *bounds, *numbers)


def _run_page(runs: Sequence[_Run]) -> bytes:
    """Bounds, for each run half the position of its format (0: none), the one format at the end, their number."""
    format_place = _PAGE - 2 - len(_SPECIAL)
    places = bytes(format_place // 2 if run.special else 0 for run in runs)
    return (_bounds(runs) + places).ljust(format_place, b"\0") + _SPECIAL + bytes((0, len(runs)))


def _paragraph_page(runs: Sequence[_Run]) -> bytes:
    """Bounds, thirteen zeros for each paragraph (style Normal, nothing else), their number."""
    return (_bounds(runs) + bytes(13 * len(runs))).ljust(_PAGE - 1, b"\0") + bytes((len(runs),))


def _bounds(runs: Sequence[_Run]) -> bytes:
    return struct.pack(f"<{len(runs) + 1}I", *(run.start for run in runs), runs[-1].end)


# -- the other tables -------------------------------------------------------------------------------------------


def _style_sheet() -> bytes:
    """Normal, and fourteen empty places that are reserved for other styles."""
    name = "Normal"
    named = struct.pack("<H", len(name)) + name.encode("utf-16-le") + b"\0\0"
    formats = struct.pack("<HHH", 2, 0, 0)  # paragraph: two bytes, style 0; characters: nothing
    size = 10 + len(named) + len(formats)
    normal = struct.pack("<HHHHH", 0, 0xFFF1, 2, size, 0) + named + formats
    head = struct.pack("<HHHHHHHHHH", 18, _FIXED_STYLES, 10, 1, 91, _FIXED_STYLES, 0, 0, 0, 0)
    return head + struct.pack("<H", size) + normal + bytes(2 * (_FIXED_STYLES - 1))


def _font_table(name: str) -> bytes:
    font = struct.pack("<BHBB", 0x16, 400, 0, 0) + bytes(34) + name.encode("utf-16-le") + b"\0\0"
    return struct.pack("<HHB", 1, 0, len(font)) + font


def _field_table(pieces: Iterable[Piece]) -> bytes:
    """The begin, separator and end of each field, and its type."""
    text = "".join(piece.text for piece in pieces)
    details = {FIELD_BEGIN: _HYPERLINK, FIELD_MIDDLE: 0xFF, FIELD_END: 0x80}
    positions, kinds, position = [], b"", 0
    for character in text:
        if character in details:
            positions.append(position)
            kinds += struct.pack("<BB", ord(character), details[character])
        position += _units(character)
    return struct.pack(f"<{len(positions) + 1}I", *positions, position) + kinds if positions else b""


def _piece_table(pieces: Iterable[Piece]) -> bytes:
    positions, descriptors, offset = [0], b"", TEXT_START
    for piece in pieces:
        place = offset * 2 | _EIGHT_BIT if piece.eight_bit else offset
        descriptors += struct.pack("<HIH", 0, place, 0)
        positions.append(positions[-1] + _units(piece.text))
        offset += len(piece.encoded())
    table = struct.pack(f"<{len(positions)}I", *positions) + descriptors
    return struct.pack("<BI", 2, len(table)) + table


def _file_information_block(text_bytes: int, size: int, characters: int, tables: dict[int, bytes]) -> bytes:
    """The FIB of Word 97: base, 14 shorts, 22 longs, 93 pairs (offset, length) of tables."""
    table_1_and_unicode = 0x0200 | 0x1000
    base = struct.pack("<HHHHHHH", 0xA5EC, 0x00C1, 0, _ITALIAN, 0, table_1_and_unicode, 0x00BF)
    base += bytes(10) + struct.pack("<II", TEXT_START, TEXT_START + text_bytes)
    longs = [0] * 22
    longs[0], longs[3] = size, characters
    pairs, offset = [0] * 186, 0
    for number, table in tables.items():
        pairs[2 * number : 2 * number + 2] = [offset, len(table)]
        offset += len(table)
    shorts = struct.pack("<H14H", 14, *[0] * 13, _ITALIAN)
    return base + shorts + struct.pack("<H22I", 22, *longs) + struct.pack("<H186I", 93, *pairs) + b"\0\0"

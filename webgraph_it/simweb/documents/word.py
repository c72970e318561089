"""Word before XML: the binary format of Word 97 ([MS-DOC]) and RTF. A hyperlink is a field in the text.

    \\x13 HYPERLINK "http://esempio.it/" \\x14 the words shown \\x15

A DOC is a compound file with two streams: WordDocument holds the file information block (FIB) and the text,
in pieces of 8-bit (windows-1252) or UTF-16 characters; 1Table holds the table that puts the pieces in order.
"""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from webgraph_it.simweb.documents.compound import compound_file
from webgraph_it.simweb.documents.decoy import DECOY

_TEXT_START = 1024
_EIGHT_BIT = 1 << 30
_FIELD_BEGIN, _FIELD_MIDDLE, _FIELD_END = "\x13", "\x14", "\x15"
_HYPERLINK = 88  # the field's type in the table of fields
_FIELDS, _DOCUMENT_PROPERTIES, _PIECES = 16, 31, 33  # their places in the FIB's list of tables
_PROSE = f"Si scriva {DECOY} per esempio."


class _Piece(NamedTuple):
    text: str
    eight_bit: bool

    def encoded(self) -> bytes:
        return self.text.encode("cp1252" if self.eight_bit else "utf-16-le")


def rtf(links: Sequence[str], title: str, seed: int) -> bytes:
    """RTF with a paragraph a link; with an odd seed the field's instruction is in a group of its own."""
    opening, closing = ("{", "}") if seed % 2 else ("", "")
    fields = [
        rf'{{\field{{\*\fldinst {opening}HYPERLINK "{_rtf_text(link)}"{closing}}}'
        rf"{{\fldrslt Voce {number}}}}}\par"
        for number, link in enumerate(links, 1)
    ]
    head = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times New Roman;}}"
    return "\n".join([head, rf"{_rtf_text(title)}\par", rf"{_PROSE}\par", *fields, "}"]).encode("ascii")


def _rtf_text(text: str) -> str:
    return "".join(_rtf_character(character) for character in text)


def _rtf_character(character: str) -> str:
    if character in "\\{}":
        return f"\\{character}"
    if character.isascii():
        return character
    units = struct.unpack(f"<{len(character.encode('utf-16-le')) // 2}h", character.encode("utf-16-le"))
    return "".join(rf"\u{unit}?" for unit in units)


def doc(links: Sequence[str], title: str, seed: int) -> bytes:
    """A Word 97 document with a paragraph a link: its pieces 8-bit, or UTF-16, or by turns, by seed."""
    paragraphs = [title, _PROSE, *(_hyperlink(number, link) for number, link in enumerate(links, 1))]
    pieces = _pieces([f"{paragraph}\r" for paragraph in paragraphs], seed % 3)
    content = [piece.encoded() for piece in pieces]
    table, places = _table_stream(pieces, content)
    characters = sum(len(piece.text) for piece in pieces)
    text = b"".join(content)
    fib = _file_information_block(len(text), characters, places)
    streams = {"WordDocument": fib.ljust(_TEXT_START, b"\0") + text, "1Table": table}
    return compound_file(streams, interleaved=seed // 3 % 2 == 1)


def _hyperlink(number: int, link: str) -> str:
    return f'{_FIELD_BEGIN} HYPERLINK "{link}" {_FIELD_MIDDLE}Voce {number}{_FIELD_END}'


def _pieces(paragraphs: Sequence[str], manner: int) -> list[_Piece]:
    """One piece when all is 8-bit or UTF-16, else one a paragraph. What windows-1252 lacks is UTF-16."""
    texts = paragraphs if manner == 2 else ["".join(paragraphs)]
    wanted = [manner == 0 or (manner == 2 and number % 2 == 0) for number, _ in enumerate(texts)]
    return [_Piece(text, eight and _fits_windows(text)) for text, eight in zip(texts, wanted, strict=True)]


def _fits_windows(text: str) -> bool:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def _table_stream(
    pieces: Sequence[_Piece], content: Sequence[bytes]
) -> tuple[bytes, dict[int, tuple[int, int]]]:
    """The stream 1Table, and where (offset, length) each of its tables is."""
    tables = {
        _FIELDS: _field_table("".join(piece.text for piece in pieces)),
        _DOCUMENT_PROPERTIES: bytes(500),
        _PIECES: _piece_table(pieces, content),
    }
    stream, places = bytearray(), {}
    for number, table in tables.items():
        places[number] = (len(stream), len(table))
        stream += table
    return bytes(stream), places


def _field_table(text: str) -> bytes:
    """Where each field begins, is divided and ends, and of what type it is."""
    marks = [(place, mark) for place, mark in enumerate(text) if mark in "\x13\x14\x15"]
    seconds = {_FIELD_BEGIN: _HYPERLINK, _FIELD_MIDDLE: 0xFF, _FIELD_END: 0x80}
    positions = [place for place, _ in marks] + [len(text)]
    kinds = b"".join(struct.pack("<BB", ord(mark), seconds[mark]) for _, mark in marks)
    return struct.pack(f"<{len(positions)}I", *positions) + kinds if marks else b""


def _piece_table(pieces: Sequence[_Piece], content: Sequence[bytes]) -> bytes:
    positions, descriptors, offset = [0], b"", _TEXT_START
    for piece, encoded in zip(pieces, content, strict=True):
        place = offset * 2 | _EIGHT_BIT if piece.eight_bit else offset
        descriptors += struct.pack("<HIH", 0, place, 0)
        positions.append(positions[-1] + len(piece.text))
        offset += len(encoded)
    table = struct.pack(f"<{len(positions)}I", *positions) + descriptors
    return struct.pack("<BI", 2, len(table)) + table


def _file_information_block(text_bytes: int, characters: int, places: dict[int, tuple[int, int]]) -> bytes:
    """The FIB of Word 97: base, 14 shorts, 22 longs, 93 pairs (offset, length) of tables."""
    italian, complex_in_1table_unicode = 0x0410, 0x0004 | 0x0200 | 0x1000
    base = struct.pack("<HHHHHHH", 0xA5EC, 0x00C1, 0, italian, 0, complex_in_1table_unicode, 0x00BF)
    base += bytes(10) + struct.pack("<II", _TEXT_START, _TEXT_START + text_bytes)
    longs = [0] * 22
    longs[0], longs[3] = _TEXT_START + text_bytes, characters
    pairs = [number for table in range(93) for number in places.get(table, (0, 0))]
    shorts = struct.pack("<H14H", 14, *[0] * 13, italian)
    return base + shorts + struct.pack("<H22I", 22, *longs) + struct.pack("<H186I", 93, *pairs) + b"\0\0"

"""Word before XML: the binary format of Word 97 ([MS-DOC]) and RTF. A hyperlink is a field in the text.

    \\x13 HYPERLINK "http://esempio.it/" \\x14 the words shown \\x15

A DOC is a compound file with two streams. WordDocument holds the file information block (FIB) and the text,
in pieces of 8-bit (windows-1252) or UTF-16 characters. 1Table holds the table that puts the pieces in order.
"""

import struct
from collections.abc import Sequence

from webgraph_it.simweb.documents.compound import compound_file
from webgraph_it.simweb.documents.decoy import DECOY
from webgraph_it.simweb.documents.word_tables import FIELD_BEGIN, FIELD_END, FIELD_MIDDLE, Piece, streams

_PROSE = f"Si scriva {DECOY} per esempio."


def rtf(links: Sequence[str], title: str, seed: int) -> bytes:
    """RTF with one paragraph per link. With an odd seed the field's instruction is in a separate group."""
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
    """A Word 97 document with one paragraph per link. By seed, its pieces are 8-bit, UTF-16 or alternating."""
    paragraphs = [title, _PROSE, *(_hyperlink(number, link) for number, link in enumerate(links, 1))]
    pieces = _pieces([f"{paragraph}\r" for paragraph in paragraphs], seed % 3)
    return compound_file(streams(pieces), interleaved=seed // 3 % 2 == 1)


def _hyperlink(number: int, link: str) -> str:
    return f'{FIELD_BEGIN} HYPERLINK "{link}" {FIELD_MIDDLE}Voce {number}{FIELD_END}'


def _pieces(paragraphs: Sequence[str], manner: int) -> list[Piece]:
    """One piece if all text is 8-bit or UTF-16, else one per paragraph. What windows-1252 lacks is UTF-16."""
    texts = paragraphs if manner == 2 else ["".join(paragraphs)]
    wanted = [manner == 0 or (manner == 2 and number % 2 == 0) for number, _ in enumerate(texts)]
    return [Piece(text, eight and _fits_windows(text)) for text, eight in zip(texts, wanted, strict=True)]


def _fits_windows(text: str) -> bool:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True

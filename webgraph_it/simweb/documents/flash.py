"""SWF: one frame whose actions open the links (SWF file format specification 19, chapters 2 and 5).

signature FWS, CWS (zlib) or ZWS (LZMA) | version | u32 length when uncompressed | body, compressed or not
body: RECT of the stage | u16 frames a second, 8.8 | u16 number of frames | tags
"""

import lzma
import struct
import zlib
from collections.abc import Sequence
from xml.sax.saxutils import escape

from webgraph_it.simweb.documents.decoy import DECOY

_STAGE = bytes.fromhex("78 00 05 5F 00 00 0F A0 00")  # 550 by 400 pixels, in twips, 15 bits a side
_END, _SHOW_FRAME, _BACKGROUND, _DO_ACTION, _METADATA, _ATTRIBUTES = 0, 1, 9, 12, 77, 69
_GET_URL = 0x83


def swf(links: Sequence[str], title: str, seed: int) -> bytes:
    """A movie with one getURL action per link, in one DoAction tag or in several. The seed chooses the compression."""
    groups = [links] if seed // 3 % 2 == 0 else [[link] for link in links]
    tags = [
        _tag(_ATTRIBUTES, b"\x10\0\0\0"),
        _tag(_METADATA, _metadata(title)),
        _tag(_BACKGROUND, b"\xff\xff\xff"),
        *(_tag(_DO_ACTION, b"".join(map(_get_url, group)) + b"\0") for group in groups),
        _tag(_SHOW_FRAME, b""),
        _tag(_END, b""),
    ]
    return _file(_STAGE + struct.pack("<HH", 12 << 8, 1) + b"".join(tags), seed % 3)


def _metadata(title: str) -> bytes:
    return (
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
        f"xmlns:dc='http://purl.org/dc/elements/1.1'><dc:title>{escape(title)}</dc:title>"
        f"<dc:description>{DECOY}</dc:description></rdf:Description></rdf:RDF>"
    ).encode() + b"\0"


def _get_url(link: str) -> bytes:
    strings = link.encode() + b"\0" + b"_self\0"
    return struct.pack("<BH", _GET_URL, len(strings)) + strings


def _tag(code: int, content: bytes) -> bytes:
    if len(content) < 63:
        return struct.pack("<H", code << 6 | len(content)) + content
    return struct.pack("<HI", code << 6 | 63, len(content)) + content


def _file(body: bytes, compression: int) -> bytes:
    length = struct.pack("<I", 8 + len(body))
    if compression == 0:
        return b"FWS\x08" + length + body
    if compression == 1:
        return b"CWS\x08" + length + zlib.compress(body)
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16}]
    alone = lzma.compress(body, lzma.FORMAT_ALONE, filters=filters)
    properties, packed = alone[:5], alone[13:]  # bytes 5 to 12 are the length, which SWF does not repeat
    return b"ZWS\x0d" + length + struct.pack("<I", len(packed)) + properties + packed

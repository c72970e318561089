"""Links of documents that are not HTML, for the walker: the bytes are unpacked and searched."""

import gzip
import io
import lzma
import re
import struct
import zipfile
import zlib

from lxml import etree

XLINK = "{http://www.w3.org/1999/xlink}href"


def document_links(media_type: str, body: bytes) -> list[str]:
    """The hyperlinks of a document, by its media type; none for what has no hyperlinks."""
    for part, reader in READERS.items():
        if part in media_type:
            return [as_a_viewer(link) if part in VIEWED else link for link in reader(body)]
    return []


def as_a_viewer(link: str) -> str:
    """A viewer opens `www.…` as a host; a browser would look for a file of that name."""
    return f"http://{link}" if link.startswith("www.") else link


def xml(body: bytes) -> list[str]:
    links = []
    for element in etree.fromstring(body).iter(etree.Element):
        name = etree.QName(element).localname
        links += [element.get(attribute) for attribute in ("href", XLINK) if element.get(attribute)]
        if name in ("loc", "link") and element.text and element.text.strip():
            links.append(element.text.strip())
    return links


def packed_xml(body: bytes) -> list[str]:
    return xml(gzip.decompress(body))


def pdf(body: bytes) -> list[str]:
    streams = re.findall(rb"/FlateDecode[^>]*>>\s*stream\r?\n(.*?)\r?\nendstream", body, re.DOTALL)
    whole = body + b"".join(zlib.decompressobj().decompress(stream) for stream in streams)
    plain = [
        re.sub(rb"\\(.)", rb"\1", uri).decode() for uri in re.findall(rb"/URI \(((?:\\.|[^\\)])*)\)", whole)
    ]
    return plain + [bytes.fromhex(uri.decode()).decode() for uri in re.findall(rb"/URI <([0-9a-f]+)>", whole)]


def swf(body: bytes) -> list[str]:
    if body[:3] == b"CWS":
        body = zlib.decompress(body[8:])
    if body[:3] == b"ZWS":
        unpacked_size = struct.pack("<q", -1)
        body = lzma.decompress(body[12:17] + unpacked_size + body[17:], lzma.FORMAT_ALONE)
    return [url.decode() for url in re.findall(rb"\x83..(http[^\0]*)\0_self\0", body, re.DOTALL)]


def office(body: bytes) -> list[str]:
    links = []
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        for name in archive.namelist():
            if name.endswith(".rels") or name == "content.xml":
                root = etree.fromstring(archive.read(name))
                links += [e.get("Target") for e in root.iter() if e.get("TargetMode") == "External"]
                links += [e.get(XLINK) for e in root.iter() if e.get(XLINK)]
    return links


def rtf(body: bytes) -> list[str]:
    return re.findall(r'HYPERLINK "([^"]*)"', body.decode("ascii"))


def doc(body: bytes) -> list[str]:
    """Every sector chain of the compound file is tried as text of one byte and of two bytes a character."""
    (sectors,) = struct.unpack("<I", body[44:48])
    table_sectors = struct.unpack(f"<{sectors}I", body[76 : 76 + 4 * sectors])
    table = b"".join(sector(body, number) for number in table_sectors)
    following = struct.unpack(f"<{len(table) // 4}I", table)
    starts = [n for n in range(len(following)) if n not in following and following[n] < 0xFFFFFFFD]
    starts += [n for n in range(len(following)) if n not in following and following[n] == 0xFFFFFFFE]
    links = []
    for start in starts:
        chain, number = b"", start
        while number < 0xFFFFFFFD:
            chain, number = chain + sector(body, number), following[number]
        texts = [chain.decode("latin-1"), chain.decode("utf-16-le", "replace")]
        texts.append(chain[1:-1].decode("utf-16-le", "replace"))
        links += [link for text in texts for link in re.findall(r'HYPERLINK "([^"]*)"', text)]
    return links


def sector(body: bytes, number: int) -> bytes:
    return body[512 * (number + 1) : 512 * (number + 2)]


VIEWED = ("application/pdf", "msword", "rtf", "officedocument", "opendocument")
READERS = {
    "application/pdf": pdf,
    "msword": doc,
    "rtf": rtf,
    "officedocument": office,
    "opendocument": office,
    "shockwave": swf,
    "gzip": packed_xml,
    "xml": xml,
}

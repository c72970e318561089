"""PDF 1.5 with one link annotation per link, each with a URI action (ISO 32000-1, 12.6.4.7).

The seed chooses: all objects plain with a classic cross-reference table, annotations in a compressed object stream
with a cross-reference stream, or half of each. URIs are literal or hexadecimal strings.
"""

import struct
import zlib
from collections.abc import Sequence
from itertools import islice
from xml.sax.saxutils import escape

from webgraph_it.simweb.documents.decoy import DECOY

_CATALOG, _PAGES, _PAGE, _TEXT, _FONT, _METADATA, _FIRST_LINK = range(1, 8)
_Objects = dict[int, bytes]


def pdf(links: Sequence[str], title: str, seed: int) -> bytes:
    """One page with its title and one rectangle per link."""
    objects = _skeleton(len(links), title)
    annotations = {
        number: _annotation(number - _FIRST_LINK, link, hexadecimal=seed // 3 % 2 == 1)
        for number, link in enumerate(links, _FIRST_LINK)
    }
    first_packed = {0: len(links), 1: 0, 2: -(-len(links) // 2)}[seed % 3]
    packed = dict(islice(annotations.items(), first_packed, None))
    objects |= {number: body for number, body in annotations.items() if number not in packed}
    return _with_streams(objects, packed) if packed else _with_table(objects)


def _skeleton(link_count: int, title: str) -> _Objects:
    annotations = " ".join(f"{number} 0 R" for number in range(_FIRST_LINK, _FIRST_LINK + link_count))
    text = b"BT /F1 14 Tf 72 800 Td " + _literal(f"{title}: non {DECOY}") + b" Tj ET"
    return {
        _CATALOG: f"<< /Type /Catalog /Pages {_PAGES} 0 R /Metadata {_METADATA} 0 R >>".encode(),
        _PAGES: f"<< /Type /Pages /Kids [{_PAGE} 0 R] /Count 1 >>".encode(),
        _PAGE: (
            f"<< /Type /Page /Parent {_PAGES} 0 R /MediaBox [0 0 595 842] /Contents {_TEXT} 0 R "
            f"/Resources << /Font << /F1 {_FONT} 0 R >> >> /Annots [{annotations}] >>"
        ).encode(),
        _TEXT: _stream("", text),
        _FONT: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        _METADATA: _stream("/Type /Metadata /Subtype /XML", _metadata(title)),
    }


def _metadata(title: str) -> bytes:
    return (
        '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title>'
        f'<dc:source>{DECOY}</dc:source></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    ).encode()


def _annotation(line: int, link: str, *, hexadecimal: bool) -> bytes:
    bottom = 780 - 12 * (line % 60)
    uri = b"<" + link.encode().hex().encode() + b">" if hexadecimal else _literal(link)
    return (
        f"<< /Type /Annot /Subtype /Link /Rect [72 {bottom} 300 {bottom + 10}] /Border [0 0 0] ".encode()
        + b"/A << /S /URI /URI "
        + uri
        + b" >> >>"
    )


def _literal(text: str) -> bytes:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"(" + escaped.encode("cp1252", "replace") + b")"


def _stream(entries: str, content: bytes) -> bytes:
    head = f"<< {entries} /Length {len(content)} >>\nstream\n".encode()
    return head + content + b"\nendstream"


def _write_objects(objects: _Objects) -> tuple[bytearray, dict[int, int]]:
    """The file up to its cross-reference, and where each object begins."""
    file, offsets = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"), {}
    for number, body in objects.items():
        offsets[number] = len(file)
        file += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    return file, offsets


def _with_table(objects: _Objects) -> bytes:
    file, offsets = _write_objects(objects)
    start, size = len(file), max(objects) + 1
    file += f"xref\n0 {size}\n0000000000 65535 f \n".encode()
    file += b"".join(b"%010d 00000 n \n" % offsets[number] for number in range(1, size))
    file += f"trailer\n<< /Size {size} /Root {_CATALOG} 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(file)


def _with_streams(objects: _Objects, packed: _Objects) -> bytes:
    container = max(objects | packed) + 1
    file, offsets = _write_objects(objects | {container: _object_stream(packed)})
    start, table = len(file), container + 1
    entries = {0: (0, 0, 65535), table: (1, start, 0)}
    entries |= {number: (1, offset, 0) for number, offset in offsets.items()}
    entries |= {number: (2, container, index) for index, number in enumerate(packed)}
    rows = b"".join(struct.pack(">BIH", *entries[number]) for number in range(table + 1))
    head = f"/Type /XRef /Size {table + 1} /W [1 4 2] /Root {_CATALOG} 0 R /Filter /FlateDecode"
    file += f"{table} 0 obj\n".encode() + _stream(head, zlib.compress(rows)) + b"\nendobj\n"
    file += f"startxref\n{start}\n%%EOF\n".encode()
    return bytes(file)


def _object_stream(packed: _Objects) -> bytes:
    index, content = [], bytearray()
    for number, body in packed.items():
        index.append(f"{number} {len(content)}")
        content += body + b"\n"
    head = (" ".join(index) + "\n").encode()
    entries = f"/Type /ObjStm /N {len(packed)} /First {len(head)} /Filter /FlateDecode"
    return _stream(entries, zlib.compress(head + bytes(content)))

"""Zipped office documents: Office Open XML (docx, xlsx, pptx) and OpenDocument text.

In Office Open XML a hyperlink is a relationship of mode External, in a separate part of the package. In
OpenDocument it is xlink:href in the content itself. With an odd seed the entries are stored, else deflated.
"""

import io
import zipfile
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from webgraph_it.simweb.documents.decoy import DECOY

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_FORMATS = "http://schemas.openxmlformats.org"
_RELATION = f"{_FORMATS}/officeDocument/2006/relationships"
_OOXML = "application/vnd.openxmlformats-officedocument"
_PROSE = f"Si scriva {DECOY} per esempio."


def docx(links: Sequence[str], title: str, seed: int) -> bytes:
    """A Word document with one paragraph per link."""
    paragraphs = "".join(
        f'<w:p><w:hyperlink r:id="rId{number}"><w:r><w:t>Voce {number}</w:t></w:r></w:hyperlink></w:p>'
        for number, _ in enumerate(links, 1)
    )
    document = (
        f'<w:document xmlns:w="{_FORMATS}/wordprocessingml/2006/main" xmlns:r="{_RELATION}"><w:body>'
        f"<w:p><w:r><w:t>{escape(title)}</w:t></w:r></w:p><w:p><w:r><w:t>{_PROSE}</w:t></w:r></w:p>"
        f'<w:p><w:hyperlink w:anchor="cima"><w:r><w:t>Torna su</w:t></w:r></w:hyperlink></w:p>'
        f"{paragraphs}</w:body></w:document>"
    )
    parts = {"/word/document.xml": f"{_OOXML}.wordprocessingml.document.main+xml"}
    content = {
        "word/document.xml": document,
        "word/_rels/document.xml.rels": _relationships(_external(links)),
    }
    return _package("word/document.xml", parts, content, seed)


def xlsx(links: Sequence[str], title: str, seed: int) -> bytes:
    """A workbook of one sheet: the title, then one linked cell per row."""
    main = f"{_FORMATS}/spreadsheetml/2006/main"
    texts = [title, *(f"Voce {number}" for number, _ in enumerate(links, 1)), _PROSE]
    rows = "".join(
        f'<row r="{row}"><c r="A{row}" t="inlineStr"><is><t>{escape(text)}</t></is></c></row>'
        for row, text in enumerate(texts, 1)
    )
    linked = "".join(
        f'<hyperlink ref="A{number + 1}" r:id="rId{number}"/>' for number, _ in enumerate(links, 1)
    )
    linked = f"<hyperlinks>{linked}</hyperlinks>" if linked else ""
    sheet = (
        f'<worksheet xmlns="{main}" xmlns:r="{_RELATION}"><sheetData>{rows}</sheetData>{linked}</worksheet>'
    )
    workbook = (
        f'<workbook xmlns="{main}" xmlns:r="{_RELATION}"><sheets>'
        '<sheet name="Elenco" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    parts = {
        "/xl/workbook.xml": f"{_OOXML}.spreadsheetml.sheet.main+xml",
        "/xl/worksheets/sheet1.xml": f"{_OOXML}.spreadsheetml.worksheet+xml",
    }
    content = {
        "xl/workbook.xml": workbook,
        "xl/_rels/workbook.xml.rels": _relationships([("worksheet", "worksheets/sheet1.xml", False)]),
        "xl/worksheets/sheet1.xml": sheet,
        "xl/worksheets/_rels/sheet1.xml.rels": _relationships(_external(links)),
    }
    return _package("xl/workbook.xml", parts, content, seed)


def pptx(links: Sequence[str], title: str, seed: int) -> bytes:
    """A presentation of one slide, with one linked run per line."""
    drawing, main = f"{_FORMATS}/drawingml/2006/main", f"{_FORMATS}/presentationml/2006/main"
    namespaces = f'xmlns:a="{drawing}" xmlns:r="{_RELATION}" xmlns:p="{main}"'
    lines = "".join(
        f'<a:p><a:r><a:rPr><a:hlinkClick r:id="rId{number}"/></a:rPr><a:t>Voce {number}</a:t></a:r></a:p>'
        for number, _ in enumerate(links, 1)
    )
    lines = f"<a:p><a:r><a:t>{escape(title)}. {_PROSE}</a:t></a:r></a:p>{lines}"
    slide = (
        f"<p:sld {namespaces}><p:cSld><p:spTree>"
        "<p:nvGrpSpPr><p:cNvPr id='1' name=''/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"
        "<p:sp><p:nvSpPr><p:cNvPr id='2' name='Testo'/><p:cNvSpPr txBox='1'/><p:nvPr/></p:nvSpPr><p:spPr/>"
        f"<p:txBody><a:bodyPr/>{lines}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    )
    presentation = (
        f"<p:presentation {namespaces}><p:sldIdLst><p:sldId id='256' r:id='rId1'/></p:sldIdLst>"
        "<p:sldSz cx='9144000' cy='6858000'/><p:notesSz cx='6858000' cy='9144000'/></p:presentation>"
    )
    parts = {
        "/ppt/presentation.xml": f"{_OOXML}.presentationml.presentation.main+xml",
        "/ppt/slides/slide1.xml": f"{_OOXML}.presentationml.slide+xml",
    }
    content = {
        "ppt/presentation.xml": presentation,
        "ppt/_rels/presentation.xml.rels": _relationships([("slide", "slides/slide1.xml", False)]),
        "ppt/slides/slide1.xml": slide,
        "ppt/slides/_rels/slide1.xml.rels": _relationships(_external(links)),
    }
    return _package("ppt/presentation.xml", parts, content, seed)


def odt(links: Sequence[str], title: str, seed: int) -> bytes:
    """An OpenDocument text with one paragraph per link. The media type comes first and is not compressed."""
    open_document = "urn:oasis:names:tc:opendocument:xmlns"
    paragraphs = "".join(
        f'<text:p><text:a xlink:type="simple" xlink:href={quoteattr(link)}>Voce {number}</text:a></text:p>'
        for number, link in enumerate(links, 1)
    )
    content = (
        f'{_HEAD}<office:document-content xmlns:office="{open_document}:office:1.0" '
        f'xmlns:text="{open_document}:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'office:version="1.2">'
        f"<office:body><office:text><text:h text:outline-level='1'>{escape(title)}</text:h>"
        f"<text:p>{_PROSE}</text:p>{paragraphs}</office:text></office:body></office:document-content>"
    )
    media_type = "application/vnd.oasis.opendocument.text"
    manifest = (
        f'{_HEAD}<manifest:manifest xmlns:manifest="{open_document}:manifest:1.0" manifest:version="1.2">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media_type}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>"
    )
    return _zip({"mimetype": media_type, "content.xml": content, "META-INF/manifest.xml": manifest}, seed)


def _external(links: Sequence[str]) -> list[tuple[str, str, bool]]:
    return [("hyperlink", link, True) for link in links]


def _relationships(relations: Iterable[tuple[str, str, bool]]) -> str:
    """Each relation: its type, its target, and whether that is outside the package."""
    outside = ' TargetMode="External"'
    entries = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATION}/{kind}" Target={quoteattr(target)}'
        f"{outside if external else ''}/>"
        for number, (kind, target, external) in enumerate(relations, 1)
    )
    return f'<Relationships xmlns="{_FORMATS}/package/2006/relationships">{entries}</Relationships>'


def _package(main: str, types: dict[str, str], content: dict[str, str], seed: int) -> bytes:
    overrides = "".join(
        f'<Override PartName="{part}" ContentType="{content_type}"/>' for part, content_type in types.items()
    )
    content_types = (
        f'<Types xmlns="{_FORMATS}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )
    root = _relationships([("officeDocument", main, False)])
    entries = {"[Content_Types].xml": content_types, "_rels/.rels": root, **content}
    return _zip({name: _HEAD + text for name, text in entries.items()}, seed)


def _zip(entries: dict[str, str], seed: int) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name, text in entries.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            stored = seed % 2 or name == "mimetype"
            entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
    return body.getvalue()

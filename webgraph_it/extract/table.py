"""The only table from media type to extractor. The first bytes override a declaration that they contradict.

A document declared as plain text stays plain text, even if it looks like HTML, as in browsers.
"""

import re
from typing import NamedTuple

from webgraph_it.extract import css, html, office, ole, pdf, rtf, script, sitemap, swf, text, xml
from webgraph_it.extract.records import Extractor, LinkPolicy


class Reader(NamedTuple):
    """How to read a media type, and which kinds of links it can have. If none of them is wanted, it is not read."""

    extractor: Extractor
    kinds: frozenset[str]


_PAGE_KINDS = frozenset(("a", "area", "frame", "iframe", "link", "form", "refresh", "embed", "css", "script"))
_HTML = Reader(html.links, _PAGE_KINDS)
_XHTML = Reader(html.xhtml_links, _PAGE_KINDS)
_CSS = Reader(css.links, frozenset(("css",)))
_SCRIPT = Reader(script.links, frozenset(("script",)))
_XML = Reader(xml.links, frozenset(("xml",)))
_GZIPPED_XML = Reader(xml.gzipped_links, frozenset(("xml",)))
_DOCUMENT = frozenset(("document",))
_TEXT = Reader(text.links, _DOCUMENT)
_PDF = Reader(pdf.links, _DOCUMENT)
_OLE = Reader(ole.links, _DOCUMENT)
_OFFICE = Reader(office.links, _DOCUMENT)
_RTF = Reader(rtf.links, _DOCUMENT)
_SWF = Reader(swf.links, _DOCUMENT)

READERS: dict[str, Reader] = {
    "text/html": _HTML,
    "application/xhtml+xml": _XHTML,
    "text/css": _CSS,
    "text/javascript": _SCRIPT,
    "application/javascript": _SCRIPT,
    "application/x-javascript": _SCRIPT,
    "application/ecmascript": _SCRIPT,
    "text/xml": _XML,
    "application/xml": _XML,
    "application/gzip": _GZIPPED_XML,
    "application/pdf": _PDF,
    "application/msword": _OLE,
    "application/vnd.ms-excel": _OLE,
    "application/zip": _OFFICE,
    "application/rtf": _RTF,
    "application/x-shockwave-flash": _SWF,
    "text/plain": _TEXT,
    **dict.fromkeys(sitemap.TYPES, Reader(sitemap.links, frozenset(("xml",)))),
}
"""In addition, every other `…+xml` type is XML, and every office type is a ZIP; see `canonical`."""

_ALIASES = {
    "application/x-pdf": "application/pdf",
    "text/pdf": "application/pdf",
    "application/x-msword": "application/msword",
    "application/doc": "application/msword",
    "application/x-gzip": "application/gzip",
    "text/rtf": "application/rtf",
    "application/x-rtf": "application/rtf",
    "text/richtext": "application/rtf",
    "application/vnd.adobe.flash.movie": "application/x-shockwave-flash",
    "text/x-javascript": "text/javascript",
    "text/ecmascript": "text/javascript",
}
_ZIPPED = ("application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument.")

_MAGIC = {
    b"%PDF": "application/pdf",
    b"\xd0\xcf\x11\xe0": "application/msword",
    b"PK\x03\x04": "application/zip",
    b"{\\rt": "application/rtf",
}
_GZIP_START = b"\x1f\x8b"
_FLASH_STARTS = frozenset((b"FWS", b"CWS", b"ZWS"))
_PICTURES = ("image/", "audio/", "video/", "font/")
_UNDECLARED = frozenset(("", "application/octet-stream", "application/unknown", "unknown/unknown", "*/*"))
_DECLARED_MARKUP = frozenset(("text/html", "text/xml", "application/xml"))
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|"
    rb"body|br|p|!--)[\s>]",
    re.IGNORECASE,
)
_FEED_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]{0,200}>\s*+|<!--(?:[^-]|-(?!->)){0,2000}-->\s*+|<\?xml-[^>]{0,500}>\s*+){0,8}"
    rb"<(?:rss|feed|urlset|sitemapindex|rdf:RDF)[\s>]"
)
_BYTES_FOR_SNIFFING = 4096
DETECTABLE = frozenset(
    (
        *_MAGIC.values(),
        *("application/x-shockwave-flash", "application/gzip"),
        *("text/html", "application/xml", "application/xhtml+xml"),
        sitemap.SITEMAP_INDEX,
    )
)
"""The types that `detected` may return instead of the declared one."""


def canonical(declared: str) -> str:
    """One name for the many under which a type is served."""
    if declared in READERS:
        return declared
    if declared.startswith(_ZIPPED):
        return "application/zip"
    if declared.endswith("+xml") and not declared.startswith("image/"):
        return "application/xml"
    return _ALIASES.get(declared, declared)


def detected(declared: str, body: bytes) -> str:
    """The media type of `body`: from its first bytes if they are unmistakable, otherwise as declared."""
    if declared == sitemap.SITEMAP:
        return sitemap.detected(body)
    if magic := _MAGIC.get(body[:4]):
        return _unless_picture(magic, declared)
    if body[:3] in _FLASH_STARTS:
        return _unless_picture("application/x-shockwave-flash", declared)
    if body[:2] == _GZIP_START:
        return _unless_picture("application/gzip", declared)
    if declared in _UNDECLARED:
        return _sniffed(body[:_BYTES_FOR_SNIFFING]) or declared
    if declared in _DECLARED_MARKUP:
        return _markup(declared, body)
    return declared


def _unless_picture(found: str, declared: str) -> str:
    return declared if declared.startswith(_PICTURES) else found


def _sniffed(start: bytes) -> str:
    if _HTML_START.match(start):
        return "text/html"
    if _FEED_START.match(start) or start.lstrip()[:5] == b"<?xml":
        return _markup("application/xml", start)
    return ""


def _markup(declared: str, body: bytes) -> str:
    """Feeds served as HTML are XML; XHTML served as XML is XHTML."""
    if declared == "text/html":
        start = body[:_BYTES_FOR_SNIFFING]
        is_feed = start.lstrip()[:2] != b"<!" and _FEED_START.match(start)
        return "application/xml" if is_feed else declared
    return "application/xhtml+xml" if xml.is_xhtml(body) else declared


def reader(media_type: str, policy: LinkPolicy) -> Reader | None:
    """The reader of this type for the links that the policy wants; None if there is none."""
    found = READERS.get(canonical(media_type))
    if found is None or found.kinds.isdisjoint(policy.wanted):
        return None
    return None if found is _TEXT and not policy.plain_text else found

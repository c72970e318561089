"""URLs that a sitemap lists: XML, RSS and Atom, or text with a URL per line, gzipped or not (sitemaps.org).

Guarantees: total. Whatever has another root element, such as a web page that says "not found", lists nothing.
At most 50 MB are unpacked, and naming.py takes at most 50,000 URLs, which are the limits of the protocol.
"""

import re
import zlib

from webgraph_it.extract import xml
from webgraph_it.extract.bounded import GZIP, Budget, inflated
from webgraph_it.extract.charset import decoded
from webgraph_it.extract.records import Found, LinkPolicy

SITEMAP, SITEMAP_INDEX = "sitemap", "sitemap-index"
"""Media types of a document that is read as a sitemap. No server can declare them, because they have no slash."""
TYPES = (SITEMAP, SITEMAP_INDEX)
POLICY = LinkPolicy(frozenset(("xml",)), frozenset(), plain_text=False)
"""A sitemap is read like this, whatever counts as a link on pages."""

_GZIP_START = b"\x1f\x8b"
_START_BYTES = 4096
_ROOT = re.compile(rb"<(?:[\w-]+:)?(urlset|sitemapindex|rss|feed|RDF)[\s>]")
_MARKUP_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<")
_URL_START = re.compile(r"https?://", re.IGNORECASE)


def detected(body: bytes) -> str:
    """SITEMAP_INDEX if it lists other sitemaps, otherwise SITEMAP."""
    root = _ROOT.search(_start(body))
    return SITEMAP_INDEX if root is not None and root[1] == b"sitemapindex" else SITEMAP


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """What the sitemap lists, in order."""
    budget = Budget()
    plain = inflated(body, budget, GZIP) if body.startswith(_GZIP_START) else body
    if _ROOT.search(plain, 0, _START_BYTES):
        found = xml.links(plain, base, charset, kinds)
        return found._replace(reason=budget.reason or found.reason)
    if _MARKUP_START.match(plain):
        return Found((), base, reason=budget.reason)
    lines = (line.strip() for line in decoded(plain, charset).splitlines())
    listed = [(line, "xml", "") for line in lines if _URL_START.match(line)]
    return Found(listed, base, reason=budget.reason)


def _start(body: bytes) -> bytes:
    if not body.startswith(_GZIP_START):
        return body[:_START_BYTES]
    try:
        return zlib.decompressobj(GZIP).decompress(body[:_START_BYTES], _START_BYTES)
    except zlib.error:
        return b""

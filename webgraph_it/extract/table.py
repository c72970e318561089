"""The one table: from media type to extractor. First bytes win over a declaration that they contradict.

What says that it is plain text stays plain text, even if it looks like HTML: so do browsers.
"""

import re
from typing import NamedTuple

from webgraph_it.extract import css, html, script, text
from webgraph_it.extract.records import Extractor, LinkPolicy


class Reader(NamedTuple):
    """How to read a media type, and which kinds can come out: none wanted, none read."""

    extractor: Extractor
    kinds: frozenset[str]


_NAVIGATION = frozenset(("a", "area", "frame", "iframe", "link", "form", "refresh", "embed", "css", "script"))
_HTML = Reader(html.links, _NAVIGATION)
_XHTML = Reader(html.xhtml_links, _NAVIGATION)
_CSS = Reader(css.links, frozenset(("css",)))
_SCRIPT = Reader(script.links, frozenset(("script",)))
_TEXT = Reader(text.links, frozenset(("document",)))

READERS: dict[str, Reader] = {
    "text/html": _HTML,
    "application/xhtml+xml": _XHTML,
    "text/css": _CSS,
    "text/javascript": _SCRIPT,
    "application/javascript": _SCRIPT,
    "application/x-javascript": _SCRIPT,
    "application/ecmascript": _SCRIPT,
    "text/plain": _TEXT,
}

_UNDECLARED = frozenset(("", "application/octet-stream", "application/unknown", "unknown/unknown", "*/*"))
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|"
    rb"body|br|p|!--)[\s>]",
    re.IGNORECASE,
)


def detected(declared: str, body: bytes) -> str:
    """The media type of `body`: as its first bytes say if they are unmistakable, else as declared."""
    if declared in _UNDECLARED:
        return "text/html" if _HTML_START.match(body) else declared
    return declared


def reader(media_type: str, policy: LinkPolicy) -> Reader | None:
    """Who reads this type for links that the policy wants; None when nobody does."""
    found = READERS.get(media_type)
    if found is None or found.kinds.isdisjoint(policy.wanted):
        return None
    return None if found is _TEXT and not policy.plain_text else found

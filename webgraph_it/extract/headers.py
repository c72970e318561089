"""Links in HTTP headers: Location, Link, Refresh, Content-Location.

Guarantees: total and linear in the header's length. It does not check the status: the caller passes Location
only for a redirect. It does not read X-Robots-Tag; robots/tag.py does.
"""

import re
from collections.abc import Iterator

from webgraph_it.extract.records import Document, Found

NAMES = ("location", "link", "refresh", "content-location")
"""The headers that a Document may carry."""

RESOURCE_RELS = frozenset(
    [
        "stylesheet",
        "icon",
        "apple-touch-icon",
        "apple-touch-icon-precomposed",
        "mask-icon",
        "preload",
        "prefetch",
        "modulepreload",
        "dns-prefetch",
        "preconnect",
        "prerender",
        "manifest",
        "pingback",
        "edituri",  # these three are WordPress's interfaces for programs
        "wlwmanifest",
        "https://api.w.org/",
    ]
)
"""Such a link names a part of the page or an instruction to the browser: kind `embed`."""

_REFRESH = re.compile(r"\s*+[0-9.]++(?:\s*+[;,]\s*+|\s++)(?P<rest>.*)", re.DOTALL)
_URL_EQUALS = re.compile(r"url\s*=\s*", re.IGNORECASE)
_LINK_VALUE = re.compile(r"[\s,]*<([^>]*)>")
_PARAMETER = re.compile(
    r"\s*+;\s*+([^\s=;,<>\"]*+)\s*+(?:=\s*(?:\"((?:[^\"\\]|\\.)*+)\"|([^\s;,\"]*+)))?", re.DOTALL
)


def links(document: Document) -> Found:
    """The links of the document's headers, in the order the server sent them, relative to its own URL."""
    return Found([link for name, value in document.headers for link in _of_header(name, value)], document.url)


def _of_header(name: str, value: bytes) -> Iterator[tuple[str, str, str]]:
    text = _text(value)
    if name == "location":
        yield text, "redirect", ""
    elif name == "content-location":
        yield text, "link", "content-location"
    elif name == "refresh":
        if url := refresh_url(text):
            yield url, "refresh", ""
    elif name == "link":
        for url, rel in link_values(text):
            yield url, link_kind(rel or "related"), rel  # without a rel it is still a link


def _text(value: bytes) -> str:
    """Servers send UTF-8 or Latin-1 without saying which."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def link_kind(rel: str) -> str:
    """`link`, or `embed` when every rel word (`shortcut` aside) names a resource, or there is none, or one is a style.

    `alternate stylesheet` and `stylesheet/less` are styles; without a rel, HTML has no link at all.
    """
    words = rel.lower().split()
    is_style = any(word.startswith("stylesheet") for word in words)
    return "embed" if is_style or RESOURCE_RELS.issuperset(w for w in words if w != "shortcut") else "link"


def refresh_url(content: str) -> str:
    """The URL in `5; url='…'`, by the HTML standard's steps; empty if the page only reloads itself."""
    match = _REFRESH.match(content)
    if match is None:
        return ""
    rest = match["rest"]
    if prefix := _URL_EQUALS.match(rest):
        rest = rest[prefix.end() :]
    if rest[:1] in ("'", '"'):
        return rest[1:].partition(rest[0])[0]
    return rest.strip()


def link_values(text: str) -> Iterator[tuple[str, str]]:
    """(target, rel) of each `<target>; rel=…` (RFC 8288). What follows a broken one is not read."""
    position = 0
    while value := _LINK_VALUE.match(text, position):
        rel, anchor, position = "", False, value.end()
        while (parameter := _PARAMETER.match(text, position)) and parameter.end() > position:
            position = parameter.end()
            if parameter[1].lower() == "rel" and not rel:
                rel = parameter[2] if parameter[2] is not None else parameter[3] or ""
            anchor = anchor or parameter[1].lower() == "anchor"
        if not anchor:  # with an anchor it is a link of another page
            yield value[1], rel

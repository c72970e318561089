"""Links of XML: RSS, Atom, sitemaps (and their indexes, gzipped too), and every `href` or `xlink:href`.

A linear scanner of our own instead of an XML parser: real feeds are often not well-formed, and a scanner cannot be made
to explode (it expands only HTML's entities, reads no DTD, and does not nest).
Guarantees: total; comments, CDATA and processing instructions are not mistaken for markup.
"""

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice

from ada_url import join_url

from webgraph_it.extract.bounded import GZIP, Budget, inflated
from webgraph_it.extract.charset import decoded
from webgraph_it.extract.records import Found

TEXT_LINKS = frozenset(("link", "loc", "comments", "guid"))
"""Elements whose text is a URL: RSS's link, comments, guid (unless isPermaLink is false), sitemaps' loc."""

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)"
    r"|<\?.*?(?:\?>|\Z)"
    r"|<!DOCTYPE[^\[>]*+(?:\[.*?(?:\]\s*+>|\Z))?"
    r"|</(?P<end>[^\s<>]*+)"
    r"|<(?P<start>[^\s<>/!?\"'=]++)(?P<rest>(?:[^<>\"']++|\"[^\"]*+\"?|'[^']*+'?)*+)>?",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=/\"']++)(?:\s*+=\s*+(?:\"([^\"]*+)\"?|'([^']*+)'?))?")
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_XHTML_ROOT = re.compile(rb"<html[\s>]", re.IGNORECASE)
_PROLOGUE_BYTES = 1024
_MAX_ATTRIBUTES = 1000


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The links of an XML document."""
    return _found(body, base, charset, Budget())


def gzipped_links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The links of gzipped XML, such as `sitemap.xml.gz`. Other gzipped documents have no links."""
    budget = Budget()
    plain = inflated(body, budget, GZIP)
    if plain.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"<":
        return Found((), base, reason=budget.reason)
    return _found(plain, base, charset, budget)


def _found(body: bytes, base: str, charset: str | None, budget: Budget) -> Found:
    text = text_of(body, charset)
    raw = [(reference, "xml", rel) for reference, rel in references(text, budget)]
    return Found(raw, own_base(text, base), reason=budget.reason)


def is_xhtml(body: bytes) -> bool:
    """Whether the root element is html: a page that was served as XML."""
    return bool(_XHTML_ROOT.search(body[:_PROLOGUE_BYTES]))


def text_of(body: bytes, charset: str | None) -> str:
    """The text, decoded by BOM, HTTP header, XML declaration, UTF-8 or windows-1252, in this order."""
    declared = _DECLARED.match(body)
    return decoded(body, charset, declared[1].decode("ascii") if declared else None)


def references(text: str, budget: Budget) -> Iterator[tuple[str, str]]:
    """(reference, rel) in order of appearance."""
    awaited, parts, end = "", [""], 0
    for token in budget.steps(_TOKEN.finditer(text)):
        if awaited:
            parts.append(unescape(text[end : token.start()]) + (token["cdata"] or ""))
        end = token.end()
        if token["start"] is None and token["end"] is None:
            continue
        if awaited and (reference := "".join(parts).strip()) and _is_link(awaited, reference):
            yield reference, ""
        awaited, parts = "", []
        if token["start"] is not None:
            name, rest = local_name(token["start"]), token["rest"]
            awaited = name if name in TEXT_LINKS and not _says_nothing(name, rest) else ""
            if "href" in rest and text[end - 1] == ">":  # otherwise the tag was truncated
                yield from href_and_rel(rest)


def _is_link(name: str, text: str) -> bool:
    """A guid is a link only if it is an absolute URL: `4711` and `/2026/voce` are only identifiers."""
    return name != "guid" or text[:8].lower().startswith(("http://", "https://"))


def _says_nothing(name: str, rest: str) -> bool:
    """Whether it is an empty element, or a guid that is not a URL."""
    return rest.endswith("/") or (name == "guid" and attributes(rest).get("isPermaLink", "true") != "true")


def href_and_rel(rest: str) -> Iterator[tuple[str, str]]:
    """The href or xlink:href of one tag, if there is one."""
    found = attributes(rest)
    if reference := found.get("href") or next((v for k, v in found.items() if local_name(k) == "href"), ""):
        yield reference, found.get("rel", "")


def attributes(rest: str) -> dict[str, str]:
    """The attributes of a tag. If a name occurs several times, the first one counts."""
    matches = islice(_ATTRIBUTE.finditer(rest), _MAX_ATTRIBUTES)
    pairs = [(match[1], unescape(match[2] or match[3] or "")) for match in matches]
    return dict(reversed(pairs))


def local_name(name: str) -> str:
    """`atom:link` → `link`."""
    return name.rpartition(":")[2]


def own_base(text: str, url: str) -> str:
    """xml:base of the root element, or the document's URL."""
    for token in _TOKEN.finditer(text):
        if token["start"] is not None:
            declared = attributes(token["rest"]).get("xml:base")
            return _joined(url, declared) if declared else url
    return url


def _joined(url: str, reference: str) -> str:
    try:
        return str(join_url(url, reference))
    except ValueError:
        return url

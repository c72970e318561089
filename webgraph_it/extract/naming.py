"""Raw links → named links: resolve, name, refuse with a reason, keep each target once.

Guarantees: links are in order of appearance. A target with links of several kinds keeps the first kind that is an arc.
At most MAX_REFERENCES distinct spellings of a document are examined, so the time is bounded.
Each spelling is named once, and all those of a page together: naming is the most expensive step of extraction.
"""

import re
from collections.abc import Callable, Iterable
from urllib.parse import quote, unquote

from webgraph_it.extract.anchors import Collector
from webgraph_it.extract.records import MAX_LINKS, Found, LinkPolicy
from webgraph_it.items import Link
from webgraph_it.urls import Refusal, digest, name, name_all

_new = tuple.__new__  # what Link() calls, without the call in between

MAX_REFERENCES = 50_000
"""The sitemap protocol's own limit; no ordinary page comes near it."""

_SCHEME = re.compile(r"[\0-\x20]*([a-zA-Z][a-zA-Z0-9+.-]*):")
_NAMED_SCHEMES = {"javascript": "javascript", "mailto": "mailto"}
_NON_ASCII = re.compile(r"[^\0-\x7f]+")
_NESTED = re.compile(r"[?&][^=&]*=(https?(?::|%3A)(?:/|%2F){2}[^&]*)", re.IGNORECASE)


Digest = Callable[[str], bytes]


def named(
    found: Iterable[Found], policy: LinkPolicy, digest: Digest = digest, collector: Collector | None = None
) -> tuple[tuple[Link, ...], dict[str, int], bool]:
    """The links of all `found`; how many distinct references were refused, by reason; whether these are all links.

    The collector, if there is one, is told what each reference names.
    """
    links: dict[str, Link] = {}
    refused: dict[str, int] = {}
    complete = True
    for part in found:
        complete = _name_part(part, policy, links, refused, digest, collector) and complete
    return tuple(links.values()), refused, complete


def _name_part(
    part: Found,
    policy: LinkPolicy,
    links: dict[str, Link],
    refused: dict[str, int],
    digest: Digest,
    collector: Collector | None,
) -> bool:
    """Add the links of one part. False if there were more than MAX_REFERENCES."""
    arcs, nested = policy.arcs, "nested" in policy.wanted
    spellings, kinds, complete = _spellings(part, policy, refused)
    if part.encoding == "UTF-8":
        targets = name_all(spellings, part.base, digest)
    else:
        escaped = [escape_query(spelling, part.encoding) for spelling in spellings]
        targets = name_all(escaped, part.base, digest)
    for spelling, kind, target in zip(spellings, kinds, targets, strict=True):
        if isinstance(target, Refusal):
            reason = _reason(target, spelling)
            refused[reason] = refused.get(reason, 0) + 1
            continue
        _keep(_new(Link, (*target, kind)), arcs, links)
        if nested and len(links) < MAX_LINKS:
            _keep_nested(target.url, arcs, links)
    if collector is not None and isinstance(part.links, list):
        collector.add(part, policy.wanted, dict(zip(spellings, targets, strict=True)), _spelling)
    return complete


def _spellings(part: Found, policy: LinkPolicy, refused: dict[str, int]) -> tuple[list[str], list[str], bool]:
    """Every spelling to name, and its kind. A spelling appears again if it is an arc and was not one before."""
    wanted, arcs = policy.wanted, policy.arcs
    spellings: list[str] = []
    kinds: list[str] = []
    seen: dict[str, bool] = {}  # spelling → was it an arc?
    for reference, kind, _ in part.links:
        if kind not in wanted:
            continue
        spelling = _spelling(reference)
        known, is_arc = seen.get(spelling), kind in arcs
        if known or (known is False and not is_arc):
            continue
        if len(seen) == MAX_REFERENCES:
            return spellings, kinds, False
        seen[spelling] = is_arc
        spellings.append(spelling)
        kinds.append(kind)
    return spellings, kinds, True


def _spelling(reference: str) -> str:
    """What is named: two references that differ in their fragments are one."""
    return _without_fragment(reference) if "#" in reference else reference


def _without_fragment(reference: str) -> str:
    """A blank before the `#` is not at the end, so it must stay (as %20). The `#` then stays too, to protect it."""
    before = reference.partition("#")[0]
    return before + "#" if before[-1:] <= " " and before else before


def _keep(link: Link, arcs: frozenset[str], links: dict[str, Link]) -> None:
    """Keep the first link to a target, unless it was not an arc and this one is."""
    known = links.setdefault(link.key, link)
    if known is not link and known.kind not in arcs and link.kind in arcs:
        del links[link.key]
        links[link.key] = link


def _keep_nested(url: str, arcs: frozenset[str], links: dict[str, Link]) -> None:
    for inner in nested_urls(url):
        target = name(inner)
        if not isinstance(target, Refusal):
            _keep(Link(*target, "nested"), arcs, links)


def nested_urls(url: str) -> list[str]:
    """The http(s) URLs that are whole values of query parameters: `…?to=http%3A%2F%2Fesempio.it%2F`."""
    return [unquote(value) for value in _NESTED.findall(url)]


def _reason(refusal: Refusal, reference: str) -> str:
    """The refusal's own name, or that of a scheme that has a counter of its own."""
    scheme = _SCHEME.match(reference.replace("\t", "").replace("\n", "").replace("\r", ""))
    return _NAMED_SCHEMES.get(scheme[1].lower(), refusal.value) if scheme else refusal.value


def escape_query(reference: str, encoding: str) -> str:
    """Non-ASCII characters of the query, escaped in the page's own encoding, as browsers do.

    `?q=città` on an ISO-8859-1 page asks for `?q=citt%E0`; the path is UTF-8 everywhere.
    """
    path, question_mark, query = reference.partition("?")
    if not question_mark or query.isascii() or encoding.upper().startswith("UTF-16"):
        return reference
    return path + question_mark + _NON_ASCII.sub(lambda run: _escape_run(run[0], encoding), query)


def _escape_run(text: str, encoding: str) -> str:
    try:
        return quote(text.encode(encoding, "xmlcharrefreplace"), safe="")
    except LookupError:  # a web encoding that Python does not have
        return text

"""Common Crawl's WAT files: of each page its status, its headers and the links that their extractor found. Pure.

A poorer source than the page itself: no frames of scripts, no documents, no digest of the content, and the links are
theirs. Links without a place in the table below are not links for us.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from webgraph_it.extract.headers import link_kind, refresh_url
from webgraph_it.extract.records import Found
from webgraph_it.fetch.reply import FetchTimes, Reply
from webgraph_it.ingest.records import Record
from webgraph_it.ingest.replies import address_of

KINDS: Final = {
    "A@/href": "a",
    "AREA@/href": "area",
    "FRAME@/src": "frame",
    "IFRAME@/src": "iframe",
    "FORM@/action": "form",
    "IMG@/src": "embed",
    "EMBED@/src": "embed",
    "OBJECT@/data": "embed",
    "SCRIPT@/src": "script",
}
"""Where the link was in the page → its kind."""


NOT_THE_PAGE: Final = "outline"
"""Flag of the reply: the links may not be all, so a re-visit must fetch the page."""


class Outline(NamedTuple):
    """What a WAT record tells of one page."""

    url: str
    reply: Reply
    """Without its body."""
    found: Found


def outline_of(record: Record) -> Outline | str:
    """The page that the record describes; or why there is none."""
    try:
        envelope = json.loads(record.block)["Envelope"]
        about = envelope["WARC-Header-Metadata"]
        if about["WARC-Type"] != "response":
            return "wat-of-another-type"
        http = envelope["Payload-Metadata"]["HTTP-Response-Metadata"]
        status = int(http["Response-Message"]["Status"])
        if not 100 <= status <= 999:
            return "wat-malformed"
        headers = _headers(http.get("Headers") or {})
        url, address = str(about["WARC-Target-URI"]), str(about.get("WARC-IP-Address") or "")
        html = http.get("HTML-Metadata") or {}
        found = Found(list(_links(html)), _text((html.get("Head") or {}).get("Base")) or url)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "wat-malformed"
    times = FetchTimes(record.time, record.time, record.time)
    reply = Reply(url, status, headers, b"", [NOT_THE_PAGE], address_of(address), b"", times)
    return Outline(url, reply, found)


def _headers(found: dict[str, Any]) -> dict[bytes, list[bytes]]:
    return {
        name.title().encode("utf-8", "replace"): [_text(value).encode("utf-8", "replace")]
        for name, value in found.items()
    }


def _links(html: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    head = html.get("Head") or {}
    for link in head.get("Link") or []:
        rel = _text(link.get("rel"))
        yield _text(link.get("url")), link_kind(rel), rel
    for meta in head.get("Metas") or []:
        if _text(meta.get("http-equiv")).lower() == "refresh" and (
            url := refresh_url(_text(meta.get("content")))
        ):
            yield url, "refresh", ""
    for script in head.get("Scripts") or []:
        yield _text(script.get("url")), "script", ""
    for link in html.get("Links") or []:
        kind = KINDS.get(_text(link.get("path")))
        if kind is not None:
            yield _text(link.get("url")), kind, _text(link.get("rel"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

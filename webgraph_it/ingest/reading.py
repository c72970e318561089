"""What one record of an archive means for a crawl, as far as that can be known without the other records. Pure.

    Record ──► url, scope ──► Reply ──crawl/visit.py──► extraction ──► Reading

The reader process knows neither what was found before nor where: depth, `via` and whether the page is known are the
main process's business, and so are the names of the links.
"""

from dataclasses import dataclass
from hashlib import md5
from typing import Final, NamedTuple

from webgraph_it.crawl.sitemaps import judge_sitemap, sitemap_document, sitemap_page
from webgraph_it.crawl.visit import READ, Respell, Retry, document_of, judge, page_of
from webgraph_it.extract.extraction import extract_and_digest
from webgraph_it.extract.naming import Digest, named
from webgraph_it.extract.records import Extraction, LinkPolicy
from webgraph_it.extract.sitemap import SITEMAP_INDEX
from webgraph_it.fetch.reply import Reply
from webgraph_it.fetch.response_parser import Limits
from webgraph_it.frontier.records import Lease
from webgraph_it.ingest.records import Damage, Record
from webgraph_it.ingest.replies import NOT_HTTP, is_http, reply_of
from webgraph_it.ingest.wat import Outline, outline_of
from webgraph_it.items import Page
from webgraph_it.urls import Name, Refusal, name
from webgraph_it.urls.names import no_digest
from webgraph_it.urls.scope import Scope
from webgraph_it.urls.sitemaps import as_sitemap, is_sitemap
from webgraph_it.warc.note import read as read_note
from webgraph_it.warc.record import SITEMAP as SITEMAP_RESOURCE

NO_PAGE: Final = "-"
"""Reason of a record that nobody misses: one that describes others, as Heritrix's out-links."""
NOT_MODIFIED: Final = 304
LIST, INDEX = "list", "index"


class Milestone(NamedTuple):
    """A record from which the reading of a file may continue, so that what is before it is not unpacked again."""

    number: int
    """Records and damaged places before it."""
    position: int
    url: str
    """In normal form: only a record of this URL at this position counts."""


class Reading(NamedTuple):
    """What the main process is told of one record."""

    url: str = ""
    """The captured URL in normal form; empty if the record is no capture of a page in scope."""
    reason: str = ""
    """Why it is no page, if it is none; otherwise as in the page log."""
    time: float = 0.0
    state: str = ""
    """Empty for a capture that says only that the page was unchanged."""
    status: int = 0
    declared: str = ""
    """Media type as the server declared it."""
    size_bytes: int = 0
    address: str = ""
    origin: str = ""
    """What identifies the payload: MD5 of its digest as the archive writes it, in hex; empty without one."""
    position: int = -1
    """Where the record begins in its file; -1 if that is not known."""
    etag: str = ""
    last_modified: str = ""
    """As the server sent them, byte for character; empty if it sent none, or a very long one."""
    body_cut: bool = False
    """As in a Page."""
    sitemap: str = ""
    """Empty for a page. Of a sitemap: LIST if it lists pages, INDEX if it leads to other sitemaps."""
    is_told: bool = False
    """The record is a note (warc/note.py): not a capture, but why there is none."""
    extraction: Extraction = Extraction()
    """The links, without keys and digests."""


def milestone_of(reading: Reading, number: int) -> Milestone | None:
    """None if the record cannot be found by its position."""
    return Milestone(number, reading.position, reading.url) if reading.position >= 0 else None


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads records by the settings of one crawl."""

    scope: Scope
    policy: LinkPolicy
    limits: Limits
    max_links: int

    def read(self, item: Record | Damage, unread: str = "", digest: Digest = no_digest) -> Reading:
        """With `unread`, the document is not read, for this reason: it killed a reader before."""
        if isinstance(item, Damage):
            return Reading(reason=f"damaged/{item.reason}")
        if item.kind == "metadata":
            return self._outline(item, digest) if is_wat(item) else self._told(item)
        if not is_http(item.url):
            return Reading(reason=NOT_HTTP)
        place = self._place(item.url, is_sitemap=item.resource_type == SITEMAP_RESOURCE)
        if isinstance(place, str):
            return Reading(reason=place)
        if item.kind == "revisit" and not item.block:
            return self._unchanged(item, place)
        reply = reply_of(item, place.url, self.limits)
        if isinstance(reply, str):
            return Reading(reason=f"http/{reply}")
        if reply.status == NOT_MODIFIED or (item.kind == "revisit" and 200 <= reply.status < 300):
            return self._unchanged(item, place)
        if is_sitemap(place.key):
            return self._sitemap(item, reply, place, unread, digest)
        decision = judge(reply, lease_of(place), may_retry=True)
        if decision is READ:
            if unread:
                extraction = Extraction(reason=unread, media_type=reply.media_type()[0])
            else:
                extraction = extract_and_digest(document_of(reply), self.policy, digest)
            page = page_of(reply, lease_of(place), extraction, frozenset(), self.max_links)
            return self._page(item, reply, page, extraction)
        if isinstance(decision, Page):
            return self._page(item, reply, decision, Extraction())
        return Reading(reason=_passing(decision, reply))

    def _sitemap(self, record: Record, reply: Reply, place: Name, unread: str, digest: Digest) -> Reading:
        decision = judge_sitemap(reply, lease_of(place), may_retry=True)
        if isinstance(decision, Page):
            return self._page(record, reply, decision, Extraction())._replace(sitemap=INDEX)
        if decision is not READ:
            return Reading(reason=_passing(decision, reply))
        if unread:
            extraction = Extraction(reason=unread)
        else:
            extraction = extract_and_digest(sitemap_document(reply), self.policy, digest)
        page = sitemap_page(reply, lease_of(place), extraction)
        kind = INDEX if extraction.media_type == SITEMAP_INDEX else LIST
        return self._page(record, reply, page, extraction)._replace(sitemap=kind)

    def _place(self, url: str, *, is_sitemap: bool = False) -> Name | str:
        """The node, or why it is none of ours."""
        place = name(url)
        if isinstance(place, Refusal):
            return f"url/{place.value}"
        place = as_sitemap(place) if is_sitemap else place
        verdict = self.scope.verdict(place.key, place.url)
        return place if verdict.fetchable else f"scope/{verdict.reason}"

    def _unchanged(self, record: Record, place: Name) -> Reading:
        """The record has no payload: that of an earlier capture counts. (A redirect needs none: it is a page.)"""
        sitemap = LIST if is_sitemap(place.key) else ""
        return Reading(place.url, time=record.time, origin=origin_of(record), sitemap=sitemap)

    def _page(self, record: Record, reply: Reply, page: Page, extraction: Extraction) -> Reading:
        return Reading(
            page.url,
            page.reason,
            page.time,
            str(page.state),
            page.status,
            reply.media_type()[0],
            page.size_bytes,
            page.address,
            origin_of(record),
            record.position,
            page.etag.decode("latin-1"),
            page.last_modified.decode("latin-1"),
            page.body_cut,
            extraction=extraction._replace(
                links=page.links, media_type=page.media_type, content_digest=page.content_digest, reason=""
            ),
        )

    def _told(self, record: Record) -> Reading:
        note = read_note(record.url, record.time, record.block)
        if note is None:
            return Reading(reason=NO_PAGE)
        if not is_http(record.url):
            return Reading(reason=NOT_HTTP)
        place = self._place(record.url)
        if isinstance(place, str):
            return Reading(reason=place)
        return Reading(place.url, note.reason, note.time, note.state, note.status, is_told=True)

    def _outline(self, record: Record, digest: Digest) -> Reading:
        """A page as a WAT file tells it: status and links, without the page."""
        outline = outline_of(record)
        if isinstance(outline, str):
            return Reading(reason=outline)
        if not is_http(outline.url):
            return Reading(reason=NOT_HTTP)
        place = self._place(outline.url)
        if isinstance(place, str):
            return Reading(reason=place)
        reply = outline.reply._replace(url=place.url)
        decision = judge(reply, lease_of(place), may_retry=True)
        if decision is READ:
            extraction = self._links_of(outline, reply, digest)
            page = page_of(reply, lease_of(place), extraction, frozenset(), self.max_links)
            return self._page(record, reply, page, extraction)
        if isinstance(decision, Page):
            return self._page(record, reply, decision, Extraction())
        return Reading(reason=_passing(decision, reply))

    def _links_of(self, outline: Outline, reply: Reply, digest: Digest) -> Extraction:
        media_type = reply.media_type()[0]
        if document_of(reply).nofollow:
            return Extraction(nofollow=True, media_type=media_type)
        links, refused, complete = named((outline.found,), self.policy, digest)
        return Extraction(links, refused, False, "" if complete else "too-many-links", media_type)


def is_wat(record: Record) -> bool:
    return record.content_type.startswith("application/json") and b'"Envelope"' in record.block[:4096]


def lease_of(place: Name) -> Lease:
    """A lease that says nothing but the name."""
    return Lease(*place, 0, 0, "", place.key.partition(")")[0], 0, 0, "", False, b"")


def origin_of(record: Record) -> str:
    return md5(record.digest.encode(), usedforsecurity=False).hexdigest() if record.digest else ""


def _passing(decision: object, reply: Reply) -> str:
    """Why a reply is not recorded at all: the crawl would have asked again."""
    if isinstance(decision, Respell):
        return "spelling"
    assert isinstance(decision, Retry)
    return f"temporary/status-{reply.status}"

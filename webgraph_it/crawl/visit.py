"""Decides what a reply, or a missing reply, means for the leased URL. Pure.

    reply ──judge──► READ ──document_of, extraction──► page_of ──► Page
                     Page (a redirect or an error), Retry, Respell, WithCookie
    no reply ──judge_failure──► Page, Retry, Respell, GiveBack
    refused on the way ──refused──► Page
    reply to robots.txt ──judge_robots──► Follow, Learn
    no reply ──judge_robots_failure──► Learn, Page, Retry, Respell, GiveBack

One decision ends one lease; after READ and Page the lease ends when the Page is recorded. Every node gets a line in the
page log, so a final failure is a Page, too. Nothing here fetches, waits or reads a clock. The spider carries out the
decision. A reader of archives can use the same functions for replies from a file.
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from enum import Enum, auto
from hashlib import md5
from typing import Final

from webgraph_it.crawl.reasons import MEANINGS, failure_of_status, meaning_of
from webgraph_it.crawl.spellings import next_spelling
from webgraph_it.extract.headers import NAMES
from webgraph_it.extract.records import NO_ANCHORS, Anchors, Document, Extraction
from webgraph_it.fetch.cookies import cookie_header
from webgraph_it.fetch.reply import Reply
from webgraph_it.fetch.retry_after import retry_after_seconds
from webgraph_it.fetch.target import target_of
from webgraph_it.frontier.records import Failure, Lease
from webgraph_it.frontier.visits import MAX_VALIDATOR_BYTES
from webgraph_it.items import Link, Page, State
from webgraph_it.robots.policy import PRODUCT_TOKEN, RobotsPolicy, origin, redirect_target
from webgraph_it.robots.record import RobotsRecord
from webgraph_it.robots.tag import nofollow
from webgraph_it.urls import Refusal, name

NOT_MODIFIED = 304
REDIRECTS = (301, 302, 303, 307, 308)
MAX_SPELLINGS = 5
"""Maximum of redirects to another spelling of the same node, before it is given up."""
LINKS_PER_PAGE = "links-per-page"
"""Reason of a page with more links than MAX_LINKS_PER_PAGE."""
LOCAL_PAUSE_SECONDS = 5.0
"""How long a host rests if this machine could not send the request."""


@dataclass(frozen=True, slots=True)
class Read:
    """The reply is a document: extract the links from `document_of`, then make the Page with `page_of`."""


READ: Final = Read()


@dataclass(frozen=True, slots=True)
class Retry:
    """A temporary failure: try the same URL again later."""

    failure: Failure
    """What counts against the host."""
    seconds: float = 0.0
    """How long the fetch took."""
    retry_after_seconds: float | None = None
    """The wait that the server asked for; None if it did not."""


@dataclass(frozen=True, slots=True)
class Respell:
    """Fetch the same node at another spelling of its URL."""

    url: str
    fetched: bool
    """False if there was no reply at this spelling."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class WithCookie:
    """The page redirects to itself and sets a cookie: fetch it once more with that cookie. The lease lasts."""

    url: str
    cookie: bytes
    """Value of the Cookie header. It is for this request only, and is never stored."""
    seconds: float


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Nothing was learnt: the URL goes back as it was, and no attempt is counted."""

    pause_seconds: float = 0.0
    """How long its host rests, at least."""


@dataclass(frozen=True, slots=True)
class Follow:
    """robots.txt redirects: fetch it from there."""

    url: str
    hops: int
    """Redirects so far, this one included."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Learn:
    """What is now known about robots.txt."""

    record: RobotsRecord
    crawl_delay_seconds: float | None
    """Its Crawl-delay; None if it has none."""
    seconds: float
    sitemaps: tuple[str, ...] = ()
    """As written there."""


PageDecision = Read | Page | Retry | Respell | WithCookie
FailureDecision = Page | Retry | Respell | GiveBack
RobotsDecision = Follow | Learn
RobotsFailureDecision = Learn | FailureDecision
Decision = PageDecision | RobotsDecision | RobotsFailureDecision


# -- pages ------------------------------------------------------------------------------------------------------


class Cookies(Enum):
    """What may be done with the cookies of a redirect to itself (VISIT_COOKIES)."""

    IGNORED = auto()
    USED = auto()
    SENT = auto()
    """This request had one. There is no second."""


def judge(
    reply: Reply,
    lease: Lease,
    *,
    may_retry: bool,
    is_conditional: bool = False,
    cookies: Cookies = Cookies.IGNORED,
) -> PageDecision:
    """What a reply means. `may_retry`: another attempt is left. `is_conditional`: a 304 was asked for."""
    status = reply.status
    if status == NOT_MODIFIED and is_conditional:
        return _page(reply, lease, State.UNCHANGED, "")
    if 200 <= status < 300:
        return READ
    if status in REDIRECTS:
        return _redirected(reply, lease, cookies)
    if may_retry and (failure := failure_of_status(status)) is not Failure.NONE:
        return Retry(failure, reply.seconds, _retry_after(reply))
    return error_page(reply, lease, f"status-{status}")


def _redirected(reply: Reply, lease: Lease, cookies: Cookies) -> Page | Respell | WithCookie:
    """A page with one link; or, if the target is the same node, WithCookie or Respell."""
    location = reply.header(b"Location")
    target = name(location, reply.url)
    if isinstance(target, Refusal) or not location:
        return error_page(reply, lease, "redirect-nowhere")
    if target.key != lease.key:
        return _page(reply, lease, State.REDIRECT, reply.media_type()[0], links=(Link(*target, "redirect"),))
    if cookies is Cookies.USED and (cookie := _cookie(reply, target.url)):
        return WithCookie(target.url, cookie, reply.seconds)
    if lease.spellings >= MAX_SPELLINGS or (cookies is Cookies.SENT and target.url == reply.url):
        return error_page(reply, lease, "redirect-loop")
    return Respell(target.url, fetched=True, seconds=reply.seconds)


def _cookie(reply: Reply, url: str) -> bytes:
    """What the reply sets for `url`; empty if it is of another origin, whose robots.txt is another."""
    values = reply.values(b"Set-Cookie")
    if not values or origin(url) != origin(reply.url):
        return b""
    return cookie_header(values, target_of(url), reply.times.end)


def judge_failure(reason: str, lease: Lease, now: float, *, may_retry: bool) -> FailureDecision:
    """What a missing reply means. `reason` is one of reasons.MEANINGS, or `forbidden/…`."""
    meaning = meaning_of(reason) or MEANINGS["network"]
    if meaning.goes_back:
        return GiveBack(LOCAL_PAUSE_SECONDS if is_local(reason) else 0.0)
    if meaning.nobody_there and (other := next_spelling(lease.url, lease.spellings)) is not None:
        return Respell(other, fetched=False)
    return Retry(meaning.failure) if may_retry else refused(State.ERROR, reason, lease, now)


def is_local(reason: str) -> bool:
    """Whether this machine failed, rather than the host."""
    return reason.startswith("local-")


def refused(state: State, reason: str, lease: Lease, now: float) -> Page:
    """The Page of a URL that was not fetched or got no reply: only its state is known."""
    return Page(
        url=lease.url,
        key=lease.key,
        digest=lease.digest,
        time=now,
        state=state,
        status=0,
        depth=lease.depth,
        via=lease.via,
        host_depth=lease.host_depth,
        reason=reason,
    )


# -- documents --------------------------------------------------------------------------------------------------


def document_of(reply: Reply) -> Document:
    """The reply in the form that the extractors take."""
    media_type, charset = reply.media_type()
    headers = tuple((name, value) for name, header in _LINK_HEADERS for value in reply.values(header))
    tags = [value.decode("latin-1") for value in reply.values(b"X-Robots-Tag")]
    return Document(
        reply.body, reply.url, media_type, charset, headers, bool(tags) and nofollow(tags, PRODUCT_TOKEN)
    )


_LINK_HEADERS = tuple((name, name.title().encode()) for name in NAMES if name != "location")


def page_of(
    reply: Reply, lease: Lease, extraction: Extraction, followed_only: Set[str], max_links: int = 0
) -> Page:
    """The Page of a document that was read. `followed_only`: kinds of links that are followed but are not
    arcs; `max_links`: how many links count, 0 for all."""
    links, reason = extraction.links, extraction.reason
    if max_links and len(links) > max_links:
        links, reason = links[:max_links], reason or LINKS_PER_PAGE
    page = _page(
        reply,
        lease,
        State.FETCHED,
        extraction.media_type,
        links,
        reason,
        extraction.content_digest,
        frozenset([link.digest for link in links if link.kind in followed_only])
        if followed_only
        else frozenset(),
    )
    return page if extraction.anchors is NO_ANCHORS else _with_anchors(page, extraction.anchors)


def _with_anchors(page: Page, anchors: Anchors) -> Page:
    links = page.links
    texts = tuple([(links[number].digest, text) for number, text in anchors.texts if number < len(links)])
    nofollow = frozenset([links[number].digest for number in anchors.nofollow if number < len(links)])
    return replace(page, texts=texts, nofollow=nofollow)


def error_page(reply: Reply, lease: Lease, reason: str) -> Page:
    """The node's line in the page log, and nothing in the graph."""
    return _page(reply, lease, State.ERROR, reply.media_type()[0], reason=reason)


def _page(
    reply: Reply,
    lease: Lease,
    state: State,
    media_type: str,
    links: tuple[Link, ...] = (),
    reason: str = "",
    content_digest: str = "",
    followed: frozenset[bytes] = frozenset(),
) -> Page:
    body = reply.body
    if body and not content_digest:
        content_digest = md5(body, usedforsecurity=False).hexdigest()
    return Page(
        url=reply.url,
        key=lease.key,
        digest=lease.digest,
        time=reply.times.start,
        state=state,
        status=reply.status,
        depth=lease.depth,
        via=lease.via,
        links=links,
        media_type=media_type,
        size_bytes=len(body),
        content_digest=content_digest,
        address=reply.address_text,
        reason=reason,
        seconds=reply.seconds,
        host_depth=lease.host_depth,
        followed=followed,
        etag=_validator(reply, b"Etag"),
        last_modified=_validator(reply, b"Last-Modified"),
        body_cut=bool(reply.flags or reason),
        exchange=reply.exchange,
        outlinks=() if reply.exchange is None else links,
    )


def _validator(reply: Reply, name: bytes) -> bytes:
    """The value of a header that a conditional request can repeat; empty if there is none or it is too long."""
    values = reply.values(name)
    return values[-1] if values and len(values[-1]) <= MAX_VALIDATOR_BYTES else b""


# -- robots.txt -------------------------------------------------------------------------------------------------


def judge_robots(
    reply: Reply, hops: int, previous: RobotsRecord | None, policy: RobotsPolicy, now: float
) -> RobotsDecision:
    """`hops`: redirects so far; `previous`: what was known about this origin's robots.txt, if anything."""
    onward = redirect_target(reply.status, reply.url, reply.header(b"Location"), hops)
    if onward is not None:
        return Follow(onward, hops + 1, reply.seconds)
    record = policy.judge(
        reply.status,
        reply.body,
        "dataloss" if "dataloss" in reply.flags else None,
        hops,
        now,
        previous=previous,
        retry_after_seconds=_retry_after(reply),
    )
    return _learn(record, policy, reply.seconds)


def judge_robots_failure(
    reason: str,
    lease: Lease,
    hops: int,
    previous: RobotsRecord | None,
    policy: RobotsPolicy,
    now: float,
    *,
    may_retry: bool,
) -> RobotsFailureDecision:
    """If the host does not exist, as for a page. Any other failure: robots.txt is unreachable, and its pages wait."""
    meaning = meaning_of(reason) or MEANINGS["network"]
    if meaning.goes_back or (meaning.nobody_there and not hops):
        return judge_failure(reason, lease, now, may_retry=may_retry)
    return _learn(policy.judge(0, b"", reason, hops, now, previous=previous), policy, 0.0)


def _learn(record: RobotsRecord, policy: RobotsPolicy, seconds: float) -> Learn:
    return Learn(record, policy.crawl_delay(record), seconds, policy.sitemaps(record))


def _retry_after(reply: Reply) -> float | None:
    """Seconds from the end of the reply. A server may have sent a date instead."""
    return retry_after_seconds(reply.header(b"Retry-After"), reply.times.end)

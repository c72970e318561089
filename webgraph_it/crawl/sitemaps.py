"""Decides what sitemaps mean (SITEMAPS). Pure.

    robots.txt ──named──► sitemaps ──judge_sitemap──► READ ──sitemap_page──► Page, outside the graph
                              ▲                                                │
                              └──── an index, or a redirect ───────────────────┤
                                                                               └──► pages: nodes, not arcs

A sitemap is a URL in the queue of its host, under a name of its own (urls/sitemaps.py). So it waits for its turn, obeys
robots.txt, is retried, and survives a crash like any page. In the page log its key ends in `#sitemap`. The scope
(urls/scope.py) says that such a key is fetched and is not in the graph.

What it lists is followed if it is in scope, and has no arc. Another sitemap that it lists must be on its own host.
"""

from collections.abc import Iterable
from dataclasses import replace

from webgraph_it.crawl.visit import (
    MAX_SPELLINGS,
    REDIRECTS,
    Read,
    Respell,
    Retry,
    document_of,
    error_page,
    judge,
)
from webgraph_it.crawl.visit import page_of as page_of_document
from webgraph_it.extract.records import Document, Extraction
from webgraph_it.extract.sitemap import SITEMAP, SITEMAP_INDEX
from webgraph_it.fetch.reply import Reply
from webgraph_it.frontier.records import Lease
from webgraph_it.items import Link, Page, State
from webgraph_it.urls import Name, Refusal, name
from webgraph_it.urls.sitemaps import as_sitemap, page_key, sitemap_name

MAX_NAMED = 100
"""Sitemaps of one robots.txt. Further ones are ignored."""
MAX_LISTED = 1_000
"""Sitemaps of one index. Further ones are ignored."""
MAX_LEVELS = 4
"""Sitemaps on the way from robots.txt to a list of pages: the protocol has two, and redirects count, too."""
NO_KINDS: frozenset[str] = frozenset()


def named(references: Iterable[str], base: str) -> list[Link]:
    """The sitemaps that the robots.txt at `base` names, each once, in order."""
    names = (sitemap_name(reference, base) for reference in references)
    found = dict.fromkeys(each for each in names if each is not None)
    return [Link(*each, "xml") for each in list(found)[:MAX_NAMED]]


def judge_sitemap(reply: Reply, lease: Lease, *, may_retry: bool) -> Read | Page | Retry | Respell:
    """What a reply to the request for a sitemap means."""
    if reply.status not in REDIRECTS:
        decision = judge(reply, lease, may_retry=may_retry)
        assert isinstance(decision, Read | Page | Retry)
        return decision
    location = reply.header(b"Location")
    target = name(location, reply.url)
    if isinstance(target, Refusal) or not location:
        return error_page(reply, lease, "redirect-nowhere")
    if target.key != page_key(lease.key):
        links = followed([target], lease)
        return replace(error_page(reply, lease, ""), state=State.REDIRECT, links=tuple(links))
    if lease.spellings >= MAX_SPELLINGS:
        return error_page(reply, lease, "redirect-loop")
    return Respell(target.url, fetched=True, seconds=reply.seconds)


def sitemap_document(reply: Reply) -> Document:
    """The reply, to be read as a sitemap whatever type it declares."""
    return document_of(reply)._replace(media_type=SITEMAP)


def sitemap_page(reply: Reply, lease: Lease, extraction: Extraction) -> Page:
    """The Page of a sitemap that was read. Its links are pages that are not arcs, or further sitemaps."""
    page = page_of_document(reply, lease, extraction, NO_KINDS)
    page = replace(page, media_type=reply.media_type()[0])
    if extraction.media_type == SITEMAP_INDEX:
        return replace(page, links=tuple(followed([Name(*link[:3]) for link in page.links], lease)))
    return replace(page, followed=frozenset([link.digest for link in page.links]))


def followed(sitemaps: list[Name], lease: Lease) -> list[Link]:
    """Those that may be fetched. The consecutive sitemaps of one host are counted like pages."""
    if lease.host_depth + 1 >= MAX_LEVELS:
        return []
    on_host = [each for each in sitemaps if each.key.partition(")")[0] == lease.host]
    return [Link(*as_sitemap(each), "xml") for each in on_host[:MAX_LISTED]]

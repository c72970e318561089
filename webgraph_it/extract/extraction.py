"""`extract`: one document → its named links. This is the pure core of the room; workers.py runs it in other processes,
with the digest of the content (`extract_and_digest`).

Guarantees: returns for every input (only memory may run out), does no I/O, and keeps no state between calls.
It does not limit its own time and memory; the worker processes do.
"""

from hashlib import md5

from webgraph_it.extract import headers, sitemap
from webgraph_it.extract.anchors import TEXTS, Collector
from webgraph_it.extract.naming import Digest, named
from webgraph_it.extract.records import NO_ANCHORS, Document, Extraction, Found, LinkPolicy
from webgraph_it.extract.table import detected, reader
from webgraph_it.urls import digest


def extract_and_digest(document: Document, policy: LinkPolicy, digest: Digest = digest) -> Extraction:
    """What the crawl needs from a document: its links, and the digest of its content."""
    content_digest = md5(document.body, usedforsecurity=False).hexdigest() if document.body else ""
    return extract(document, policy, digest)._replace(content_digest=content_digest)


def extract(document: Document, policy: LinkPolicy, digest: Digest = digest) -> Extraction:
    """The links of `document`: those of its headers first, then those of its body. No content digest."""
    media_type = detected(document.media_type, document.body)
    policy = sitemap.POLICY if media_type in sitemap.TYPES else policy
    in_body = _read(document, media_type, policy)
    nofollow = document.nofollow or in_body.nofollow
    in_headers = headers.links(document) if document.headers else None
    if nofollow:
        return _redirects_only(in_headers, in_body.reason, media_type, policy, digest)
    found = (in_body,) if in_headers is None else (in_headers, in_body)
    collector = Collector(policy.rels) if policy.texts or policy.rels else None
    links, refused, complete = named(found, policy, digest, collector)
    reason = in_body.reason or ("" if complete else "too-many-links")
    anchors = NO_ANCHORS if collector is None else collector.anchors(link.key for link in links)
    return Extraction(links, refused, False, reason, media_type, anchors=anchors)


def _read(document: Document, media_type: str, policy: LinkPolicy) -> Found:
    chosen = reader(media_type, policy) if document.body and not document.nofollow else None
    if chosen is None:
        return Found((), document.url)
    kinds = policy.wanted | {TEXTS} if policy.texts else policy.wanted
    return chosen.extractor(document.body, document.url, document.charset, kinds)


def _redirects_only(
    found: Found | None, reason: str, media_type: str, policy: LinkPolicy, digest: Digest
) -> Extraction:
    """What remains of a page whose links must not be followed."""
    if found is None:
        return Extraction((), {}, True, reason, media_type)
    redirects = [link for link in found.links if link[1] == "redirect"]
    links, refused, _ = named((Found(redirects, found.base),), policy, digest)
    return Extraction(links, refused, True, reason, media_type)

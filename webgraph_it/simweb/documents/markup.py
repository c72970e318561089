"""XML with hyperlinks: RSS 2.0, Atom, sitemaps, and an arbitrary vocabulary with href and xlink:href."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from webgraph_it.simweb.documents.decoy import DECOY


def rss(links: Sequence[str], title: str, seed: int) -> bytes:
    """A feed. With an odd seed the item's text is CDATA, otherwise it is escaped."""
    home = f"<link>{escape(links[0])}</link>" if links else ""
    prose = f"Si scriva {DECOY} per esempio & poi si provi."
    description = f"<![CDATA[{prose}]]>" if seed % 2 else escape(prose)
    items = [
        f"<item><title>Voce {number}</title><link>{escape(link)}</link>"
        f'<guid isPermaLink="false">voce-{seed}-{number}</guid>'
        f"<description>{description}</description></item>"
        for number, link in enumerate(links)
    ]
    channel = f"<title>{escape(title)}</title>{home}<description>{description}</description>"
    return _document(f'<rss version="2.0"><channel>{channel}', items, "</channel></rss>")


def atom(links: Sequence[str], title: str, seed: int) -> bytes:
    """An Atom 1.0 feed. Its own identifiers are tag: URIs, not addresses."""
    updated = "<updated>2026-01-01T00:00:00Z</updated>"
    entries = [
        f"<entry><title>Voce {number}</title><link rel='alternate' href={quoteattr(link)}/>"
        f"<id>tag:simweb,2026:{seed}/{number}</id>{updated}"
        f"<summary>Si scriva {DECOY} per esempio.</summary></entry>"
        for number, link in enumerate(links)
    ]
    head = f"<title>{escape(title)}</title><id>tag:simweb,2026:{seed}</id>{updated}"
    return _document(f'<feed xmlns="http://www.w3.org/2005/Atom">{head}', entries, "</feed>")


def sitemap(links: Sequence[str], title: str, seed: int) -> bytes:
    """A sitemap or, with an odd seed, an index of sitemaps. A comment holds an entry that was removed."""
    root, entry = ("sitemapindex", "sitemap") if seed % 2 else ("urlset", "url")
    comment = f"<!-- {escape(title).replace('--', '- -')}: <{entry}><loc>{DECOY}</loc></{entry}> -->"
    entries = [f"<{entry}><loc>{escape(link)}</loc><lastmod>2026-01-01</lastmod></{entry}>" for link in links]
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return _document(f'<{root} xmlns="{namespace}">{comment}', entries, f"</{root}>")


def xml(links: Sequence[str], title: str, seed: int) -> bytes:
    """An arbitrary vocabulary. Links are alternately href and xlink:href attributes."""
    entries = [
        f"<voce {('href', 'xlink:href')[(seed + number) % 2]}={quoteattr(link)}>Voce {number}</voce>"
        for number, link in enumerate(links)
    ]
    head = f"<titolo>{escape(title)}</titolo><nota>Si scriva {DECOY} per esempio.</nota>"
    return _document(f'<elenco xmlns:xlink="http://www.w3.org/1999/xlink">{head}', entries, "</elenco>")


def _document(head: str, entries: Sequence[str], tail: str) -> bytes:
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *entries, tail, ""]).encode()

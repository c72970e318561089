"""What a sitemap lists, in each of its formats, and what is not one."""

import gzip

import pytest

from tests.defaults import link_policy
from webgraph_it.extract import Document, extract
from webgraph_it.extract.records import MAX_LINKS
from webgraph_it.extract.sitemap import SITEMAP, SITEMAP_INDEX

BASE = "http://sito.it/mappa.xml"
URLSET = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc> http://sito.it/a?x=1&amp;y=2 </loc></url><url><loc><![CDATA[http://sito.it/b]]></loc></url></urlset>"
)
INDEX = b"<sitemapindex><sitemap><loc>http://sito.it/1.xml</loc></sitemap></sitemapindex>"
ATOM = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry></feed>'
RSS = b"<rss><channel><item><link>http://sito.it/a</link></item></channel></rss>"


def listed(body: bytes) -> tuple[str, list[str]]:
    found = extract(Document(body, BASE, SITEMAP), link_policy([], plain_text=False))
    assert {link.kind for link in found.links} <= {"xml"}
    return found.media_type, [link.url for link in found.links]


@pytest.mark.parametrize(
    ("body", "kind", "urls"),
    [
        (URLSET, SITEMAP, ["http://sito.it/a?x=1&y=2", "http://sito.it/b"]),
        (INDEX, SITEMAP_INDEX, ["http://sito.it/1.xml"]),
        (ATOM, SITEMAP, ["http://sito.it/a"]),
        (RSS, SITEMAP, ["http://sito.it/a"]),
        (
            b"http://sito.it/a\r\n\r\n https://sito.it/b \n",
            SITEMAP,
            ["http://sito.it/a", "https://sito.it/b"],
        ),
        (b"\xef\xbb\xbfhttp://sito.it/citt\xc3\xa0\n", SITEMAP, ["http://sito.it/citt%C3%A0"]),
        (b"User-agent: *\nDisallow: /", SITEMAP, []),
        (b"<!DOCTYPE html><html><body><a href='/x'>x</a></body></html>", SITEMAP, []),
        (b"", SITEMAP, []),
        (b"\x1f\x8b\x00\x00not gzip", SITEMAP, []),
        (b"%PDF-1.4 http://sito.it/x", SITEMAP, []),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_each_format_is_read_packed_or_not(body: bytes, kind: str, urls: list[str], packed: bool) -> None:
    """Whatever counts as a link on pages: here, nothing does."""
    assert listed(gzip.compress(body) if packed and body else body) == (kind, urls)


def test_a_torn_sitemap_lists_what_came() -> None:
    assert listed(URLSET[:-40]) == (SITEMAP, ["http://sito.it/a?x=1&y=2"])
    assert listed(gzip.compress(URLSET * 50)[:-30])[1][:2] == ["http://sito.it/a?x=1&y=2", "http://sito.it/b"]


def test_a_bomb_is_bounded() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * (60 << 20))
    found = extract(Document(bomb, BASE, SITEMAP), link_policy([], plain_text=False))
    assert (found.links, found.reason) == ((), "bomb")
    many = b"".join(b"http://sito.it/%d\n" % number for number in range(60_000))
    found = extract(Document(many, BASE, SITEMAP), link_policy([], plain_text=False))
    assert len(found.links) == 50_000 < MAX_LINKS
    assert found.reason == "too-many-links"


def test_a_sitemap_that_asks_not_to_be_followed_is_not() -> None:
    document = Document(URLSET, BASE, SITEMAP, nofollow=True)
    assert extract(document, link_policy([], plain_text=False)).links == ()

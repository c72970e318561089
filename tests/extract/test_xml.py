"""Links in feeds, sitemaps and any XML."""

import gzip

import pytest

from tests.defaults import link_policy
from webgraph_it.extract import Document, extract

URL = "http://a.it/d/x.xml"


def seen(body: str | bytes, media_type: str = "application/xml") -> list[str]:
    data = body.encode() if isinstance(body, str) else body
    found = extract(Document(data, URL, media_type), link_policy())
    assert {link.kind for link in found.links} <= {"xml"}
    return [link.url.removeprefix("http://a.it") for link in found.links]


@pytest.mark.parametrize(
    ("markup", "links"),
    [
        ("<rss><link>1</link></rss>", ["/d/1"]),
        ("<rss><link> 1 </link></rss>", ["/d/1"]),
        ("<rss><link><![CDATA[1?a&b]]></link></rss>", ["/d/1?a&b"]),
        ("<rss><link>1?a&amp;b</link></rss>", ["/d/1?a&b"]),
        ("<rss><link>1<!-- x -->2</link></rss>", ["/d/12"]),
        ("<rss><link/></rss>", []),
        ("<rss><link></link></rss>", []),
        ("<rss><guid>http://b.it/</guid></rss>", ["http://b.it/"]),
        ("<rss><guid>4711</guid><guid>/voce</guid><guid>tag:b.it,2026:1</guid></rss>", []),
        ("<rss><guid>HTTPS://b.it/</guid></rss>", ["https://b.it/"]),
        ("<rss><guid isPermaLink='true'>http://b.it/</guid></rss>", ["http://b.it/"]),
        ("<rss><guid isPermaLink='false'>http://b.it/</guid></rss>", []),
        ("<rss><comments>1</comments></rss>", ["/d/1"]),
        ("<rss><image><url>1</url></image></rss>", []),
        ("<rss><description>http://b.it/</description></rss>", []),
        ("<rss><enclosure url='1'/></rss>", []),
        ("<rss><atom:link href='1' rel='self'/></rss>", ["/d/1"]),
        ("<feed><link href='1'/><link href=\"2\"></link></feed>", ["/d/1", "/d/2"]),
        ("<feed xml:base='/b/'><link href='1'/></feed>", ["/b/1"]),
        ("<urlset><url><loc>1</loc></url></urlset>", ["/d/1"]),
        ("<s:urlset><s:loc>1</s:loc></s:urlset>", ["/d/1"]),
        ("<sitemapindex><sitemap><loc>1</loc></sitemap></sitemapindex>", ["/d/1"]),
        ("<urlset><!-- <loc>1</loc> --><loc>2</loc></urlset>", ["/d/2"]),
        ("<x xlink:href='1'/>", ["/d/1"]),
        ("<x xl:href='1'/>", ["/d/1"]),
        ("<x href = '1' />", ["/d/1"]),
        ("<x data-href='1'/>", []),
        ("<x><![CDATA[<y href='1'/>]]></x>", []),
        ("<?xml-stylesheet href='1'?><x/>", []),
        ("<!DOCTYPE x [<!ENTITY e '<y href=\"1\"/>'>]><x>&e;</x>", []),
        ("<x title='>' href='1'>", ["/d/1"]),
        ("<x href='1'><y", ["/d/1"]),
        ("<x href='#y'/>", ["/d/x.xml"]),
    ],
)
def test_links(markup: str, links: list[str]) -> None:
    assert seen(markup) == links


def test_the_declaration_says_the_charset() -> None:
    assert seen("<?xml version='1.0' encoding='iso-8859-15'?><x href='€'/>".encode("iso-8859-15")) == [
        "/d/%E2%82%AC"
    ]


def test_gzipped_sitemaps_are_read() -> None:
    body = gzip.compress(b"<urlset><loc>1</loc></urlset>")
    assert (
        seen(body) == seen(body, "application/x-gzip") == seen(body, "application/octet-stream") == ["/d/1"]
    )


def test_other_gzipped_things_have_no_links() -> None:
    assert seen(gzip.compress(b"http://b.it/ href=1")) == []


def test_a_feed_of_another_type_is_read() -> None:
    assert seen("<rss><link>1</link></rss>", "application/rss+xml") == ["/d/1"]
    assert seen("<rss><link>1</link></rss>", "text/html") == ["/d/1"]

"""What counts as a link of an HTML page: a table of pages, each with the links that a browser would see."""

import pytest

from tests.defaults import link_policy
from webgraph_it.extract import Document, LinkPolicy, extract
from webgraph_it.extract.html import srcset_urls

URL = "http://a.it/d/p.html"
POLICY = link_policy()
EVERYTHING = link_policy(followed=["form", "nested"], embedded=True)


def seen(
    markup: str | bytes,
    policy: LinkPolicy = POLICY,
    charset: str | None = None,
    media_type: str = "text/html",
) -> str:
    """`kind:url kind:url …`, the page's own host left out."""
    body = markup.encode() if isinstance(markup, str) else markup
    found = extract(Document(body, URL, media_type, charset), policy)
    return " ".join(f"{link.kind}:{link.url.removeprefix('http://a.it')}" for link in found.links)


ANCHORS = [
    ("<a href=1>x</a>", "a:/d/1"),
    ("<a href='1'>x</a>", "a:/d/1"),
    ('<a href="1">x</a>', "a:/d/1"),
    ("<A HREF=1>x</A>", "a:/d/1"),
    ("<a\nhref\n=\n1\n>x</a>", "a:/d/1"),
    ("<a/href=1>x", "a:/d/1"),
    ("<a class=x href=1 id=y>x", "a:/d/1"),
    ("<a href=1 href=2>x", "a:/d/1"),
    ("<a href=1>x<a href=2>y", "a:/d/1 a:/d/2"),
    ("<a name=x>no</a>", ""),
    ("<a>no</a>", ""),
    ("<a href>self</a>", "a:/d/p.html"),
    ("<a href=''>self</a>", "a:/d/p.html"),
    ("<a href=' '>self</a>", "a:/d/p.html"),
    ("<a href='#top'>self</a>", "a:/d/p.html"),
    ("<a href='#a'>1</a><a href='#b'>2</a>", "a:/d/p.html"),
    ("<a href='1#a'>1</a><a href='1#b'>2</a><a href=1>3</a>", "a:/d/1"),
    ("<a href=1>1</a><a href=1>2</a>", "a:/d/1"),
    ("<a href=2>1</a><a href=1>2</a><a href=2>3</a>", "a:/d/2 a:/d/1"),
    ("<a href=/1>x", "a:/1"),
    ("<a href=../1>x", "a:/1"),
    ("<a href=../../../1>x", "a:/1"),
    ("<a href=./1>x", "a:/d/1"),
    ("<a href=?q=1>x", "a:/d/p.html?q=1"),
    ("<a href=//b.it/1>x", "a:http://b.it/1"),
    ("<a href=https://b.it>x", "a:https://b.it/"),
    ("<a href=http:1>x", "a:/d/1"),
    ("<a href=HTTP://B.IT/X>x", "a:http://b.it/X"),
    ("<a href=http://b.it:80/>x", "a:http://b.it/"),
    ("<a href=http://b.it:8080/>x", "a:http://b.it:8080/"),
    ("<a href=http://u:p@b.it/>x", "a:http://b.it/"),
    (r"<a href=\1>x", "a:/1"),
    (r"<a href=\\b.it\1>x", "a:http://b.it/1"),
    ("<a href='http:\\\\b.it\\1'>x", "a:http://b.it/1"),
    ("<a href=http://www.a.it/d/1>x</a><a href=https://a.it/d/1>y", "a:http://www.a.it/d/1"),
    ("<a href='1;jsessionid=AB'>x</a><a href=1>y", "a:/d/1;jsessionid=AB"),
    ("<a href=1 rel=nofollow>x", "a:/d/1"),
    ("<a href=1 rel='external nofollow ugc'>x", "a:/d/1"),
    ("<a href=1 target=_blank download>x", "a:/d/1"),
    ("<a href=1 style='display:none'>x", "a:/d/1"),
    ("<a href=1 onclick='location=2'>x", "a:/d/1"),
    ("<a data-href=1>x", ""),
    ("<a ping=1 href=2>x", "a:/d/2"),
    ("<a href=1", ""),
    ("<a href='1>x</a><a href=2>", ""),
    ("<a href=1>x</a", "a:/d/1"),
]

SPELLINGS = [
    ("<a href='  1  '>x", "a:/d/1"),
    ("<a href='\n1\n'>x", "a:/d/1"),
    ("<a href='a\nb'>x", "a:/d/ab"),
    ("<a href='a\tb'>x", "a:/d/ab"),
    ("<a href='a\r\nb'>x", "a:/d/ab"),
    ("<a href='a b'>x", "a:/d/a%20b"),
    ("<a href='\x01\x1f1'>x", "a:/d/1"),
    ("<a href='1?a=1&b=2'>x", "a:/d/1?a=1&b=2"),
    ("<a href='1?a=1&amp;b=2'>x", "a:/d/1?a=1&b=2"),
    ("<a href='1?a=1&amp;amp;b=2'>x", "a:/d/1?a=1&amp;b=2"),
    ("<a href='1?a=1&copy=2'>x", "a:/d/1?a=1&copy=2"),
    ("<a href='1?a=1&copy;=2'>x", "a:/d/1?a=1%C2%A9=2"),
    ("<a href='1?a=1&lt=2'>x", "a:/d/1?a=1&lt=2"),
    ("<a href='1?&notit;x'>x", "a:/d/1?&notit;x"),
    ("<a href='&#49;'>x", "a:/d/1"),
    ("<a href='&#x31;'>x", "a:/d/1"),
    ("<a href='&#49'>x", "a:/d/1"),
    ("<a href='&#104;ttp://b.it/'>x", "a:http://b.it/"),
    ("<a href='http&colon;//b.it/'>x", "a:http://b.it/"),
    ("<a href='a&Tab;b'>x", "a:/d/ab"),
    ("<a href='a&NewLine;b'>x", "a:/d/ab"),
    ("<a href='è'>x", "a:/d/%C3%A8"),
    ("<a href='&egrave;'>x", "a:/d/%C3%A8"),
    ("<a href='%C3%A8'>x", "a:/d/%C3%A8"),
    ("<a href='%c3%a8'>x</a><a href='%C3%A8'>y", "a:/d/%c3%a8"),
    ("<a href='http://città.it/'>x", "a:http://xn--citt-3na.it/"),
    ("<a href='http://CITTÀ.it/'>x", "a:http://xn--citt-3na.it/"),
    ("<a href='http://b&#x3002;it/'>x", "a:http://b.it/"),
    ("<a href='a\"b'>x", "a:/d/a%22b"),
    ('<a href="a\'b">x', "a:/d/a'b"),
    ("<a href=a'b>x", "a:/d/a'b"),
    ("<a href=1>2>x", "a:/d/1"),
    ("<a href='1'href='2'>x", "a:/d/1"),
    ("<a href=\x00>x", "a:/d/%EF%BF%BD"),
    ("<a href='&#0;'>x", "a:/d/%EF%BF%BD"),
    ("<a href='&#xD800;'>x", "a:/d/%EF%BF%BD"),
    ("<a href='😀'>x", "a:/d/%F0%9F%98%80"),
    ("<a href='1?q=è'>x", "a:/d/1?q=%C3%A8"),
    ("<a href='a|b'>x", "a:/d/a|b"),
    ("<a href='{x}'>x", "a:/d/%7Bx%7D"),
]

NOT_LINKS = [
    ("<!-- <a href=1>x</a> -->", ""),
    ("<!-- > <a href=1>x</a> --><a href=2>", "a:/d/2"),
    ("<!--><a href=1>x</a> -->", "a:/d/1"),
    ("<!-- <!-- --><a href=1>x</a> -->", "a:/d/1"),
    ("<!-- --!><a href=1>", "a:/d/1"),
    ("<! <a href=1>>", ""),
    ("<?php <a href=1> ?>", ""),
    ("<![CDATA[<a href=1>]]>", ""),
    ("<script>document.write('<a href=1>')</script>", ""),
    ("<script><!-- <a href=1> --></script><a href=2>", "a:/d/2"),
    ("<script type=text/template><a href=1></script>", ""),
    ("<script><!--<script></script><a href=1>--></script><a href=2>", "a:/d/2"),
    ("<style>a{content:'<a href=1>'}</style>", ""),
    ("<style>@import url(x.css);</style>", ""),
    ("<title><a href=1></title>", ""),
    ("<textarea><a href=1></textarea>", ""),
    ("<xmp><a href=1></xmp>", ""),
    ("<iframe><a href=1></iframe>", ""),
    ("<noembed><a href=1></noembed>", ""),
    ("<plaintext><a href=1>", ""),
    ("<template><a href=1>x</a></template>", ""),
    ("<template><template><a href=1></template><a href=2></template><a href=3>", "a:/d/3"),
    ("<template><base href=/x/><meta name=robots content=nofollow></template><a href=1>", "a:/d/1"),
    ("<abbr href=1>", ""),
    ("<div href=1>", ""),
    ("<p>http://b.it/</p>", ""),
    ("<math><area href=1></math>", ""),
    ("&lt;a href=1&gt;", ""),
]

STRUCTURE = [
    ("<noscript><a href=1>x</a></noscript>", "a:/d/1"),
    ("<head><noscript><link rel=next href=1></noscript></head>", "link:/d/1"),
    ("<div><template shadowrootmode=open><a href=1></template></div>", "a:/d/1"),
    ("<div><template shadowrootmode=closed><a href=1></template></div><a href=2>", "a:/d/1 a:/d/2"),
    ("<div><template shadowrootmode=nonsense><a href=1></template></div>", ""),
    ("<svg><a href=1><text>x</text></a></svg>", "a:/d/1"),
    ("<svg><a xlink:href=1><text>x</text></a></svg>", "a:/d/1"),
    ("<svg><a href=1 xlink:href=2></a></svg>", "a:/d/1"),
    ("<a xlink:href=1>no</a>", ""),
    ("<svg><image href=1 /><use xlink:href='#x'/></svg>", ""),
    ("<svg><title><a href=1></title></svg>", "a:/d/1"),
    ("<svg><style><a href=1></style></svg>", "a:/d/1"),
    ("<svg><foreignObject><a href=1>x</a></foreignObject></svg>", "a:/d/1"),
    ("<table><a href=1>x</a><tr><td><a href=2>", "a:/d/1 a:/d/2"),
    ("<table><tr><a href=1>x</a><td><a href=2></table>", "a:/d/1 a:/d/2"),
    ("<b><a href=1><p>x</b>y</a>", "a:/d/1"),
    ("<a href=1><div><a href=2>x</a></div></a>", "a:/d/1 a:/d/2"),
    ("<select><option><a href=1></select><a href=2>", "a:/d/1 a:/d/2"),
    ("<button><a href=1></button>", "a:/d/1"),
    ("<object><a href=1></object>", "a:/d/1"),
    ("<video><a href=1></video>", "a:/d/1"),
    ("<a href=1/>x", "a:/d/1/"),
    ("<a href=1 />x<a href=2 />", "a:/d/1 a:/d/2"),
    ("</a><a href=1>", "a:/d/1"),
    ("<html><body></body></html><a href=1>", "a:/d/1"),
    ("<details><summary><a href=1></summary></details>", "a:/d/1"),
    ("<dialog><a href=1></dialog>", "a:/d/1"),
    ("<p hidden><a href=1>", "a:/d/1"),
]

AREAS_AND_FRAMES = [
    ("<map><area href=1></map>", "area:/d/1"),
    ("<area shape=rect coords=1,2 href=1>", "area:/d/1"),
    ("<area nohref>", ""),
    ("<area href=''>", "area:/d/p.html"),
    ("<area href=1><a href=1>", "area:/d/1"),
    ("<frameset><frame src=1><frame src=2></frameset>", "frame:/d/1 frame:/d/2"),
    ("<frameset><frame src=1><noframes><a href=2></noframes></frameset>", "frame:/d/1"),
    ("<body><frame src=1>", ""),
    ("<iframe src=1></iframe>", "iframe:/d/1"),
    ("<iframe src=1 />", "iframe:/d/1"),
    ("<iframe src=''></iframe>", ""),
    ("<iframe src=about:blank></iframe>", ""),
    ("<iframe srcdoc='<a href=1>'></iframe>", ""),
    ("<iframe src='1#x'></iframe>", "iframe:/d/1"),
]

LINK_ELEMENTS = [
    ("<link rel=canonical href=1>", "link:/d/1"),
    ("<link rel=next href=1>", "link:/d/1"),
    ("<link rel=alternate hreflang=en href=1>", "link:/d/1"),
    ("<link rel=alternate type=application/rss+xml href=1>", "link:/d/1"),
    ("<link rel=shortlink href=1>", "link:/d/1"),
    ("<link rel=amphtml href=1>", "link:/d/1"),
    ("<link rel=search href=1>", "link:/d/1"),
    ("<link rel=stylesheet href=1>", ""),
    ("<link rel=StyleSheet href=1>", ""),
    ("<link rel='alternate stylesheet' href=1>", ""),
    ("<link rel=stylesheet/less href=1>", ""),
    ("<link href=1>", ""),
    ("<link rel=EditURI type=application/rsd+xml href=1>", ""),
    ("<link rel=wlwmanifest href=1><link rel=https://api.w.org/ href=2>", ""),
    ("<link rel=icon href=1>", ""),
    ("<link rel='shortcut icon' href=1>", ""),
    ("<link rel=apple-touch-icon href=1>", ""),
    ("<link rel=mask-icon href=1>", ""),
    ("<link rel=preload href=1>", ""),
    ("<link rel=prefetch href=1>", ""),
    ("<link rel=modulepreload href=1>", ""),
    ("<link rel=dns-prefetch href=//b.it>", ""),
    ("<link rel=preconnect href=//b.it>", ""),
    ("<link rel=prerender href=1>", ""),
    ("<link rel=manifest href=1>", ""),
    ("<link rel=pingback href=1>", ""),
    ("<link rel=canonical href=''>", ""),
    ("<link rel=canonical>", ""),
    ("<body><link rel=next href=1>", "link:/d/1"),
]

BASES = [
    ("<base href=/x/><a href=1>", "a:/x/1"),
    ("<base href=/x><a href=1>", "a:/1"),
    ("<a href=1><base href=/x/>", "a:/x/1"),
    ("<base href=http://b.it/x/><a href=1>", "a:http://b.it/x/1"),
    ("<base href=//b.it><a href=1>", "a:http://b.it/1"),
    ("<base href=x/><a href=1>", "a:/d/x/1"),
    ("<base href=/x/><base href=/y/><a href=1>", "a:/x/1"),
    ("<base target=_top><base href=/y/><a href=1>", "a:/y/1"),
    ("<base href=''><a href=1>", "a:/d/1"),
    ("<base href='http://['><a href=1>", "a:/d/1"),
    ("<base href=javascript:0><a href=1>", "a:/d/1"),
    ("<base href=data:,x><a href=1>", "a:/d/1"),
    ("<base href=mailto:x><a href=1>", ""),
    ("<base href=ftp://b.it/><a href=1><a href=/2>", ""),
    ("<base href=/x/><a href='#top'>", "a:/x/"),
    ("<body><base href=/x/><a href=1>", "a:/x/1"),
    ("<svg><base href=/x/></svg><a href=1>", "a:/d/1"),
    ("<base href=/x/><iframe src=1></iframe><area href=2>", "iframe:/x/1 area:/x/2"),
    ("<base href=' /x/ '><a href=1>", "a:/x/1"),
]

REFRESHES = [
    ("<meta http-equiv=refresh content='0;url=1'>", "refresh:/d/1"),
    ("<meta http-equiv=Refresh content='0;URL=1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='5; url=1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content=\"5; url='1'\">", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='5; url=\"1\"x'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='5; url=\"1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='5, url=1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='5 url=1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='5;1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='5; url = 1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='.5;url=1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='1.5;url=1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content=' 5 ; url=1'>", "refresh:/d/1"),
    ("<meta http-equiv=refresh content='5'>", ""),
    ("<meta http-equiv=refresh content='5;'>", ""),
    ("<meta http-equiv=refresh content='5;url='>", ""),
    ("<meta http-equiv=refresh content='url=1'>", ""),
    ("<meta http-equiv=refresh content='x;url=1'>", ""),
    ("<meta http-equiv=refresh content='5x;url=1'>", ""),
    ("<meta http-equiv=refresh>", ""),
    ("<meta name=refresh content='0;url=1'>", ""),
    (
        "<meta http-equiv=refresh content='0;url=1'><meta http-equiv=refresh content='0;url=2'>",
        "refresh:/d/1",
    ),
    ("<meta http-equiv=refresh content='0;url=javascript:x'>", ""),
    ("<base href=/x/><meta http-equiv=refresh content='0;url=1'>", "refresh:/x/1"),
    ("<noscript><meta http-equiv=refresh content='0;url=1'></noscript>", "refresh:/d/1"),
]

EMBEDS_ARE_NOT_LINKS = [
    ("<img src=1>", ""),
    ("<img srcset='1 1x, 2 2x'>", ""),
    ("<picture><source srcset=1></picture>", ""),
    ("<script src=1></script>", ""),
    ("<embed src=1>", ""),
    ("<object data=1></object>", ""),
    ("<video src=1 poster=2></video>", ""),
    ("<audio src=1></audio>", ""),
    ("<form action=1></form>", ""),
    ("<button formaction=1>", ""),
    ("<input type=image src=1>", ""),
    ("<body background=1>", ""),
    ("<img usemap=#x longdesc=1>", ""),
    ("<blockquote cite=1>", ""),
    ("<div style='background:url(1)'>", ""),
    ("<a href='http://b.it/?u=http://c.it/'>", "a:http://b.it/?u=http://c.it/"),
]

CASES = [
    case
    for table in (ANCHORS, SPELLINGS, NOT_LINKS, STRUCTURE, AREAS_AND_FRAMES, LINK_ELEMENTS, BASES, REFRESHES)
    for case in table
] + EMBEDS_ARE_NOT_LINKS


def test_there_are_at_least_150_different_cases() -> None:
    assert len({markup for markup, _ in CASES}) == len(CASES) >= 150


@pytest.mark.parametrize(("markup", "links"), CASES)
def test_links_of_a_page(markup: str, links: str) -> None:
    assert seen(markup) == links


REFUSALS = [
    ("<a href=javascript:void(0)>", {"javascript": 1}),
    ("<a href=' JavaScript:x'>", {"javascript": 1}),
    ("<a href='java\nscript:x'>", {"javascript": 1}),
    ("<a href=mailto:a@b.it>", {"mailto": 1}),
    ("<a href=MAILTO:a@b.it><a href=mailto:c@b.it>", {"mailto": 2}),
    ("<a href=mailto:a@b.it>1</a><a href=mailto:a@b.it>2</a>", {"mailto": 1}),
    ("<a href=tel:+39049>", {"scheme": 1}),
    ("<a href=ftp://b.it/>", {"scheme": 1}),
    ("<a href=data:text/html,x>", {"scheme": 1}),
    ("<a href='http://['>", {"invalid": 1}),
    ("<a href='http://'>", {"invalid": 1}),
    ("<a href='http://b.it:99999/'>", {"invalid": 1}),
    ("<a href='http://b..it/'>", {"host": 1}),
    ("<a href=1>", {}),
]


@pytest.mark.parametrize(("markup", "refused"), REFUSALS)
def test_what_is_no_link_is_refused_with_a_reason(markup: str, refused: dict[str, int]) -> None:
    found = extract(Document(markup.encode(), URL, "text/html"), POLICY)
    assert dict(found.refused) == refused


ROBOTS = [
    ("<meta name=robots content=nofollow>", True),
    ("<meta name=ROBOTS content='NOINDEX, NOFOLLOW'>", True),
    ("<meta name=robots content=none>", True),
    ("<meta name=robots content='index nofollow'>", True),
    ("<meta name=webgraph_it content=nofollow>", True),
    ("<meta name=robots content=all><meta name=robots content=nofollow>", True),
    ("<body><meta name=robots content=nofollow>", True),
    ("<meta name=robots content=noindex>", False),
    ("<meta name=robots content='index,follow'>", False),
    ("<meta name=googlebot content=nofollow>", False),
    ("<meta name=robots content='max-snippet:none'>", False),
    ("<meta name=robots>", False),
    ("<!--<meta name=robots content=nofollow>-->", False),
]


@pytest.mark.parametrize(("markup", "nofollow"), ROBOTS)
def test_meta_robots(markup: str, nofollow: bool) -> None:
    found = extract(Document((markup + "<a href=1>x</a>").encode(), URL, "text/html"), POLICY)
    assert (found.nofollow, len(found.links)) == (nofollow, 0 if nofollow else 1)


CHARSETS = [
    (b"<a href=\xe8>", None, "a:/d/%C3%A8"),  # windows-1252 undeclared
    (b"<a href=\x80>", None, "a:/d/%E2%82%AC"),
    ("<a href=è>".encode(), None, "a:/d/%C3%A8"),  # UTF-8 undeclared
    (b"<a href=\xe8>", "iso-8859-1", "a:/d/%C3%A8"),
    ("<a href=è>".encode(), "utf-8", "a:/d/%C3%A8"),
    (b"<meta charset=iso-8859-15><a href=\xa4>", None, "a:/d/%E2%82%AC"),
    (
        b'<meta http-equiv=Content-Type content="text/html; charset=iso-8859-15"><a href=\xa4>',
        None,
        "a:/d/%E2%82%AC",
    ),
    (b"<meta charset=utf-8><a href=\xa4>", "iso-8859-15", "a:/d/%E2%82%AC"),  # the header wins over meta
    (
        b"\xef\xbb\xbf<meta charset=iso-8859-1><a href=\xc3\xa8>",
        "iso-8859-15",
        "a:/d/%C3%A8",
    ),  # a BOM over both
    ("\ufeff<a href=è>".encode("utf-16-le"), None, "a:/d/%C3%A8"),
    ("\ufeff<a href=è>".encode("utf-16-be"), "utf-8", "a:/d/%C3%A8"),
    ("<a href=è>".encode(), "no-such-charset", "a:/d/%C3%A8"),
    (b"<meta charset=no-such-charset><a href=\xe8>", None, "a:/d/%C3%A8"),
    ("<a href=è>x</a>è".encode()[:-1], None, "a:/d/%C3%A8"),  # cut in the middle of a character
    (b"<a href='1?q=\xe8'>", None, "a:/d/1?q=%E8"),  # queries are escaped in the page's encoding
    (b"<a href='1?q=\xe8'>", "iso-8859-1", "a:/d/1?q=%E8"),
    ("<a href='1?q=è'>".encode(), None, "a:/d/1?q=%C3%A8"),
    (b"<a href='1?q=&#960;'>", "iso-8859-1", "a:/d/1?q=%26%23960%3B"),
]


@pytest.mark.parametrize(("body", "charset", "links"), CHARSETS)
def test_charsets(body: bytes, charset: str | None, links: str) -> None:
    assert seen(body, charset=charset) == links


XHTML = [
    ("<html xmlns='http://www.w3.org/1999/xhtml'><a href='1'/></html>", "a:/d/1"),
    ("<html><script src='x'/><a href='1'>x</a></html>", "a:/d/1"),
    ("<html><title/><a href='1'>&egrave;&nbsp;</a></html>", "a:/d/1"),
    ("<html><a href='1?a&amp;b'>x</a><!-- <a href='2'/> --></html>", "a:/d/1?a&b"),
    ("<html><![CDATA[<a href='1'>x</a>]]><a href='2'/></html>", "a:/d/2"),
    ("<html><br><a href=1></html>", "a:/d/1"),  # not well-formed: as HTML
    ("<?xml version='1.0' encoding='utf-8'?>\n<html><a href='è'/></html>", "a:/d/%C3%A8"),
    ("<html><base href='/x/'/><link rel='next' href='1'/></html>", "link:/x/1"),
]


@pytest.mark.parametrize("media_type", ["application/xhtml+xml", "application/xml", "text/xml"])
@pytest.mark.parametrize(("markup", "links"), XHTML)
def test_xhtml(markup: str, links: str, media_type: str) -> None:
    assert seen(markup, media_type=media_type) == links


EMBEDDED = [
    ("<img src=1 srcset='2 1x, 3 2x'>", "embed:/d/1 embed:/d/2 embed:/d/3"),
    ("<script src=1></script>", "embed:/d/1"),
    ("<link rel=stylesheet href=1>", "embed:/d/1"),
    ("<form action=1><button formaction=2></form>", "form:/d/1 form:/d/2"),
    ("<form method=POST action=1><button formaction=2></form>", ""),
    ("<form method=post action=1><button formmethod=get formaction=2></form>", "form:/d/2"),
    ("<form method=get action=1><input type=submit formmethod=post formaction=2></form>", "form:/d/1"),
    ("<form method=dialog action=1></form><form method=odd action=2></form>", "form:/d/2"),
    ("<form id=f method=post></form><button form=f formaction=2>", ""),
    ("<style>@import '1'; a{b:url(2)}</style>", "css:/d/1 css:/d/2"),
    ("<p style=\"background:url('1')\">", "css:/d/1"),
    ("<script>location='/x/1.html'</script>", "script:/x/1.html"),
    ("<img src=1><a href=1>", "a:/d/1"),  # the arc wins
    ("<a href=1><img src=1>", "a:/d/1"),
    ("<object data=1></object><embed src=2>", "embed:/d/1 embed:/d/2"),
    ("<a href='/r?u=http%3A%2F%2Fc.it%2F&v=1'>", "a:/r?u=http%3A%2F%2Fc.it%2F&v=1 nested:http://c.it/"),
    ("<template><img src=1><p style='b:url(2)'></template>", ""),
]


@pytest.mark.parametrize(("markup", "links"), EMBEDDED)
def test_embedded_forms_and_nested_when_followed(markup: str, links: str) -> None:
    assert seen(markup, EVERYTHING) == links


def test_srcset() -> None:
    assert list(srcset_urls("a.jpg, b,c.jpg 2x , d.jpg 100w,e.jpg")) == ["a.jpg", "b,c.jpg", "d.jpg", "e.jpg"]


def test_only_wanted_kinds_come_out() -> None:
    page = "<a href=1><area href=2><iframe src=3></iframe><link rel=next href=4>"
    assert seen(page, link_policy(arcs=["area"])) == "area:/d/2"
    assert seen(page, link_policy(arcs=["a"], followed=["link"])) == "a:/d/1 link:/d/4"

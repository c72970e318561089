"""Links in HTTP headers."""

import pytest

from tests.defaults import link_policy
from webgraph_it.extract import Document, extract
from webgraph_it.extract.headers import link_kind, link_values, refresh_url

URL = "http://a.it/d/p"


def seen(*headers: tuple[str, bytes], nofollow: bool = False) -> list[tuple[str, str]]:
    found = extract(Document(b"", URL, "text/html", None, headers, nofollow), link_policy())
    return [(link.kind, link.url.removeprefix("http://a.it")) for link in found.links]


@pytest.mark.parametrize(
    ("header", "value", "links"),
    [
        ("location", b"/x", [("redirect", "/x")]),
        ("location", b"http://b.it/", [("redirect", "http://b.it/")]),
        ("location", "/è".encode(), [("redirect", "/%C3%A8")]),
        ("location", b"/\xe8", [("redirect", "/%C3%A8")]),
        ("location", b" /x ", [("redirect", "/x")]),
        ("location", b"javascript:x", []),
        ("content-location", b"p.html", [("link", "/d/p.html")]),
        ("refresh", b"0; url=x", [("refresh", "/d/x")]),
        ("refresh", b"0", []),
        ("link", b"</x>; rel=next", [("link", "/x")]),
        ("link", b'</x>; rel="next"; title="a, b; c", <y>;rel=prev', [("link", "/x"), ("link", "/d/y")]),
        ("link", b"</x>; rel=stylesheet", []),
        ("link", b"</x>; rel=preload; as=style, </y>", [("link", "/y")]),
        ("link", b"</x>; anchor='/z'; rel=next", []),
        ("link", b"no link", []),
        ("link", b"", []),
        ("link", b"<", []),
    ],
)
def test_links_of_a_header(header: str, value: bytes, links: list[tuple[str, str]]) -> None:
    assert seen((header, value)) == links


def test_header_links_come_before_those_of_the_body() -> None:
    document = Document(b"<a href=/2>", URL, "text/html", None, (("link", b"</1>"), ("link", b"</2>")))
    assert [(link.kind, link.url[-1]) for link in extract(document, link_policy()).links] == [
        ("link", "1"),
        ("link", "2"),
    ]


def test_header_links_ignore_the_base_element() -> None:
    document = Document(b"<base href=/b/><a href=1>", URL, "text/html", None, (("link", b"<2>"),))
    assert [link.url for link in extract(document, link_policy()).links] == [
        "http://a.it/d/2",
        "http://a.it/b/1",
    ]


def test_of_a_page_that_is_not_to_be_followed_only_the_redirect_remains() -> None:
    assert seen(("location", b"/x"), ("link", b"</y>"), nofollow=True) == [("redirect", "/x")]


@pytest.mark.parametrize(
    ("rel", "kind"),
    [
        ("", "embed"),
        ("canonical", "link"),
        ("STYLESHEET", "embed"),
        ("shortcut icon", "embed"),
        ("alternate stylesheet", "embed"),
        ("stylesheet/less", "embed"),
        ("EditURI", "embed"),
        ("wlwmanifest", "embed"),
        ("https://api.w.org/", "embed"),
        ("icon stylesheet", "embed"),
        ("nonsense", "link"),
    ],
)
def test_kind_of_a_rel(rel: str, kind: str) -> None:
    assert link_kind(rel) == kind


def test_link_values_of_odd_spellings() -> None:
    assert list(link_values("<a>;rel=x ,, <b> ; REL = y;rel=z")) == [("a", "x"), ("b", "y")]
    assert list(link_values(r'<a>; title="\""; rel="x y"')) == [("a", "x y")]


def test_refresh_of_a_long_number_is_read_at_once() -> None:
    assert refresh_url("0" * 1_000_000) == ""

"""Anchor texts and nofollow: what is kept of each link, and that the links stay the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import DEFAULTS
from webgraph_it.extract import Document, Extraction, extract, link_policy
from webgraph_it.extract.anchors import MAX_READ, MAX_TEXT, MAX_TEXTS, clean
from webgraph_it.extract.records import NO_ANCHORS


def found(html: str, *, texts: bool = True, rels: bool = True, media_type: str = "text/html") -> Extraction:
    policy = link_policy(DEFAULTS.LINK_KINDS_ARCS, [], False, False, texts, rels)
    return extract(Document(html.encode(), "http://a.it/", media_type), policy)


def texts(html: str) -> list[tuple[str, str]]:
    extraction = found(html)
    return [(extraction.links[number].url, text) for number, text in extraction.anchors.texts]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=b>  Il\n\tnostro <b>bel</b> sito </a>", [("http://a.it/b", "Il nostro bel sito")]),
        ("<a href=b><img alt='una foto' src=x></a>", [("http://a.it/b", "una foto")]),
        ("<a href=b> <img alt=x src=x> <img alt=y src=y></a>", [("http://a.it/b", "x y")]),
        ("<map><area href=b alt='la mappa'></map>", [("http://a.it/b", "la mappa")]),
        ("<a href=b></a><link rel=next href=c>", []),
        (
            "<a href=b>uno</a><a href=b>due</a><a href=b#x>uno</a>",
            [("http://a.it/b", "due"), ("http://a.it/b", "uno")],
        ),
        ("<a href=mailto:x>posta</a><a href=c>c</a>", [("http://a.it/c", "c")]),
        ("<a href=b>a\x1b[2Jb&#8203;c</a>", [("http://a.it/b", "a[2Jbc")]),
        ("<base href=/d/><a href=b>x</a>", [("http://a.it/d/b", "x")]),
        ("<svg><a href=b><text>disegno</text></a></svg>", [("http://a.it/b", "disegno")]),
    ],
)
def test_a_link_says_what_it_shows(html: str, expected: list[tuple[str, str]]) -> None:
    assert texts(html) == expected


def test_a_text_is_short_and_there_are_not_too_many() -> None:
    assert texts(f"<a href=b>{'parola ' * 100}</a>")[0][1] == ("parola " * 100)[:MAX_TEXT].rstrip()
    many = "".join(f"<a href={number}>testo {number}</a>" for number in range(MAX_TEXTS + 10))
    extraction = found(many)
    assert len(extraction.links) == MAX_TEXTS + 10
    assert len(extraction.anchors.texts) == MAX_TEXTS


def test_nested_elements_do_not_multiply_the_work() -> None:
    """Without the limit, 2,000 times 100 KB would be copied."""
    depth = 2_000
    body = "<svg>" + "".join(f"<a href=/{number}>" for number in range(depth)) + "x" * 100_000
    extraction = found(body)
    assert len(extraction.links) == depth
    assert len(extraction.anchors.texts) <= MAX_READ // 100_000 + 1


@pytest.mark.parametrize(
    ("html", "nofollow"),
    [
        ("<a href=b rel=nofollow>x</a>", ["http://a.it/b"]),
        ("<a href=b rel='ugc NOFOLLOW'>x</a>", ["http://a.it/b"]),
        ("<a href=b rel=nofollow>x</a><a href=b>y</a>", []),
        ("<a href=b rel=nofollow>x</a><a href='b#c' rel=nofollow>y</a>", ["http://a.it/b"]),
        ("<a href=b rel=nofollowed>x</a><area href=c rel=nofollow>", ["http://a.it/c"]),
        ("<a href=b>x</a>", []),
    ],
)
def test_a_target_is_nofollow_if_all_links_to_it_are(html: str, nofollow: list[str]) -> None:
    extraction = found(html, texts=False)
    assert [extraction.links[number].url for number in extraction.anchors.nofollow] == nofollow
    assert extraction.anchors.texts == ()


def test_nothing_is_collected_that_was_not_asked_for() -> None:
    html = "<a href=b rel=nofollow>x</a>"
    assert found(html, texts=False, rels=False).anchors is NO_ANCHORS
    assert found(html, rels=False).anchors.nofollow == ()


@given(st.text())
def test_a_clean_text_is_one_printable_line_and_stays_the_same(text: str) -> None:
    shown = clean(text)
    assert len(shown) <= MAX_TEXT
    assert shown.isprintable()
    assert clean(shown) == shown == " ".join(shown.split())


PIECES = st.sampled_from(
    [
        "<a href=b>",
        "</a>",
        "<a href=c rel=nofollow>",
        "testo",
        "<svg>",
        "<img alt=x src=y>",
        "<area href=d alt=e>",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_the_links_are_the_same_with_and_without(html: str) -> None:
    plain = found(html, texts=False, rels=False)
    assert found(html)._replace(anchors=NO_ANCHORS) == plain

"""Which lines of a robots.txt speak to us; any bytes give a group."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.robots.group import (
    MAX_LINE_BYTES,
    MAX_TEXT_BYTES,
    Field,
    first_part,
    group_for,
)

TOKEN = "webgraph_it"


@pytest.mark.parametrize(
    ("text", "disallows"),
    [
        ("User-agent: *\nDisallow: /a", ["/a"]),
        ("Disallow: /a", []),  # for nobody
        ("User-agent: other\nDisallow: /a", []),
        ("User-agent: WebGraph_IT/2.0 (x)\nDisallow: /a", ["/a"]),
        ("User-agent: webgraph_itx\nDisallow: /a", []),
        ("User-agent: *\nDisallow: /a\nUser-agent: webgraph_it\nDisallow: /b", ["/b"]),
        ("User-agent: webgraph_it\nUser-agent: *\nDisallow: /a", ["/a"]),
        ("User-agent: webgraph_it\nDisallow: /a\nUser-agent: x\nDisallow: /b", ["/a"]),
        (
            "User-agent: webgraph_it\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: webgraph_it\nDisallow: /c",
            ["/a", "/c"],
        ),
        (
            "User-agent: webgraph_it\nUnknown: x\nUser-agent: x\nDisallow: /a",
            ["/a"],
        ),  # protego: another group
        ("User-agent: webgraph_it\n\nDisallow: /a # why", ["/a"]),
        ("useragent:*\rdisalow:/a\r\nDissallow /b\nDisallow /c d", ["/a", "/b"]),
        ("User-agent: *\nDisallow:", []),
        ("User-agent: *\nDisallow: /a\nUser-agent: webgraph_it\nDisallow:", []),
        ("User-agent: * x\nDisallow: /a", ["/a"]),
        ("User-agent: *x\nDisallow: /a", []),
    ],
)
def test_rules_are_those_of_the_groups_that_name_us(text: str, disallows: list[str]) -> None:
    assert group_for(TOKEN, text.encode()).disallows == disallows


@pytest.mark.parametrize(
    ("text", "delays"),
    [
        ("User-agent: *\nCrawl-delay: 5", [(Field.CRAWL_DELAY, "5")]),
        ("User-agent: *\nCrawl-delay: 0,5 secondi", [(Field.CRAWL_DELAY, "0.5")]),
        ("User-agent: *\nRequest-rate: 1/10", [(Field.REQUEST_RATE, "1/10")]),
        ("User-agent: *\nCrawl-delay:", []),
        ("User-agent: *\nCrawl-delay: 9\nUser-agent: x\nCrawl-delay: 3", [(Field.CRAWL_DELAY, "9")]),
        ("User-agent: x\nCrawl-delay: 9\nUser-agent: *\nDisallow: /", []),  # not for those named later
        ("User-agent: *\nDisallow: /\nUser-agent: x\nCrawl-delay: 9", []),
    ],
)
def test_a_delay_is_for_those_named_before_it(text: str, delays: list[tuple[Field, str]]) -> None:
    assert group_for(TOKEN, text.encode()).delays == delays


def test_a_sitemap_is_of_the_whole_file() -> None:
    text = b"Sitemap: http://a.it/\xe8.xml\nUser-agent: x\nDisallow: /\nsite-map: http://a.it/2.xml"
    found = group_for(TOKEN, text)
    assert found.sitemaps == ["http://a.it/%E8.xml", "http://a.it/2.xml"]
    assert not found


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b""])
def test_a_byte_order_mark_or_the_beginning_of_one_is_no_part_of_the_first_name(mark: bytes) -> None:
    assert group_for(TOKEN, mark + b"User-agent: *\nDisallow: /a").disallows == ["/a"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read(encoding: str) -> None:
    text = "\ufeffUser-agent: *\nDisallow: /è".encode(encoding)
    assert group_for(TOKEN, text).disallows == ["/è".encode().decode("latin-1")]


def test_a_line_too_long_forbids_more_than_it_says_and_allows_nothing() -> None:
    path = b"/" + b"a" * MAX_LINE_BYTES
    found = group_for(TOKEN, b"User-agent: *\nDisallow: " + path + b"\nAllow: " + path)
    assert [len(rule) for rule in found.disallows] == [MAX_LINE_BYTES - len("Disallow: ")]
    assert found.allows == []


@given(st.integers(-3, 40), st.sampled_from([b"\n", b"\r", b"\r\n"]))
def test_what_is_read_of_a_long_text_ends_with_a_line(over: int, newline: bytes) -> None:
    line = b"Disallow: /0123" + newline
    body = (line * (MAX_TEXT_BYTES // len(line) + 9))[: MAX_TEXT_BYTES + over]
    read = first_part(body)
    assert body.startswith(read)
    assert len(read) <= MAX_TEXT_BYTES
    if over <= 0:
        assert read == body
    else:
        assert len(read) > MAX_TEXT_BYTES - 2 * len(line)
        assert all(part.rstrip() == line.rstrip() for part in read.split(newline) if part.strip())


def test_a_text_of_one_endless_line_is_not_read() -> None:
    assert first_part(b"a" * (MAX_TEXT_BYTES + 1)) == b""


FRAGMENTS = st.sampled_from(
    [
        b"User-agent: ",
        b"*",
        b"webgraph_it",
        b"\n",
        b"\r",
        b"Disallow: ",
        b"Allow:",
        b"/",
        b"#",
        b"\xff",
        b"Crawl-delay:",
    ]
)


@given(st.lists(st.one_of(FRAGMENTS, st.binary(max_size=5)), max_size=40).map(b"".join))
def test_any_bytes_give_a_group_that_can_be_told_to_protego(text: bytes) -> None:
    found = group_for(TOKEN, text)
    assert found.rules() == len(found.allows) + len(found.disallows)
    assert found.wildcards() <= text.count(b"*")
    assert found.delays_text().isascii()
    assert len(found.delays_text().splitlines()) == 1 + len(found.delays)
    assert all("\n" not in rule and "#" not in rule for rule in found.allows + found.disallows)


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        (b"http://sito.it/~a", "http://sito.it/~a"),
        (b"http://sito.it/~\xc3\xa0 \x7f", "http://sito.it/~%C3%A0 %7F"),
        (b"a\x01b", "a%01b"),
    ],
)
def test_what_is_kept_is_printable_ascii(octets: bytes, text: str) -> None:
    assert group_for(TOKEN, b"Sitemap: " + octets + b"\n").sitemaps == [text]

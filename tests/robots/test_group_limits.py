"""Which lines of a robots.txt are for whom, and what is left of odd ones."""

import pytest

from webgraph_it.robots import group as module
from webgraph_it.robots.group import Field, first_part, group_for

RULE = "\nDisallow: /a\n"


def disallowed(text: str | bytes, token: str = "webgraph_it") -> list[str]:
    return group_for(token, text.encode() if isinstance(text, str) else text).disallows


@pytest.mark.parametrize(
    ("agent", "is_for_us"),
    [
        ("*", True),
        ("* ", True),
        ("*\t", True),
        ("* all of you", True),
        ("*bot", False),
        ("**", False),
        ("all", False),
        ("", False),
        ("webgraph_it", True),
        ("WebGraph_it/1.0 (test)", True),
        ("webgraph_itx", False),
        ("webgraph", False),
    ],
)
def test_whom_a_group_is_for(agent: str, is_for_us: bool) -> None:
    assert disallowed(f"User-agent: {agent}{RULE}") == (["/a"] if is_for_us else [])


def test_a_group_that_names_us_counts_more_than_one_for_everybody_also_if_it_is_empty() -> None:
    assert disallowed("User-agent: *\nDisallow: /a\n\nUser-agent: webgraph_it\nDisallow: /b\n") == ["/b"]
    assert disallowed("User-agent: webgraph_it\nDisallow:\n\nUser-agent: *\nDisallow: /a\n") == []


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        (b"http://sito.it/~a", "http://sito.it/~a"),
        (b"http://sito.it/~\xc3\xa0 \x7f", "http://sito.it/~%C3%A0 %7F"),
        (b"a\x01b", "a%01b"),
        ("città".encode(), "citt%C3%A0"),
    ],
)
def test_what_is_kept_is_printable_ascii(octets: bytes, text: str) -> None:
    assert group_for("x", b"Sitemap: " + octets + b"\n").sitemaps == [text]


@pytest.mark.parametrize("mark", [b"", b"\xef", b"\xef\xbb", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_or_its_beginning_is_passed_over(mark: bytes) -> None:
    assert disallowed(mark + b"User-agent: *" + RULE.encode()) == ["/a"]


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_by_its_mark(coding: str) -> None:
    assert disallowed(f"\ufeffUser-agent: *{RULE}".encode(coding)) == ["/a"]


def test_delays_are_for_those_that_were_named_before_them() -> None:
    text = b"User-agent: a\nCrawl-delay: 0,5 secondi\nUser-agent: b\nRequest-rate: 1/5\nDisallow: /x\n"
    assert group_for("a", text).delays == [(Field.CRAWL_DELAY, "0.5")]
    assert group_for("b", text).delays == [(Field.REQUEST_RATE, "1/5")]
    assert group_for("a", text).disallows == group_for("b", text).disallows == ["/x"]


def test_a_common_slip_is_understood() -> None:
    assert disallowed("User-agent: *\nDisallow /a\nDisallow\nDisallow /b /c\n") == ["/a"]


def test_a_line_that_was_cut_forbids_and_does_not_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 20)
    text = b"User-agent: *\nAllow: /0123456789abcdef\nDisallow: /0123456789abcdef\n"
    found = group_for("x", text)
    assert (found.allows, found.disallows) == ([], ["/012345678"])


def test_a_long_text_is_cut_at_the_end_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TEXT_BYTES", 10)
    assert first_part(b"0123456789") == b"0123456789"
    assert first_part(b"0123\n56789a") == b"0123"
    assert first_part(b"0123\r56789a") == b"0123"
    assert first_part(b"0123456789\nabc") == b"0123456789"
    assert first_part(b"0123456789abc") == b""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fetch.content_type import INVALID, MAX_LENGTH, declared


@pytest.mark.parametrize(
    ("text", "media_type", "charset"),
    [
        ("text/html; charset=utf-8", "text/html", "utf-8"),
        (" Text/HTML ;CHARSET = 'ISO-8859-15'", "text/html", "ISO-8859-15"),
        (
            'application/vnd.ms-excel;a=b; charset="iso_8859-1:1987"',
            "application/vnd.ms-excel",
            "iso_8859-1:1987",
        ),
        ("image/svg+xml", "image/svg+xml", None),
        ("*/*", "*/*", None),
        ("", "", None),
        (" ;charset=utf-8", "", "utf-8"),
        ("html", INVALID, None),
        ("text/html, text/html", INVALID, None),
        ("text/\x1b[31mhtml", INVALID, None),
        ("text/html\x9b2J; charset=\x1b[2Jutf-8", INVALID, None),
        ("text/città", INVALID, None),
        ("text/a\u202eb", INVALID, None),
        ("a/" + "b" * (MAX_LENGTH - 2), "a/" + "b" * (MAX_LENGTH - 2), None),
        ("a/" + "b" * (MAX_LENGTH - 1), INVALID, None),
        ("text/html; charset=" + "x" * 60_000, "text/html", None),
    ],
)
def test_declared(text: str, media_type: str, charset: str | None) -> None:
    assert declared(text) == (media_type, charset)


@given(st.text(), st.text())
def test_whatever_is_declared_is_safe_to_print(text: str, parameters: str) -> None:
    media_type, charset = declared(f"{text};charset={parameters}")
    assert media_type.isascii()
    assert media_type.isprintable()
    assert len(media_type) <= MAX_LENGTH
    assert charset is None or (charset.isascii() and charset.isprintable() and len(charset) <= 40)

"""Bytes to text."""

import encodings

import pytest

from tests.defaults import link_policy
from webgraph_it.extract import KINDS, Document, extract
from webgraph_it.extract.charset import decoded, known_codecs


@pytest.mark.parametrize(
    ("body", "declared", "also", "text"),
    [
        (b"\xc3\xa8", None, None, "è"),
        (b"\xe8", None, None, "è"),
        (b"\xc3\xa8\xc3", None, None, "è\ufffd"),
        (b"\xa4", "iso-8859-15", "utf-8", "€"),
        (b"\xa4", None, "iso-8859-15", "€"),
        (b"\x80", "iso-8859-1", None, "€"),
        (b"\x80", "us-ascii", None, "€"),
        (b"\xef\xbb\xbf\xc3\xa8", "iso-8859-1", None, "è"),
        (b"\xff\xfea\x00", None, None, "a"),
        (b"a\x00", "utf-16", None, "a"),
        (b"\xe8", "nonsense", None, "è"),
        (b"\xe8", "rot13", None, "è"),
        (b"\xe8", "utf-7", None, "è"),
        (b"\xe8", "\0", None, "è"),
        (b"", None, None, ""),
    ],
)
def test_decoded(body: bytes, declared: str | None, also: str | None, text: str) -> None:
    assert decoded(body, declared, also) == text


PAGE = (
    "<p><i>Città</i><a href='/città'>è</a><a href='/perché-no'>ì</a><a href='/più/𝄞'>ù</a> https://è.it/ò </p>"
).encode()


@pytest.mark.parametrize("charset", [None, "utf-8"])
@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "application/xml"])
def test_a_page_that_is_cut_inside_a_character_keeps_the_links_before_it(
    media_type: str, charset: str | None
) -> None:
    """MAX_BODY_BYTES counts bytes: cut anywhere, the rest is still UTF-8, not windows-1252."""
    policy = link_policy(KINDS, plain_text=True)

    def found(body: bytes) -> list[str]:
        return [
            link.url for link in extract(Document(body, "http://a.it/", media_type, charset), policy).links
        ]

    whole = found(PAGE)
    assert len(whole) >= 1
    inside = [cut for cut in range(len(PAGE)) if PAGE[cut] & 0xC0 == 0x80]
    assert len(inside) >= 10
    for cut in inside:
        links = found(PAGE[:cut])
        assert not any("%C3%83" in url for url in links), f"windows-1252 when cut after {cut} bytes"
        assert links[:-1] == whole[: max(0, len(links) - 1)]


def test_no_label_is_remembered_and_no_module_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    known_codecs()
    monkeypatch.setattr("builtins.__import__", lambda *_: pytest.fail("a module is searched for"))
    remembered = len(encodings._cache)  # type: ignore[attr-defined]
    for number in range(100):
        assert decoded(b"\xe8", f"codifica{number}", "z" * 60_000) == "è"
    assert len(encodings._cache) == remembered  # type: ignore[attr-defined]

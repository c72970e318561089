"""Every extractor, on bytes from nowhere: it returns, and what it returns has the right shape."""

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.defaults import DEFAULT_ARCS, link_policy
from webgraph_it.extract import KINDS, Document, extract
from webgraph_it.extract.records import REASONS
from webgraph_it.extract.table import READERS
from webgraph_it.simweb import documents as simweb

EVERYTHING = link_policy(KINDS, plain_text=True)
WANTED = frozenset(KINDS)
FRAGMENTS = [
    *(
        b"<a href=",
        b"'",
        b'"',
        b">",
        b"<",
        b"<!--",
        b"-->",
        b"<base href=",
        b"<meta charset=",
        b"<template>",
        b"&#",
    ),
    *(
        b"<![CDATA[",
        b"]]>",
        b"<?xml",
        b"<link>",
        b"</link>",
        b"<loc>",
        b"href=",
        b"http://a.it/",
        b"//",
        b"\\",
        b"\0",
    ),
    *(
        b"stream\n",
        b"endstream",
        b"/ObjStm",
        b"/FlateDecode",
        b"/URI (",
        b"/URI <",
        b"(",
        b")",
        b" obj",
        b"/Encrypt <<",
    ),
    *(
        b"\\fldinst",
        b'HYPERLINK "',
        b"\\u-1 ?",
        b"\\'e8",
        b"{",
        b"}",
        b"url(",
        b"@import ",
        b"/*",
        b"*/",
        b"\xff\xfe",
    ),
    *(
        b"\x83\x05\x00",
        b"\x96\x03\x00",
        b"\x9a\x01\x00",
        b"\x3f\x03",
        b"PK\x03\x04",
        b"\x1f\x8b",
        b"\xe8",
        b"\xc3\xa8",
    ),
]
soup = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=8), max_size=40).map(b"".join)
starts = st.sampled_from(
    [b"", b"%PDF-1.5\n", b"{\\rtf1", b"FWS\x08\0\0\0\0", b"CWS\x08\0\0\0\0", b"ZWS\x08\0\0\0\0"]
)
charsets = st.sampled_from(
    [None, "utf-8", "iso-8859-1", "utf-16", "utf-7", "nonsense", "rot13", "\0", "x" * 500]
)


@pytest.mark.parametrize("media_type", READERS)
@given(soup, charsets)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_exception_escapes_an_extractor(media_type: str, body: bytes, charset: str | None) -> None:
    found = READERS[media_type].extractor(body, "http://a.it/d/", charset, WANTED)
    for reference, kind, rel in found.links:
        assert isinstance(reference, str)
        assert isinstance(rel, str)
        assert kind in KINDS


@given(starts, soup, charsets, st.sampled_from(["", *READERS]))
@settings(max_examples=300, deadline=None)
def test_no_exception_escapes_extract(
    start: bytes, body: bytes, charset: str | None, media_type: str
) -> None:
    found = extract(Document(start + body, "http://a.it/d/", media_type, charset), EVERYTHING)
    assert len({link.digest for link in found.links}) == len(found.links)


@given(
    st.lists(
        st.tuples(st.sampled_from(["location", "link", "refresh", "content-location"]), soup), max_size=3
    )
)
@settings(max_examples=100, deadline=None)
def test_no_exception_escapes_headers(headers: list[tuple[str, bytes]]) -> None:
    found = extract(Document(b"", "http://a.it/", "text/html", None, tuple(headers)), EVERYTHING)
    assert {link.kind for link in found.links} <= WANTED
    assert not found.links or headers


PACKED = {"doc", "docx", "xlsx", "pptx", "odt", "swf"}
"""Compressed, or read by offsets: when a byte is gone, all after it is."""


@pytest.mark.parametrize("kind", simweb.KINDS)
def test_damaged_documents_are_read_as_far_as_they_go(kind: str) -> None:
    """Bytes changed, cut out and doubled at random places of a sound document: half of the time, or of a packed one
    now and then, a link that was in it is found, and whatever is found has the right shape."""
    chance = random.Random(kind)
    links = ["http://a.it/x", "http://b.it/y"]
    content_type, sound = simweb.render(kind, links, "Titolo", chance.randrange(6))
    useful = 0
    for _ in range(150):
        body = bytearray(sound)
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(body))
            body[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(4))
        found = extract(Document(bytes(body), "http://a.it/", content_type.partition(";")[0]), EVERYTHING)
        assert found.reason in REASONS
        assert {link.kind for link in found.links} <= WANTED
        assert len({link.digest for link in found.links}) == len(found.links)
        useful += any(link.url in links for link in found.links)
    assert useful >= (1 if kind in PACKED else 75)


GROWING = {
    "text/html": [
        b"<div>",
        b"<a href=x>",
        b"<table><a href=x>",
        b"<!--",
        b"<b><p></b>",
        b"&amp",
        b"<a href='",
        b"<a ",
    ],
    "application/xhtml+xml": [b"<a href='x'>", b"<a ", b"&egrave;"],
    "application/xml": [
        b"<a href='",
        b"<link>",
        b"<a b='x' ",
        b"<![CDATA[",
        b"<!DOCTYPE x [",
        b"aaaa",
        b"<a <a ",
    ],
    "text/css": [b"url(", b"url('", b'url("\\', b"@import ", b"/*", b"\\", b"'", b"url( "],
    "text/javascript": [b'"', b"'\\", b"//", b"/*", b'"a/', b'"a.b/c"', b'"http://a.b.', b'\\"'],
    "text/plain": [b"http://", b"http://a.it/).", b"(((", b"http://a.it/" + b"." * 50],
    "application/pdf": [
        b"/URI (",
        b"stream\n",
        b"/URI <",
        b"(",
        b"/ObjStm obj stream\nendstream",
        b"\\(",
        b"/URI(\\)",
    ],
    "application/rtf": [b"\\fldinst ", b'HYPERLINK "', b'\\fldinst HYPERLINK "', b"{", b"\\u1"],
    "application/x-shockwave-flash": [b"\x40\x00", b"\x83\x00\x00", b"\x3f\x03\x04\x00\x00\x00"],
    "application/msword": [b"\x00" * 16, b"\x01\x00\x00\x00"],
}
OLE_START = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(16) + b"\x3e\0\x03\0\xfe\xff\x09\0\x06\0" + bytes(500)
STARTS = {
    "application/pdf": b"%PDF-1.4 ",
    "application/rtf": b"{\\rtf1 ",
    "application/x-shockwave-flash": b"FWS\x08\0\0\0\0\0\0\0\0\0",
    "application/msword": OLE_START,
}
SMALL, LARGE = 1 << 19, 1 << 22


def seconds(media_type: str, unit: bytes, size: int) -> float:
    """CPU time, the better of two."""
    document = Document(STARTS.get(media_type, b"") + unit * (size // len(unit)), "http://a.it/", media_type)
    policy = link_policy(DEFAULT_ARCS | {"css", "script"}, plain_text=True)
    times = []
    for _ in range(2):
        start = time.process_time()
        extract(document, policy)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("media_type", "unit"), [(kind, unit) for kind, units in GROWING.items() for unit in units]
)
def test_time_grows_no_faster_than_the_input(media_type: str, unit: bytes) -> None:
    """At most 2.5 times the CPU time for twice the bytes: over three doublings up to 4 MB, so that noise evens out.

    What takes less than 10 ms counts as 10: beyond 1 MB memory comes fresh from the kernel, a step of up to 40 ms. One
    that is quadratic takes 64 times as long: it is found, unless it is quick at 4 MB too.
    """
    assert seconds(media_type, unit, LARGE) <= 2.5**3 * max(seconds(media_type, unit, SMALL), 0.010)

"""Which reader gets which bytes."""

import gzip

import pytest

from tests.defaults import DEFAULT_ARCS, link_policy
from webgraph_it.extract.table import READERS, canonical, detected, reader

HTML, XML = b"<!DOCTYPE html><a href=1>", b"<?xml version='1.0'?><x/>"
RSS = b"<?xml version='1.0'?>\n<!-- feed --><?xml-stylesheet href='x'?>\n<rss version='2.0'></rss>"
XHTML = b"<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'></html>"
OLE = bytes.fromhex("D0CF11E0A1B11AE1")


@pytest.mark.parametrize(
    ("declared", "body", "media_type"),
    [
        ("text/html", HTML, "text/html"),
        ("text/html", b"", "text/html"),
        ("text/html", b"%PDF-1.4", "application/pdf"),
        ("text/html", OLE, "application/msword"),
        ("text/html", b"PK\x03\x04", "application/zip"),
        ("text/html", b"{\\rtf1", "application/rtf"),
        ("text/html", b"FWS\x08", "application/x-shockwave-flash"),
        ("text/html", b"CWS\x08", "application/x-shockwave-flash"),
        ("text/html", b"ZWS\x08", "application/x-shockwave-flash"),
        ("text/html", gzip.compress(b"x", mtime=0), "application/gzip"),
        ("text/html", RSS, "application/xml"),
        ("text/html", b"<rss>", "application/xml"),
        ("text/html", b"<urlset xmlns='x'>", "application/xml"),
        ("text/html", XHTML, "text/html"),
        ("text/html", XML, "text/html"),
        ("text/plain", HTML, "text/plain"),
        ("text/plain", b"%PDF-1.4", "application/pdf"),
        ("image/png", b"%PDF-1.4", "image/png"),
        ("", HTML, "text/html"),
        ("", b"  \n<HTML>", "text/html"),
        ("", b"\xef\xbb\xbf<html>", "text/html"),
        ("", b"<!-- x --><a>", "text/html"),
        ("", RSS, "application/xml"),
        ("", XML, "application/xml"),
        ("", XHTML, "application/xhtml+xml"),
        ("", b"words", ""),
        ("application/octet-stream", HTML, "text/html"),
        ("application/octet-stream", b"\0\1", "application/octet-stream"),
        ("application/xml", XML, "application/xml"),
        ("text/xml", XHTML, "application/xhtml+xml"),
        ("application/rss+xml", RSS, "application/rss+xml"),
        ("text/css", b"a{}", "text/css"),
    ],
)
def test_media_type(declared: str, body: bytes, media_type: str) -> None:
    assert detected(declared, body) == media_type


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ("application/rss+xml", "application/xml"),
        ("application/xhtml+xml", "application/xhtml+xml"),
        ("image/svg+xml", "image/svg+xml"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/zip"),
        ("application/vnd.oasis.opendocument.text", "application/zip"),
        ("application/x-pdf", "application/pdf"),
        ("image/png", "image/png"),
    ],
)
def test_one_name_for_each_type(declared: str, name: str) -> None:
    assert canonical(declared) == name


@pytest.mark.parametrize("media_type", READERS)
def test_every_type_is_read_when_all_is_wanted(media_type: str) -> None:
    assert reader(media_type, link_policy(DEFAULT_ARCS, embedded=True, plain_text=True))


@pytest.mark.parametrize(
    "media_type", ["text/css", "text/javascript", "text/plain", "image/png", "", "text/csv"]
)
def test_styles_scripts_and_texts_are_not_read_by_default(media_type: str) -> None:
    assert reader(media_type, link_policy()) is None

"""Records as the crawl judges them, and the frames in which the main process gets them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import link_policy
from tests.ingest.archives import page
from webgraph_it.extract.worker import policy_fields
from webgraph_it.ingest.frames import LENGTHS, lengths, packed, unpacked
from webgraph_it.ingest.reader import cap_of, items, reader_of
from webgraph_it.ingest.reading import INDEX, LIST, Reader, Reading
from webgraph_it.ingest.records import Damage, Record
from webgraph_it.ingest.replies import reply_of
from webgraph_it.settings_table import CrawlSettings

POLICY = policy_fields(link_policy())
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    seeds = tmp_path_factory.mktemp("seeds") / "none.txt"
    seeds.touch()
    return reader_of(CrawlSettings.read({}), str(seeds), POLICY)


def record(url: str, block: bytes, kind: str = "response", **facts: str) -> Record:
    return Record(kind, url, 1.5, block, 7)._replace(**facts)


def through(reading: Reading) -> Reading:
    """As the main process sees it."""
    frame = packed(reading)
    head, links = lengths(frame[: LENGTHS.size])
    start = LENGTHS.size
    return unpacked(frame[start : start + head], frame[start + head : start + head + links])


def test_a_page_arrives_with_its_links_named(reader: Reader) -> None:
    found = through(reader.read(record("http://www.uno.it:80/a#b", HEAD + page("c", "http://due.it/"))))
    assert (found.url, found.state, found.status, found.time) == ("http://www.uno.it/a", "fetched", 200, 1.5)
    assert [link.key for link in found.extraction.links] == ["it,uno)/c", "it,due)/"]
    assert all(len(link.digest) == 16 for link in found.extraction.links)
    assert len(found.extraction.content_digest) == 32


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (Damage("header"), "damaged/header"),
        (record("dns:uno.it", b"x"), "not-http"),
        (record("http://[/", b"x"), "url/invalid"),
        (record("http://uno.fr/", HEAD), "scope/host"),
        (record("http://uno.it/a.jpg", HEAD), "scope/extension"),
        (record("http://uno.it/", b"niente"), "http/not-http"),
        (record("http://uno.it/", b"HTTP/1.1 503 Slow\r\n\r\n"), "temporary/status-503"),
        (record("http://uno.it/", b"HTTP/1.1 301 M\r\nLocation: https://uno.it/\r\n\r\n"), "spelling"),
        (record("http://uno.it/", b"via: x", "metadata"), "-"),
    ],
)
def test_a_record_that_is_no_page_has_a_reason(reader: Reader, item: Record | Damage, reason: str) -> None:
    found = through(reader.read(item))
    assert (found.url, found.reason) == ("", reason)


def test_a_redirect_and_an_error_are_pages(reader: Reader) -> None:
    moved = through(reader.read(record("http://uno.it/", b"HTTP/1.1 301 M\r\nLocation: /b\r\n\r\n")))
    assert (moved.state, [link.key for link in moved.extraction.links]) == ("redirect", ["it,uno)/b"])
    gone = through(reader.read(record("http://uno.it/", b"HTTP/1.1 410 Gone\r\n\r\n")))
    assert (gone.state, gone.reason, gone.extraction.links) == ("error", "status-410", ())


def test_a_revisit_is_unchanged_unless_its_head_says_more(reader: Reader) -> None:
    for block in (b"", HEAD, b"HTTP/1.1 304 Not Modified\r\n\r\n"):
        found = through(reader.read(record("http://uno.it/", block, "revisit", digest="sha1:X")))
        assert (found.url, found.state) == ("http://uno.it/", "")
        assert found.origin
    moved = record("http://uno.it/", b"HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n", "revisit")
    assert reader.read(moved).state == "redirect"


def test_a_marked_sitemap_is_read_as_one_whatever_it_declares(reader: Reader) -> None:
    index = b"<sitemapindex><sitemap><loc>http://uno.it/b.xml</loc></sitemap></sitemapindex>"
    pages = b"<urlset><url><loc>http://uno.it/c</loc></url></urlset>"
    for body, kind in ((index, INDEX), (pages, LIST)):
        found = through(reader.read(record("http://uno.it/a.xml", HEAD + body, resource_type="sitemap")))
        assert (found.url, found.state, found.sitemap) == ("http://uno.it/a.xml", "fetched", kind)
        assert len(found.extraction.links) == 1
    moved = b"HTTP/1.1 301 M\r\nLocation: /d.xml\r\n\r\n"
    found = through(reader.read(record("http://uno.it/a.xml", moved, resource_type="sitemap")))
    assert (found.state, found.sitemap, len(found.extraction.links)) == ("redirect", INDEX, 1)
    assert through(reader.read(record("http://uno.it/a.xml", HEAD + pages))).sitemap == ""


def test_chunks_and_codings_are_undone_as_in_the_crawl(reader: Reader) -> None:
    import gzip

    body = gzip.compress(page("/b"))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
    block = head + b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    reply = reply_of(record("http://uno.it/", block), "http://uno.it/", reader.limits)
    assert not isinstance(reply, str)
    assert reply.body == page("/b")


def test_a_document_that_killed_a_reader_is_not_read_again(reader: Reader) -> None:
    found = through(reader.read(record("http://uno.it/", HEAD + page("/b")), "timeout"))
    assert (found.state, found.reason, found.extraction.links) == ("fetched", "timeout", ())


@given(st.binary(max_size=200))
def test_a_reader_cannot_make_us_take_anything_else(head: bytes) -> None:
    try:
        unpacked(head, b"")
    except ValueError:
        return
    assert isinstance(json.loads(head), list)


@pytest.mark.parametrize(
    "change",
    [
        {"url": 5},
        {"reason": "Ha ha\n"},
        {"time": float("inf")},
        {"time": "1"},
        {"state": "robots-denied"},
        {"status": -1},
        {"size_bytes": -1},
        {"address": '"'},
        {"origin": "zz"},
        {"position": 1 << 70},
    ],
)
def test_a_wrong_fact_is_refused(change: dict[str, object]) -> None:
    facts = Reading(url="http://uno.it/")._replace(**change)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        unpacked(json.dumps(facts[:-1]).encode(), b"")


def test_a_frame_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="more than a reader may send"):
        lengths(LENGTHS.pack(1 << 30, 0))


def test_the_cap_of_a_block_leaves_room_for_head_and_chunks(reader: Reader) -> None:
    assert cap_of(reader.limits) > reader.limits.head_bytes + reader.limits.body_bytes
    assert callable(items)

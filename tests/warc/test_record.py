"""The bytes of records, and what other readers make of them."""

import io
from collections.abc import Callable
from uuid import RFC_4122, UUID

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.warc.exchanges import HEAD, TIME, exchange
from webgraph_it.items import Exchange
from webgraph_it.warc import record

DATE, ID = "2026-11-18T11:06:40.125Z", "<urn:uuid:1>"
ORIGINAL = record.Original("<urn:uuid:0>", "http://b.it/", "2026-11-17T00:00:00.000Z")


def test_the_date_has_the_milliseconds_of_the_page_log() -> None:
    assert record.warc_date(TIME) == DATE
    assert record.warc_date(TIME + 0.0006) == "2026-11-18T11:06:40.126Z"
    assert record.warc_date(TIME + 0.8749) == "2026-11-18T11:06:41.000Z"


def test_a_response_byte_by_byte() -> None:
    payload_digest = record.digest(b"<a href=x>")
    assert record.response(exchange(), DATE, ID, payload_digest) == (
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        b"WARC-Date: 2026-11-18T11:06:40.125Z\r\nWARC-Target-URI: http://a.it/\r\nWARC-IP-Address: 127.0.0.1\r\n"
        b"WARC-Payload-Digest: sha1:ALZXQ7ZIH6DJ2RAZVTNN7THDIN4LZ4FB\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: 54\r\n\r\n" + HEAD + b"<a href=x>\r\n\r\n"
    )


def test_a_sitemap_is_marked_as_one() -> None:
    mark = b"\r\nWARC-Resource-Type: sitemap\r\n"
    assert mark in record.response(exchange(), DATE, ID, "sha1:X", record.SITEMAP)
    assert mark in record.identical(exchange(), DATE, ID, "sha1:X", ORIGINAL, record.SITEMAP)
    assert b"WARC-Resource-Type" not in record.identical(exchange(), DATE, ID, "sha1:X", ORIGINAL)


MADE: dict[str, Callable[[Exchange], bytes]] = {
    "warcinfo": lambda e: record.info("000001.warc.gz", [("software", "x")], DATE),
    "request": lambda e: record.request(e, DATE, ID),
    "response": lambda e: record.response(e, DATE, ID, record.digest(e.entity)),
    "identical": lambda e: record.identical(e, DATE, ID, record.digest(e.entity), ORIGINAL),
    "not-modified": lambda e: record.not_modified(e, DATE, ID),
    "metadata": lambda e: record.metadata(e, DATE, ID, b"depth: 1\r\n"),
}


@pytest.mark.parametrize("kind", MADE)
def test_warcio_reads_every_kind_and_confirms_its_digests(kind: str) -> None:
    (read,) = ArchiveIterator(io.BytesIO(MADE[kind](exchange())), check_digests="raise")
    assert read.rec_headers.get_header("WARC-Date") == DATE
    assert read.rec_headers.protocol == "WARC/1.1"
    read.content_stream().read()


def test_a_chunked_response_has_a_digest_of_its_block_too() -> None:
    """Others cannot confirm the digest of its payload without removing the chunk sizes."""
    chunked = exchange(body=b"<a href=x>", entity=b"other")
    assert b"WARC-Block-Digest: sha1:E6EQLNE32TZJPQ6VVNCIX5C4GUNWBPA2\r\n" in record.response(
        chunked, DATE, ID, "sha1:X"
    )
    assert b"WARC-Block-Digest" not in record.response(exchange(), DATE, ID, "sha1:X")


def test_a_body_that_was_cut_says_why() -> None:
    cut = record.response(exchange(truncated="disconnect"), DATE, ID, "sha1:X")
    assert b"\r\nWARC-Truncated: disconnect\r\n" in cut
    assert b"WARC-Truncated" not in record.response(exchange(), DATE, ID, "sha1:X")


def test_a_revisit_names_its_original_and_has_no_body() -> None:
    revisit = record.identical(exchange(), DATE, ID, "sha1:X", ORIGINAL)
    assert b"\r\nWARC-Refers-To: <urn:uuid:0>\r\nWARC-Refers-To-Target-URI: http://b.it/\r\n" in revisit
    assert b"\r\nWARC-Refers-To-Date: 2026-11-17T00:00:00.000Z\r\n" in revisit
    assert revisit.endswith(b"\r\n\r\n" + HEAD + b"\r\n\r\n")


def test_an_id_is_a_random_uuid() -> None:
    ids = {record.new_id() for _ in range(1000)}
    assert len(ids) == 1000
    for each in ids:
        found = UUID(each.removeprefix("<").removesuffix(">"))
        assert (found.version, found.variant) == (4, RFC_4122)

"""Captures become members: warcinfo first, one record each, revisits within one file only."""

import zlib

import pytest

from tests.warc.exchanges import HEAD, exchange
from tests.warc.witnesses import Record, records
from webgraph_it.items import Exchange
from webgraph_it.warc import stream
from webgraph_it.warc.capture import Capture, Finding
from webgraph_it.warc.stream import WarcStream

PAGE = Finding(1, "it,a)/", 0.5, ())


def started() -> WarcStream:
    made = WarcStream([("software", "x")], lambda: 0.0)
    made.begin_file("000001.warc.gz")
    return made


def written(*exchanges: Exchange, by: WarcStream | None = None) -> list[Record]:
    made = by or started()
    return records(bytes(made.members([Capture(each, PAGE) for each in exchanges])))


def answers(found: list[Record]) -> list[str]:
    return [each.kind for each in found if each.kind in ("response", "revisit")]


def test_a_file_begins_with_warcinfo_and_a_capture_is_request_response_metadata() -> None:
    found = written(exchange(), exchange("http://b.it/", b"other"))
    assert [each.kind for each in found] == ["warcinfo", *("request", "response", "metadata") * 2]
    assert found[0].headers["WARC-Filename"] == "000001.warc.gz"
    request, response, metadata = found[1:4]
    assert request.headers["WARC-Concurrent-To"] == response.headers["WARC-Record-ID"]
    assert metadata.headers["WARC-Concurrent-To"] == response.headers["WARC-Record-ID"]
    assert len({each.date for each in found[1:4]}) == 1
    assert len({each.headers["WARC-Record-ID"] for each in found}) == 7


def test_an_exchange_that_is_not_in_the_page_log_has_no_metadata() -> None:
    made = bytes(started().members([Capture(exchange("http://a.it/robots.txt"), None)]))
    assert [each.kind for each in records(made)] == ["warcinfo", "request", "response"]


def test_every_record_is_a_gzip_member_of_its_own() -> None:
    rest, members = bytes(started().members([Capture(exchange(), PAGE)])), 0
    while rest:
        unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
        assert unpacking.decompress(rest).startswith(b"WARC/1.1\r\n")
        assert unpacking.eof
        rest, members = unpacking.unused_data, members + 1
    assert members == 4


def test_without_captures_a_file_stays_empty() -> None:
    assert started().members([]) == b""


def test_an_identical_payload_is_a_revisit_of_the_first() -> None:
    found = written(exchange(), exchange("http://b.it/"), exchange("http://c.it/", b"other"))
    assert answers(found) == ["response", "revisit", "response"]
    response, revisit = found[2], found[5]
    assert revisit.headers["WARC-Refers-To"] == response.headers["WARC-Record-ID"]
    assert revisit.headers["WARC-Refers-To-Target-URI"] == "http://a.it/"
    assert revisit.headers["WARC-Refers-To-Date"] == response.date
    assert revisit.headers["WARC-Payload-Digest"] == response.headers["WARC-Payload-Digest"]


def test_a_revisit_never_refers_to_another_file() -> None:
    made = started()
    assert answers(written(exchange(), by=made)) == ["response"]
    made.begin_file("000002.warc.gz")
    assert answers(written(exchange("http://b.it/"), by=made)) == ["response"]


def test_payloads_are_compared_without_chunk_sizes() -> None:
    chunked = exchange("http://b.it/", b"a\r\n<a href=x>\r\n0\r\n\r\n", entity=b"<a href=x>")
    assert answers(written(exchange(), chunked)) == ["response", "revisit"]


@pytest.mark.parametrize("odd", [{"body": b""}, {"truncated": "length"}])
def test_nothing_refers_to_an_empty_or_a_cut_payload(odd: dict[str, object]) -> None:
    assert answers(written(exchange(**odd), exchange(**odd))) == ["response", "response"]  # type: ignore[arg-type]


def test_a_304_is_a_revisit_without_an_original() -> None:
    found = written(exchange(body=b"", head=HEAD.replace(b"200 OK", b"304 Not Modified")))
    assert answers(found) == ["revisit"]
    assert found[2].headers["WARC-Profile"].endswith("/server-not-modified")
    assert found[2].block == b""
    assert "WARC-Refers-To" not in found[2].headers


def test_the_oldest_payload_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_REMEMBERED", 2)
    one, two, three = (exchange(body=body) for body in (b"one", b"two", b"three"))
    found = written(one, two, one, three, one, two)
    assert answers(found) == ["response", "response", "revisit", "response", "revisit", "response"]

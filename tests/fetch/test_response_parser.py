"""Responses from bytes, without a socket. What servers really send is in test_tolerance.py, over sockets."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import response_limits
from tests.fetch.malformed import BODY, CHUNKED, CHUNKS, RESPONSES, SIZE
from webgraph_it.fetch.response_head import BadResponse
from webgraph_it.fetch.response_parser import (
    CUT_BODY,
    CUT_FRAMING,
    DATA_LOSS,
    NOT_CHUNKED,
    Limits,
    ResponseParser,
)

LIMITS = response_limits(head_bytes=2000, header_count=20, body_bytes=1000, framing_bytes=500)


def parse(response: bytes, cuts: list[int] | None = None, limits: Limits = LIMITS) -> ResponseParser:
    """Feed `response` in pieces, then the end of the connection if it is still wanted."""
    parser = ResponseParser(limits)
    bounds = [0, *sorted(cuts or []), len(response)]
    for start, end in pairwise(bounds):
        if end > start and parser.feed(response[start:end]):
            return parser
    parser.eof()
    assert parser.complete
    return parser


def outcome(response: bytes, cuts: list[int] | None = None, limits: Limits = LIMITS) -> object:
    try:
        parser = parse(response, cuts, limits)
    except BadResponse as error:
        return error.reason
    return parser.status, parser.headers, parser.body, parser.flags


def reason(response: bytes) -> object:
    with pytest.raises(BadResponse) as error:
        parse(response)
    return error.value.reason


def test_a_usual_response() -> None:
    parser = parse(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nSet-Cookie: a\r\nset-cookie: b\r\n"
        + SIZE
        + b"\r\n"
        + BODY
    )
    assert parser.status == 200
    assert parser.headers[b"Content-Type"] == [b"text/html"]
    assert parser.headers[b"Set-Cookie"] == [b"a", b"b"]
    assert (parser.body, parser.flags, parser.reusable, parser.version) == (BODY, [], True, b"1.1")


@given(st.data())
def test_the_pieces_in_which_it_comes_do_not_matter(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(RESPONSES)))
    response = RESPONSES[name].response
    cuts = data.draw(st.lists(st.integers(0, len(response)), max_size=12))
    wide = response_limits()
    assert outcome(response, cuts, wide) == outcome(response, None, wide)


@given(st.binary(max_size=3000), st.lists(st.integers(0, 3000), max_size=8))
def test_any_bytes_end_in_a_response_or_a_named_reason(noise: bytes, cuts: list[int]) -> None:
    for response in (
        noise,
        b"HTTP/1.1 200 OK\r\n" + noise,
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n" + noise,
    ):
        result = outcome(response, [cut for cut in cuts if cut <= len(response)])
        assert isinstance(result, str) or len(result[2]) <= LIMITS.body_bytes  # type: ignore[index]


@pytest.mark.parametrize(
    ("connection", "version", "reusable"),
    [
        (b"", b"1.1", True),
        (b"Connection: close\r\n", b"1.1", False),
        (b"Connection: Keep-Alive\r\n", b"1.1", True),
        (b"", b"1.0", False),
        (b"Connection: keep-alive\r\n", b"1.0", True),
    ],
)
def test_when_a_connection_may_be_kept(connection: bytes, version: bytes, reusable: bool) -> None:
    for framing in (SIZE + b"\r\n" + BODY, CHUNKED + b"\r\n" + CHUNKS):
        assert parse(b"HTTP/%s 200 OK\r\n" % version + connection + framing).reusable is reusable


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200 OK\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY + b"more",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n" + SIZE + b"\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n" + CHUNKS + b"more",
    ],
)
def test_a_connection_in_doubt_is_not_kept(response: bytes) -> None:
    assert not parse(response).reusable


def test_a_head_request_has_no_body() -> None:
    parser = ResponseParser(LIMITS, head_request=True)
    assert parser.feed(b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n")
    assert (parser.body, parser.reusable) == (b"", True)


def test_a_long_body_is_cut_and_kept() -> None:
    long = b"x" * 5000
    for response in (
        b"HTTP/1.1 200 OK\r\n\r\n" + long,
        b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + long,
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n1388\r\n" + long + b"\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\nffffffffffffff\r\n" + long,
    ):
        parser = parse(response)
        assert (len(parser.body), parser.flags, parser.reusable) == (1000, [CUT_BODY], False)


def test_a_body_of_exactly_the_cap_is_whole() -> None:
    parser = parse(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000)
    assert (len(parser.body), parser.flags, parser.reusable) == (1000, [], True)


def test_a_body_sent_byte_by_byte_in_chunks_is_cut() -> None:
    parser = parse(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n" + b"1\r\nx\r\n" * 400)
    assert parser.flags == [CUT_FRAMING]
    assert 50 < len(parser.body) < 200


def test_endless_trailers_are_cut() -> None:
    parser = parse(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n1\r\nx\r\n0\r\n" + b"X-Trailer: y\r\n" * 100)
    assert (parser.body, parser.flags) == (b"x", [CUT_FRAMING])


def test_an_early_end_is_flagged() -> None:
    assert parse(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + BODY).flags == [DATA_LOSS]
    assert parse(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\nff\r\n" + BODY).flags == [DATA_LOSS]
    assert parse(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n%x\r\n%s\r\n" % (len(BODY), BODY)).flags == [
        DATA_LOSS
    ]
    assert parse(b"HTTP/1.1 200 OK\r\n\r\n" + BODY).flags == []


def test_a_body_that_is_not_chunked_after_all_is_read() -> None:
    for length in (b"", SIZE):
        parser = parse(b"HTTP/1.1 200 OK\r\n" + CHUNKED + length + b"\r\n" + BODY)
        assert (parser.body, parser.flags) == (BODY, [NOT_CHUNKED])


def test_a_head_without_its_empty_line_is_an_answer() -> None:
    redirect = parse(b"HTTP/1.1 301 Moved\r\nLocation: /p\r\n")
    assert (redirect.status, redirect.headers[b"Location"], redirect.flags) == (301, [b"/p"], [])
    assert not redirect.reusable
    page = parse(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\nContent-Type: text/html\n")
    assert (page.status, page.body, page.flags) == (200, b"", [DATA_LOSS])


@pytest.mark.parametrize("value", [b"5s", b"0x5", b"5.0", b"5 5", b"5;", b"-5", b"", b"five"])
def test_a_length_that_is_no_number_is_ignored(value: bytes) -> None:
    parser = parse(b"HTTP/1.1 200 OK\r\nContent-Length: " + value + b"\r\n\r\n" + BODY)
    assert (parser.body, parser.flags, parser.reusable) == (BODY, [], False)


def test_a_bad_chunk_after_good_ones_keeps_what_came() -> None:
    for end in (b"zzz\r\nmore", b"z" * 5000):
        parser = parse(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n%x\r\n%s\r\n" % (len(BODY), BODY) + end)
        assert (parser.body, parser.flags, parser.reusable) == (BODY, [DATA_LOSS], False)


REFUSED = {
    "no-response": b"",
    "incomplete-head": b"HTTP/1.1 200 OK\r\nContent-Ty",
    "not-http": b"220 mail.esempio.it ESMTP\r\n",
    "head-bytes": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 3000,
    "header-count": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 30 + b"\r\n",
}


@pytest.mark.parametrize(("name", "response"), REFUSED.items())
def test_refusals_have_a_name(name: str, response: bytes) -> None:
    assert reason(response) == name


def test_endless_interim_responses_are_refused() -> None:
    assert reason(b"HTTP/1.1 100 Continue\r\n\r\n" * 200) == "head-bytes"


def test_endless_junk_is_refused_before_the_head_is_full() -> None:
    junk = (b"junk " * 20 + b"\r\n") * 100
    assert outcome(junk, list(range(0, len(junk), 100)), response_limits()) == "not-http"


def test_a_spelling_cache_does_not_grow_without_bound() -> None:
    from webgraph_it.fetch import response_head

    for start in range(0, 5000, 10):
        lines = b"".join(b"X-%d: y\r\n" % n for n in range(start, start + 10))
        assert len(parse(b"HTTP/1.1 200 OK\r\n" + lines + SIZE + b"\r\n" + BODY).headers) == 11
    assert len(response_head._SPELLING) <= response_head._MAX_SPELLINGS

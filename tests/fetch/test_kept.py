"""What is kept for an archive is what was received, from the final status line to the end of the response."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import response_limits
from webgraph_it.fetch.kept import exchange_of
from webgraph_it.fetch.response_parser import ResponseParser
from webgraph_it.items import Exchange

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type:  text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"4\r\nciao\r\n5;x=y\r\n a te\r\n0\r\nTrailer: x\r\n\r\n"


def kept(response: bytes, cuts: tuple[int, ...] = (), body_bytes: int = 1000) -> Exchange:
    parser = ResponseParser(response_limits(body_bytes=body_bytes, framing_bytes=500), keep=True)
    for start, end in pairwise([0, *sorted(cuts), len(response)]):
        if end > start and parser.feed(response[start:end]):
            break
    else:
        parser.eof()
    return exchange_of("http://a.it/", b"GET", parser, "127.0.0.1", 1.5)


@given(st.lists(st.integers(1, len(CHUNKED + CHUNKS) - 1), max_size=6))
def test_a_chunked_body_keeps_its_chunk_sizes_however_it_arrives(cuts: list[int]) -> None:
    found = kept(CHUNKED + CHUNKS, tuple(cuts))
    assert (found.head, found.body, found.entity) == (CHUNKED, CHUNKS, b"ciao a te")
    assert found.truncated == ""


def test_a_body_with_a_length_is_kept_once() -> None:
    found = kept(HEAD + b"Content-Length: 4\r\n\r\nciao and more")
    assert found.head.endswith(b"Content-Length: 4\r\n\r\n")
    assert found.body == b"ciao"
    assert found.entity is found.body
    assert (found.url, found.request, found.address, found.time) == ("http://a.it/", b"GET", "127.0.0.1", 1.5)


def test_what_comes_before_the_final_status_line_is_left_out() -> None:
    early = b"junk\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    assert kept(early + HEAD + b"Content-Length: 0\r\n\r\n").head == HEAD + b"Content-Length: 0\r\n\r\n"


def test_what_follows_the_last_chunk_is_left_out() -> None:
    assert kept(CHUNKED + CHUNKS + b"HTTP/1.1 200").body == CHUNKS


@pytest.mark.parametrize(
    ("response", "body", "entity", "truncated"),
    [
        (HEAD + b"Content-Length: 9\r\n\r\nciao", b"ciao", b"ciao", "disconnect"),
        (HEAD + b"\r\n" + b"x" * 30, b"x" * 20, b"x" * 20, "length"),
        (CHUNKED + b"1e\r\n" + b"x" * 30, b"1e\r\n" + b"x" * 20, b"x" * 20, "length"),
        (CHUNKED + b"9\r\nciao", b"9\r\nciao", b"ciao", "disconnect"),
        (CHUNKED + b"1\r\nx\r\n" * 200, b"1\r\nx\r\n" * 20 + b"1\r\n", b"x" * 20, "length"),
        (CHUNKED + b"1;" + b"y" * 600 + b"\r\nx", b"1;" + b"y" * 600 + b"\r\n", b"", "unspecified"),
    ],
)
def test_a_body_that_was_cut_says_why(response: bytes, body: bytes, entity: bytes, truncated: str) -> None:
    found = kept(response, body_bytes=20)
    assert (found.body, found.entity, found.truncated) == (body, entity, truncated)


@given(st.lists(st.integers(1, 60), max_size=4))
def test_a_body_that_only_claims_to_be_chunked_is_kept_as_it_came(cuts: list[int]) -> None:
    found = kept(CHUNKED + b"<html>ciao</html>", tuple(cuts))
    assert found.body == found.entity == b"<html>ciao</html>"
    assert found.truncated == ""


def test_without_keep_nothing_is_kept() -> None:
    parser = ResponseParser(response_limits())
    assert parser.feed(CHUNKED + CHUNKS)
    assert (parser.head, parser.chunked_body, parser.body) == (b"", None, b"ciao a te")

import gzip
import random
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fetch.decode import BOMB, PARTLY_DECODED, UNDECODABLE, decode

PAGE = random.Random(1).randbytes(2000) + b"<a href=/x>" * 3000 + random.Random(2).randbytes(40_000)
LONG_PAGE = random.Random(3).randbytes(400_000)
CAP = 1_000_000


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


ENCODERS: dict[str, tuple[bytes, Callable[[bytes], bytes]]] = {
    "gzip": (b"gzip", gzip.compress),
    "x-gzip": (b"X-GZIP", gzip.compress),
    "deflate": (b"deflate", zlib.compress),
    "bare deflate": (b"deflate", raw_deflate),
    "br": (b"br", brotli.compress),
    "zstd": (b"zstd", zstandard.ZstdCompressor().compress),
}
each_coding = pytest.mark.parametrize(("coding", "encode"), ENCODERS.values(), ids=ENCODERS)


@each_coding
def test_each_coding_is_undone(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    assert decode(encode(PAGE), [coding], CAP) == (PAGE, ())


@each_coding
def test_a_result_of_exactly_the_cap_is_whole(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    assert decode(encode(PAGE), [coding], len(PAGE)) == (PAGE, ())


@each_coding
def test_a_bomb_is_cut_at_the_cap(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    bomb = encode(b"0" * 50_000_000)
    assert len(bomb) < 60_000
    assert decode(bomb, [coding], 1000) == (b"0" * 1000, (BOMB,))


@each_coding
def test_what_was_never_encoded_stays_as_it_came(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    assert decode(b"<html>piano</html>", [coding], CAP) == (b"<html>piano</html>", (UNDECODABLE,))


@each_coding
def test_a_broken_off_stream_keeps_its_beginning(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    encoded = encode(LONG_PAGE)
    body, flags = decode(encoded[: len(encoded) - 9000], [coding], CAP)
    assert body
    assert LONG_PAGE.startswith(body)
    assert flags == (PARTLY_DECODED,) or coding == b"zstd"


def test_gzip_members_follow_each_other_and_padding_is_ignored() -> None:
    body = gzip.compress(PAGE) + gzip.compress(b"due") + b"\0" * 40_000
    assert decode(body, [b"gzip"], CAP) == (PAGE + b"due", ())


def test_layers_are_undone_from_the_last() -> None:
    assert decode(gzip.compress(brotli.compress(PAGE)), [b"br", b" gzip"], CAP) == (PAGE, ())


def test_a_tower_of_layers_is_left_alone() -> None:
    assert decode(b"x", [b"gzip"] * 50, CAP) == (b"x", (UNDECODABLE,))


@pytest.mark.parametrize("coding", [b"identity", b"none", b"utf-8", b"", b"compress"])
def test_unknown_codings_are_ignored(coding: bytes) -> None:
    assert decode(PAGE, [coding], CAP) == (PAGE, ())


def test_an_empty_body_needs_no_decoding() -> None:
    assert decode(b"", [b"gzip"], CAP) == (b"", ())


@given(st.binary(max_size=2000), st.sampled_from([b"gzip", b"deflate", b"br", b"zstd"]), st.integers(1, 5000))
def test_nothing_makes_it_raise_or_exceed_the_cap(body: bytes, coding: bytes, cap: int) -> None:
    decoded, flags = decode(body, [coding], cap)
    assert len(decoded) <= cap or UNDECODABLE in flags

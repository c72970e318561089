import gzip
import random
import time
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fetch.decode import (
    BOMB,
    INNER_FLOOR_BYTES,
    MAX_MEMBERS,
    PARTLY_DECODED,
    UNDECODABLE,
    decode,
    decode_in_slices,
)
from webgraph_it.simweb.packed_bombs import empty_blocks, empty_members

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
    assert flags == (() if coding == b"zstd" else (PARTLY_DECODED,)), "zstandard does not tell"


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


# -- what a body may cost -----------------------------------------------------------------------------------

WIRE_BYTES = 4_000_000
MAX_SLICE_SECONDS = 0.05
gzip_head = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
zstd = zstandard.ZstdCompressor().compress

COSTLY: dict[str, tuple[list[bytes], Callable[[], bytes]]] = {
    "three layers of gzip, 209,715 empty members": (
        [b"gzip"] * 3,
        lambda: gzip.compress(gzip.compress(empty_members(4 << 20), mtime=0), mtime=0),
    ),
    "two layers of gzip, 209,715 empty members": (
        [b"gzip"] * 2,
        lambda: gzip.compress(empty_members(4 << 20), mtime=0),
    ),
    "empty members": ([b"gzip"], lambda: empty_members(WIRE_BYTES)),
    "empty blocks with code tables": ([b"gzip"], lambda: gzip_head + empty_blocks(WIRE_BYTES)),
    "two layers, empty blocks": ([b"gzip"] * 2, lambda: gzip.compress(gzip_head + empty_blocks(WIRE_BYTES))),
    "bare deflate, empty blocks": ([b"deflate"], lambda: empty_blocks(WIRE_BYTES)),
    "frames of one byte": ([b"zstd"], lambda: zstd(b"a") * (WIRE_BYTES // len(zstd(b"a")))),
    "empty zstd blocks": ([b"zstd"], lambda: zstd(b"a" * 10)[:5] + b"\0\0\0" * (WIRE_BYTES // 3)),
    "skippable zstd frames": ([b"zstd"], lambda: b"\x50\x2a\x4d\x18\0\0\0\0" * (WIRE_BYTES // 8)),
    "a long page in br": ([b"br"], lambda: brotli.compress(LONG_PAGE * 10, quality=1)),
    "zeros in br": ([b"br"], lambda: brotli.compress(bytes(100_000_000), quality=1)),
    "a header of commas": ([b""] * 60_000 + [b"gzip"], lambda: gzip.compress(PAGE)),
}


@pytest.mark.parametrize(("codings", "make"), COSTLY.values(), ids=COSTLY)
def test_no_body_holds_its_caller(codings: list[bytes], make: Callable[[], bytes]) -> None:
    """In CPU time, so that a busy machine is not blamed on the body."""
    slices, longest, total = decode_in_slices(make(), codings, 4 << 20), 0.0, 0.0
    for _ in range(100_000):
        began = time.thread_time()
        ended = next(slices, "ended") == "ended"
        seconds = time.thread_time() - began
        longest, total = max(longest, seconds), total + seconds
        if ended:
            break
    assert ended
    assert longest < MAX_SLICE_SECONDS
    assert total < 3.0, "linear: a microsecond for each byte of the wire is too much"


def test_a_usual_page_is_decoded_in_one_slice() -> None:
    page = LONG_PAGE[:20_000] + b"<a href=/x>" * 8000
    slices = decode_in_slices(gzip.compress(page), [b"gzip"], CAP)
    with pytest.raises(StopIteration) as end:
        next(slices)
    assert end.value.value.body == page


def test_a_body_has_as_many_members_as_honest_servers_send() -> None:
    member = gzip.compress(b"una riga\n", mtime=0)
    assert decode(member * MAX_MEMBERS, [b"gzip"], CAP) == (b"una riga\n" * MAX_MEMBERS, ())
    assert decode(member * (MAX_MEMBERS + 1), [b"gzip"], CAP) == (b"una riga\n" * MAX_MEMBERS, (BOMB,))


def test_layers_that_unpack_to_more_than_anybody_packs_twice_are_cut() -> None:
    page = gzip.compress(LONG_PAGE)
    assert decode(gzip.compress(page), [b"gzip"] * 2, CAP) == (LONG_PAGE, ())
    assert BOMB in decode(gzip.compress(gzip.compress(bytes(200_000_000))), [b"gzip"] * 2, CAP).flags


def test_many_pieces_of_output_cost_no_more_than_one() -> None:
    """zlib may hold output back when its buffer is full and its input is used up."""
    page = bytes(range(256)) * 20_000
    assert decode(gzip.compress(page), [b"gzip"], len(page)) == (page, ())


def test_gzip_may_look_back_as_far_as_its_standard_allows() -> None:
    page = 2 * random.Random(4).randbytes(32_000)
    packed = gzip.compress(page)
    assert len(packed) < 33_000
    assert decode(packed, [b"gzip"], 100_000) == (page, ())


def test_a_layer_within_a_layer_may_not_grow_much() -> None:
    """1 MB that is not packed, packed once more into a few KB: decoding both would cost what the wire does not."""
    inner = gzip.compress(bytes(1_000_000), 0)
    outer = gzip.compress(inner)
    assert len(outer) < INNER_FLOOR_BYTES / 4
    body, flags = decode(outer, [b"gzip", b"gzip"], 10_000_000)
    assert BOMB in flags
    assert len(body) < INNER_FLOOR_BYTES


def test_more_layers_than_two_stay_as_they_came() -> None:
    body = gzip.compress(gzip.compress(gzip.compress(PAGE)))
    assert decode(body, [b"gzip"] * 3, 10**6) == (body, (UNDECODABLE,))


def test_a_zstd_frame_that_wants_a_larger_window_than_the_standard_allows_is_not_decoded() -> None:
    """It would be given 128 MB of memory for the asking."""
    for window_log, flags in ((23, ()), (27, (UNDECODABLE,))):
        parameters = zstandard.ZstdCompressionParameters(window_log=window_log)
        stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        packed = stream.compress(PAGE) + stream.flush()
        assert decode(packed, [b"zstd"], 10**6) == (packed if flags else PAGE, flags)


def test_the_window_may_be_8_mb_and_not_the_next_size() -> None:
    """The sixth byte of a frame without a length says how large its window is: 0x68 is 8 MB, 0x69 is 9 MB."""
    parameters = zstandard.ZstdCompressionParameters(window_log=23)
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    packed = stream.compress(PAGE) + stream.flush()
    assert packed[5] == 0x68
    larger = packed[:5] + b"\x69" + packed[6:]
    assert decode(packed, [b"zstd"], 10**6) == (PAGE, ())
    assert decode(larger, [b"zstd"], 10**6) == (larger, (UNDECODABLE,))

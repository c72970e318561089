"""Decompression stops at its limit, and keeps what was sound."""

import gzip
import lzma
import zlib

from webgraph_it.extract.bounded import GZIP, RAW_DEFLATE, Budget, inflated, unpacked_lzma

DATA = bytes(range(256)) * 4000


def test_what_fits_comes_out_whole() -> None:
    budget = Budget()
    assert inflated(zlib.compress(DATA), budget) == inflated(gzip.compress(DATA), budget, GZIP) == DATA
    raw = zlib.compressobj(wbits=RAW_DEFLATE)
    assert inflated(raw.compress(DATA) + raw.flush(), budget, RAW_DEFLATE) == DATA
    assert budget.reason == ""


def test_what_does_not_fit_is_cut_and_said() -> None:
    budget = Budget(1000)
    assert inflated(zlib.compress(DATA), budget)[:1000] == DATA[:1000]
    assert (budget.reason, budget.left_bytes) == ("bomb", 0)


def test_damage_keeps_what_came_before() -> None:
    packed = bytearray(zlib.compress(DATA * 40, 1))
    packed[-20_000:] = bytes(20_000)
    assert DATA.startswith(inflated(bytes(packed), Budget())[:1000])
    assert inflated(b"nonsense", Budget()) == b""


def test_lzma_with_absurd_properties() -> None:
    packed = lzma.compress(DATA, lzma.FORMAT_ALONE)
    assert unpacked_lzma(packed[:5], packed[13:], len(DATA), Budget()) == DATA
    assert unpacked_lzma(b"\xff" * 5, packed[13:], len(DATA), Budget()) == b""
    assert unpacked_lzma(b"", b"", 10, Budget()) == b""
    assert unpacked_lzma(packed[:5], packed[13:], 1 << 32, Budget(100)) == DATA[:100]


def test_steps_end_with_the_budget() -> None:
    budget = Budget(limit_steps=3)
    assert (list(budget.steps("abcd")), budget.reason) == (["a", "b", "c"], "bomb")

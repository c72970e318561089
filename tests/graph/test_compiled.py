"""Small pieces of machine code: what LLVM is asked for is what plain Python computes."""

import threading
import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.graph.compiled import LANES, compiled, count_smaller, leading_zeros, signed
from webgraph_it.graph.csr import Array


@compiled
def zeros_above(value: int) -> int:
    return leading_zeros(value)


@compiled
def ranks(values: Array, count: int, first: int, out: Array) -> None:
    count_smaller(values, count, first, out)


@compiled
def as_signed(values: Array) -> int:
    return signed(values[0])


@compiled
def spin(turns: int) -> int:
    total = 0
    for turn in range(turns):
        total ^= turn * total + turn
    return total


@given(st.integers(0, 2**64 - 1))
def test_leading_zeros_are_those_of_64_bits(value: int) -> None:
    assert zeros_above(np.uint64(value)) == 64 - value.bit_length()


@given(st.data())
def test_smaller_values_are_counted_for_all_lanes_and_no_other(data: st.DataObject) -> None:
    value = st.one_of(st.integers(0, 2**31 - 1), st.integers(0, 9))
    values = data.draw(st.lists(value, min_size=2 * LANES, max_size=4 * LANES))
    count = data.draw(st.integers(0, len(values)))
    first = data.draw(st.integers(0, len(values) - LANES))
    out = np.full(len(values), -1, np.int32)
    ranks(np.array(values, np.int32), count, first, out)
    expected = [
        sum(other < each for other in values[:count]) if first <= place < first + LANES else -1
        for place, each in enumerate(values)
    ]
    assert out.tolist() == expected


def test_a_signed_number_is_no_float() -> None:
    assert as_signed(np.array([2**63 - 1], np.uint64)) == 2**63 - 1
    assert as_signed(np.array([7], np.uint32)) - 9 == -2


def test_a_kernel_lets_other_threads_run() -> None:
    """Python runs in the middle of the kernel's time: the interpreter's lock is free."""
    spin(1)
    times: list[float] = []

    def timed() -> None:
        times.append(time.monotonic())
        spin(200_000_000)
        times.append(time.monotonic())

    kernel = threading.Thread(target=timed)
    kernel.start()
    seen = []
    while kernel.is_alive():
        seen.append(time.monotonic())
        time.sleep(0.005)
    began, ended = times
    margin = (ended - began) / 10
    assert any(began + margin < moment < ended - margin for moment in seen)

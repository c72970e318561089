"""A parallel kernel gives the same bits whatever the number of threads."""

import numba
import numpy as np

from webgraph_it.analyse.compiled import parallel
from webgraph_it.graph.csr import Array

CHUNKS = 64


@parallel
def sums(values: Array, out: Array) -> None:
    size = len(values) // CHUNKS
    for chunk in numba.prange(CHUNKS):
        total = 0.0
        for place in range(chunk * size, (chunk + 1) * size):
            total += values[place]
        out[chunk] = total


def test_one_thread_or_several_give_the_same_bits() -> None:
    values = np.random.default_rng(1).random(CHUNKS * 1000)
    found = []
    before = numba.get_num_threads()
    try:
        for threads in {1, before}:
            numba.set_num_threads(threads)
            out = np.zeros(CHUNKS)
            sums(values, out)
            found.append(out.tobytes())
    finally:
        numba.set_num_threads(before)
    expected = values.reshape(CHUNKS, -1).cumsum(axis=1)[:, -1]  # added one by one, in order
    assert set(found) == {expected.tobytes()}


def test_its_loops_are_on_every_core() -> None:
    assert sums.targetoptions["parallel"]  # type: ignore[attr-defined]

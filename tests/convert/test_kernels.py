from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.graph.graphs import arrays, graphs, lists_of
from webgraph_it.convert import kernels
from webgraph_it.convert.arrow import strings
from webgraph_it.convert.kernels import FLAG
from webgraph_it.urls import digest

ID = st.integers(0, 19)
SEQUENCES = st.lists(st.tuples(ID, st.lists(ID, max_size=70)), max_size=12)


def flatten(sequences: Sequence[tuple[int, Sequence[int]]]) -> np.ndarray:
    return np.array([v for parent, children in sequences for v in (parent | FLAG, *children)], np.uint32)


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=140)))
@example(["x" * length for length in range(130)])
@settings(deadline=None, max_examples=50)
def test_digests_are_those_of_hashlib(keys: list[str]) -> None:
    names = strings(pa.array(keys, pa.string()))
    out = np.empty((len(keys), 16), np.uint8)
    kernels.digests(names.offsets, names.data, out)
    assert [row.tobytes() for row in out] == [digest(key) for key in keys]


@given(SEQUENCES)
@example([(7, [19, 3, 3, 0] * count) for count in (1, 2, 3, 95, 96, 97, 200)])
@settings(deadline=None, max_examples=50)
def test_rows_are_sorted_and_the_last_sequence_counts(sequences: list[tuple[int, list[int]]]) -> None:
    values = flatten(sequences)
    low, high = 5, 15
    parents, degrees = np.empty(high - low, np.uint8), np.empty(high - low, np.int64)
    out = np.empty(len(values), np.uint32)
    arcs, replaced, _ = kernels.rows_of(values, low, parents, degrees, out)
    last = dict(sequences)
    rows = [sorted(set(last.get(node, []))) for node in range(low, high)]
    assert lists_of(np.cumsum([0, *degrees]), out[:arcs]) == rows
    assert parents.astype(bool).tolist() == [node in last for node in range(low, high)]
    inside = [parent for parent, _ in sequences if low <= parent < high]
    assert replaced == len(inside) - len(set(inside))


@given(SEQUENCES, st.integers(1, 7), st.integers(1, 9))
@settings(deadline=None, max_examples=50)
def test_partition_keeps_whole_sequences_in_order(
    sequences: list[tuple[int, list[int]]], width: int, chunk: int
) -> None:
    """Whatever the chunks that the values come in."""
    values = flatten(sequences)
    groups = 20 // width + 1
    found: list[list[int]] = [[] for _ in range(groups)]
    current, seen = 0, 0
    for start in range(0, len(values), chunk):
        some = values[start : start + chunk]
        counts, out = np.zeros(groups + 1, np.int64), np.empty_like(some)
        last, parents = kernels.partition_sequences(some, width, counts, out)
        for group, piece in zip(
            (current, *range(groups)), np.split(out, np.cumsum(counts)[:-1]), strict=True
        ):
            found[group] += piece.tolist()
        current, seen = last if parents else current, seen + parents
    assert seen == len(sequences)
    for group in range(groups):
        assert found[group] == flatten([s for s in sequences if s[0] // width == group]).tolist()


@given(SEQUENCES, st.integers(1, 9))
@settings(deadline=None, max_examples=50)
def test_selection_is_the_range(sequences: list[tuple[int, list[int]]], chunk: int) -> None:
    values, keeping, found = flatten(sequences), False, []
    for start in range(0, len(values), chunk):
        some = values[start : start + chunk]
        out = np.empty_like(some)
        count, keeping = kernels.select(some, 5, 15, True, keeping, out)
        found += out[:count].tolist()
    assert found == flatten([s for s in sequences if 5 <= s[0] < 15]).tolist()


@given(graphs(), st.integers(1, 9))
@settings(deadline=None, max_examples=50)
def test_two_halves_of_transposing_make_the_transpose(lists: list[list[int]], width: int) -> None:
    offsets, targets = arrays(lists)
    nodes = len(lists)
    groups = nodes // width + 1
    counts, out = np.zeros(groups, np.int64), np.empty(2 * len(targets), np.uint32)
    kernels.split_by_target(offsets.astype(np.int64), targets, 0, width, counts, out)
    found: list[list[int]] = []
    for group, piece in enumerate(np.split(out[: counts.sum()], np.cumsum(counts)[:-1])):
        low, high = group * width, min(group * width + width, nodes)
        degrees, sources = np.zeros(max(high - low, 0), np.int64), np.empty(len(piece), np.uint32)
        arcs = kernels.turn_round(piece, low, degrees, sources)
        found += lists_of(np.cumsum([0, *degrees]), sources[:arcs])
    assert found == [[source for source in range(nodes) if node in lists[source]] for node in range(nodes)]


def test_ids_near_2_to_31_keep_their_flag_apart() -> None:
    last = 2**31 - 2
    values = flatten([(last, [0, last, last - 1])])
    parents, degrees, out = np.empty(1, np.uint8), np.empty(1, np.int64), np.empty(4, np.uint32)
    assert kernels.rows_of(values, last, parents, degrees, out) == (3, 0, 0)
    assert out[:3].tolist() == [0, last - 1, last]
    back = np.empty(4, np.uint32)
    assert kernels.to_sequences(np.array([0, 3]), out[:3], last, parents, back) == 4
    assert back.tolist() == [last | FLAG, 0, last - 1, last]

"""The check of all lists finds the first damaged one, and sums up a graph and its transpose alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.graph.graphs import arrays, graphs
from webgraph_it.graph.csr import OFFSET_TYPE, TARGET_TYPE
from webgraph_it.graph.lists_kernels import check


def transposed(lists: list[list[int]]) -> list[list[int]]:
    return [[node for node, found in enumerate(lists) if each in found] for each in range(len(lists))]


@given(graphs(most_nodes=12), st.integers(0, 2**63 - 1))
def test_a_graph_and_its_transpose_have_the_same_sum(lists: list[list[int]], seed: int) -> None:
    node, found = check(*arrays(lists), False, seed)
    assert node == -1
    assert check(*arrays(transposed(lists)), True, seed) == (-1, found)


@given(graphs(most_nodes=12), st.data())
def test_another_arc_or_another_seed_is_another_sum(lists: list[list[int]], data: st.DataObject) -> None:
    with_arcs = [node for node, found in enumerate(lists) if 0 < len(found) < len(lists)]
    if not with_arcs:
        return
    node = data.draw(st.sampled_from(with_arcs))
    new = data.draw(st.sampled_from(sorted(set(range(len(lists))) - set(lists[node]))))
    changed = [*lists]
    changed[node] = sorted({*lists[node][1:], new})
    assert check(*arrays(changed), False, 7)[1] != check(*arrays(lists), False, 7)[1]
    assert check(*arrays(lists), False, 8)[1] != check(*arrays(lists), False, 7)[1]


@pytest.mark.parametrize(
    ("offsets", "targets", "first"),
    [
        ([0, 1, 2], [1, 0], -1),
        ([0, 1, 2], [2, 0], 0),
        ([0, 1, 2], [1, 2], 1),
        ([0, 2, 2], [0, 0], 0),
        ([0, 2, 2], [1, 0], 0),
        ([1, 1, 2], [1, 0], 0),
        ([0, 2, 1], [0, 1], 1),
        ([0, 1, 3], [1, 0], 1),
        ([0, 1, 1], [1, 0], 2),
    ],
)
def test_the_first_damaged_list_is_named(offsets: list[int], targets: list[int], first: int) -> None:
    node, total = check(np.array(offsets, OFFSET_TYPE), np.array(targets, TARGET_TYPE), False, 1)
    assert node == first
    assert total == 0 or first == -1

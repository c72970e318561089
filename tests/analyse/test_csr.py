"""The graph as two arrays: turning round, counting, cutting."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgraph_it.analyse import csr as module
from webgraph_it.analyse.csr import Csr, chunk_bounds, csr, from_arcs, in_degrees, transpose, without_loops

ARCS = st.integers(1, 12).flatmap(
    lambda nodes: st.tuples(
        st.just(nodes), st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)))
    )
)


def arcs_of(graph: Csr) -> list[tuple[int, int]]:
    return [
        (node, int(target))
        for node in range(graph.nodes)
        for target in graph.targets[graph.offsets[node] : graph.offsets[node + 1]]
    ]


@given(ARCS)
@settings(max_examples=60, deadline=None)
def test_transpose_turns_every_arc_round_and_sorts(case: tuple[int, list[tuple[int, int]]]) -> None:
    graph = from_arcs(*case)
    assert arcs_of(transpose(graph)) == sorted((to, origin) for origin, to in set(case[1]))


@given(ARCS)
@settings(max_examples=60, deadline=None)
def test_degrees_equal_a_plain_count(case: tuple[int, list[tuple[int, int]]]) -> None:
    nodes, arcs = case
    graph = from_arcs(nodes, arcs)
    assert list(in_degrees(graph)) == [sum(to == node for _, to in set(arcs)) for node in range(nodes)]
    assert list(graph.out_degrees()) == [sum(a == node for a, _ in set(arcs)) for node in range(nodes)]


def test_blocks_and_files_change_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    graph = random_weighted(200, 3000)
    whole = transpose(graph)
    monkeypatch.setattr(module, "BLOCK_ARCS", 97)
    pieces = transpose(graph, tmp_path)
    assert np.array_equal(whole.targets, pieces.targets)
    assert whole.weights is not None
    assert pieces.weights is not None
    assert np.array_equal(whole.weights, pieces.weights)
    assert (tmp_path / "transposed-targets.u32").stat().st_size == 4 * graph.arcs


def test_weights_travel_with_their_arcs() -> None:
    graph = csr(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([5, 6, 7]))
    turned = transpose(graph)
    assert turned.weights is not None
    assert list(turned.targets) == [0, 1, 0]
    assert list(turned.weights) == [5, 7, 6]


def test_without_loops_keeps_the_rest() -> None:
    graph = csr(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([5, 6, 7]))
    rest = without_loops(graph)
    assert arcs_of(rest) == [(0, 1), (1, 0)]
    assert rest.weights is not None
    assert list(rest.weights) == [6, 7]


def test_chunks_cover_every_node_once() -> None:
    graph = random_weighted(500, 4000)
    bounds = chunk_bounds(graph.offsets, 7)
    assert bounds[0] == 0
    assert bounds[-1] == 500
    assert (np.diff(bounds) >= 0).all()
    work = [int(graph.offsets[b] - graph.offsets[a]) + int(b - a) for a, b in itertools.pairwise(bounds)]
    assert max(work) < 2 * 4500 / 7


def test_an_empty_graph_is_a_graph() -> None:
    graph = from_arcs(0, [])
    assert transpose(graph).nodes == 0
    assert repr(graph) == "<Csr 0 nodes, 0 arcs>"


def random_weighted(nodes: int, arcs: int) -> Csr:
    random = np.random.default_rng(7)
    pairs = [(int(a), int(b)) for a, b in random.integers(0, nodes, (arcs, 2))]
    graph = from_arcs(nodes, pairs)
    return csr(graph.offsets, graph.targets, random.integers(1, 9, graph.arcs))

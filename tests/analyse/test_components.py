"""Components against networkx and the known figures of cnr-2000; the bow-tie against its definition."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analyse.graphs import cnr_2000, to_networkx
from webgraph_it.analyse.components import Part, bow_tie, sizes, strong_components, weak_components
from webgraph_it.analyse.csr import Csr, from_arcs, transpose

GRAPHS = st.integers(1, 14).flatmap(
    lambda nodes: st.builds(
        from_arcs,
        st.just(nodes),
        st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), max_size=30),
    )
)


def groups(labels: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> set[frozenset[int]]:
    assert sorted(set(labels.tolist())) == list(range(len(set(labels.tolist()))))
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


@given(GRAPHS)
@settings(max_examples=150, deadline=None)
def test_components_equal_networkx(graph: Csr) -> None:
    known = to_networkx(graph)
    assert groups(strong_components(graph)) == set(map(frozenset, nx.strongly_connected_components(known)))
    assert groups(weak_components(graph)) == set(map(frozenset, nx.weakly_connected_components(known)))


@given(GRAPHS)
@settings(max_examples=150, deadline=None)
def test_the_bow_tie_is_what_it_says(graph: Csr) -> None:
    strong, weak = strong_components(graph), weak_components(graph)
    parts = bow_tie(graph, transpose(graph), strong, weak)
    known = to_networkx(graph)
    core = {node for node in range(graph.nodes) if strong[node] == np.argmax(sizes(strong))}
    after = core.union(*(nx.descendants(known, node) for node in core))
    before = core.union(*(nx.ancestors(known, node) for node in core))
    after_in = (before - core).union(*(nx.descendants(known, node) for node in before - core))
    before_out = (after - core).union(*(nx.ancestors(known, node) for node in after - core))
    hanging = nx.node_connected_component(known.to_undirected(), next(iter(core)))

    def expected(node: int) -> Part:
        if node in core:
            return Part.CORE
        if node in before:
            return Part.IN
        if node in after:
            return Part.OUT
        if node in after_in and node in before_out:
            return Part.TUBE
        return Part.TENDRIL if node in hanging else Part.DISCONNECTED

    assert [Part(part) for part in parts] == [expected(node) for node in range(graph.nodes)]


def test_a_long_path_needs_no_recursion() -> None:
    nodes = 50_000
    graph = from_arcs(nodes, [(node, node + 1) for node in range(nodes - 1)])
    assert len(sizes(strong_components(graph))) == nodes
    assert len(sizes(weak_components(graph))) == 1


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_graphs_without_arcs(nodes: int) -> None:
    graph = from_arcs(nodes, [])
    strong, weak = strong_components(graph), weak_components(graph)
    assert len(groups(strong)) == len(groups(weak)) == nodes
    expected = [Part.CORE, *[Part.DISCONNECTED] * (nodes - 1)][:nodes]
    assert list(bow_tie(graph, transpose(graph), strong, weak)) == expected


def test_on_cnr_2000_the_known_components() -> None:
    counts = sizes(strong_components(cnr_2000()))
    assert len(counts) == 100_977
    assert counts.max() == 112_023

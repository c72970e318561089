"""Harmonic centrality: estimates against networkx's exact values."""

import networkx as nx
import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.analyse.graphs import to_networkx, web_like
from webgraph_it.analyse.csr import Csr, from_arcs, transpose
from webgraph_it.analyse.harmonic import harmonic


def exact(graph: Csr) -> list[float]:
    known = nx.harmonic_centrality(to_networkx(graph))
    return [known[node] for node in range(graph.nodes)]


@pytest.mark.parametrize("nodes", [300, 2000])
def test_estimates_are_near_the_exact_values(nodes: int) -> None:
    graph = web_like(nodes)
    estimated, known = harmonic(transpose(graph)), np.array(exact(graph))
    large = known > 20
    assert large.sum() > 20
    assert np.abs(estimated[large] / known[large] - 1).max() < 0.3
    assert np.abs(estimated[large] / known[large] - 1).mean() < 0.1
    assert spearmanr(estimated, known).statistic > 0.98


def test_who_is_not_reached_has_none() -> None:
    values = harmonic(transpose(from_arcs(3, [(0, 1)])))
    assert values[0] == values[2] == 0
    assert values[1] == pytest.approx(1, abs=0.02)


def test_distance_counts_less_and_cycles_end() -> None:
    path = harmonic(transpose(from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 0)])))
    assert path == pytest.approx([1 + 1 / 2 + 1 / 3] * 4, abs=0.1)


def test_no_nodes_no_values() -> None:
    assert len(harmonic(transpose(from_arcs(0, [])))) == 0

"""HITS against networkx (small) and scipy's singular vectors (cnr-2000)."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from tests.analyse.graphs import cnr_2000, to_networkx, web_like, weighted
from webgraph_it.analyse.csr import Csr, from_arcs, transpose
from webgraph_it.analyse.hits import hits


@pytest.mark.parametrize("graph", [web_like(), web_like(seed=5), weighted(web_like())])
def test_equals_networkx(graph: Csr) -> None:
    hubs, authorities = nx.hits(to_networkx(graph), tol=1e-13)
    result = hits(graph, transpose(graph))
    assert np.abs(result.hubs - [hubs[node] for node in range(graph.nodes)]).max() < 1e-9
    assert np.abs(result.authorities - [authorities[node] for node in range(graph.nodes)]).max() < 1e-9


def test_without_arcs_all_are_zero() -> None:
    graph = from_arcs(3, [])
    result = hits(graph, transpose(graph))
    assert not result.hubs.any()
    assert not result.authorities.any()


def test_on_cnr_2000_equals_scipy() -> None:
    graph = cnr_2000()
    result = hits(graph, transpose(graph))
    ones = np.ones(graph.arcs)
    matrix = csr_array(
        (ones, graph.targets.astype(np.int64), graph.offsets), shape=(graph.nodes, graph.nodes)
    )
    left, _, right = svds(matrix, k=1, tol=1e-14, rng=np.random.default_rng(0))
    assert np.abs(result.hubs - np.abs(left[:, 0]) / np.abs(left).sum()).max() < 1e-9
    assert np.abs(result.authorities - np.abs(right[0]) / np.abs(right).sum()).max() < 1e-9

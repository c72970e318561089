"""PageRank against networkx (small), scipy (cnr-2000) and LAW's own figure."""

import networkx as nx
import numpy as np
import pytest

from tests.analyse.graphs import cnr_2000, to_networkx, web_like, weighted
from webgraph_it.analyse.csr import Csr, from_arcs, transpose
from webgraph_it.analyse.pagerank import pagerank


@pytest.mark.parametrize("seed", range(3))
def test_equals_networkx(seed: int) -> None:
    check_against_networkx(web_like(seed=seed))


def test_equals_networkx_with_weights() -> None:
    check_against_networkx(weighted(web_like()))


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.99])
def test_equals_networkx_at_other_dampings(damping: float) -> None:
    check_against_networkx(web_like(), damping)


def test_without_arcs_all_are_equal() -> None:
    graph = from_arcs(4, [])
    assert pagerank(graph, transpose(graph)).ranks == pytest.approx([0.25] * 4)


def test_no_nodes_no_ranks() -> None:
    graph = from_arcs(0, [])
    assert len(pagerank(graph, transpose(graph)).ranks) == 0


def test_on_cnr_2000_equals_law_and_scipy() -> None:
    graph = cnr_2000()
    result = pagerank(graph, transpose(graph))
    assert result.ranks.argmax() == 186_907
    assert f"{result.ranks.max():.8f}" == "0.01777188"
    assert np.abs(result.ranks - by_scipy(graph)).max() < 1e-9


def check_against_networkx(graph: Csr, damping: float = 0.85) -> None:
    expected = nx.pagerank(to_networkx(graph), alpha=damping, tol=1e-14, max_iter=5000)
    ranks = pagerank(graph, transpose(graph), damping, max_iterations=5000).ranks
    assert ranks.sum() == pytest.approx(1, abs=1e-12)
    assert np.abs(ranks - [expected[node] for node in range(graph.nodes)]).max() < 1e-9


def by_scipy(graph: Csr) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Forty years old and plain: rank = d · Pᵀ rank + (1 − d + d · dangling) / n, with scipy's matrix
    product.
    """
    from scipy.sparse import csr_array

    degrees = np.diff(graph.offsets)
    shares = np.repeat(1 / np.maximum(degrees, 1), degrees)
    matrix = csr_array(
        (shares, graph.targets.astype(np.int64), graph.offsets), shape=(graph.nodes, graph.nodes)
    ).T
    ranks = np.full(graph.nodes, 1 / graph.nodes)
    for _ in range(200):
        ranks = 0.85 * (matrix @ ranks) + (0.15 + 0.85 * ranks[degrees == 0].sum()) / graph.nodes
    return ranks

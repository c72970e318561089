"""PageRank by power iteration, pulling along the transposed graph with every core.

    rank[v] = (1 − d)/n + d · ( Σ over u→v of rank[u] · w(u→v)/w(u) + dangling/n )

Dangling nodes have no outgoing arcs: pages without links, errors, and pages never fetched. They give their
rank to all nodes evenly. LAW calls this strongly preferential PageRank with uniform preference, and
networkx does the same. The ranks sum to 1. Memory: three float64 vectors, plus the graph and its transpose.
"""

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from webgraph_it.analyse.compiled import parallel
from webgraph_it.analyse.csr import Csr, Ids, Offsets, Values, chunk_bounds, gather

DAMPING = 0.85
TOLERANCE = 1e-11
"""Stop when the ranks together move less than this (L1). The distance to the limit is then less than 6 times
this.
"""
MAX_ITERATIONS = 500


@dataclass(frozen=True, slots=True)
class PageRank:
    ranks: Values
    iterations: int
    moved: float
    """How much the ranks moved in the last iteration (L1)."""


def pagerank(
    graph: Csr,
    transposed: Csr,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> PageRank:
    """The PageRank of every node. Arcs count by their weight if they have one."""
    nodes = graph.nodes
    if not nodes:
        return PageRank(np.zeros(0), 0, 0.0)
    strength = _strengths(graph)
    bounds = chunk_bounds(transposed.offsets)
    ranks = np.full(nodes, 1.0 / nodes)
    shares, next_shares = np.empty(nodes), np.empty(nodes)
    moved, dangling = np.empty(len(bounds) - 1), np.empty(len(bounds) - 1)
    _first_shares(strength, ranks, bounds, shares, dangling)
    iterations = 0
    while iterations < max_iterations:
        iterations += 1
        base = (1.0 - damping) / nodes + damping * dangling.sum() / nodes
        _iterate(
            transposed.offsets, transposed.targets, transposed.weights, strength, damping, base, bounds,
            shares, next_shares, ranks, moved, dangling,
        )  # fmt: skip
        shares, next_shares = next_shares, shares
        if moved.sum() < tolerance:
            break
    return PageRank(ranks, iterations, float(moved.sum()))


def _strengths(graph: Csr) -> Offsets | Values:
    """The outgoing weight of each node. For unweighted graphs it follows from the offsets, without another
    vector.
    """
    if graph.weights is None:
        return graph.offsets
    strengths = np.empty(graph.nodes)
    ones = np.ones(graph.nodes)
    gather(graph.offsets, graph.targets, graph.weights, ones, chunk_bounds(graph.offsets), strengths)
    return strengths


@parallel
def _first_shares(
    strength: Offsets | Values,
    ranks: Values,
    bounds: NDArray[np.int64],
    shares: Values,
    dangling: Values,
) -> None:
    differences = len(strength) > len(ranks)
    for chunk in prange(len(bounds) - 1):
        lost = 0.0
        for node in range(bounds[chunk], bounds[chunk + 1]):
            leaving = strength[node + 1] - strength[node] if differences else strength[node]
            if leaving > 0:
                shares[node] = ranks[node] / leaving
            else:
                shares[node] = 0.0
                lost += ranks[node]
        dangling[chunk] = lost


@parallel
def _iterate(
    offsets: Offsets,
    sources: Ids,
    weights: Ids | None,
    strength: Offsets | Values,
    damping: float,
    base: float,
    bounds: NDArray[np.int64],
    shares: Values,
    next_shares: Values,
    ranks: Values,
    moved: Values,
    dangling: Values,
) -> None:
    differences = len(strength) > len(ranks)
    for chunk in prange(len(bounds) - 1):
        lost, distance = 0.0, 0.0
        for node in range(bounds[chunk], bounds[chunk + 1]):
            total = 0.0  # as in csr.gather: a shared function, even inlined, is a tenth slower
            for arc in range(
                np.uint64(offsets[node]), np.uint64(offsets[node + 1])
            ):  # unsigned: a fifth faster
                if weights is None:
                    total += shares[sources[arc]]
                else:
                    total += shares[sources[arc]] * weights[arc]
            rank = base + damping * total
            distance += abs(rank - ranks[node])
            ranks[node] = rank
            leaving = strength[node + 1] - strength[node] if differences else strength[node]
            if leaving > 0:
                next_shares[node] = rank / leaving
            else:
                next_shares[node] = 0.0
                lost += rank
        moved[chunk] = distance
        dangling[chunk] = lost

"""HITS: a good hub links to good authorities, a good authority is linked from good hubs.

Power iteration that starts from equal authorities. Both vectors sum to 1, as in networkx. Nodes without arcs get 0.
If two separate parts of the graph tie for the largest singular value, there are many solutions. The result is the
one that this start leads to. Memory: three float64 vectors, plus the graph and its transpose."""

from dataclasses import dataclass

import numpy as np

from webgraph_it.analyse.csr import Csr, Values, chunk_bounds, gather

TOLERANCE = 1e-12
MAX_ITERATIONS = 1000


@dataclass(frozen=True, slots=True)
class Hits:
    hubs: Values
    authorities: Values
    iterations: int
    moved: float
    """How much the authorities moved in the last iteration (L1). Above the tolerance if the limit of iterations came
    first.
    """


def hits(
    graph: Csr, transposed: Csr, tolerance: float = TOLERANCE, max_iterations: int = MAX_ITERATIONS
) -> Hits:
    """Hubs and authorities. Arcs count by their weight if they have one."""
    nodes = graph.nodes
    hubs, following = np.zeros(nodes), np.zeros(nodes)
    if not graph.arcs:
        return Hits(hubs, following, 0, 0.0)
    authorities = np.full(nodes, 1.0 / nodes)
    out_bounds, in_bounds = chunk_bounds(graph.offsets), chunk_bounds(transposed.offsets)
    iterations = 0
    while iterations < max_iterations:
        iterations += 1
        gather(graph.offsets, graph.targets, graph.weights, authorities, out_bounds, hubs)
        hubs /= hubs.sum()
        gather(transposed.offsets, transposed.targets, transposed.weights, hubs, in_bounds, following)
        following /= following.sum()
        authorities -= following
        moved = float(np.abs(authorities, out=authorities).sum())
        authorities, following = following, authorities
        if moved < tolerance:
            break
    gather(graph.offsets, graph.targets, graph.weights, authorities, out_bounds, hubs)
    hubs /= hubs.sum()
    return Hits(hubs, authorities, iterations, moved)

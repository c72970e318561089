"""Harmonic centrality of every node, estimated: Σ over all other nodes u of 1 / distance(u → v).

HyperBall (Boldi and Vigna 2013). Each node has a HyperLogLog counter of the nodes that reach it. In step t it merges
its predecessors' counters, and its growth is the number of nodes at distance t. The work is one pass over the arcs
per step of distance, instead of a search from every node. The standard error of a count is about 6 %. Counters are
seeded by the node's id alone, so the same graph gives the same numbers. Memory is 512 bytes per node. So it is
computed for hosts and domains, as Common Crawl does, and not for pages. Every arc counts one, whatever its weight.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from webgraph_it.analyse.compiled import parallel
from webgraph_it.analyse.csr import Csr, Ids, Offsets, Values, chunk_bounds
from webgraph_it.graph.compiled import compiled

REGISTER_BITS = 8
REGISTERS = 1 << REGISTER_BITS
ALPHA = 0.7213 / (1 + 1.079 / REGISTERS)
"""HyperLogLog's correction (Flajolet and others, 2007)."""

Counters = NDArray[np.uint8]


def harmonic(transposed: Csr) -> Values:
    """The centrality of each node of the graph whose transpose this is."""
    nodes = transposed.nodes
    counters, grown = (
        np.zeros((nodes, REGISTERS), dtype=np.uint8),
        np.empty((nodes, REGISTERS), dtype=np.uint8),
    )
    _first_counters(counters)
    bounds = chunk_bounds(transposed.offsets)
    reached, total = np.ones(nodes), np.zeros(nodes)
    distance, changed = 0, True
    while changed:
        distance += 1
        still = np.zeros(len(bounds) - 1, dtype=np.bool_)
        _step(
            transposed.offsets, transposed.targets, counters, bounds, distance, grown, reached, total, still
        )
        counters, grown = grown, counters
        changed = bool(still.any())
    return total


@compiled
def _first_counters(counters: Counters) -> None:
    """Each node has seen itself. Its hash is splitmix64 of its id."""
    for node in range(len(counters)):
        value = (np.uint64(node) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(31)
        register, rest = value & np.uint64(REGISTERS - 1), value >> np.uint64(REGISTER_BITS)
        zeros = 1
        while zeros <= 64 - REGISTER_BITS and not rest & np.uint64(1):
            rest >>= np.uint64(1)
            zeros += 1
        counters[node, register] = zeros


@compiled
def _estimate(counter: NDArray[np.uint8]) -> float:
    """How many different nodes the counter has seen. Exact for one, and by empty registers while there are many."""
    total, empty = 0.0, 0
    for value in counter:
        total += 2.0 ** -np.int64(value)
        empty += value == 0
    estimate = ALPHA * REGISTERS * REGISTERS / total
    if estimate <= 2.5 * REGISTERS and empty:
        return float(REGISTERS * np.log(REGISTERS / empty))
    return float(estimate)


@parallel
def _step(
    offsets: Offsets,
    sources: Ids,
    counters: Counters,
    bounds: NDArray[np.int64],
    distance: int,
    grown: Counters,
    reached: Values,
    total: Values,
    still: NDArray[np.bool_],
) -> None:
    """grown[v] = counters[v] merged with those of its predecessors. The growth is at this distance."""
    for chunk in prange(len(bounds) - 1):
        for node in range(bounds[chunk], bounds[chunk + 1]):
            grown[node] = counters[node]
            for arc in range(offsets[node], offsets[node + 1]):
                source = sources[arc]
                for register in range(REGISTERS):
                    if counters[source, register] > grown[node, register]:
                        grown[node, register] = counters[source, register]
            differs = False
            for register in range(REGISTERS):
                differs = differs or grown[node, register] != counters[node, register]
            if differs:
                now = _estimate(grown[node])
                total[node] += max(0.0, now - reached[node]) / distance
                reached[node] = now
                still[chunk] = True

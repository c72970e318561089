"""Checks that lists of successors are valid, at the speed at which memory is read."""

import numpy as np

from webgraph_it.graph.compiled import compiled, signed
from webgraph_it.graph.csr import Array

FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Odd numbers without a pattern: they spread an arc's two ids over 64 bits."""


@compiled
def check(offsets: Array, targets: Array, transposed: bool, seed: int) -> tuple[int, int]:
    """(-1, sum of a 64-bit number per arc), or (the first node whose list is damaged, 0).

    The sum does not depend on the order of the arcs. With the same seed, a graph and its transpose have the same sum.
    """
    nodes, arcs = np.uint64(len(offsets) - 1), np.uint64(len(targets))
    first, second = np.uint64(FACTORS[0]), np.uint64(FACTORS[1])
    total, key = np.uint64(0), np.uint64(seed)
    for node in range(len(offsets) - 1):
        start, end = np.uint64(offsets[node]), np.uint64(offsets[node + 1])
        if start > end or end > arcs or (node == 0 and start != np.uint64(0)):
            return node, 0
        least = np.uint64(0)
        here = np.uint64(node)
        for arc in range(signed(start), signed(end)):
            target = np.uint64(targets[arc])
            if target < least or target >= nodes:
                return node, 0
            least = target + np.uint64(1)
            pair = (target << np.uint64(32)) | here if transposed else (here << np.uint64(32)) | target
            mixed = (pair ^ key) * first
            mixed = (mixed ^ (mixed >> np.uint64(29))) * second
            total += mixed ^ (mixed >> np.uint64(32))
    if len(offsets) == 0 or np.uint64(offsets[len(offsets) - 1]) != arcs:
        return len(offsets) - 1, 0
    return -1, signed(total)

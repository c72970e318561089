"""A graph as two arrays (compressed sparse rows), and operations that need nothing else.

The successors of node v are `targets[offsets[v]:offsets[v + 1]]`, strictly increasing. The arrays may be
memory-mapped files. Nothing here copies them. `weights`, if present, is parallel to `targets` (the number of links
behind one arc of the host or domain graph)."""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from webgraph_it.analyse.compiled import parallel
from webgraph_it.graph.compiled import compiled

Offsets = NDArray[np.int64]
Ids = NDArray[np.uint32]
Values = NDArray[np.float64]

CHUNKS = 1024
"""Pieces of equal work for parallel loops. More than cores, and fixed, so that sums are always added in one order."""

BLOCK_ARCS = 1 << 28
"""Arcs transposed at a time: 1 GiB of memory (2 GiB with weights). A graph with more arcs is read once per
block.
"""


@dataclass(frozen=True, slots=True)
class Csr:
    """A directed graph."""

    offsets: Offsets
    targets: Ids
    weights: Ids | None = None
    """None means that every arc counts one."""

    @property
    def nodes(self) -> int:
        return len(self.offsets) - 1

    @property
    def arcs(self) -> int:
        return len(self.targets)

    def out_degrees(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    def __repr__(self) -> str:
        kind = "weighted arcs" if self.weights is not None else "arcs"
        return f"<Csr {self.nodes:,} nodes, {self.arcs:,} {kind}>"


def csr(offsets: NDArray[Any], targets: NDArray[Any], weights: NDArray[Any] | None = None) -> Csr:
    """The graph on these arrays. Unsigned 64-bit offsets are viewed as signed, because numba's arithmetic needs
    it.
    """
    if offsets.dtype == np.uint64:
        offsets = offsets.view(np.int64)
    # np.asarray drops the memmap subclass (numba would compile again for it), not the mapping.
    flat = np.asarray(offsets, dtype=np.int64), np.asarray(targets, dtype=np.uint32)
    return Csr(*flat, None if weights is None else np.asarray(weights, dtype=np.uint32))


def from_arcs(nodes: int, arcs: list[tuple[int, int]]) -> Csr:
    """A small graph from a list of (from, to), in any order. Repeated pairs count once."""
    pairs = np.array(sorted(set(arcs)), dtype=np.int64).reshape(-1, 2)
    counts = np.bincount(pairs[:, 0], minlength=nodes)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    return csr(offsets, pairs[:, 1].astype(np.uint32))


def in_degrees(graph: Csr) -> NDArray[np.int64]:
    counts = np.zeros(graph.nodes, dtype=np.int64)
    _count_targets(graph.targets, counts)
    return counts


def transpose(graph: Csr, scratch: Path | None = None) -> Csr:
    """Every arc reversed. Predecessors are in increasing order.

    With `scratch` the new targets (and weights) are files in that folder instead of memory. Works in
    blocks of BLOCK_ARCS arcs, so memory is bounded for any graph.
    """
    offsets = np.zeros(graph.nodes + 1, dtype=np.int64)
    np.cumsum(in_degrees(graph), out=offsets[1:])
    sources = _room(graph.arcs, scratch, "transposed-targets.u32")
    weights = None if graph.weights is None else _room(graph.arcs, scratch, "transposed-weights.u32")
    for first, last in _blocks(offsets):
        start, end = int(offsets[first]), int(offsets[last])
        cursor = offsets[first:last] - start
        block_weights = None if weights is None else weights[start:end]
        _scatter(
            graph.offsets, graph.targets, graph.weights, first, cursor, sources[start:end], block_weights
        )
    return Csr(offsets, sources, weights)


def without_loops(graph: Csr) -> Csr:
    """The same graph without the arcs from a node to itself."""
    offsets = np.zeros(graph.nodes + 1, dtype=np.int64)
    origin = np.repeat(np.arange(graph.nodes, dtype=np.uint32), np.diff(graph.offsets))
    kept = origin != graph.targets
    np.cumsum(np.bincount(origin[kept], minlength=graph.nodes), out=offsets[1:])
    return csr(offsets, graph.targets[kept], None if graph.weights is None else graph.weights[kept])


def chunk_bounds(offsets: Offsets, chunks: int = CHUNKS) -> NDArray[np.int64]:
    """Node numbers that cut the graph into pieces of about equal work (arcs plus nodes)."""
    nodes = len(offsets) - 1
    work = int(offsets[-1]) + nodes
    bounds = np.empty(chunks + 1, dtype=np.int64)
    _cut(offsets, work, bounds)
    return bounds


@parallel
def gather(
    offsets: Offsets, targets: Ids, weights: Ids | None, values: Values, bounds: Offsets, out: Values
) -> None:
    """out[v] = the sum of values over the (weighted) neighbours of v."""
    for chunk in prange(len(bounds) - 1):
        for node in range(bounds[chunk], bounds[chunk + 1]):
            total = 0.0
            for arc in range(
                np.uint64(offsets[node]), np.uint64(offsets[node + 1])
            ):  # unsigned: a fifth faster
                if weights is None:
                    total += values[targets[arc]]
                else:
                    total += values[targets[arc]] * weights[arc]
            out[node] = total


def _room(arcs: int, scratch: Path | None, name: str) -> Ids:
    if scratch is None or not arcs:
        return np.empty(arcs, dtype=np.uint32)
    return np.asarray(np.memmap(scratch / name, dtype=np.uint32, mode="w+", shape=(arcs,)))


def _blocks(offsets: Offsets) -> list[tuple[int, int]]:
    """Ranges of nodes with at most BLOCK_ARCS arcs each (or one node with more)."""
    nodes = len(offsets) - 1
    cuts = [0]
    while cuts[-1] < nodes:
        end = int(np.searchsorted(offsets, offsets[cuts[-1]] + BLOCK_ARCS, side="right")) - 1
        cuts.append(max(end, cuts[-1] + 1))
    return list(itertools.pairwise(cuts))


@compiled
def _count_targets(targets: Ids, counts: NDArray[np.int64]) -> None:
    for arc in range(len(targets)):
        counts[targets[arc]] += 1


@compiled
def _scatter(
    offsets: Offsets,
    targets: Ids,
    weights: Ids | None,
    first: int,
    cursor: NDArray[np.int64],
    sources: Ids,
    new_weights: Ids | None,
) -> None:
    for node in range(len(offsets) - 1):
        for arc in range(offsets[node], offsets[node + 1]):
            target = np.int64(targets[arc]) - first
            if 0 <= target < len(cursor):
                place = cursor[target]
                cursor[target] = place + 1
                sources[place] = node
                if weights is not None and new_weights is not None:
                    new_weights[place] = weights[arc]


@compiled
def _cut(offsets: Offsets, work: int, bounds: NDArray[np.int64]) -> None:
    node, chunks, nodes = 0, len(bounds) - 1, len(offsets) - 1
    for chunk in range(chunks):
        while node < nodes and (offsets[node] + node) * chunks < work * chunk:
            node += 1
        bounds[chunk] = node
    bounds[chunks] = nodes

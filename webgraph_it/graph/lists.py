"""The lists of a graph directory (see csr.py), opened so that a damaged or crafted file cannot do harm.

Guarantees: the two files have the sizes that follow from the numbers of nodes and arcs. `of(node)` checks the one
list that it returns, `blocks()` each block before it is returned. `whole()` checks everything before it returns the
arrays, once per object and at the speed of memory. Offsets must start at 0, never decrease and end at the number of
arcs. The targets of a node must be nodes and increase strictly. No mark that a file was checked before is trusted,
because a forged graph can carry it, too. There is no protection against changes of a file while it is mapped.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from webgraph_it.graph.csr import OFFSET_TYPE, TARGET_TYPE, Array, CsrFiles, open_array
from webgraph_it.graph.damage import GraphError, damaged, part_size

SEED = int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> 1
"""Seed of the fingerprints. It differs in each process, so that nobody can craft two graphs with the same one."""
NODES_AT_A_TIME = 1 << 16


class Lists:
    """Successors, or predecessors, of all nodes: two mapped files."""

    def __init__(self, folder: Path, nodes: int, arcs: int, transposed: bool = False) -> None:
        self._files = CsrFiles.of(folder, transposed)
        self._nodes, self._transposed = nodes, transposed
        self._offsets = open_sized(self._files.offsets_path, OFFSET_TYPE, nodes + 1)
        self._targets = open_sized(self._files.targets_path, TARGET_TYPE, arcs)
        if self._offsets[0] != 0 or self._offsets[-1] != arcs:
            raise damaged(self._files.offsets_path, f"does not go from 0 to the {arcs} arcs of graph.json")

    def of(self, node: int) -> Array:
        """The list of one node, increasing."""
        start, end = int(self._offsets[node]), int(self._offsets[node + 1])
        found = self._targets[start:end]
        if not 0 <= start <= end <= len(self._targets):
            raise damaged(self._files.offsets_path, f"has the list of node {node} end before it starts")
        if len(found) and (found[-1] >= self._nodes or not (found[1:] > found[:-1]).all()):
            raise self._damaged_list(node)
        return found

    def whole(self) -> tuple[Array, Array]:
        """(offsets, targets) of all nodes."""
        self.fingerprint  # noqa: B018
        return self._offsets, self._targets

    def blocks(self, most_arcs: int) -> Iterator[tuple[int, Array, Array]]:
        """(first node, offsets, targets) of some lists at a time, at least one, with at most so many arcs.

        The files are read, not mapped: what was handed out does not stay in memory.
        """
        first = 0
        while first < self._nodes:
            offsets = self._files.offsets(first, min(first + NODES_AT_A_TIME, self._nodes))
            wrong = np.flatnonzero(offsets[1:] < offsets[:-1])
            if len(wrong) or not 0 <= offsets[0] <= offsets[-1] <= len(self._targets):
                raise self._damaged_list(first + int(wrong[0]) if len(wrong) else first)
            lists = max(int(np.searchsorted(offsets, offsets[0] + most_arcs, side="right")) - 1, 1)
            offsets = offsets[: lists + 1]
            targets = self._files.targets(int(offsets[0]), int(offsets[-1]))
            self._check_block(first, offsets, targets)
            yield first, offsets, targets
            first += lists

    def _check_block(self, first: int, offsets: Array, targets: Array) -> None:
        """Every target is a node, and greater than the one before it, except where a list starts."""
        wrong = targets >= self._nodes
        falls = targets[1:] <= targets[:-1]
        starts = offsets[(offsets > offsets[0]) & (offsets < offsets[-1])] - offsets[0]
        falls[starts - 1] = False
        wrong[1:] |= falls
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0]) + int(offsets[0])
            raise self._damaged_list(first + int(np.searchsorted(offsets, place, side="right")) - 1)

    @cached_property
    def fingerprint(self) -> int:
        """A fingerprint of the arcs. It is the same for successors and predecessors of one graph."""
        from webgraph_it.graph import lists_kernels  # here, so that opening a graph does not load numba

        node, found = lists_kernels.check(
            np.asarray(self._offsets), np.asarray(self._targets), self._transposed, SEED
        )
        if node >= 0:
            raise self._damaged_list(node)
        return found

    def _damaged_list(self, node: int) -> GraphError:
        return damaged(
            self._files.targets_path,
            f"and {self._files.offsets_path.name} give no valid list for node {node}",
        )


def open_sized(path: Path, dtype: np.dtype[Any], length: int) -> Array:
    """The file as an array, memory-mapped. Refused if it has another length."""
    size = part_size(path)
    if size != length * dtype.itemsize:
        raise damaged(path, f"has {size} bytes, not {length * dtype.itemsize}")
    return open_array(path, dtype)

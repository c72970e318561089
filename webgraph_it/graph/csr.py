"""The graph as two arrays (compressed sparse rows), and how they lie on disk.

`offsets.u64`: n+1 little-endian 64-bit numbers, the first 0, the last the number of arcs m.
`targets.u32`: m little-endian 32-bit node ids. Those of node x are targets[offsets[x] : offsets[x+1]],
strictly increasing. There may also be `weights.u32`, one 32-bit weight per arc in the same order
(2^32-1 means "that or more"), `labels.u8`, one byte per arc in that order (bit 0: NOFOLLOW), and the transpose,
`offsets-t.u64` and `targets-t.u32`, in the same layout.

Guarantees: `open_array` maps a file without reading it. An empty file is an empty array. Ids stay below
LAST_ID+1 = 2^31-1, so that g4 has its first bit free and Java's WebGraph can hold the graph.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

OFFSETS, TARGETS, WEIGHTS = "offsets.u64", "targets.u32", "weights.u32"
LABELS, NOFOLLOW = "labels.u8", 1
OFFSETS_TRANSPOSED, TARGETS_TRANSPOSED = "offsets-t.u64", "targets-t.u32"
OFFSET_TYPE, TARGET_TYPE, LABEL_TYPE = np.dtype("<u8"), np.dtype("<u4"), np.dtype("u1")
LAST_ID = 2**31 - 2


def open_array(path: Path, dtype: np.dtype[Any]) -> Array:
    """The file as an array, memory-mapped."""
    size = path.stat().st_size
    if size % dtype.itemsize:
        raise ValueError(f"{path} has {size} bytes, not a multiple of {dtype.itemsize}: it is damaged")
    return np.memmap(path, dtype=dtype, mode="r") if size else np.empty(0, dtype)


@dataclass(frozen=True, slots=True)
class CsrFiles:
    """The two files, read in slices that are copied into memory. Unlike a mapping, they do not stay resident."""

    offsets_path: Path
    targets_path: Path

    @classmethod
    def of(cls, folder: Path, transposed: bool = False) -> "CsrFiles":
        """The graph of a compact graph directory, or its transpose."""
        names = (OFFSETS_TRANSPOSED, TARGETS_TRANSPOSED) if transposed else (OFFSETS, TARGETS)
        return cls(folder / names[0], folder / names[1])

    @property
    def nodes(self) -> int:
        return self.offsets_path.stat().st_size // OFFSET_TYPE.itemsize - 1

    @property
    def arcs(self) -> int:
        return self.targets_path.stat().st_size // TARGET_TYPE.itemsize

    def offsets(self, first: int, beyond: int) -> Array:
        """Where the lists of nodes first … beyond-1 start, and where the last ends, as signed numbers."""
        return _read(self.offsets_path, OFFSET_TYPE, first, beyond + 1).view(np.int64)

    def targets(self, start: int, stop: int) -> Array:
        """Arcs start … stop-1."""
        return _read(self.targets_path, TARGET_TYPE, start, stop)

    def blocks(self, most_arcs: int, most_nodes: int = 1 << 22) -> Iterator[tuple[int, int]]:
        """Cut the nodes into ranges (first, beyond) with at least one node and, if more, at most `most_arcs` arcs."""
        first, nodes = 0, self.nodes
        while first < nodes:
            offsets = self.offsets(first, min(first + most_nodes, nodes))
            count = int(np.searchsorted(offsets, offsets[0] + most_arcs, side="right")) - 1
            beyond = first + max(count, 1)
            yield first, beyond
            first = beyond


def _read(path: Path, dtype: np.dtype[Any], start: int, stop: int) -> Array:
    return np.fromfile(path, dtype, count=stop - start, offset=start * dtype.itemsize)

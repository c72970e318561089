"""The graph as two arrays (compressed sparse rows), and how they lie on disk.

`offsets.u64`: n+1 little-endian 64-bit numbers, the first 0, the last the number of arcs m.
`targets.u32`: m little-endian 32-bit node ids; those of node x are targets[offsets[x] : offsets[x+1]],
strictly increasing. Beside them may stand `weights.u32`, one 32-bit weight per arc in the same order
(2^32-1 means "that or more"), and the transpose, `offsets-t.u64` and `targets-t.u32`, laid out alike.

Guarantees: `open_array` maps a file without reading it; an empty file is an empty array. Ids stay below
LAST_ID+1 = 2^31-1, so that g4 has its first bit free and Java's WebGraph can hold the graph.
"""

from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

OFFSETS, TARGETS, WEIGHTS = "offsets.u64", "targets.u32", "weights.u32"
OFFSETS_TRANSPOSED, TARGETS_TRANSPOSED = "offsets-t.u64", "targets-t.u32"
OFFSET_TYPE, TARGET_TYPE = np.dtype("<u8"), np.dtype("<u4")
LAST_ID = 2**31 - 2


def open_array(path: Path, dtype: npt.DTypeLike, mode: Literal["r", "r+"] = "r") -> Array:
    """The file as an array, memory-mapped."""
    size = path.stat().st_size
    if size % np.dtype(dtype).itemsize:
        raise ValueError(
            f"{path} has {size} bytes, not a multiple of {np.dtype(dtype).itemsize}: it is damaged"
        )
    return np.memmap(path, dtype=dtype, mode=mode) if size else np.empty(0, dtype)


def read_slice(path: Path, dtype: npt.DTypeLike, start: int, stop: int) -> Array:
    """Elements start … stop-1 of the file, copied into memory (a mapping would stay resident)."""
    kind = np.dtype(dtype)
    return np.fromfile(path, kind, count=stop - start, offset=start * kind.itemsize)

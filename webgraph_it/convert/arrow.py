"""Columns of Arrow as plain arrays."""

from typing import Any

import numpy as np

from webgraph_it.graph.urlmap_writer import Strings


def strings(array: Any) -> Strings:
    """An Arrow string array as offsets and bytes, without a copy."""
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
    return Strings(
        ends, np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    )

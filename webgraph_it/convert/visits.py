"""The visits of all nodes, from the page logs: what a graph through time and a re-crawl need besides the shards.

`visits.bin` holds records of VISIT, in order of node id, those of a node in the order of the page logs. There is one
for every line of a page log that belongs to a node: also for failures and cuts, which are no visits (OTHER).

Guarantees: the n-th record SEQUENCE of a node belongs to its n-th sequence in the shards (recrawl/__init__.py). Memory
is needed for the nodes that are asked for only.
"""

from bisect import bisect_left
from pathlib import Path
from typing import Any

import numpy as np

from webgraph_it.convert import kernels
from webgraph_it.convert.arrow import strings
from webgraph_it.convert.lines import ERROR, GONE, PARENT_STATES, TRIED, UNCHANGED
from webgraph_it.convert.sources import ConvertError
from webgraph_it.graph.csr import Array

FILE = "visits.bin"
DAY_SECONDS = 86_400
LAST_DAY = 0xFFFF
SEQUENCE, SAME, ENDED, OTHER = range(4)
"""What a visit found: links that are in a sequence of the shards; the same links as before; that the page is gone; or
nothing (a failure, or a node that was cut)."""
VISIT = np.dtype([("node", "<u4"), ("what", "u1"), ("time", "<f8"), ("change", "<f4"), ("via", "V16")])
"""`via` is the digest of the page where the node was found, zeros for a seed."""
GONE_STATUSES = (404, 410)


def ends_arcs(state: Array, status: Array) -> Array:
    """Which lines of a page log say that a page no longer exists. Of an earlier crawl it may have been a parent."""
    ends: Array = (state == GONE) | ((state == ERROR) & np.isin(status, GONE_STATUSES))
    return ends


def day_of(time: Array) -> Array:
    """Days since 1970 in UTC. Times that no crawl has are brought to the nearest day that a file can hold."""
    days = np.floor(np.nan_to_num(time) / DAY_SECONDS)
    return np.clip(days, 0, LAST_DAY).astype(np.uint16)


def of_rows(table: Any, starts: Array, listed: Array) -> Array:
    """The records of a sorted table of lines. Each key starts at one of `starts`, and is a node if it is listed."""
    owner = np.repeat(np.cumsum(listed) - 1, np.diff(np.append(starts, table.num_rows)))
    of_node = np.repeat(listed, np.diff(np.append(starts, table.num_rows)))
    rows = np.flatnonzero(of_node & (table["kind"].to_numpy() == TRIED))
    some = table.take(rows).combine_chunks()
    found = np.empty(len(rows), VISIT)
    found["node"], found["time"], found["change"] = owner[rows], some["time"], some["change"]
    found["what"] = _what(some["state"].to_numpy(), some["status"].to_numpy())
    found["via"] = _digests(some["via"].combine_chunks()).view("V16").reshape(-1)
    return found


def _what(state: Array, status: Array) -> Array:
    what = np.full(len(state), OTHER, np.uint8)
    what[np.isin(state, PARENT_STATES)] = SEQUENCE
    what[state == UNCHANGED] = SAME
    what[ends_arcs(state, status)] = ENDED
    return what


def _digests(keys: Any) -> Array:
    names = strings(keys)
    out = np.empty((len(keys), 16), np.uint8)
    kernels.digests(names.offsets, names.data, out)
    out[np.diff(names.offsets) == 0] = 0
    return out


class Visits:
    """`visits.bin`, read by ranges of nodes."""

    def __init__(self, path: Path) -> None:
        self._records = np.memmap(path, VISIT, "r") if path.stat().st_size else np.empty(0, VISIT)

    def __len__(self) -> int:
        return len(self._records)

    def between(self, low: int, high: int) -> Array:
        """A copy of the records of nodes low … high-1."""
        first = bisect_left(self._records, low, key=lambda record: int(record["node"]))
        beyond = bisect_left(self._records, high, lo=first, key=lambda record: int(record["node"]))
        return np.array(self._records[first:beyond])

    def records(self, first: int, beyond: int) -> Array:
        """A copy of some records, whatever their nodes."""
        return np.array(self._records[first:beyond])


def disagreement(node: int) -> ConvertError:
    """What to say of a node whose visits do not fit its sequences."""
    return ConvertError(
        f"node {node} has other visits in the page logs than sequences in the shards: a page log is missing, or "
        "belongs to another crawl. Give whole crawl directories."
    )

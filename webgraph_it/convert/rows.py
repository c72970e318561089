"""Sequences of ids → CSR, g4 and the transpose.

Guarantees: `offsets.u64` and `targets.u32` are as `graph.csr` says. Every list is sorted and has each target once.
If a parent has several sequences, the last one counts. A page that is gone (`gone.u32`) has no arcs, and is no parent.
`parents.u8`, one byte per node, says which nodes are parents.
`graph.g4` holds the same lists as sequences, in order of parent. The transpose has every arc reversed.
A part that exceeds the memory is read once for each range of ids.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webgraph_it.convert import kernels
from webgraph_it.convert.job import Job
from webgraph_it.convert.mapping import ROW_BYTES_PER_RECORD, parts_for
from webgraph_it.convert.threads import in_order
from webgraph_it.graph import csr
from webgraph_it.graph.csr import OFFSET_TYPE, Array, CsrFiles

CHUNK_VALUES = 1 << 22


class Range(NamedTuple):
    """Take the ids low … high-1 from a file of sequences. `whole`: the file holds no other ids."""

    path: Path
    low: int
    high: int
    whole: bool


Rows = tuple[Array, Array, Array, int, int]
"""(parents, degrees, targets, sequences replaced, targets repeated) of a range."""


def make_csr(job: Job) -> None:
    """parts/ → offsets.u64, targets.u32, parents.u8."""
    parts, nodes = job.out / ".work" / "parts", job.counts["nodes"]
    width = int((parts / "width").read_text())
    job.progress.expect(job.counts["records"])
    counts = {"parents": 0, "parents_replaced": 0, "links_repeated": 0}
    gone = np.fromfile(job.out / ".work" / "gone.u32", np.uint32)
    with (job.staging / ".work" / "parents.u8").open("wb") as parents_file, CsrWriter(job.staging) as writer:
        for parents, degrees, targets, replaced, repeated in in_order(
            lambda each: rows_of_range(each, gone), ranges(parts, nodes, width, job), job.threads
        ):
            parents.tofile(parents_file)
            writer.add(degrees, targets)
            counts["parents"] += int(parents.sum())
            counts["parents_replaced"] += replaced
            counts["links_repeated"] += repeated
            job.progress.at(writer.arcs)
    job.counts.update(counts | {"arcs": writer.arcs})


def make_transpose(job: Job) -> None:
    """offsets.u64, targets.u32 → offsets-t.u64, targets-t.u32."""
    write_transpose(job, job.out, job.staging)


def write_transpose(job: Job, source: Path, out: Path) -> None:
    """The transpose of the graph in folder `source`, written into folder `out`."""
    graph, folder = CsrFiles.of(source), job.staging / "turned"
    width = _split_by_target(job, graph, folder)
    job.progress.expect(graph.arcs)
    with CsrWriter(out, transposed=True) as writer:
        for degrees, sources in in_order(_turned, ranges(folder, graph.nodes, width, job), job.threads):
            writer.add(degrees, sources)
            job.progress.at(writer.arcs)


def make_g4(job: Job) -> None:
    """offsets.u64, targets.u32, parents.u8 → graph.g4."""
    write_g4(job, CsrFiles.of(job.out), job.out / ".work" / "parents.u8", job.staging / "graph.g4")


def write_g4(job: Job, graph: CsrFiles, parents_path: Path | None, path: Path) -> None:
    """Write the graph as sequences. Without `parents_path`, every node is a parent."""
    job.progress.expect(graph.arcs)
    with path.open("wb") as file:
        for first, beyond in graph.blocks(block_arcs(job)):
            offsets = graph.offsets(first, beyond)
            targets = graph.targets(int(offsets[0]), int(offsets[-1]))
            parents = (
                np.fromfile(parents_path, np.uint8, beyond - first, offset=first)
                if parents_path
                else np.ones(beyond - first, np.uint8)
            )
            out = np.empty(len(targets) + beyond - first, np.uint32)
            length = kernels.to_sequences(offsets - offsets[0], targets, first, parents, out)
            out[:length].tofile(file)
            job.progress.at(int(offsets[-1]))


def block_arcs(job: Job) -> int:
    """The number of arcs to hold in memory at a time."""
    return min(max(job.budget_bytes // 32, 1 << 18), 1 << 23)


def ranges(folder: Path, nodes: int, width: int, job: Job) -> Iterator[Range]:
    """The files' ranges of ids, divided further where a file is too large for a thread's share of the memory."""
    for number, low in enumerate(range(0, nodes, width)):
        path, high = folder / f"{number:03d}.seq", min(low + width, nodes)
        needed = path.stat().st_size // 4 * ROW_BYTES_PER_RECORD * job.threads
        step = max((high - low) // (needed // job.budget_bytes + 1), 1)
        for start in range(low, high, step):
            yield Range(path, start, min(start + step, high), whole=step >= high - low)


def rows_of_range(each: Range, gone: Array) -> Rows:
    values = sequences(each, by_parent=True)
    nodes = each.high - each.low
    parents, degrees = np.empty(nodes, np.uint8), np.empty(nodes, np.int64)
    out = np.empty(len(values), np.uint32)
    arcs, replaced, repeated = kernels.rows_of(values, each.low, parents, degrees, out)
    ended = gone[np.searchsorted(gone, each.low) : np.searchsorted(gone, each.high)] - np.uint32(each.low)
    if len(ended):
        alive = np.ones(nodes, bool)
        alive[ended] = False
        out = out[:arcs][np.repeat(alive, degrees)]
        parents[ended], degrees[ended], arcs = 0, 0, len(out)
    return parents, degrees, out[:arcs], replaced, repeated


def sequences(each: Range, by_parent: bool) -> Array:
    """The sequences of a file that belong to the range. The file is read in chunks if it holds others."""
    if each.whole:
        return np.fromfile(each.path, np.uint32)
    kept, keeping = [np.empty(0, np.uint32)], False
    with each.path.open("rb") as file:
        while len(values := np.fromfile(file, np.uint32, CHUNK_VALUES)):
            out = np.empty_like(values)
            count, keeping = kernels.select(values, each.low, each.high, by_parent, keeping, out)
            kept.append(out[:count].copy() if count < len(out) else out)
    return np.concatenate(kept)


def _turned(each: Range) -> tuple[Array, Array]:
    values = sequences(each, by_parent=False)
    degrees, out = np.zeros(each.high - each.low, np.int64), np.empty(len(values), np.uint32)
    return degrees, out[: kernels.turn_round(values, each.low, degrees, out)]


def _split_by_target(job: Job, graph: CsrFiles, folder: Path) -> int:
    """Write the arcs to files by ranges of their target. Returns the width of a range."""
    width = max(-(-graph.nodes // parts_for(graph.arcs, job)), 1)
    folder.mkdir()
    files = [(folder / f"{n:03d}.seq").open("wb") for n in range(max(-(-graph.nodes // width), 1))]
    job.progress.expect(graph.arcs)
    for first, beyond in graph.blocks(block_arcs(job)):
        offsets = graph.offsets(first, beyond)
        targets = graph.targets(int(offsets[0]), int(offsets[-1]))
        counts, out = np.zeros(len(files), np.int64), np.empty(2 * len(targets), np.uint32)
        kernels.split_by_target(offsets - offsets[0], targets, first, width, counts, out)
        for file, end, count in zip(files, np.cumsum(counts).tolist(), counts.tolist(), strict=True):
            out[end - count : end].tofile(file)
        job.progress.at(int(offsets[-1]))
    for file in files:
        file.close()
    return width


class CsrWriter:
    """Appends lists to the two files."""

    def __init__(self, folder: Path, transposed: bool = False) -> None:
        files = CsrFiles.of(folder, transposed)
        self._offsets, self._targets = files.offsets_path.open("wb"), files.targets_path.open("wb")
        self.arcs = 0

    def __enter__(self) -> "CsrWriter":
        np.zeros(1, OFFSET_TYPE).tofile(self._offsets)
        return self

    def __exit__(self, *exception: object) -> None:
        self._offsets.close()
        self._targets.close()

    def add(self, degrees: Array, targets: Array) -> None:
        (self.arcs + np.cumsum(degrees)).astype(OFFSET_TYPE).tofile(self._offsets)
        targets.astype(csr.TARGET_TYPE, copy=False).tofile(self._targets)
        self.arcs += len(targets)

"""The first two steps for a folder of ids that `webgraph-it cluster compact` made: its rows are in order already.

    ids.json          written last: recipe_version, name, sources (the crawl directories), archives, rows of the tables
    nodes/*.parquet   id, key, url, state, status, depth, parent; in order of id
    arcs/*.parquet    source, target; in order of (source, target)

Guarantees: the same files as from the crawl directories, byte for byte. Rows out of order are refused. Only graph.json
differs: it lacks the counts that need every line and record of the crawl (`UNKNOWN`).
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pyarrow as pa

from webgraph_it.convert import kernels, visits
from webgraph_it.convert.job import Job
from webgraph_it.convert.lines import LISTED, RUN, STATES
from webgraph_it.convert.mapping import Parts, parts_for
from webgraph_it.convert.names import NodeWriter
from webgraph_it.convert.sources import ARCS, NODES, ConvertError
from webgraph_it.files.tables import batches, count_rows
from webgraph_it.graph.csr import Array

NODES_AT_ONCE = 1 << 20
UNKNOWN = frozenset(
    {
        "gone",
        "links_repeated",
        "pages_outside_graph",
        "parents_replaced",
        "parents_written",
        "records",
        "urls_listed_again",
    }
)
"""Counts of what was left out before."""


def make_names(job: Job) -> None:
    """nodes/ → nodes.arrow, digests.bin, hosts.arrow."""
    folder = _folder(job)
    job.progress.expect(count_rows(folder / NODES))
    for name in ("gone.u32", visits.FILE):  # the arcs of pages that are gone were left out before
        (job.staging / ".work" / name).touch()
    with closing(NodeWriter(job.staging / ".work")) as writer:
        at = 0
        for batch in batches(folder / NODES, ["id", "key", "url", "state", "status", "depth"]):
            if not np.array_equal(batch["id"].to_numpy(), np.arange(at, at + len(batch))):
                raise ConvertError(
                    f"{folder / NODES} is not in order of id: make it again with cluster compact."
                )
            writer.add(_run(batch))
            at += len(batch)
            job.progress.at(at)
    job.counts.update(writer.counts())


def make_parts(job: Job) -> None:
    """arcs/ → parts/."""
    folder, nodes, arcs = _folder(job), job.counts["nodes"], count_rows(_folder(job) / ARCS)
    job.progress.expect(arcs)
    records = 0
    with ExitStack() as stack:
        parts = stack.enter_context(
            Parts(job.staging / ".work" / "parts", nodes, parts_for(arcs + nodes, job))
        )
        flags, lists = _parents(folder), _Lists(folder)
        for first in range(0, nodes, NODES_AT_ONCE):
            beyond = min(first + NODES_AT_ONCE, nodes)
            parents, (sources, targets) = next(flags), lists.below(beyond)
            offsets = np.searchsorted(sources, np.arange(first, beyond + 1)).astype(np.int64)
            out = np.empty(len(targets) + len(parents), np.uint32)
            values = out[: kernels.to_sequences(offsets, targets, first, parents, out)]
            parts.add(*parts.group(values))
            records += len(values)
            job.progress.at(lists.read)
    job.counts.update({"records": records, "passes": 1, "parents_written": parts.parents})


class _Lists:
    """The arcs, range after range."""

    def __init__(self, folder: Path) -> None:
        self._batches = batches(folder / ARCS, ["source", "target"])
        self._sources, self._targets = np.empty(0, np.int64), np.empty(0, np.uint32)
        self.read = 0

    def below(self, beyond: int) -> tuple[Array, Array]:
        """The arcs not yet given whose source is below this id."""
        sources, targets = [self._sources], [self._targets]
        while not len(sources[-1]) or sources[-1][-1] < beyond:
            batch = next(self._batches, None)
            if batch is None:
                break
            sources.append(batch["source"].to_numpy())
            targets.append(batch["target"].to_numpy().astype(np.uint32))
            self.read += len(batch)
        source, target = np.concatenate(sources), np.concatenate(targets)
        if (source[1:] < source[:-1]).any():
            raise ConvertError("arcs/ is not in order of source: make it again with cluster compact.")
        end = int(np.searchsorted(source, beyond))
        self._sources, self._targets = source[end:], target[end:]
        return source[:end], target[:end]


def _parents(folder: Path) -> Iterator[Array]:
    """Which nodes have a list, a range at a time."""
    waiting = np.empty(0, np.uint8)
    for batch in batches(folder / NODES, ["parent"]):
        waiting = np.append(waiting, batch["parent"].to_numpy(zero_copy_only=False).astype(np.uint8))
        while len(waiting) >= NODES_AT_ONCE:
            yield waiting[:NODES_AT_ONCE]
            waiting = waiting[NODES_AT_ONCE:]
    yield waiting


def _run(batch: pa.RecordBatch) -> pa.Table:
    state = pa.compute.index_in(batch["state"], value_set=pa.array(STATES))
    columns = {
        "key": batch["key"],
        "url": batch["url"],
        "kind": pa.array(np.full(len(batch), LISTED, np.uint8)),
        "state": state,
        "status": batch["status"],
        "depth": batch["depth"],
    }
    return pa.table([columns[field.name].cast(field.type) for field in RUN], schema=RUN)


def _folder(job: Job) -> Path:
    assert job.sources.ids is not None, "called for folders of ids only"
    return job.sources.ids

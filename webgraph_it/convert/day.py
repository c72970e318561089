"""The graph of one day: what a crawl from the seeds would have found, as far as the visits until then tell.

A page has the links of its last visit until the end of that day, and none if that visit found it gone. The nodes are
those that these links lead to, from the roots. A root is a seed, a node found on a page outside the graph, or a node
that no page ever linked to. So a page that nothing links to any more is left out, whether or not it still exists.

Guarantees: ids, lists and files are those of an ordinary graph of these nodes. Memory is needed for about 11 bytes per
node ever known, and the arcs of that day are mapped.
"""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa

from webgraph_it.convert import kernels, mapping, names, rows, steps, time_kernels
from webgraph_it.convert.job import Job
from webgraph_it.convert.lines import LISTED, RUN
from webgraph_it.convert.sources import ConvertError
from webgraph_it.convert.threads import in_order
from webgraph_it.convert.visits import Visits, disagreement
from webgraph_it.graph.csr import OFFSET_TYPE, TARGET_TYPE, Array, CsrFiles, open_array

VISITS_AT_ONCE = 1 << 20
ALL = "all"


def make_day(job: Job) -> None:
    """The step: see the module."""
    whole = _all_nodes(job)
    visits = Visits(whole.out / steps.VISITS)
    folder = job.staging / "then"
    folder.mkdir()
    linked = _write_lists(whole, visits, folder, job)
    kept = _roots(whole, visits, linked)
    offsets, targets = (open_array(path, kind) for path, kind in _files(folder))
    time_kernels.reach(offsets.view(np.int64), targets, kept)
    if not kept.any():
        raise ConvertError("no page was visited until the end of that day: give a later day with --as-of.")
    _write_day(job, whole, folder, kept)


def _all_nodes(job: Job) -> Job:
    """Names and sequences of all nodes ever known, in a conversion of its own that resumes by itself."""
    whole = replace(job, out=job.work / ALL, state={}, _lock=None)
    whole.open()
    try:
        for step in steps.STEPS[:2]:
            steps.ensure(whole, step, steps.STEPS)
    finally:
        whole.close()
    job.progress.begin("day")
    return whole


def _write_lists(whole: Job, visits: Visits, folder: Path, job: Job) -> Array:
    """The lists of that day with the ids of all nodes. Returns which nodes were linked to on any day."""
    parts, nodes, until = whole.out / ".work" / "parts", whole.counts["nodes"], job.sources.until
    width = int((parts / "width").read_text())
    linked = np.zeros(nodes, np.uint8)
    job.progress.expect(whole.counts["records"])
    with rows.CsrWriter(folder) as writer, (folder / "parents.u8").open("wb") as file:
        for parents, degrees, targets, children in in_order(
            lambda each: _rows(each, visits, until), rows.ranges(parts, nodes, width, whole), job.threads
        ):
            linked[children] = 1
            parents.tofile(file)
            writer.add(degrees, targets)
            job.progress.at(writer.arcs)
    return linked


def _rows(each: rows.Range, visits: Visits, until: float) -> tuple[Array, Array, Array, Array]:
    values, visited = rows.sequences(each, by_parent=True), visits.between(each.low, each.high)
    count, out = each.high - each.low, np.empty(len(values), np.uint32)
    parents, degrees = np.zeros(count, np.uint8), np.zeros(count, np.int64)
    node, what, time = (np.ascontiguousarray(visited[name]) for name in ("node", "what", "time"))
    arcs, wrong = time_kernels.lists_at(values, each.low, node, what, time, until, parents, degrees, out)
    if wrong >= 0:
        raise disagreement(each.low + wrong)
    return parents, degrees, out[:arcs], values[values < kernels.FLAG]


def _roots(whole: Job, visits: Visits, linked: Array) -> Array:
    """One byte per node: 1 for a root."""
    nodes, until = whole.counts["nodes"], whole.sources.until
    before, later = np.zeros(nodes, bool), np.zeros(nodes, bool)
    found_outside = np.zeros(nodes, bool)
    known = np.zeros(len(visits), bool)
    passes = mapping.passes_for(nodes, whole.budget_bytes)
    for number in range(passes):
        index = mapping.build_index(whole.out / steps.DIGESTS, nodes, number, passes)
        for first in range(0, len(visits), VISITS_AT_ONCE):
            some = visits.records(first, first + VISITS_AT_ONCE)
            ids = np.full(len(some), kernels.UNKNOWN, np.uint32)
            index.resolve(np.ascontiguousarray(some["via"]).view(np.uint64).reshape(-1, 2), ids)
            known[first : first + len(some)] |= ids != kernels.UNKNOWN
    for first in range(0, len(visits), VISITS_AT_ONCE):
        some = visits.records(first, first + VISITS_AT_ONCE)
        early = some["time"] < until
        before[some["node"][early]] = True
        later[some["node"][~early]] = True
        found_outside[some["node"][early & ~known[first : first + len(some)]]] = True
    root: Array = found_outside | ((linked == 0) & (before | ~later))
    return root.astype(np.uint8)


def _write_day(job: Job, whole: Job, folder: Path, kept: Array) -> None:
    """The nodes and lists of the kept nodes, with their own ids."""
    new_ids = (np.cumsum(kept, dtype=np.int64) - 1).astype(np.uint32)
    graph, work = CsrFiles.of(folder), job.staging / ".work"
    parents = np.fromfile(folder / "parents.u8", np.uint8)
    parents[kept > 0].tofile(work / "parents.u8")
    with rows.CsrWriter(job.staging) as writer:
        for first, beyond in graph.blocks(rows.block_arcs(job)):
            offsets, some = graph.offsets(first, beyond), kept[first:beyond] > 0
            degrees = np.diff(offsets)
            targets = graph.targets(int(offsets[0]), int(offsets[-1]))[np.repeat(some, degrees)]
            writer.add(degrees[some], new_ids[targets])
    nodes = names.NodeWriter(work)
    first = 0
    for batch in names.batches(whole.out / steps.NODES):
        some = pa.Table.from_batches([batch]).filter(pa.array(kept[first : first + len(batch)] > 0))
        kind = pa.array(np.full(some.num_rows, LISTED, np.uint8))
        columns = {name: kind if name == "kind" else some[name] for name in RUN.names}
        nodes.add(pa.Table.from_arrays(list(columns.values()), schema=RUN))
        first += len(batch)
    nodes.close()
    job.counts.update(nodes.counts() | {"arcs": writer.arcs, "parents": int(parents[kept > 0].sum())})
    job.about["as_of"] = str(datetime.fromtimestamp(job.sources.until - 1, UTC).date())


def _files(folder: Path) -> list[tuple[Path, "np.dtype[np.uint64] | np.dtype[np.uint32]"]]:
    graph = CsrFiles.of(folder)
    return [(graph.offsets_path, OFFSET_TYPE), (graph.targets_path, TARGET_TYPE)]

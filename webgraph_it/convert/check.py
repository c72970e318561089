"""`--check`: does a finished graph still agree with the shards?

Guarantees: every file has the recorded size and SHA-256. The shards are mapped again, with digests of the URL map's
own keys, and must give the same lists, arc for arc. The parents must be exactly the nodes whose state says so.
The first difference is named. Needs disk space for a second CSR while it runs, and leaves no files behind.
"""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webgraph_it.convert import mapping, rows
from webgraph_it.convert.job import Job
from webgraph_it.convert.lines import ERROR, PARENT_STATES, STATES
from webgraph_it.convert.sources import ConvertError, Sources
from webgraph_it.convert.steps import sha256
from webgraph_it.convert.visits import GONE_STATUSES
from webgraph_it.files.received import regular_size
from webgraph_it.graph.bv import Parameters
from webgraph_it.graph.csr import Array, CsrFiles
from webgraph_it.graph.summary import SUMMARY, listed_files, read_summary
from webgraph_it.graph.webgraph import NODES, WebGraph
from webgraph_it.progress import Progress
from webgraph_it.urls import digest

SCRATCH = ".check"


def check(out: Path, sources: Sources, memory_bytes: int, threads: int, progress: Progress) -> str:
    """Returns one sentence that says what holds. ConvertError names the first difference."""
    files = _check_files(out, listed_files(out / SUMMARY, read_summary(out)), progress)
    graph = WebGraph(out)
    job = Job(out / SCRATCH, sources, memory_bytes, threads, Parameters(), progress)
    try:
        parents = _map_again(job, graph)
        _check_lists(CsrFiles.of(out), CsrFiles.of(job.out), graph)
        _check_states(graph, parents, bool(sources.pages))
    finally:
        shutil.rmtree(job.out, ignore_errors=True)
    return f"{out} is correct: {files} files, {len(graph)} nodes, {graph.arcs} arcs"


def _check_files(out: Path, files: dict[str, dict[str, Any]], progress: Progress) -> int:
    progress.begin("checksums", len(files))
    for number, (name, expected) in enumerate(sorted(files.items())):
        path = out / name
        try:
            size = regular_size(path)
        except OSError:
            raise ConvertError(f"{path} is missing.") from None
        if size != expected["bytes"]:
            raise ConvertError(f"{path} has {size} bytes, not {expected['bytes']}.")
        if sha256(path) != expected.get("sha256"):
            raise ConvertError(f"{path} was changed: its SHA-256 is not the one in {out / SUMMARY}.")
        progress.at(number + 1)
    progress.end(f"{len(files)} files")
    return len(files)


def _map_again(job: Job, graph: WebGraph) -> Array:
    """Write the shards as CSR into the scratch folder, using the URL map. Returns which nodes are parents."""
    shutil.rmtree(job.out, ignore_errors=True)
    job.work.mkdir(parents=True)
    job.state = {"counts": {"nodes": len(graph)}}
    with (job.work / "digests.bin").open("wb") as file:
        file.writelines(digest(key) for key in graph.urls.keys())  # noqa: SIM118
    _gone(graph).tofile(job.work / "gone.u32")
    for step, makes in (
        (mapping.make_parts, [".work/parts"]),
        (rows.make_csr, ["offsets.u64", "targets.u32"]),
    ):
        job.clear_staging()
        job.progress.begin("mapping again")
        step(job)
        job.publish(makes)
        job.progress.end("done")
    return np.fromfile(job.staging / ".work" / "parents.u8", np.uint8)


def _gone(graph: WebGraph) -> Array:
    """Nodes whose last visit found that they no longer exist: what the shards hold of them does not count."""
    if not (graph.path / NODES).exists():
        return np.empty(0, np.uint32)
    table = graph.nodes(["state", "status"])
    is_gone = pc.and_(
        pc.equal(table["state"].cast(pa.string()), STATES[ERROR]),
        pc.is_in(table["status"].cast(pa.int64()), pa.array(GONE_STATUSES, pa.int64())),
    )
    return np.flatnonzero(is_gone.to_numpy()).astype(np.uint32)


def _check_lists(ours: CsrFiles, again: CsrFiles, graph: WebGraph) -> None:
    """Compare block by block."""
    for first, beyond in again.blocks(1 << 22):
        new, old = again.offsets(first, beyond), ours.offsets(first, beyond)
        different = np.flatnonzero(new != old)
        if not len(different):
            targets = again.targets(int(new[0]), int(new[-1])) != ours.targets(int(old[0]), int(old[-1]))
            if not targets.any():
                continue
            different = np.searchsorted(new - new[0], np.flatnonzero(targets)[:1], side="right")
        node = first + int(different[0]) - 1
        raise ConvertError(
            f"the graph does not agree with the shards: the first difference is at node {node} "
            f"({graph.url(node)}), which has {graph.outdegree(node)} successors in the graph."
        )


def _check_states(graph: WebGraph, parents: Array, has_pages: bool) -> None:
    if not has_pages or not (graph.path / NODES).exists():
        return
    states = graph.nodes(["state"])["state"].combine_chunks()
    said = np.isin(np.array(states.dictionary)[states.indices.to_numpy()], [STATES[i] for i in PARENT_STATES])
    different = np.flatnonzero(said != (parents > 0))
    if len(different):
        node = int(different[0])
        found = "no sequence" if said[node] else "a sequence"
        raise ConvertError(
            f"{len(different)} nodes have a state that contradicts the shards. The first is node {node} "
            f"({graph.url(node)}): {states[node].as_py()}, with {found} in the shards."
        )

"""The steps of convert, as a table: what each needs and makes. Like `make`, it does not repeat finished steps.

    names ─► map ─► csr ─► g4, bv, transpose, anchors, hosts ─► domains
      └────► urls, nodes

Guarantees: a step is done when all its files exist under their final names with the recorded sizes. The summary
(graph.json) is removed before the first change and written last. So a folder that has it is complete.
"""

import contextlib
import ctypes
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from webgraph_it import __version__
from webgraph_it.convert import anchors, groups, ids, mapping, names, rows
from webgraph_it.convert.arrow import strings
from webgraph_it.convert.job import Job, sizes_below
from webgraph_it.convert.lines import NO_DEPTH, STATES
from webgraph_it.convert.sources import ConvertError
from webgraph_it.files.own import SHARED_MODE, sync, write_whole
from webgraph_it.graph.bv import write_bv
from webgraph_it.graph.csr import LABELS, OFFSETS, OFFSETS_TRANSPOSED, TARGETS, TARGETS_TRANSPOSED, CsrFiles
from webgraph_it.graph.lists import Lists
from webgraph_it.graph.urlmap_layout import URLS_PER_BLOCK
from webgraph_it.graph.urlmap_writer import SAMPLE_BLOCKS, Batch, write_url_map
from webgraph_it.urls import RECIPE_VERSION

FORMAT_VERSION = 1
BV_SUFFIXES = ("graph", "offsets", "properties", "ef")
BV = tuple(f"{{name}}.{suffix}" for suffix in BV_SUFFIXES)
BV_TRANSPOSED = tuple(f"{{name}}-t.{suffix}" for suffix in BV_SUFFIXES)
"""`{name}` stands for that of the crawl."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of convert. File names are relative to the output folder."""

    name: str
    run: Callable[[Job], None]
    needs: tuple[str, ...]
    makes: tuple[str, ...]
    optional: bool = True
    compresses: bool = False
    """Whether what it makes depends on the BV parameters."""
    applies: Callable[[Job], bool] = lambda job: True
    """Whether these crawls have what it is made of."""


def make_names(job: Job) -> None:
    """URL lists and page logs, or nodes with ids → nodes.arrow, digests.bin, hosts.arrow."""
    (ids if job.sources.ids else names).make_names(job)


def make_parts(job: Job) -> None:
    """Shards, or arcs of ids → parts/."""
    (ids if job.sources.ids else mapping).make_parts(job)


def make_url_map(job: Job) -> None:
    """nodes.arrow → urls.index, urls.blocks."""
    path = job.out / ".work" / "nodes.arrow"
    nodes = job.counts["nodes"]
    job.progress.expect(nodes)
    write_url_map(job.staging / "urls", lambda: _counted(job, path), list(_samples(path, nodes)), job.threads)


def make_node_table(job: Job) -> None:
    """nodes.arrow → nodes.parquet."""
    schema = pa.schema(
        {
            "id": pa.uint32(),
            "url": pa.string(),
            "host": pa.uint32(),
            "state": pa.dictionary(pa.int8(), pa.string()),
            "status": pa.uint16(),
            "depth": pa.uint32(),
        }
    )
    states = pa.array(STATES)
    job.progress.expect(job.counts["nodes"])
    first = 0
    with pyarrow.parquet.ParquetWriter(job.staging / "nodes.parquet", schema, compression="zstd") as writer:
        for batch in names.batches(job.out / ".work" / "nodes.arrow"):
            ids = pa.array(np.arange(first, first + len(batch), dtype=np.uint32))
            state = pa.DictionaryArray.from_arrays(batch["state"].cast(pa.int8()), states)
            depth = batch["depth"].to_numpy()
            depths = pa.array(depth, mask=depth == NO_DEPTH)
            columns = [ids, batch["url"], batch["host"], state, batch["status"], depths]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            first += len(batch)
            job.progress.at(first)


def make_bv(job: Job) -> None:
    """CSR → BV."""
    _compress(job, CsrFiles.of(job.out), job.staging / job.sources.name)


def make_transpose(job: Job) -> None:
    """CSR → transposed CSR and BV."""
    rows.make_transpose(job)
    _compress(job, CsrFiles.of(job.staging, transposed=True), job.staging / f"{job.sources.name}-t")


def _compress(job: Job, graph: CsrFiles, base: Path) -> None:
    job.progress.expect(graph.arcs)
    write_bv(base, graph, job.parameters, job.threads, rows.block_arcs(job), job.progress.at)


def _counted(job: Job, path: Path) -> Iterator[Batch]:
    done = 0
    for batch in _names(path):
        yield batch
        done += len(batch[0])
        job.progress.at(done)


def _names(path: Path) -> Iterator[Batch]:
    for batch in names.batches(path, ["key", "url"]):
        yield strings(batch["key"]), strings(batch["url"])


def _samples(path: Path, nodes: int) -> Iterator[Batch]:
    """Blocks from all over the list, to train the dictionary."""
    every = max(nodes // URLS_PER_BLOCK // SAMPLE_BLOCKS, 1) * URLS_PER_BLOCK
    for batch in names.batches(path, ["key", "url"]):
        picked = np.flatnonzero(np.arange(len(batch)) % every < URLS_PER_BLOCK)
        some = batch.take(pa.array(picked))
        yield strings(some["key"]), strings(some["url"])


NODES, HOSTS, DIGESTS = ".work/nodes.arrow", ".work/hosts.arrow", ".work/digests.bin"
GONE, VISITS = ".work/gone.u32", ".work/visits.bin"
PARTS, PARENTS = ".work/parts", ".work/parents.u8"
LISTS = (OFFSETS, TARGETS)
TRANSPOSED_LISTS = (OFFSETS_TRANSPOSED, TARGETS_TRANSPOSED)

STEPS = (
    Step("names", make_names, needs=(), makes=(NODES, HOSTS, DIGESTS, GONE, VISITS), optional=False),
    Step("map", make_parts, needs=(DIGESTS,), makes=(PARTS,), optional=False),
    Step("csr", rows.make_csr, needs=(PARTS, GONE), makes=(*LISTS, PARENTS), optional=False),
    Step("g4", rows.make_g4, needs=(*LISTS, PARENTS), makes=("graph.g4",)),
    Step("urls", make_url_map, needs=(NODES,), makes=("urls.index", "urls.blocks")),
    Step("nodes", make_node_table, needs=(NODES,), makes=("nodes.parquet",)),
    Step("bv", make_bv, needs=LISTS, makes=BV, compresses=True),
    Step(
        "transpose",
        make_transpose,
        needs=LISTS,
        makes=(*TRANSPOSED_LISTS, *BV_TRANSPOSED),
        compresses=True,
    ),
    Step("hosts", groups.make_hosts, needs=(NODES, HOSTS, *LISTS), makes=("hosts",), compresses=True),
    Step("domains", groups.make_domains, needs=(HOSTS, "hosts"), makes=("domains",), compresses=True),
    Step(
        "anchors",
        anchors.make_anchors,
        needs=(DIGESTS, *LISTS),
        makes=(anchors.TEXTS, LABELS),
        applies=anchors.has_anchors,
    ),
)
BY_NAME = {step.name: step for step in STEPS}
Table = tuple[Step, ...]
"""The steps of one kind of graph, in order."""


def choose(only: Iterable[str], skip: Iterable[str], table: Table = STEPS) -> list[Step]:
    """The requested steps, in order. The steps that they need are added when they run."""
    only, skip = set(only), set(skip)
    for name in sorted(only | skip):
        _place(name, table)
    needed = sorted(step.name for step in table if step.name in skip and not step.optional)
    if needed:
        raise ConvertError(f"the step {needed[0]!r} cannot be skipped: all others need it.")
    if both := sorted(only & skip):
        raise ConvertError(f"the step {both[0]!r} is in --only and in --skip: give it in one of them.")
    return [step for step in table if (step.name in only if only else step.name not in skip)]


def _place(name: str, table: Table) -> int:
    order = [step.name for step in table]
    if name not in order:
        raise ConvertError(f"there is no step {name!r}. The steps are {', '.join(order)}.")
    return order.index(name)


def run_steps(job: Job, wanted: list[Step], again_from: str | None, table: Table = STEPS) -> None:
    """Bring the output folder up to date with the requested steps."""
    if again_from:
        for step in table[_place(again_from, table) :]:
            job.state["done"].pop(step.name, None)
    wanted = [step for step in wanted if step.applies(job)]
    pending = [step for step in wanted if not _is_done(job, step)]
    if not pending and (job.out / "graph.json").exists():
        job.progress.note(f"{job.out} is up to date")
        return
    if (job.out / "graph.json").exists():
        (job.out / "graph.json").unlink()
        sync(job.out)  # before any file changes, so that after a power cut no summary describes a mixed graph
    for step in wanted:
        ensure(job, step, table)
    missing = [step.name for step in table if not step.optional and step.name not in job.state["done"]]
    if missing:
        job.progress.note(f"the graph is not complete: {', '.join(missing)} still to do")
    else:
        _summarise(job, table)


def _settings(job: Job, step: Step) -> dict[str, int]:
    return asdict(job.parameters) if step.compresses else {}


def _made(job: Job, step: Step) -> list[str]:
    """The files of a step, by the names that they have in this graph."""
    return [name.format(name=job.sources.name) for name in step.makes]


def _is_done(job: Job, step: Step) -> bool:
    record = job.state["done"].get(step.name)
    if not record or record["settings"] != _settings(job, step):
        return False
    return all(
        _is_there(job, name, record["sizes"]) for name in _made(job, step) if not name.startswith(".work")
    )


def _is_there(job: Job, name: str, sizes: dict[str, int]) -> bool:
    recorded = {path: size for path, size in sizes.items() if path == name or path.startswith(f"{name}/")}
    return bool(recorded) and (job.out / name).exists() and sizes_below(job.out, name) == recorded


def ensure(job: Job, step: Step, table: Table) -> None:
    """Run the step if it is not done, and first those that make what it needs."""
    if not _is_done(job, step):
        _run(job, step, table)


def _run(job: Job, step: Step, table: Table) -> None:
    makers = {name: step for step in table for name in step.makes}
    for name in step.needs:
        maker = makers[name]
        record = job.state["done"].get(maker.name)
        if not record or not _is_there(job, name, record["sizes"]):
            _run(job, maker, table)
        elif name == TARGETS and not job.lists_made_here:
            Lists(job.out, job.counts["nodes"], job.counts["arcs"]).whole()
            job.lists_made_here = True
    job.clear_staging()
    job.progress.begin(step.name)
    step.run(job)
    sizes = job.publish(_made(job, step))
    job.lists_made_here = job.lists_made_here or TARGETS in step.makes
    job.state["done"][step.name] = {"sizes": sizes, "settings": _settings(job, step)}
    job.save()
    _give_memory_back()
    job.progress.end(f"{sum(sizes.values()):,} bytes")


def _give_memory_back() -> None:
    """Return freed memory to the system. Otherwise allocators keep it, and it adds to the next step's memory."""
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def _summarise(job: Job, table: Table) -> None:
    """Write graph.json and remove the work folder."""
    done = {step.name: job.state["done"][step.name] for step in table if step.name in job.state["done"]}
    files = {
        path: size
        for record in done.values()
        for path, size in record["sizes"].items()
        if not path.startswith(".work")
    }
    unknown = ids.UNKNOWN if job.sources.ids else frozenset()
    job.progress.begin("checksums", sum(files.values()))
    summary: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "recipe_version": RECIPE_VERSION,
        "made_by": f"webgraph_it {__version__}",
        "name": job.sources.name,
        "nodes": job.counts["nodes"],
        "arcs": job.counts["arcs"],
        "sources": list(job.sources.names),
        **({"archives": list(job.sources.archives)} if job.sources.archives else {}),
        **job.about,
        "counts": {name: job.counts[name] for name in sorted(job.counts.keys() - unknown)},
        "bv": asdict(job.parameters),
        "files": checksums(job.out, files, job.threads),
        "conversion": {
            "sources": job.state["sources"],
            "done": done,
            "counts": job.counts,
            "about": job.about,
        },
    }
    write_whole(job.out / "graph.json", json.dumps(summary, indent=2) + "\n", SHARED_MODE)
    job.progress.end(f"{len(files)} files, {sum(files.values()):,} bytes")
    shutil.rmtree(job.work)


def checksums(out: Path, files: Iterable[str], threads: int) -> dict[str, dict[str, Any]]:
    """Size and SHA-256 of each file."""
    ordered = sorted(files)
    with ThreadPoolExecutor(threads) as pool:
        sums = pool.map(lambda name: sha256(out / name), ordered)
        return {
            name: {"bytes": (out / name).stat().st_size, "sha256": s}
            for name, s in zip(ordered, sums, strict=True)
        }


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""A graph through time (`--history`), and the graph of one day (`--as-of`): the steps that differ.

    --history   names ─► map ─► csr (all arcs ever seen, with their days) ─► the others; nodes have more columns
    --as-of     day (names and map of all nodes; the arcs of that day; its nodes) ─► the others

Days are days since 1970 in UTC. `first.u16`, `last.u16` and `ended.u16` have one number per arc, in the order of
`targets.u32`: the day of the first visit that saw it, of the last one, and of the first visit after that one, which no
longer saw it (0 if there was none). An arc that disappeared and came back counts as one.

Guarantees: ids of a history are ranks among all nodes ever known. All else is as convert says. A page that is gone
(404, 410) has no arcs from that visit on. The page log gives a sequence its time. If it has other visits than the
shards have sequences, the step fails.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from webgraph_it.convert import names, rows, steps, time_kernels
from webgraph_it.convert.day import make_day
from webgraph_it.convert.job import Job
from webgraph_it.convert.sources import ConvertError, Sources
from webgraph_it.convert.steps import Step, Table
from webgraph_it.convert.threads import in_order
from webgraph_it.convert.visits import DAY_SECONDS, OTHER, Visits, day_of, disagreement
from webgraph_it.graph.csr import Array, CsrFiles
from webgraph_it.graph.days import DAY_TYPE, ENDED_FILE, FIRST_FILE, LAST_FILE, date_of, day_number
from webgraph_it.graph.labels import SUFFIXES, write_labels

SEEN = ".work/seen.bin"
SEEN_TYPE = np.dtype(
    [
        ("first_seen", "<u2"), ("last_visit", "<f8"), ("visits", "<u4"), ("changes", "<u4"), ("gone", "?"),
    ]
)  # fmt: skip
"""One record per node. `first_seen` is the day of its first visit, 0 if it was never visited."""
SEEN_COLUMNS = pa.schema(
    {
        "first_seen": pa.date32(),
        "last_visit": pa.timestamp("ms", "UTC"),
        "visits": pa.uint32(),
        "changes": pa.uint32(),
        "gone": pa.bool_(),
    }
)


class Rows(NamedTuple):
    """The lists of a range of nodes."""

    parents: Array
    degrees: Array
    targets: Array
    days: tuple[Array, Array, Array]
    seen: Array


def make_history(job: Job) -> None:
    """parts/, visits.bin → CSR of all arcs, their days, and what is known of the nodes."""
    parts, nodes = job.out / ".work" / "parts", job.counts["nodes"]
    width = int((parts / "width").read_text())
    visits = Visits(job.out / steps.VISITS)
    job.progress.expect(job.counts["records"])
    first_day, last_day, parents = 0xFFFF, 0, 0
    with rows.CsrWriter(job.staging) as writer, ExitStack() as stack:
        opened = [job.staging / name for name in (steps.PARENTS, SEEN, FIRST_FILE, LAST_FILE, ENDED_FILE)]
        parents_file, seen_file, *day_files = [stack.enter_context(path.open("wb")) for path in opened]
        for found in in_order(
            lambda each: _rows(each, visits), rows.ranges(parts, nodes, width, job), job.threads
        ):
            found.parents.tofile(parents_file)
            found.seen.tofile(seen_file)
            writer.add(found.degrees, found.targets)
            for file, days in zip(day_files, found.days, strict=True):
                days.tofile(file)
            parents += int(found.parents.sum())
            visited = found.seen[found.seen["visits"] > 0]
            if len(visited):
                first_day = min(first_day, int(visited["first_seen"].min()))
                last_day = max(last_day, int(day_of(visited["last_visit"]).max()))
            job.progress.at(writer.arcs)
    job.counts.update({"arcs": writer.arcs, "parents": parents})
    job.about["history"] = [str(date_of(min(first_day, last_day))), str(date_of(last_day))]


def _rows(each: rows.Range, visits: Visits) -> Rows:
    values, visited = rows.sequences(each, by_parent=True), visits.between(each.low, each.high)
    count, arcs = each.high - each.low, len(values)
    degrees, targets = np.zeros(count, np.int64), np.empty(arcs, np.uint32)
    days = (np.zeros(arcs, DAY_TYPE), np.zeros(arcs, DAY_TYPE), np.zeros(arcs, DAY_TYPE))
    counts = np.zeros((count, 5), np.int64)
    node, what, time = (np.ascontiguousarray(visited[name]) for name in ("node", "what", "time"))
    arcs, wrong = time_kernels.histories(
        values, each.low, node, what, time, day_of(time), degrees, targets, *days, counts
    )
    if wrong >= 0:
        raise disagreement(each.low + wrong)
    seen = np.zeros(count, SEEN_TYPE)
    np.maximum.at(seen["last_visit"], node[what != OTHER] - each.low, time[what != OTHER])
    seen["visits"], seen["changes"], seen["first_seen"] = counts[:, 0], counts[:, 1], counts[:, 2]
    seen["gone"] = counts[:, 3]
    seen["last_visit"][counts[:, 0] == 0] = 0
    first, last, ended = (each[:arcs] for each in days)
    return Rows(counts[:, 4].astype(np.uint8), degrees, targets[:arcs], (first, last, ended), seen)


def make_node_table(job: Job) -> None:
    """nodes.arrow, seen.bin, CSR → nodes.parquet with the columns of a history."""
    steps.make_node_table(job)
    plain = job.staging / "nodes.parquet"
    seen = np.fromfile(job.out / SEEN, SEEN_TYPE)
    first_seen = _first_seen(job, seen)
    source = pyarrow.parquet.ParquetFile(plain)
    schema = pa.schema([*source.schema_arrow, *SEEN_COLUMNS])
    with_days = job.staging / "nodes.with-days"
    with pyarrow.parquet.ParquetWriter(with_days, schema, compression="zstd") as writer:
        first = 0
        for batch in source.iter_batches(names.ROWS_PER_BATCH):
            some = slice(first, first + len(batch))
            columns = [*batch.columns, *_columns(seen[some], first_seen[some])]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            first += len(batch)
    with_days.replace(plain)


def _columns(seen: Array, first_seen: Array) -> Iterator[Any]:
    never = seen["visits"] == 0
    yield pa.array(first_seen.astype(np.int32), pa.int32(), mask=first_seen == 0).cast(pa.date32())
    milliseconds = np.round(seen["last_visit"] * 1000).astype(np.int64)
    yield pa.array(milliseconds, pa.int64(), mask=never).cast(SEEN_COLUMNS.field("last_visit").type)
    for name in ("visits", "changes", "gone"):
        yield pa.array(np.ascontiguousarray(seen[name]), SEEN_COLUMNS.field(name).type)


def _first_seen(job: Job, seen: Array) -> Array:
    """The day of the first visit to a node or to a page that links to it. 0 if there was none."""
    days = seen["first_seen"].astype(DAY_TYPE)
    days[days == 0] = 0xFFFF
    graph = CsrFiles.of(job.out)
    for first, beyond in graph.blocks(rows.block_arcs(job)):
        start, stop = graph.offsets(first, beyond)[[0, -1]].tolist()
        since = np.fromfile(job.out / FIRST_FILE, DAY_TYPE, stop - start, offset=start * DAY_TYPE.itemsize)
        np.minimum.at(days, graph.targets(start, stop), since)
    days[days == 0xFFFF] = 0
    return days


def make_labels(job: Job) -> None:
    """CSR, days → LAW's arc labels."""
    job.progress.expect(job.counts["arcs"])
    write_labels(job.staging / f"{job.sources.name}-days", CsrFiles.of(job.out), job.out, job.sources.name)


def history(sources: Sources) -> Sources:
    """The same sources for a graph through time."""
    return _timed(replace(sources, timed=True))


def as_of(sources: Sources, day: date) -> Sources:
    """The same sources as they were at the end of a day (UTC)."""
    return _timed(replace(sources, timed=True, until=(day_number(day) + 1) * float(DAY_SECONDS)))


def _timed(sources: Sources) -> Sources:
    if not sources.pages:
        raise ConvertError(
            f"{sources.names[0]} has no page log (pages/000001.jsonl), so nothing says when its pages were visited. "
            "Give a crawl directory, or leave out --history and --as-of."
        )
    return sources


LABELS = tuple(f"{{name}}-days.{suffix}" for suffix in SUFFIXES)
DAYS = (FIRST_FILE, LAST_FILE, ENDED_FILE)
_ORDINARY: Table = tuple(
    replace(step, run=make_history, needs=(steps.PARTS, steps.VISITS), makes=(*step.makes, *DAYS, SEEN))
    if step.name == "csr"
    else replace(step, run=make_node_table, needs=(*step.needs, *steps.LISTS, FIRST_FILE, SEEN))
    if step.name == "nodes"
    else step
    for step in steps.STEPS
)
HISTORY: Table = (
    *_ORDINARY,
    Step("labels", make_labels, needs=(*steps.LISTS, *DAYS), makes=LABELS),
)
DAY: Table = (
    Step(
        "day",
        make_day,
        needs=(),
        makes=(steps.NODES, steps.HOSTS, *steps.LISTS, steps.PARENTS),
        optional=False,
    ),
    *(step for step in steps.STEPS if step.optional),
)

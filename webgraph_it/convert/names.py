"""URL lists and page logs → the nodes in order of key, with their digests and hosts.

An external sort. Several threads parse and sort pieces of the input. Sorted pieces stay in memory or, beyond the
budget, in files. Then one key range after another is merged, made unique and written. Ids are the ranks.

Guarantees: a node is a key of a URL list. Its URL comes from the page log if it is there, else from the first
line that lists it. Its state comes from the last page log line that made it a parent (fetched, redirect). If a later
line says that it is gone (404, 410), it is an error, and its arcs end. If it never was a parent, its state comes from
the last line, else it is never-tried. Makes `nodes.arrow` (key, url, host, state, status, depth; one row per
node), `digests.bin` (16 bytes per node), `hosts.arrow` (key, first; one row per host), `gone.u32` (the parents that are
gone) and, if time matters, `visits.bin` (see visits.py) and two more columns of `nodes.arrow`.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json

from webgraph_it.convert import kernels, visits
from webgraph_it.convert.arrow import strings
from webgraph_it.convert.job import Job
from webgraph_it.convert.lines import (
    ERROR,
    LINKED,
    LISTED,
    PARENT_STATES,
    REVISIT_FAILED,
    RUN,
    STATES,
    TIMED_RUN,
    TRIED,
    UNCHANGED,
    Piece,
    sorted_piece,
)
from webgraph_it.convert.sources import ConvertError, Sources
from webgraph_it.convert.threads import in_order
from webgraph_it.graph.csr import LAST_ID, Array
from webgraph_it.graph.urlmap_layout import URLS_PER_BLOCK
from webgraph_it.graph.urlmap_writer import Strings

ROWS_PER_BATCH = 1024 * URLS_PER_BLOCK
INFLATION = 6
"""Approximate bytes of memory needed to sort one byte of input."""
LARGEST_PIECE = 256 << 20
ROWS_PER_RUN_BATCH = 4096
GONE_FILE = "gone.u32"

NODE = pa.schema(
    {
        "key": pa.string(),
        "url": pa.string(),
        "host": pa.uint32(),
        "state": pa.uint8(),
        "status": pa.uint16(),
        "depth": pa.uint32(),
    }
)
"""A row of nodes.arrow."""
TIMED_NODE = pa.schema([*NODE, TIMED_RUN.field("host_depth"), TIMED_RUN.field("via")])
"""The same if time matters: the last two are null for a node that was never tried."""
HOST = pa.schema({"key": pa.string(), "first": pa.uint32()})
"""A row of hosts.arrow."""


def make_names(job: Job) -> None:
    """The step: see the module."""
    total = sum(part.length for part in (*job.sources.urls, *job.sources.links, *job.sources.pages))
    piece_bytes = max(
        min(job.budget_bytes // (INFLATION * job.threads), LARGEST_PIECE, -(-total // job.threads)), 1
    )
    in_memory = total * INFLATION <= job.budget_bytes
    runs_folder = job.staging / "runs"
    runs_folder.mkdir()
    pieces = list(_pieces(job, piece_bytes))
    job.progress.expect(len(pieces))
    runs = []
    for number, table in enumerate(in_order(sorted_piece, pieces, job.threads)):
        runs.append(Run(table) if in_memory else _kept(table, runs_folder / f"{number:06d}.arrow"))
        job.progress.at(number + 1)
    bounds = _range_bounds(runs, max(-(-total // piece_bytes), 1))
    job.progress.expect(len(bounds) - 1)
    _write_nodes(
        job, in_order(lambda bound: _merged(job.sources, runs, *bound), pairwise(bounds), job.threads)
    )


@dataclass(frozen=True, slots=True)
class Run:
    """Sorted rows, in memory or in a file. Of a file, the first key of every batch is known."""

    table: pa.Table | None
    path: Path | None = None
    firsts: tuple[str, ...] = ()

    def sample(self, count: int) -> list[str]:
        """About `count` keys, evenly spread."""
        if self.table is None:
            return list(self.firsts)
        step = max(self.table.num_rows // count, 1)
        keys: list[str] = self.table["key"].take(np.arange(step // 2, self.table.num_rows, step)).to_pylist()
        return keys

    def between(self, low: str | None, high: str | None) -> pa.Table:
        """The rows with low <= key < high. From a file, only the batches concerned are read."""
        table = self.table
        if table is None:
            first = 0 if low is None else max(bisect_left(self.firsts, low) - 1, 0)
            beyond = len(self.firsts) if high is None else bisect_left(self.firsts, high)
            with pa.OSFile(str(self.path)) as file:
                reader = pa.ipc.open_file(file)
                batches = [reader.get_batch(i) for i in range(first, beyond)]
                table = pa.Table.from_batches(batches, reader.schema)
        start = _position(table, low, 0)
        return table.slice(start, _position(table, high, table.num_rows) - start)


def _pieces(job: Job, piece_bytes: int) -> Iterator[Piece]:
    sources = job.sources
    for parts, kind in ((sources.urls, LISTED), (sources.links, LINKED), (sources.pages, TRIED)):
        for part in parts:
            for start in range(0, part.length, piece_bytes):
                stop = min(start + piece_bytes, part.length)
                yield Piece(part, start, stop, kind, job.sources.timed)


def _kept(table: pa.Table, path: Path) -> Run:
    """The rows on disk."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks(), max_chunksize=ROWS_PER_RUN_BATCH)
    firsts = table["key"].take(np.arange(0, table.num_rows, ROWS_PER_RUN_BATCH)).to_pylist()
    return Run(None, path, tuple(firsts))


def _range_bounds(runs: list[Run], ranges: int) -> list[str | None]:
    """Keys that cut all runs into ranges of about the same number of rows; None at both ends."""
    samples = sorted(key for run in runs for key in run.sample(32 * ranges))
    inner = [samples[i * len(samples) // ranges] for i in range(1, ranges)] if samples else []
    return [None, *sorted(set(inner)), None]


class Nodes(NamedTuple):
    """The nodes of one key range, in order, each once."""

    table: pa.Table
    counts: dict[str, int]
    gone: Array
    """Those that were parents, by their place in the table."""
    visits: Array
    """Their visits, with places instead of ids (visits.VISIT)."""


def _merged(sources: Sources, runs: list[Run], low: str | None, high: str | None) -> Nodes:
    """The nodes of one key range, and the counts."""
    schema = TIMED_RUN if sources.timed else RUN
    tables = [run.between(low, high) for run in runs] or [schema.empty_table()]
    table = pa.concat_tables(tables).combine_chunks()
    if len(runs) > 1:
        table = table.take(pc.array_sort_indices(table["key"].combine_chunks()))
    return unique(table, sources.until)


def _position(table: pa.Table, bound: str | None, otherwise: int) -> int:
    """The first row whose key is not less than the bound."""
    if bound is None:
        return otherwise
    keys, low, high = table["key"], 0, table.num_rows
    while low < high:
        middle = (low + high) // 2
        if keys[middle].as_py() < bound:
            low = middle + 1
        else:
            high = middle
    return low


def unique(table: pa.Table, until: float = math.inf) -> Nodes:
    """One row per listed key. The module's guarantees say what it holds. Visits from `until` on do not count."""
    if not table.num_rows:
        return Nodes(table, {}, np.empty(0, np.int64), np.empty(0, visits.VISIT))
    keys = table["key"].combine_chunks()
    kind, state, status = (table[name].to_numpy() for name in ("kind", "state", "status"))
    changed = pc.not_equal(keys[1:], keys[:-1]).to_numpy(zero_copy_only=False)
    starts = np.concatenate([[0], np.flatnonzero(changed) + 1])
    counted, order = kind == TRIED, np.arange(len(kind))
    if "time" in table.column_names:  # then the time decides which line is the last, not the place in the log
        times = table["time"].fill_null(0).to_numpy()
        counted &= times < until
        order = np.lexsort((times, np.repeat(starts, np.diff(np.append(starts, len(kind))))))
    is_parent = counted & np.isin(state, PARENT_STATES)
    ends = counted & visits.ends_arcs(state, status)
    decides = counted & ~np.isin(state, (UNCHANGED, REVISIT_FAILED))
    tried, parent, end = (_last(which, order, starts) for which in (decides, is_parent, ends))
    listed = kind[starts] == LISTED
    gone = (parent >= 0) & (end > parent)
    places = np.where(gone, end, np.where(parent >= 0, parent, tried))
    chosen = np.where(places >= 0, order[places], starts)[listed]
    counts = {
        "urls_listed_again": int((kind == LISTED).sum() - listed.sum()),
        "pages_outside_graph": int((~listed).sum()),
    }
    columns = {name: table[name].take(pa.array(chosen)) for name in table.column_names}
    columns["key"] = keys.take(pa.array(starts[listed]))
    states = columns["state"].to_numpy()
    columns["state"] = pa.array(np.where(states < len(STATES), states, ERROR).astype(np.uint8))
    nodes = pa.Table.from_arrays(list(columns.values()), schema=table.schema)
    found = visits.of_rows(table, starts, listed) if "time" in columns else np.empty(0, visits.VISIT)
    return Nodes(nodes, counts, np.flatnonzero(gone[listed]), found)


def _last(which: Array, order: Array, starts: Array) -> Array:
    """The place in `order` of the last row of each key for which it holds, or -1."""
    places: Array = np.maximum.reduceat(np.where(which[order], np.arange(len(order)), -1), starts)
    return places


def _write_nodes(job: Job, ranges: Iterator[Nodes]) -> None:
    job.counts.update({"urls_listed_again": 0, "pages_outside_graph": 0, "gone": 0})
    folder, timed = job.staging / ".work", job.sources.timed
    with (
        closing(NodeWriter(folder, timed)) as writer,
        (folder / GONE_FILE).open("wb") as gone,
        (folder / visits.FILE).open("wb") as visited,
    ):
        for number, found in enumerate(ranges):
            (found.gone + writer.added).astype(np.uint32).tofile(gone)
            found.visits["node"] += np.uint32(writer.added)
            found.visits.tofile(visited)
            writer.add(found.table)
            for name, count in found.counts.items():
                job.counts[name] += count
            job.counts["gone"] += len(found.gone)
            job.progress.at(number + 1)
    job.counts.update(writer.counts())


class NodeWriter:
    """Rows in order → the three files, in batches of the same size."""

    def __init__(self, folder: Path, timed: bool = False) -> None:
        self._schema = TIMED_NODE if timed else NODE
        self._nodes = pa.ipc.new_file(str(folder / "nodes.arrow"), self._schema)
        self._hosts = pa.ipc.new_file(str(folder / "hosts.arrow"), HOST)
        self._digests = (folder / "digests.bin").open("wb")
        self._waiting = (TIMED_RUN if timed else RUN).empty_table()
        self._last_host = ""
        self.nodes = self.hosts = self.added = 0
        self.states = np.zeros(len(STATES), np.int64)

    def add(self, table: pa.Table) -> None:
        self.added += table.num_rows
        self._waiting = pa.concat_tables([self._waiting, table])
        whole = self._waiting.num_rows // ROWS_PER_BATCH * ROWS_PER_BATCH
        for start in range(0, whole, ROWS_PER_BATCH):
            self._write(self._waiting.slice(start, ROWS_PER_BATCH))
        self._waiting = self._waiting.slice(whole)

    def counts(self) -> dict[str, int]:
        """What was written, once it is closed."""
        states = {f"state/{name}": int(self.states[value]) for value, name in enumerate(STATES)}
        return {"nodes": self.nodes, "hosts": self.hosts, **states}

    def close(self) -> None:
        if self._waiting.num_rows:
            self._write(self._waiting)
        for file in (self._nodes, self._hosts, self._digests):
            file.close()

    def _write(self, table: pa.Table) -> None:
        if self.nodes + table.num_rows > LAST_ID + 1:
            raise ConvertError(f"there are more than {LAST_ID + 1} nodes, the maximum for 31-bit ids.")
        table = table.combine_chunks()  # one chunk is one batch, and the URL map needs whole blocks
        keys = table["key"].combine_chunks()
        names = strings(keys)
        digests = np.empty((len(keys), 16), np.uint8)
        kernels.digests(names.offsets, names.data, digests)
        digests.tofile(self._digests)
        columns = {name: table[name] for name in self._schema.names if name != "host"}
        columns["host"] = pa.array(self._host_ids(keys, names))
        columns = {name: columns[name] for name in self._schema.names}
        self._nodes.write_table(pa.Table.from_arrays(list(columns.values()), schema=self._schema))
        self.states += np.bincount(table["state"].to_numpy(), minlength=len(STATES))
        self.nodes += len(keys)

    def _host_ids(self, keys: pa.StringArray, names: Strings) -> Array:
        lengths = np.empty(len(keys), np.int64)
        kernels.new_hosts(names.offsets, names.data, lengths)
        rows = np.flatnonzero(lengths)
        hosts = [keys[row].as_py()[: lengths[row]] for row in rows.tolist()]
        if hosts and hosts[0] == self._last_host:
            lengths[0], rows, hosts = 0, rows[1:], hosts[1:]
        new = pa.record_batch(
            [pa.array(hosts, pa.string()), pa.array((rows + self.nodes).astype(np.uint32))], schema=HOST
        )
        self._hosts.write_batch(new)
        ids = (self.hosts - 1 + np.cumsum(lengths > 0)).astype(np.uint32)
        self.hosts += len(hosts)
        self._last_host = hosts[-1] if hosts else self._last_host
        return ids


def batches(path: Path, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The batches of an Arrow file, one at a time."""
    with pa.OSFile(str(path)) as file:
        reader = pa.ipc.open_file(file)
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number)
            batch.validate(full=True)  # the file may be from another run
            yield batch.select(columns) if columns else batch

"""A compact graph as tables: nodes and arcs of the pages, the hosts and the domains.

    nodes, hosts, domains              one row per node, in order of id: the columns of nodes.parquet (docs/formats.md)
    arcs, host_arcs, domain_arcs       source, target (and weight), in order of source and target
    arcs of a graph with labels        also nofollow

Guarantees: rows come some at a time, so that memory does not grow with the graph. What is damaged is a GraphError;
rows before it may have been handed out. Ids are below 2^31, so that a signed 32-bit number holds them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from webgraph_it.graph import node_table
from webgraph_it.graph.csr import NOFOLLOW, Array
from webgraph_it.graph.damage import damaged
from webgraph_it.graph.webgraph import DOMAINS, HOSTS, NODES, WebGraph
from webgraph_it.progress import Progress

ROWS_AT_A_TIME = 1 << 16
ID, COUNT, STATUS, TEXT, FLAG = pa.uint32(), pa.int64(), pa.uint16(), pa.string(), pa.bool_()
PAGES = "pages"
NAMES = {PAGES: ("nodes", "arcs"), HOSTS: ("hosts", "host_arcs"), DOMAINS: ("domains", "domain_arcs")}
"""Level → its two tables."""
COLUMNS = {
    PAGES: {"id": ID, "url": TEXT, "host": ID, "state": TEXT, "status": STATUS, "depth": COUNT},
    HOSTS: {
        "id": ID, "name": TEXT, "key": TEXT, "url": TEXT, "domain": ID,
        "first": ID, "pages": COUNT, "fetched": COUNT,
    },
    DOMAINS: {
        "id": ID, "name": TEXT, "key": TEXT, "url": TEXT,
        "first": ID, "pages": COUNT, "fetched": COUNT, "first_host": ID, "hosts": COUNT,
    },
}  # fmt: skip
"""Level → the columns of its nodes. A null stands only in node_table.WITH_GAPS."""


@dataclass(frozen=True, slots=True)
class Table:
    """A name, columns, and rows that are read when they are asked for."""

    name: str
    rows: int
    schema: pa.Schema
    batches: Callable[[], Iterator[pa.RecordBatch]]

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that no two rows have in common; rows come in their order."""
        return ("id",) if "id" in self.schema.names else ("source", "target")

    def read(self, progress: Progress) -> Iterator[pa.RecordBatch]:
        """The rows, some at a time; the progress is told how many have been taken."""
        progress.begin(self.name, self.rows)
        done = 0
        for batch in self.batches():
            yield batch
            done += batch.num_rows
            progress.at(done)
        progress.end(f"{done:,} rows")


def _schema(columns: dict[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(name, kind, name in node_table.WITH_GAPS) for name, kind in columns.items()])


def tables(path: Path, level: str | None = None) -> list[Table]:
    """The tables of a compact graph directory: of one level, or of all that it has."""
    if level:
        return _of_level(path, level)
    present = [PAGES, *(name for name in (HOSTS, DOMAINS) if (path / name).is_dir())]
    return [table for name in present for table in _of_level(path, name)]


def _of_level(path: Path, level: str) -> list[Table]:
    graph = WebGraph(path if level == PAGES else path / level)
    nodes, arcs = NAMES[level]
    of_nodes = _schema(COLUMNS[level])
    more = {"weight": COUNT} if level != PAGES else {} if graph.labels is None else {"nofollow": FLAG}
    of_arcs = _schema({"source": ID, "target": ID} | more)
    return [
        Table(nodes, len(graph), of_nodes, lambda: _node_batches(graph, of_nodes)),
        Table(arcs, graph.arcs, of_arcs, lambda: _arc_batches(graph, of_arcs)),
    ]


def _node_batches(graph: WebGraph, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """An id is the number of its row, whatever the file says."""
    path, stored = graph.path / NODES, [name for name in schema.names if name != "id"]
    for first, batch in node_table.batches(path, len(graph), stored, ROWS_AT_A_TIME):
        ids = pa.array(np.arange(first, first + batch.num_rows, dtype=np.uint32))
        try:
            values = [ids, *(batch.column(name).cast(schema.field(name).type) for name in stored)]
        except pa.ArrowInvalid as error:
            raise damaged(path, f"has a value that is too large ({error})") from None
        yield pa.RecordBatch.from_arrays(values, schema=schema)


def _arc_batches(graph: WebGraph, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for columns in arc_columns(graph):
        arrays = [pa.array(column).cast(field.type) for column, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def arc_columns(graph: WebGraph) -> Iterator[list[Array]]:
    """Source, target and, if the graph has it, weight or nofollow, of some arcs at a time."""
    done = 0
    for sources, targets, weights in graph.arc_blocks():
        columns = [sources, targets] if weights is None else [sources, targets, weights]
        if graph.labels is not None:
            columns.append(np.asarray(graph.labels[done : done + len(targets)]) & NOFOLLOW != 0)
        done += len(targets)
        yield columns

"""A graph for the tests of exports, and its tables as other programs read them from its files: numpy and pyarrow."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet

from tests.benchmarks.crawl_generator import generate
from tests.verbs import convert

COLUMNS = {
    "nodes": ("", ["id", "url", "host", "state", "status", "depth"]),
    "hosts": ("hosts", ["id", "name", "key", "url", "domain", "first", "pages", "fetched"]),
    "domains": (
        "domains",
        ["id", "name", "key", "url", "first", "pages", "fetched", "first_host", "hosts"],
    ),
}
ARCS = {"arcs": "", "host_arcs": "hosts", "domain_arcs": "domains"}
TABLES = ("nodes", "arcs", "hosts", "host_arcs", "domains", "domain_arcs")

Rows = list[tuple[Any, ...]]


def make_graph(folder: Path) -> Path:
    """1,500 nodes, 20,000 arcs. Nodes that were never tried have no depth."""
    crawl = generate(folder / "crawl", 1500, 20_000)
    assert convert([str(crawl), "--out", str(folder / "graph"), "--skip", "bv,g4"]) == 0
    return folder / "graph"


def rows_of(graph: Path, table: str) -> Rows:
    """All rows of a table, in order."""
    if table in ARCS:
        return arcs_of(graph / ARCS[table])
    folder, columns = COLUMNS[table]
    found = pyarrow.parquet.read_table(graph / folder / "nodes.parquet", columns=columns).to_pydict()
    return list(zip(*(found[name] for name in columns), strict=True))


def arcs_of(graph: Path) -> Rows:
    """(source, target), with the weight where there is one."""
    offsets, targets = np.fromfile(graph / "offsets.u64", "<u8"), np.fromfile(graph / "targets.u32", "<u4")
    sources = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets).astype(int))
    columns = [sources, targets]
    if (graph / "weights.u32").exists():
        columns.append(np.fromfile(graph / "weights.u32", "<u4"))
    return list(zip(*(column.tolist() for column in columns), strict=True))

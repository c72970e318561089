"""The three graphs of a compact graph directory: pages, hosts, domains, each with the names of its nodes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from webgraph_it.analyse.csr import Csr, csr
from webgraph_it.graph import WebGraph
from webgraph_it.graph.csr import OFFSET_TYPE, OFFSETS_TRANSPOSED, TARGET_TYPE, TARGETS_TRANSPOSED, open_array

BATCH = 1 << 16
COLUMNS = {
    "pages": {"url": "url", "state": "state"},
    "hosts": {"name": "host"},
    "domains": {"name": "domain", "hosts": "n_hosts"},
}
"""Columns of nodes.parquet that go into the results, and what they are called there; the name comes first."""


@dataclass(frozen=True, slots=True)
class Level:
    """One graph and where its names are."""

    name: str
    """pages, hosts or domains."""
    folder: Path
    graph: Csr
    transposed: Csr | None
    """Where convert has written it too; never for weighted graphs."""

    @property
    def name_column(self) -> str:
        return next(iter(COLUMNS[self.name].values()))

    def batches(self) -> Iterator[tuple[int, Any]]:
        """(first id, rows) in order of id, with the columns that COLUMNS says."""
        columns = COLUMNS[self.name]
        first = 0
        with pq.ParquetFile(self.folder / "nodes.parquet") as rows:
            for batch in rows.iter_batches(batch_size=BATCH, columns=list(columns)):
                yield first, batch.select(list(columns)).rename_columns(list(columns.values()))
                first += batch.num_rows


def open_levels(whole: WebGraph) -> list[Level]:
    """Pages, then hosts and domains where convert made them."""
    coarse = [name for name in ("hosts", "domains") if (whole.path / name / "graph.json").exists()]
    return [_level("pages", whole), *(_level(name, getattr(whole, name)) for name in coarse)]


def reversed_name(name: str) -> str:
    """`dei.unipd.it` is `it.unipd.dei`; an IP address stays as it is."""
    return name if name[-1:].isdigit() or name[-1:] == "]" else ".".join(reversed(name.split(".")))


def _level(name: str, graph: WebGraph) -> Level:
    weights = graph.weights
    transposed = None
    if weights is None and (graph.path / OFFSETS_TRANSPOSED).exists():
        offsets = open_array(graph.path / OFFSETS_TRANSPOSED, OFFSET_TYPE)
        transposed = csr(offsets, open_array(graph.path / TARGETS_TRANSPOSED, TARGET_TYPE))
    return Level(name, graph.path, csr(graph.offsets, graph.targets, weights), transposed)

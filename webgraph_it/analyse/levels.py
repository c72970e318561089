"""The three graphs of a compact graph directory: pages, hosts, domains, each with the names of its nodes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from webgraph_it.analyse.csr import Csr, csr
from webgraph_it.graph import WebGraph

BATCH = 1 << 16
NAME_COLUMNS = {"pages": "url", "hosts": "host", "domains": "domain"}


@dataclass(frozen=True, slots=True)
class Level:
    """One graph and where its names are."""

    name: str
    """pages, hosts or domains."""
    folder: Path
    graph: Csr

    @property
    def name_column(self) -> str:
        return NAME_COLUMNS[self.name]

    def batches(self) -> Iterator[tuple[int, Any]]:
        """(first id, rows) in order of id: the names, and for pages their states."""
        columns = [self.name_column, "state"] if self.name == "pages" else [self.name_column]
        first = 0
        with pq.ParquetFile(self.folder / "nodes.parquet") as rows:
            for batch in rows.iter_batches(batch_size=BATCH, columns=columns):
                yield first, batch
                first += batch.num_rows


def open_levels(whole: WebGraph) -> list[Level]:
    """Pages, then hosts and domains where convert made them."""
    levels = [Level("pages", whole.path, _graph(whole))]
    for name in ("hosts", "domains"):
        if (whole.path / name / "graph.json").exists():
            coarse: WebGraph = getattr(whole, name)
            levels.append(Level(name, coarse.path, _graph(coarse)))
    return levels


def reversed_name(name: str) -> str:
    """`dei.unipd.it` is `it.unipd.dei`; an IP address stays as it is."""
    return name if name[-1:].isdigit() or name[-1:] == "]" else ".".join(reversed(name.split(".")))


def _graph(graph: WebGraph) -> Csr:
    return csr(graph.offsets, graph.targets, graph.weights)

"""The three graphs of a compact graph directory: pages, hosts, domains, each with the names of its nodes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webgraph_it.analyse.csr import Csr, csr
from webgraph_it.graph import WebGraph, node_table

BATCH = 1 << 16
COLUMNS = {
    "pages": {"url": "url", "state": "state"},
    "hosts": {"name": "host"},
    "domains": {"name": "domain", "hosts": "n_hosts"},
}
"""Columns of nodes.parquet that go into the results, and their names there. The node's name comes first."""


@dataclass(frozen=True, slots=True)
class Level:
    """One graph and the location of its names."""

    name: str
    """pages, hosts or domains."""
    folder: Path
    graph: Csr
    transposed: Csr | None
    """The transpose, if convert has written it. Weighted graphs have none."""

    @property
    def name_column(self) -> str:
        return next(iter(COLUMNS[self.name].values()))

    def batches(self) -> Iterator[tuple[int, Any]]:
        """(first id, rows) in order of id, with the columns in COLUMNS."""
        columns = COLUMNS[self.name]
        path = self.folder / "nodes.parquet"
        for first, batch in node_table.batches(path, self.graph.nodes, list(columns), BATCH):
            yield first, batch.rename_columns(list(columns.values()))


def open_levels(whole: WebGraph) -> list[Level]:
    """Pages, then hosts and domains if convert made them."""
    coarse = [name for name in ("hosts", "domains") if (whole.path / name / "graph.json").exists()]
    return [_level("pages", whole), *(_level(name, getattr(whole, name)) for name in coarse)]


def reversed_name(name: str) -> str:
    """`dei.unipd.it` becomes `it.unipd.dei`. An IP address stays as it is."""
    return name if name[-1:].isdigit() or name[-1:] == "]" else ".".join(reversed(name.split(".")))


def _level(name: str, graph: WebGraph) -> Level:
    weights = graph.weights
    transposed = graph.transposed() if weights is None else None
    return Level(
        name,
        graph.path,
        csr(graph.offsets, graph.targets, weights),
        None if transposed is None else csr(*transposed),
    )

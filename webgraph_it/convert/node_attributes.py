"""The node attributes of an export for viewers: name, pages, and the results of analyse.

Guarantees: the first attribute is the name to show (`url` of a page, `name` of a host or domain). Ranks and
components are included if the folder has a ranks.parquet of the same graph. One of another graph is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from webgraph_it.convert.sources import ConvertError
from webgraph_it.graph import node_table
from webgraph_it.graph.webgraph import NODES, WebGraph

SIZES = ("pages", "fetched", "hosts")
"""Columns of the nodes.parquet of hosts and domains."""
FOUND = (
    "pagerank", "pagerank_position", "authority", "hub", "harmonic", "in_degree", "out_degree",
    "strong_component", "weak_component", "bow_tie",
)  # fmt: skip
"""Columns of ranks.parquet."""
NAME_IN_RANKS = {"pages": "url", "hosts": "host", "domains": "domain"}
NOT_XML = re.compile("[^\t -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Attributes:
    """One column of values per attribute, in order of id."""

    columns: dict[str, list[Any]]

    @property
    def kinds(self) -> dict[str, str]:
        """Name → `string`, `long` or `double`, as GraphML and GEXF call them."""
        return {name: _kind(column[0]) if column else "string" for name, column in self.columns.items()}

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The values of each node in turn."""
        return zip(*self.columns.values(), strict=True)


def node_attributes(graph: WebGraph, level: str, analysis: Path) -> Attributes:
    """The attributes of all nodes. `analysis` is the folder of this level's results, if there are any."""
    if level == "pages":
        columns: dict[str, list[Any]] = {"url": list(graph.urls)}
    else:
        known = node_table.columns_of(graph.path / NODES, len(graph))
        columns = graph.nodes(["name", *(name for name in SIZES if name in known)]).to_pydict()
    ranks = analysis / "ranks.parquet"
    if ranks.exists():
        columns |= _found(graph, ranks, NAME_IN_RANKS[level], next(iter(columns.values())))
    return Attributes(columns)


def xml_text(value: Any) -> str:
    """A value for use inside an element or in double quotes. Characters that XML does not allow are replaced."""
    if not isinstance(value, str):
        return repr(value)
    return escape(NOT_XML.sub("\ufffd", value), {'"': "&quot;"})


def _found(graph: WebGraph, ranks: Path, name: str, names: list[str]) -> dict[str, list[Any]]:
    known = node_table.columns_of(ranks, len(graph))
    wanted = [column for column in FOUND if column in known]
    table = node_table.read(ranks, len(graph), [name, "out_degree", *wanted]).to_pydict()
    same_arcs = graph.weights is not None or np.array_equal(table["out_degree"], np.diff(graph.offsets))
    if table[name] != names or not same_arcs:  # analyse does not count arcs of a host to itself
        raise ConvertError(
            f"{ranks} belongs to another graph than {graph.path}: run webgraph-it analyse again."
        )
    return {column: table[column] for column in wanted}


def _kind(value: Any) -> str:
    return "string" if isinstance(value, str) else "double" if isinstance(value, float) else "long"

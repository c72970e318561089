"""WebGraph: the compact graph, opened.

    graph = WebGraph("crawls/italy-2026-11-16/compact")
    graph.url(graph.successors(graph.id("http://www.unipd.it/"))[0])

Guarantees: everything is memory-mapped, so that opening takes milliseconds whatever the size; ids are the
ranks of the keys in sorted order; lists of successors and predecessors are strictly increasing. Libraries
(scipy, networkit, networkx) are imported only when their adapter is called. Nothing here writes.
"""

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webgraph_it.graph import csr
from webgraph_it.graph.csr import Array
from webgraph_it.graph.urlmap import UrlMap
from webgraph_it.urls import RECIPE_VERSION

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SUMMARY, NODES = "graph.json", "nodes.parquet"
HOSTS, DOMAINS = "hosts", "domains"


class GraphError(ValueError):
    """The directory is not a finished compact graph, or lacks the part that was asked for."""


class WebGraph:
    """A compact graph directory: nodes 0 … len-1, their URLs and their arcs."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.summary = _summary(self.path)
        self.offsets = csr.open_array(self._part(csr.OFFSETS), csr.OFFSET_TYPE)
        self.targets = csr.open_array(self._part(csr.TARGETS), csr.TARGET_TYPE)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<WebGraph {self.path}: {len(self)} nodes, {self.arcs} arcs>"

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    @property
    def arcs(self) -> int:
        """Number of arcs, self-links included."""
        return len(self.targets)

    def successors(self, node: int) -> Array:
        """Ids that `node` links to, increasing."""
        return self._list(self.offsets, self.targets, node)

    def predecessors(self, node: int) -> Array:
        """Ids that link to `node`, increasing."""
        return self._list(*self._transpose, node)

    def outdegree(self, node: int) -> int:
        return len(self.successors(node))

    def indegree(self, node: int) -> int:
        return len(self.predecessors(node))

    def id(self, url: str) -> int:
        """The node of a URL, in any spelling. KeyError if it is not in the graph."""
        return self.urls.id(url)

    def url(self, node: int) -> str:
        """The URL of a node, as it was fetched or first seen."""
        return self.urls.url(node)

    @cached_property
    def urls(self) -> UrlMap:
        """The URL map: ids, URLs, keys, and ranges of a host, a domain or a directory."""
        self._part("urls.index")
        return UrlMap(self.path / "urls")

    @cached_property
    def weights(self) -> Array | None:
        """Weights of the arcs, in the order of `targets`; None where every arc counts one."""
        path = self.path / csr.WEIGHTS
        return csr.open_array(path, csr.TARGET_TYPE) if path.exists() else None

    @cached_property
    def hosts(self) -> "WebGraph":
        """The host graph."""
        return WebGraph(self.path / HOSTS)

    @cached_property
    def domains(self) -> "WebGraph":
        """The graph of registrable domains."""
        return WebGraph(self.path / DOMAINS)

    def nodes(self, columns: list[str] | None = None) -> Any:
        """nodes.parquet as a pyarrow Table, whole or some columns."""
        import pyarrow.parquet

        return pyarrow.parquet.read_table(self._part(NODES), columns=columns)

    def to_scipy(self) -> "csr_array[Any, Any]":
        """Adjacency matrix; arcs are not copied. Entries are the weights, or 1."""
        from scipy.sparse import csr_array

        weights = np.ones(self.arcs, np.uint32) if self.weights is None else self.weights
        kind = np.int32 if self.arcs < 2**31 else np.int64
        matrix = csr_array((len(self), len(self)), dtype=np.uint32)
        matrix.data, matrix.indices = weights, self.targets.view(np.int32).astype(kind, copy=False)
        matrix.indptr = self.offsets.astype(kind)
        return matrix

    def to_networkit(self) -> Any:
        """A directed networkit Graph (weighted if the arcs are)."""
        import networkit

        arcs = (self._sources(), self.targets.astype(np.int64))
        if self.weights is None:
            return networkit.GraphFromCoo(arcs, n=len(self), directed=True)
        weighted = (self.weights.astype(np.float64), arcs)
        return networkit.GraphFromCoo(weighted, n=len(self), directed=True, weighted=True)

    def to_networkx(self) -> Any:
        """A networkx DiGraph. For small graphs: it needs about 500 bytes an arc."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(range(len(self)))
        sources, targets = self._sources().tolist(), self.targets.tolist()
        if self.weights is None:
            graph.add_edges_from(zip(sources, targets, strict=True))
        else:
            graph.add_weighted_edges_from(zip(sources, targets, self.weights.tolist(), strict=True))
        return graph

    @cached_property
    def _transpose(self) -> tuple[Array, Array]:
        offsets = csr.open_array(self._part(csr.OFFSETS_TRANSPOSED), csr.OFFSET_TYPE)
        return offsets, csr.open_array(self._part(csr.TARGETS_TRANSPOSED), csr.TARGET_TYPE)

    def _sources(self) -> Array:
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets).view(np.int64))

    def _list(self, offsets: Array, targets: Array, node: int) -> Array:
        if not 0 <= node < len(self):
            raise IndexError(f"node {node} of a graph of {len(self)} nodes")
        return targets[int(offsets[node]) : int(offsets[node + 1])]

    def _part(self, name: str) -> Path:
        path = self.path / name
        if not path.exists():
            raise GraphError(f"{self.path} has no {name}: it was skipped. Run convert again without --skip.")
        return path


def _summary(path: Path) -> dict[str, Any]:
    try:
        summary: dict[str, Any] = json.loads((path / SUMMARY).read_bytes())
    except FileNotFoundError:
        raise GraphError(
            f"{path} is not a finished compact graph: it has no {SUMMARY}. Run python -m webgraph_it.convert."
        ) from None
    if summary.get("recipe_version") != RECIPE_VERSION:
        raise GraphError(
            f"{path} names its nodes by recipe {summary.get('recipe_version')}; "
            f"this program knows recipe {RECIPE_VERSION}."
        )
    return summary

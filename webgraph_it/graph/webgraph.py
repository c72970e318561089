"""WebGraph opens a compact graph directory.

    graph = WebGraph("compact")
    graph.url(graph.successors(graph.id("http://www.unipd.it/"))[0])

Guarantees: everything is memory-mapped, so that opening takes milliseconds whatever the size. Ids are the
ranks of the keys in sorted order. Lists of successors and predecessors are strictly increasing. A damaged or
crafted directory is a GraphError that names the file. Sizes are checked on opening, and a list when it is read.
All lists are checked before `offsets` and `targets` (and so any adapter) are used for the first time (see lists.py).
Libraries (scipy, networkit, networkx) are imported only when their adapter is called. Nothing here writes.
"""

import operator
from collections.abc import Iterator
from datetime import date
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webgraph_it.graph import csr, days, node_table
from webgraph_it.graph.csr import Array
from webgraph_it.graph.damage import GraphError, damaged, missing, part_size
from webgraph_it.graph.lists import Lists, open_sized
from webgraph_it.graph.summary import SUMMARY, check_sizes, read_summary
from webgraph_it.graph.urlmap import UrlMap

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NODES = "nodes.parquet"
ARCS_AT_A_TIME = 1 << 20
HOSTS, DOMAINS = "hosts", "domains"

__all__ = ["DOMAINS", "HOSTS", "NODES", "SUMMARY", "GraphError", "WebGraph"]


class WebGraph:
    """A compact graph directory: nodes 0 … len-1, their URLs and their arcs."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.summary = read_summary(self.path)
        check_sizes(self.path, self.summary)
        self._nodes, self._arcs = int(self.summary["nodes"]), int(self.summary["arcs"])
        self._successors = Lists(self.path, self._nodes, self._arcs)

    def __len__(self) -> int:
        return self._nodes

    def __repr__(self) -> str:
        return f"<WebGraph {self.path}: {len(self)} nodes, {self.arcs} arcs>"

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    @property
    def name(self) -> str:
        """Of the crawl. The BV files begin with it."""
        return str(self.summary["name"])

    @property
    def arcs(self) -> int:
        """Number of arcs, self-links included."""
        return self._arcs

    @property
    def offsets(self) -> Array:
        """Where the list of each node starts in `targets`, and where the last ends. Memory-mapped."""
        return self._successors.whole()[0]

    @property
    def targets(self) -> Array:
        """The lists of all nodes, one after another. Memory-mapped."""
        return self._successors.whole()[1]

    def successors(self, node: int) -> Array:
        """Ids that `node` links to, increasing."""
        return self._successors.of(self._checked(node))

    def predecessors(self, node: int) -> Array:
        """Ids that link to `node`, increasing."""
        return self._predecessors.of(self._checked(node))

    def arc_blocks(self, most_arcs: int = ARCS_AT_A_TIME) -> Iterator[tuple[Array, Array, Array | None]]:
        """(sources, targets, weights) of some arcs at a time, in order. Memory does not grow with the graph."""
        for first, offsets, targets in self._successors.blocks(most_arcs):
            nodes = np.arange(first, first + len(offsets) - 1, dtype=np.uint32)
            here = slice(int(offsets[0]), int(offsets[-1]))
            weights = None if self.weights is None else np.asarray(self.weights[here])
            yield np.repeat(nodes, np.diff(offsets)), targets, weights

    def outdegree(self, node: int) -> int:
        return len(self.successors(node))

    def indegree(self, node: int) -> int:
        return len(self.predecessors(node))

    def id(self, url: str) -> int:
        """The node of a URL, in any spelling. KeyError if it is not in the graph.

        In a host or domain graph, a bare name works, too: `graph.hosts.id("dei.unipd.it")`.
        """
        bare = self._is_of_names and "/" not in url
        return self.urls.id(f"http://{url}/" if bare else url)

    def url(self, node: int) -> str:
        """The URL of a node, as it was fetched or first seen."""
        return self.urls.url(self._checked(node))

    @cached_property
    def urls(self) -> UrlMap:
        """The URL map: ids, URLs, keys, and ranges of a host, a domain or a directory."""
        self._part("urls.index")
        urls = UrlMap(self.path / "urls")
        if len(urls) != len(self):
            raise damaged(self.path / "urls.index", f"names {len(urls)} nodes, not {len(self)}")
        return urls

    @cached_property
    def weights(self) -> Array | None:
        """Weights of the arcs, in the order of `targets`. None if every arc counts one."""
        path = self.path / csr.WEIGHTS
        if not path.exists():
            if self._is_of_names:
                raise missing(path)
            return None
        weights = open_sized(path, csr.TARGET_TYPE, self.arcs)
        if not weights.all():
            raise damaged(path, "has an arc without a link")
        return weights

    @cached_property
    def labels(self) -> Array | None:
        """A byte per arc, in the order of `targets`: csr.NOFOLLOW if the link is. None if the crawl kept no labels."""
        path = self.path / csr.LABELS
        return open_sized(path, csr.LABEL_TYPE, self.arcs) if path.exists() else None

    @cached_property
    def hosts(self) -> "WebGraph":
        """The host graph."""
        return WebGraph(self.path / HOSTS)

    @cached_property
    def domains(self) -> "WebGraph":
        """The graph of registrable domains."""
        return WebGraph(self.path / DOMAINS)

    def arcs_between(self, first_day: date | str, last_day: date | str) -> tuple[Array, Array]:
        """(offsets, targets) of the arcs that were there on some day from the first to the last (see days.py).

        Only for a graph that was made with convert --history. A day is a date, or text such as 2026-11-17.
        """
        return self.arc_days.chosen(
            self._successors, days.there_between(days.day_number(first_day), days.day_number(last_day))
        )

    def added(self, before: date | str, day: date | str) -> tuple[Array, Array]:
        """(offsets, targets) of the arcs that are there on a day and were not there on the day before it."""
        meant = days.added_between(days.day_number(before), days.day_number(day))
        return self.arc_days.chosen(self._successors, meant)

    def removed(self, before: date | str, day: date | str) -> tuple[Array, Array]:
        """(offsets, targets) of the arcs that were there on the day before, and are not there on a day."""
        meant = days.removed_between(days.day_number(before), days.day_number(day))
        return self.arc_days.chosen(self._successors, meant)

    def day_blocks(self) -> Iterator[tuple[Array, Array, Array]]:
        """(first, last, ended) of some arcs at a time, in order."""
        for _, _, first, last, ended in self.arc_days.blocks(self._successors):
            yield first, last, ended

    @property
    def has_days(self) -> bool:
        """Whether convert --history made the graph, so that it knows the days of its arcs."""
        return (self.path / days.FIRST_FILE).exists()

    @cached_property
    def arc_days(self) -> days.Days:
        """The days of the arcs, in the order of `targets`."""
        if not self.has_days:
            raise GraphError(
                f"{self.path} does not know the days of its arcs: make a graph that does with "
                "webgraph-it convert JOBDIR --history."
            )
        return days.Days(self.path, self.arcs)

    def nodes(self, columns: list[str] | None = None) -> Any:
        """nodes.parquet as a pyarrow Table, with all columns or the given ones."""
        return node_table.read(self._part(NODES), len(self), columns)

    @property
    def has_transpose(self) -> bool:
        """Whether convert wrote the transpose, and with it the predecessors."""
        return (self.path / csr.OFFSETS_TRANSPOSED).exists()

    def transposed(self) -> tuple[Array, Array] | None:
        """(offsets, targets) of the transpose, if convert wrote it. Refused if it belongs to another graph."""
        if not self.has_transpose:
            return None
        if self._predecessors.fingerprint != self._successors.fingerprint:
            raise damaged(self.path / csr.TARGETS_TRANSPOSED, f"does not hold the arcs of {csr.TARGETS}")
        return self._predecessors.whole()

    def to_scipy(self) -> "csr_array[Any, Any]":
        """Adjacency matrix. Arcs are not copied. Entries are the weights, or 1."""
        from scipy.sparse import csr_array

        weights = np.ones(self.arcs, np.uint32) if self.weights is None else self.weights
        kind = np.int32 if self.arcs < 2**31 else np.int64
        matrix = csr_array((len(self), len(self)), dtype=np.uint32)
        matrix.data, matrix.indices = weights, self.targets.view(np.int32).astype(kind, copy=False)
        matrix.indptr = self.offsets.astype(kind)
        return matrix

    def to_networkit(self) -> Any:
        """A directed networkit Graph (weighted if the arcs are)."""
        networkit = _library("networkit")
        arcs = (self._sources(), self.targets.astype(np.int64))
        if self.weights is None:
            return networkit.GraphFromCoo(arcs, n=len(self), directed=True)
        weighted = (self.weights.astype(np.float64), arcs)
        return networkit.GraphFromCoo(weighted, n=len(self), directed=True, weighted=True)

    def to_networkx(self) -> Any:
        """A networkx DiGraph whose nodes have their `url`. For small graphs: it needs about 500 bytes per arc."""
        networkx = _library("networkx")
        graph = networkx.DiGraph()
        graph.add_nodes_from((node, {"url": url}) for node, url in enumerate(self.urls))
        sources, targets = self._sources().tolist(), self.targets.tolist()
        if self.weights is None:
            graph.add_edges_from(zip(sources, targets, strict=True))
        else:
            graph.add_weighted_edges_from(zip(sources, targets, self.weights.tolist(), strict=True))
        return graph

    @cached_property
    def _predecessors(self) -> Lists:
        self._part(csr.OFFSETS_TRANSPOSED)
        return Lists(self.path, self._nodes, self._arcs, transposed=True)

    @property
    def _is_of_names(self) -> bool:
        """Whether the nodes are hosts or domains, not pages."""
        return bool(self.summary.get("weighted"))

    def _sources(self) -> Array:
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets).view(np.int64))

    def _checked(self, node: int) -> int:
        """The node as a plain Python int."""
        try:
            number = operator.index(node)
        except TypeError:
            raise TypeError(
                f"{node!r} is not a node: expected a whole number from 0 to {len(self) - 1}"
            ) from None
        if not 0 <= number < len(self):
            raise IndexError(f"node {number} of a graph of {len(self)} nodes: ids start at 0")
        return number

    def _part(self, name: str) -> Path:
        path = self.path / name
        part_size(path)
        return path


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{name} is not installed: pip install {name}") from None

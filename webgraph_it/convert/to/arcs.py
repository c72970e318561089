"""Arcs as lines of text, for tools that read edge lists: networkx, sort, awk, LAW's ArcListASCIIGraph.

    arcs        source TAB target [TAB weight]      ids
    url-arcs    source TAB target [TAB weight]      URLs of pages, names of hosts and domains

Guarantees: in order of source and target; memory does not grow with the graph. A URL that convert wrote holds no TAB
and no line break.
"""

from collections.abc import Iterable
from typing import BinaryIO

import numpy as np

from webgraph_it.graph.csr import Array
from webgraph_it.graph.webgraph import ARCS_AT_A_TIME, WebGraph
from webgraph_it.progress import Progress

NAMED_AT_A_TIME = 1 << 17
"""Arcs whose URLs are in memory together: each URL is then looked up once, in order of id."""


def write_arcs(graph: WebGraph, file: BinaryIO, named: bool, progress: Progress | None) -> None:
    """One line per arc, with the ids of its ends or with their names. Without a progress nothing is said."""
    if progress:
        progress.begin("arcs", graph.arcs)
    done = 0
    for sources, targets, weights in graph.arc_blocks(NAMED_AT_A_TIME if named else ARCS_AT_A_TIME):
        starts, ends = (_names(graph, nodes) if named else nodes.tolist() for nodes in (sources, targets))
        file.write(_lines(starts, ends, weights).encode())
        done += len(targets)
        if progress:
            progress.at(done)
    if progress:
        progress.end(f"{done:,} lines")


def _names(graph: WebGraph, nodes: Array) -> Iterable[str]:
    distinct, places = np.unique(nodes, return_inverse=True)
    names = [graph.url(node) for node in distinct.tolist()]
    if graph.weights is not None:  # http://dei.unipd.it/ is a host
        names = [url.removeprefix("http://").removesuffix("/") for url in names]
    return map(names.__getitem__, places.tolist())


def _lines(sources: Iterable[object], targets: Iterable[object], weights: Array | None) -> str:
    if weights is None:
        return "".join(f"{a}\t{b}\n" for a, b in zip(sources, targets, strict=True))
    rows = zip(sources, targets, weights.tolist(), strict=True)
    return "".join(f"{a}\t{b}\t{weight}\n" for a, b, weight in rows)

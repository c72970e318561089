"""Graphs that several tests use."""

import gzip
import os
from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from webgraph_it.analyse.csr import Csr, csr, from_arcs


def web_like(nodes: int = 300, seed: int = 1) -> Csr:
    """Random, with a skewed in-degree, dangling nodes, isolated nodes and links to oneself."""
    random = np.random.default_rng(seed)
    origins = random.integers(0, nodes * 2 // 3, nodes * 6)
    targets = np.minimum(random.zipf(1.6, nodes * 6) - 1, nodes - 10)
    return from_arcs(nodes, [(int(a), int(b)) for a, b in zip(origins, targets, strict=True)])


def weighted(graph: Csr, seed: int = 2) -> Csr:
    return csr(graph.offsets, graph.targets, np.random.default_rng(seed).integers(1, 50, graph.arcs))


def to_networkx(graph: Csr) -> nx.DiGraph:
    result = nx.DiGraph()
    result.add_nodes_from(range(graph.nodes))
    for node in range(graph.nodes):
        for arc in range(graph.offsets[node], graph.offsets[node + 1]):
            weight = 1 if graph.weights is None else int(graph.weights[arc])
            result.add_edge(node, int(graph.targets[arc]), weight=weight)
    return result


@cache
def cnr_2000() -> Csr:
    """The real crawl of cnr.it; the test is skipped where it is absent."""
    project = Path(__file__).parents[2]
    beside = [parent / "shared" / "data" for parent in (project.parent, project.parent.parent)]
    folders = [Path(os.environ["WEBGRAPH_IT_DATA"])] if "WEBGRAPH_IT_DATA" in os.environ else beside
    found = [path for folder in folders if (path := folder / "cnr-2000/cnr-2000.graph-txt.gz").exists()]
    if not found:
        pytest.skip(f"cnr-2000 is not in {folders[0]} (the variable WEBGRAPH_IT_DATA names another folder)")
    with gzip.open(found[0], "rt") as lines:
        nodes = int(next(lines))
        rows = [np.array(line.split(), dtype=np.uint32) for line in lines]
    assert len(rows) == nodes
    return csr(np.cumsum([0, *map(len, rows)]), np.concatenate(rows))

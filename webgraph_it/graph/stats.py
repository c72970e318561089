"""What a graph holds, in a few numbers: from graph.json, and the states from nodes.parquet, some rows at a time."""

from collections import Counter
from collections.abc import Iterator

import pyarrow.compute

from webgraph_it.graph import node_table
from webgraph_it.graph.webgraph import DOMAINS, HOSTS, NODES, WebGraph

ROWS_AT_A_TIME = 1 << 16


def stats(graph: WebGraph) -> Iterator[tuple[str, int]]:
    """(name, number): nodes and arcs, those of hosts and domains if the graph has them, and the nodes of each state."""
    yield "nodes", len(graph)
    yield "arcs", graph.arcs
    for name in (HOSTS, DOMAINS):
        if (graph.path / name).is_dir():
            level = WebGraph(graph.path / name)
            yield name, len(level)
            yield f"{name[:-1]} arcs", level.arcs
    if (graph.path / NODES).exists():
        yield from sorted(_states(graph).items(), key=lambda state: -state[1])


def _states(graph: WebGraph) -> Counter[str]:
    counted: Counter[str] = Counter()
    path = graph.path / NODES
    if "state" in node_table.columns_of(path, len(graph)):
        for _, batch in node_table.batches(path, len(graph), ["state"], ROWS_AT_A_TIME):
            for each in pyarrow.compute.value_counts(batch.column("state")).to_pylist():
                counted[each["values"]] += each["counts"]
    return counted

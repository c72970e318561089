"""The shortest path between two nodes: breadth first, from both ends where the transpose is there.

Guarantees: no shorter path exists; of several the same one is found each time. About `most_nodes` nodes are looked
at, each of which takes 100 bytes of memory: TooFarError says that they did not suffice. There may still be a path.
"""

from collections.abc import Callable, Container

from webgraph_it.graph.csr import Array
from webgraph_it.graph.webgraph import WebGraph

Neighbours = Callable[[int], Array]


class TooFarError(Exception):
    """The limit was reached before the answer."""


class Search:
    """What is known from one end: the nodes reached, and by which node each was reached."""

    def __init__(self, start: int, neighbours: Neighbours) -> None:
        self.reached_by: dict[int, int | None] = {start: None}
        self.edge = [start]
        """The nodes of the last step, whose neighbours come next."""
        self._neighbours = neighbours

    def step(self, wanted: Container[int], most_nodes: int) -> int | None:
        """One step further from every node of the edge; returns the first node that is among the wanted."""
        reached, edge = self.reached_by, []
        for node in self.edge:
            neighbours: list[int] = self._neighbours(node).tolist()
            for found in neighbours:
                if found not in reached:
                    reached[found] = node
                    edge.append(found)
                    if found in wanted:
                        return found
            if len(reached) > most_nodes:
                raise TooFarError
        self.edge = edge
        return None

    def way_to(self, node: int) -> list[int]:
        """From the start to a node that was reached."""
        way = [node]
        while (before := self.reached_by[way[-1]]) is not None:
            way.append(before)
        return way[::-1]


def shortest_path(graph: WebGraph, source: int, target: int, most_nodes: int) -> list[int] | None:
    """The nodes of the path, both ends included; None if there is none.

    Both searches go step by step, the one with fewer nodes at its edge first. When they meet for the first time no
    shorter path is left: it would have made them meet in an earlier step.
    """
    if source == target:
        return [source]
    forward = Search(source, graph.successors)
    backward = Search(target, graph.predecessors) if graph.has_transpose else None
    while forward.edge and (backward is None or backward.edge):
        if backward is None:
            met = forward.step({target}, most_nodes)
        elif len(forward.edge) <= len(backward.edge):
            met = forward.step(backward.reached_by, most_nodes - len(backward.reached_by))
        else:
            met = backward.step(forward.reached_by, most_nodes - len(forward.reached_by))
        if met is not None:
            rest = backward.way_to(met)[::-1][1:] if backward else []
            return forward.way_to(met) + rest
    return None

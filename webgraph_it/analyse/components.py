"""Strong and weak components, and the bow-tie.

Strong components use Tarjan's algorithm in Pearce's form (one label per node), weak ones use union-find. Neither is
recursive. Each takes one pass over the memory-mapped arcs and about 20 bytes per node. scipy's would first
copy the graph with 8 more bytes per arc.

The bow-tie is defined by the largest strong component (CORE). IN reaches it. OUT is reached from it. TUBE
leads from IN to OUT, bypassing it. TENDRIL is everything else in the same weak component. DISCONNECTED is the rest.
The links of a page that was never fetched are unknown, so it is never in IN or CORE. A longer crawl may
move it there."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from webgraph_it.analyse.csr import Csr, Ids, Offsets
from webgraph_it.graph.compiled import compiled

Mask = NDArray[np.bool_]


class Part(IntEnum):
    """The part of the bow-tie that a node belongs to."""

    CORE = 0
    IN = 1
    OUT = 2
    TUBE = 3
    TENDRIL = 4
    DISCONNECTED = 5


def strong_components(graph: Csr) -> Ids:
    """A label for each node. Equal labels are one strong component. Labels count from 0 without gaps."""
    labels = np.zeros(graph.nodes, dtype=np.uint32)
    _pearce(graph.offsets, graph.targets, labels)
    return labels


def weak_components(graph: Csr) -> Ids:
    """A label for each node. Equal labels are one weak component. Labels count from 0 without gaps."""
    labels = np.arange(graph.nodes, dtype=np.uint32)
    _unite(graph.offsets, graph.targets, labels)
    return labels


def sizes(labels: Ids) -> NDArray[np.int64]:
    """How many nodes each label has."""
    return np.bincount(labels)


def bow_tie(graph: Csr, transposed: Csr, strong: Ids, weak: Ids) -> NDArray[np.uint8]:
    """The Part of each node."""
    parts = np.full(graph.nodes, Part.DISCONNECTED, dtype=np.uint8)
    if not graph.nodes:
        return parts
    core = strong == np.argmax(sizes(strong))
    after, before = reachable(graph, core), reachable(transposed, core)
    only_before, only_after = before & ~core, after & ~core
    parts[weak == weak[np.argmax(core)]] = Part.TENDRIL
    tube = reachable(graph, only_before) & reachable(transposed, only_after) & ~before & ~after
    parts[tube] = Part.TUBE
    parts[only_before], parts[only_after], parts[core] = Part.IN, Part.OUT, Part.CORE
    return parts


def reachable(graph: Csr, start: Mask) -> Mask:
    """The nodes that can be reached from `start`, `start` included."""
    reached = start.copy()
    _flood(graph.offsets, graph.targets, reached)
    return reached


@compiled
def _flood(offsets: Offsets, targets: Ids, reached: Mask) -> None:
    nodes = len(reached)
    queue = np.empty(nodes, dtype=np.uint32)
    end = 0
    for node in range(nodes):
        if reached[node]:
            queue[end] = node
            end += 1
    position = 0
    while position < end:
        reader = np.int64(queue[position])
        position += 1
        for arc in range(offsets[reader], offsets[reader + 1]):
            target = targets[arc]
            if not reached[target]:
                reached[target] = True
                queue[end] = target
                end += 1


@compiled
def _unite(offsets: Offsets, targets: Ids, parent: Ids) -> None:
    """Union by smaller id with path halving. Then labels without gaps, in order of each component's first
    node.
    """
    nodes = len(parent)
    for node in range(nodes):
        for arc in range(offsets[node], offsets[node + 1]):
            left, right = np.uint32(node), targets[arc]
            while left != parent[left]:
                parent[left] = parent[parent[left]]
                left = parent[left]
            while right != parent[right]:
                parent[right] = parent[parent[right]]
                right = parent[right]
            if left < right:
                parent[right] = left
            elif right < left:
                parent[left] = right
    label = 0
    for node in range(nodes):  # a parent is smaller than its child, so it has its label already
        if parent[node] == node:
            parent[node] = label
            label += 1
        else:
            parent[node] = parent[parent[node]]


@compiled
def _pearce(offsets: Offsets, targets: Ids, label: Ids) -> None:
    """Pearce (2016), iterative. label: 0 while unseen, the lowest index reached while open, and finally n −
    component.
    """
    nodes = len(label)
    path, next_arc = np.empty(nodes, dtype=np.uint32), np.empty(nodes, dtype=np.int64)
    is_root = np.empty(nodes, dtype=np.bool_)
    closed_later = np.empty(nodes, dtype=np.uint32)
    depth, waiting, index, component = 0, 0, 1, nodes
    for start in range(nodes):
        if label[start] != 0:
            continue
        path[0], next_arc[0], is_root[0], depth = start, offsets[start], True, 1
        label[start] = index
        index += 1
        while depth > 0:
            top = depth - 1
            node = np.int64(path[top])
            if next_arc[top] < offsets[node + 1]:
                target = np.int64(targets[next_arc[top]])
                if label[target] == 0:  # descend; the arc is visited again on the way back
                    path[depth], next_arc[depth], is_root[depth] = target, offsets[target], True
                    depth += 1
                    label[target] = index
                    index += 1
                else:
                    if label[target] < label[node]:
                        label[node] = label[target]
                        is_root[top] = False
                    next_arc[top] += 1
                continue
            depth -= 1
            if not is_root[top]:
                closed_later[waiting] = node
                waiting += 1
                continue
            index -= 1
            while waiting > 0 and label[node] <= label[closed_later[waiting - 1]]:
                waiting -= 1
                label[closed_later[waiting]] = component
                index -= 1
            label[node] = component
            component -= 1
    for finished in range(nodes):
        label[finished] = nodes - label[finished]

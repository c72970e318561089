"""A given graph instead of a drawn one: its nodes, in their order, become pages of hosts.

The file is text (gzipped if its name ends in .gz). The first line is the number of nodes n. Then comes one line for
each of the nodes 0 … n-1 with its successors, separated by spaces. Neighbouring nodes become pages of one
host, so a graph in URL order keeps its locality. If the graph is larger than the plan, only the first nodes
and the arcs between them are used.
"""

import gzip
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.plan import PlanError


def node_count(path: Path) -> int:
    """The number on the first line."""
    for _, line in _lines(path):
        return _numbers(path, 1, line, None, 1)[0]
    raise PlanError(f"topology {path} is empty; its first line should be the number of nodes")


class Topology:
    """The arcs among the first nodes of a file."""

    def __init__(self, path: Path, nodes: int) -> None:
        self._offsets = array("q", [0])
        self._targets = array("i")
        self._read(path, nodes)

    def successors(self, node: int) -> list[int]:
        return self._targets[self._offsets[node] : self._offsets[node + 1]].tolist()

    @cached_property
    def roots(self) -> list[int]:
        """Nodes from which all others can be reached: those without predecessors, then others as needed."""
        count = len(self._offsets) - 1
        pointed = set(self._targets)
        seen = bytearray(count)
        roots = [node for node in range(count) if node not in pointed]
        self._mark(roots, seen)
        for node in range(count):
            if not seen[node]:
                roots.append(node)
                self._mark([node], seen)
        return roots

    def _mark(self, start: list[int], seen: bytearray) -> None:
        waiting = list(start)
        for node in start:
            seen[node] = 1
        while waiting:
            for child in self.successors(waiting.pop()):
                if not seen[child]:
                    seen[child] = 1
                    waiting.append(child)

    def _read(self, path: Path, nodes: int) -> None:
        total = node_count(path)
        if nodes > total:
            raise PlanError(f"pages is {nodes}, more than the {total} nodes of topology {path}")
        lines = _lines(path)
        next(lines)
        for number, line in lines:
            if len(self._offsets) > nodes:
                break
            successors = _numbers(path, number, line, total, None)
            self._targets.extend(sorted({target for target in successors if target < nodes}))
            self._offsets.append(len(self._targets))
        if len(self._offsets) <= nodes:
            raise PlanError(f"topology {path} ends after {len(self._offsets) - 1} of {total} nodes")


class TopologyLinks:
    """The links of pages, as plain.PlainLinks gives them, from a topology."""

    def __init__(self, topology: Topology, hosts: list[Host]) -> None:
        self._topology = topology
        self._firsts = [host.first_page for host in hosts]

    def targets(self, host: Host, index: int) -> list[tuple[int, int]]:
        return [self.locate(node) for node in self._topology.successors(host.first_page + index)]

    def locate(self, node: int) -> tuple[int, int]:
        """Host number and index of a node."""
        number = bisect_right(self._firsts, node) - 1
        return number, node - self._firsts[number]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
            yield from enumerate(lines, 1)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PlanError(f"topology {path} cannot be read: {reason}") from error


def _numbers(path: Path, number: int, line: str, below: int | None, wanted: int | None) -> list[int]:
    """The numbers of a line. There must be as many as wanted, all from 0 and less than `below`."""
    try:
        numbers = list(map(int, line.split()))
    except ValueError:
        numbers = [-1]
    fits = wanted is None or len(numbers) == wanted
    if not fits or any(n < 0 or (below is not None and n >= below) for n in numbers):
        expected = "the number of nodes" if below is None else f"node numbers from 0 to {below - 1}"
        raise PlanError(f"line {number} of topology {path} is {line.strip()[:40]!r}; expected {expected}")
    return numbers

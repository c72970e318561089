"""The graph that a correct crawl finds, computed from the world without fetching anything.

    nodes  key → state (fetched, redirect, robots-denied, error), each with its preferred URL
    arcs   (key, key), the parent first; every child is a node
    bounds host key → most pages that a correct crawl fetches there: such a host has no single right answer,
           so of its pages only those reached from elsewhere are in nodes, and arcs from it are in no set

A node is a key in scope. Directory sites out of scope are walked, and are in neither set.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from webgraph_it.simweb.names import Place, key
from webgraph_it.simweb.pages import ERROR
from webgraph_it.simweb.world import World

SCOPE = "it,"


@dataclass
class Truth:
    """What a correct crawl finds."""

    nodes: dict[str, str] = field(default_factory=dict)
    arcs: set[tuple[str, str]] = field(default_factory=set)
    bounds: dict[str, int] = field(default_factory=dict)
    urls: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """nodes.tsv (key, url, state), arcs.tsv (key, key), bounds.tsv (host key, pages), sorted."""
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "nodes.tsv", ((k, self.urls[k], state) for k, state in sorted(self.nodes.items())))
        _write(folder / "arcs.tsv", sorted(self.arcs))
        _write(folder / "bounds.tsv", ((host, str(pages)) for host, pages in sorted(self.bounds.items())))


def walk(world: World) -> Truth:
    """Follow every link from the seeds."""
    truth = Truth()
    waiting = [Place(host.name, "/") for host in world.hosts if f"{host.origin}/" in set(world.seeds)]
    known = set(waiting)
    while waiting:
        place = waiting.pop()
        children = _visit(world, place, truth)
        waiting += [child for child in children if child not in known]
        known |= children
    return truth


def _visit(world: World, place: Place, truth: Truth) -> set[Place]:
    """Write one node and its arcs; the children are what to visit next."""
    page = world.page(place)
    parent = key(place)
    truth.nodes[parent] = page.state if page else ERROR
    truth.urls[parent] = world.url(place)
    children = page.children if page else set()
    truth.arcs.update((parent, key(child)) for child in children)
    return children


def _write(path: Path, rows: Iterable[Iterable[str]]) -> None:
    unfinished = path.with_suffix(".part")
    with unfinished.open("w", encoding="utf-8") as lines:
        lines.writelines("\t".join(row) + "\n" for row in rows)
    unfinished.replace(path)

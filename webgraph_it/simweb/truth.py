"""The graph that a correct crawl finds, computed from the world without fetching anything.

    nodes  key → state (fetched, redirect, robots-denied, error), each with its preferred URL
    arcs   (key, key), the parent first; every child is a node
    bounds host key → maximum number of pages that a correct crawl fetches there. Such a host (a trap, a hostile
           one) has no single right answer. So only its pages that are linked from elsewhere are in nodes, with
           one of the possible states, and its arcs are not in arcs. A key that ends in a comma means all hosts
           below a domain.

A node is a key in scope. Directory sites out of scope are followed, but are in neither set. What only a sitemap lists
is a node without an arc to it.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from webgraph_it.simweb.habits import robots
from webgraph_it.simweb.habits.annexes import TRAP_BOUND
from webgraph_it.simweb.habits.hosts import TRAPS
from webgraph_it.simweb.hostile import WILDCARD, WILDCARD_BOUND, is_hostile
from webgraph_it.simweb.names import Place, host_key, key
from webgraph_it.simweb.pages import ERROR, FETCHED, REDIRECT, ROBOTS_DENIED
from webgraph_it.simweb.world import World

_SHOWN = 5


class NotATruth(Exception):
    """The folder holds no truth. The text says what is wrong."""


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

    @classmethod
    def read(cls, folder: Path) -> "Truth":
        """The inverse of `write`. Raises NotATruth."""
        nodes = _rows(folder / "nodes.tsv", 3)
        return cls(
            nodes={key: state for key, _, state in nodes},
            arcs={(parent, child) for parent, child in _rows(folder / "arcs.tsv", 2)},
            bounds={host: int(pages) for host, pages in _rows(folder / "bounds.tsv", 2)},
            urls={key: url for key, url, _ in nodes},
        )

    def differences(
        self,
        nodes: Mapping[str, str],
        arcs: Set[tuple[str, str]],
        reasons: Mapping[str, str] | None = None,
    ) -> list[str]:
        """The differences between a crawl's result and the truth, in sentences. Empty if there are none.

        `reasons`: why nodes are in their states, if the crawl says so.
        """
        free = tuple(self.bounds)
        found = {k: s for k, s in nodes.items() if k in self.nodes or not k.startswith(free or "\0")}
        ours = {arc for arc in arcs if not arc[0].startswith(free or "\0")}
        return [
            *listed("nodes not found", self.nodes.keys() - found.keys()),
            *listed("nodes that do not exist", found.keys() - self.nodes.keys()),
            *listed(
                "nodes in another state",
                {
                    f"{k}: {s}{_because(reasons, k)}, not {self.nodes[k]}"
                    for k, s in found.items()
                    if self.nodes.get(k, s) != s and not k.startswith(free or "\0")
                },
            ),
            *listed("arcs not found", {" → ".join(arc) for arc in self.arcs - ours}),
            *listed("arcs that do not exist", {" → ".join(arc) for arc in ours - self.arcs}),
            *self._excesses(nodes),
        ]

    def _excesses(self, nodes: Mapping[str, str]) -> list[str]:
        tried = [k for k, state in nodes.items() if state in (FETCHED, REDIRECT, ERROR)]
        counts = {host: sum(k.startswith(host) for k in tried) for host in self.bounds}
        return [
            f"{count} pages of {host}, more than {self.bounds[host]}"
            for host, count in counts.items()
            if count > self.bounds[host]
        ]


def walk(world: World) -> Truth:
    """Follow every link from the seeds."""
    bounded = {host.name for host in world.extra_hosts if host.traits & TRAPS or is_hostile(host)}
    truth = Truth(bounds={host_key(name): TRAP_BOUND for name in bounded})
    tld, scope = world.plan.tld, world.plan.scope
    if f"{WILDCARD}.{tld}" in bounded:
        truth.bounds[f"{scope}{WILDCARD},"] = WILDCARD_BOUND
    waiting = world.seed_places
    known = set(waiting)
    while waiting:
        place = waiting.pop()
        state, children = _visit(world, place)
        if place.host in bounded:
            children = set()
        _record(world, place, state, children, truth)
        found = children | world.listed(place)
        waiting += [child for child in found if child not in known]
        known |= found
    return truth


def _visit(world: World, place: Place) -> tuple[str, set[Place]]:
    """State and children of one place."""
    if world.is_dead(place):
        return ERROR, set()
    if robots.forbids(world.by_name[place.host], place.path):
        return ROBOTS_DENIED, set()
    page = world.page(place)
    return (page.state, page.children) if page else (ERROR, set())


def _record(world: World, place: Place, state: str, children: Iterable[Place], truth: Truth) -> None:
    parent, scope = key(place), world.plan.scope
    if parent.startswith(scope):
        truth.nodes[parent] = state
        truth.urls[parent] = world.url(place)
        arcs = ((parent, key(child)) for child in children)
        truth.arcs.update(arc for arc in arcs if arc[1].startswith(scope))


def _because(reasons: Mapping[str, str] | None, key: str) -> str:
    reason = reasons.get(key) if reasons else None
    return f" ({reason})" if reason else ""


def listed(what: str, keys: Iterable[str]) -> list[str]:
    """One sentence: how many there are, and the first few (sorted, if it is a set). Nothing if there are none."""
    wrong = sorted(keys) if isinstance(keys, Set) else list(keys)
    more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    return [f"{len(wrong)} {what}: {', '.join(wrong[:_SHOWN])}{more}"] if wrong else []


def _write(path: Path, rows: Iterable[Iterable[str]]) -> None:
    unfinished = path.with_suffix(".part")
    with unfinished.open("w", encoding="utf-8") as lines:
        lines.writelines("\t".join(row) + "\n" for row in rows)
    unfinished.replace(path)


def _rows(path: Path, columns: int) -> list[list[str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotATruth(
            f"{path.parent} is not a truth directory: it has no {path.name} (simweb --truth writes it)"
        ) from None
    rows = [line.split("\t") for line in text.splitlines()]
    for number, row in enumerate(rows, 1):
        if len(row) != columns:
            raise NotATruth(f"line {number} of {path} has {len(row)} columns, not {columns}")
    return rows

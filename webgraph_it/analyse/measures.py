"""Every number about every node of one graph: degrees, PageRank, HITS, components, bow-tie part.

On the page graph every arc counts one, including links of a page to itself. On the host and domain graphs an arc
counts by the number of its links, and links inside a host (or domain) are left out of every ranking, because nobody
votes for himself. Nodes that were never fetched are nodes like others. They are dangling because their links are
unknown (see pagerank.py for the effect of dangling nodes).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from webgraph_it.analyse.components import Part, bow_tie, sizes, strong_components, weak_components
from webgraph_it.analyse.csr import Csr, Ids, Values, transpose, without_loops
from webgraph_it.analyse.degrees import Histogram, PowerLaw, count_loops, histogram, power_law, reciprocity
from webgraph_it.analyse.harmonic import harmonic
from webgraph_it.analyse.hits import hits
from webgraph_it.analyse.pagerank import DAMPING, pagerank

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measures:
    """One value per node in each array."""

    in_degree: NDArray[np.int64]
    out_degree: NDArray[np.int64]
    pagerank: Values
    authority: Values
    hub: Values
    strong: Ids
    weak: Ids
    part: NDArray[np.uint8]
    harmonic: Values | None
    """Only for weighted graphs (hosts, domains). See harmonic.py."""
    pagerank_iterations: int
    hits_iterations: int
    reciprocity: float

    @property
    def nodes(self) -> int:
        return len(self.pagerank)

    def rankings(self) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
        """The measures that rank nodes, best known first."""
        estimated = {} if self.harmonic is None else {"harmonic": self.harmonic}
        return {
            "pagerank": self.pagerank,
            "authority": self.authority,
            "hub": self.hub,
            "in_degree": self.in_degree,
            **estimated,
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """One graph in a few numbers."""

    nodes: int
    arcs: int
    links: int
    """Sum of the arcs' weights, or the number of arcs if they have none."""
    loops: int
    """Arcs from a node to itself."""
    dangling: int
    """Nodes without outgoing arcs."""
    isolated: int
    """Nodes without any arc."""
    dangling_pagerank: float
    """Share of the PageRank held by dangling nodes."""
    mean_degree: float
    reciprocity: float
    strong_components: int
    largest_strong: int
    weak_components: int
    largest_weak: int
    bow_tie: dict[str, int]
    in_histogram: Histogram
    out_histogram: Histogram
    in_power_law: PowerLaw | None
    out_power_law: PowerLaw | None
    damping: float
    pagerank_iterations: int
    hits_iterations: int


def measure(
    graph: Csr, transposed: Csr | None = None, scratch: Path | None = None, say: Say = lambda _: None
) -> Measures:
    """All measures of a graph. If `transposed` is not given, it is made in the folder `scratch` or in memory."""
    if graph.weights is not None:
        graph, transposed = without_loops(graph), None
    if transposed is None:
        say(f"transposing {graph.arcs:,} arcs")
        transposed = transpose(graph, scratch)
    ranked = pagerank(graph, transposed)
    say(f"PageRank: {ranked.iterations} iterations")
    judged = hits(graph, transposed)
    say(f"HITS: {judged.iterations} iterations")
    strong, weak = strong_components(graph), weak_components(graph)
    say(f"components: {len(sizes(strong)):,} strong, {len(sizes(weak)):,} weak")
    return Measures(
        in_degree=np.diff(transposed.offsets),
        out_degree=graph.out_degrees(),
        pagerank=ranked.ranks,
        authority=judged.authorities,
        hub=judged.hubs,
        strong=strong,
        weak=weak,
        part=bow_tie(graph, transposed, strong, weak),
        harmonic=None if graph.weights is None else harmonic(transposed),
        pagerank_iterations=ranked.iterations,
        hits_iterations=judged.iterations,
        reciprocity=reciprocity(graph, transposed),
    )


def summarise(graph: Csr, measures: Measures) -> Summary:
    """The summary. `graph` is the whole graph, links of a node to itself included."""
    dangling = measures.out_degree == 0
    strong, weak = sizes(measures.strong), sizes(measures.weak)
    in_histogram, out_histogram = histogram(measures.in_degree), histogram(measures.out_degree)
    parts = np.bincount(measures.part, minlength=len(Part))
    return Summary(
        nodes=graph.nodes,
        arcs=graph.arcs,
        links=graph.arcs if graph.weights is None else int(graph.weights.sum(dtype=np.int64)),
        loops=count_loops(graph),
        dangling=int(dangling.sum()),
        isolated=int((dangling & (measures.in_degree == 0)).sum()),
        dangling_pagerank=float(measures.pagerank[dangling].sum()),
        mean_degree=graph.arcs / max(1, graph.nodes),
        reciprocity=measures.reciprocity,
        strong_components=len(strong),
        largest_strong=int(strong.max(initial=0)),
        weak_components=len(weak),
        largest_weak=int(weak.max(initial=0)),
        bow_tie={part.name.lower(): int(parts[part]) for part in Part},
        in_histogram=in_histogram,
        out_histogram=out_histogram,
        in_power_law=power_law(in_histogram),
        out_power_law=power_law(out_histogram),
        damping=DAMPING,
        pagerank_iterations=measures.pagerank_iterations,
        hits_iterations=measures.hits_iterations,
    )


def positions(values: NDArray[np.float64] | NDArray[np.int64]) -> Ids:
    """1 for the largest value, and so on. Equal values are in order of id."""
    order = np.argsort(-values, kind="stable")
    places = np.empty(len(values), dtype=np.uint32)
    places[order] = np.arange(1, len(values) + 1, dtype=np.uint32)
    return places


def top(values: NDArray[np.float64] | NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The ids of the `count` largest values, largest first. Equal values are in order of id."""
    if count < len(values):
        threshold = np.partition(values, len(values) - count)[len(values) - count]
        candidates = np.flatnonzero(values >= threshold)
    else:
        candidates = np.arange(len(values))
    return candidates[np.argsort(-values[candidates], kind="stable")][:count]

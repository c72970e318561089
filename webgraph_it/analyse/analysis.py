"""The whole analysis of a compact graph directory: measure each graph, write the files, keep what the report shows.

Writes to the output folder: `summary.json`, `report.html`, the files of results.py for the pages, and `hosts/` and
`domains/` with theirs. The graph directory itself is not changed.
"""

import json
import os
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from webgraph_it.analyse.components import Part
from webgraph_it.analyse.csr import Csr
from webgraph_it.analyse.degrees import Histogram
from webgraph_it.analyse.levels import Level, open_levels
from webgraph_it.analyse.measures import Measures, Say, Summary, measure, summarise
from webgraph_it.analyse.results import Best, write_results
from webgraph_it.files.own import SHARED_MODE, write_whole
from webgraph_it.graph import WebGraph

MATRIX_SIZE = 16
IN_MEMORY_ARCS = 400_000_000
"""Up to this number of arcs the transposed graph stays in memory (1.6 GB). A larger one is kept in the output
folder for the time of the analysis.
"""


@dataclass(frozen=True, slots=True)
class States:
    """The states of the nodes, and their effect on rankings."""

    counts: dict[str, int]
    dangling: dict[str, int]
    """How many of these have no outgoing arcs."""
    pagerank: dict[str, float]
    """Their share of the PageRank (the whole is 1)."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Links between the first domains: links[row][column] from row to column."""

    names: list[str]
    links: list[list[int]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One graph: its numbers and its best nodes by each measure."""

    level: str
    summary: Summary
    best: dict[str, list[Best]]


@dataclass(frozen=True, slots=True)
class Analysis:
    graph: Path
    findings: list[Finding]
    """Pages first, then hosts and domains where they exist."""
    states: States
    matrix: Matrix | None
    sources: list[Path]
    """The crawl directories that the graph was made from, if they are recorded and still exist."""


def analyse(folder: Path, output: Path, say: Say) -> Analysis:
    """Measure and write everything but the report."""
    whole = WebGraph(folder)
    output.mkdir(parents=True, exist_ok=True)
    findings: list[Finding] = []
    states, matrix = States({}, {}, {}), None
    for level in open_levels(whole):
        say(f"{level.name}: {level.graph.nodes:,} nodes, {level.graph.arcs:,} arcs")
        measures = _measure(level, output, say)
        place = output if level.name == "pages" else output / level.name
        best = write_results(level, measures, place)
        findings.append(Finding(level.name, summarise(level.graph, measures), best))
        if level.name == "pages":
            states = count_states(level, measures)
        if level.name == "domains":
            matrix = link_matrix(level.graph, best["pagerank"][:MATRIX_SIZE])
    analysis = Analysis(folder, findings, states, matrix, crawl_folders(whole))
    write_whole(output / "summary.json", json.dumps(summary_json(analysis), indent=1) + "\n", SHARED_MODE)
    return analysis


def _measure(level: Level, output: Path, say: Say) -> Measures:
    def indented(words: str) -> None:
        say(f"  {words}")

    if level.transposed is not None or level.graph.arcs <= IN_MEMORY_ARCS:
        return measure(level.graph, level.transposed, say=indented)
    with tempfile.TemporaryDirectory(dir=output, prefix="transposed-") as scratch:
        return measure(level.graph, None, Path(scratch), indented)


def count_states(level: Level, measures: Measures) -> States:
    """Nodes, dangling nodes and PageRank by state."""
    counts: Counter[str] = Counter()
    dangling: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for first, batch in level.batches():
        rows = slice(first, first + batch.num_rows)
        states, codes = np.unique(np.array(batch.column("state").to_pylist(), dtype=str), return_inverse=True)
        lost = measures.out_degree[rows] == 0
        for code, state in enumerate(states.tolist()):
            here = codes == code
            counts[state] += int(here.sum())
            dangling[state] += int((here & lost).sum())
            held[state] += float(measures.pagerank[rows][here].sum())  # type: ignore[assignment]
    return States(dict(counts), dict(dangling), dict(held))


def link_matrix(graph: Csr, best: list[Best]) -> Matrix:
    """The links between these nodes, and inside each."""
    ids = np.array([row.id for row in best])
    return Matrix([row.name for row in best], [_links(graph, node, ids) for node in ids])


def _links(graph: Csr, node: int, targets: Any) -> list[int]:
    start, end = int(graph.offsets[node]), int(graph.offsets[node + 1])
    known = graph.targets[start:end]
    weights = np.ones(len(known), dtype=np.uint32) if graph.weights is None else graph.weights[start:end]
    found = dict(zip(known.tolist(), weights.tolist(), strict=True))
    return [int(found.get(int(target), 0)) for target in targets]


def crawl_folders(whole: WebGraph) -> list[Path]:
    """graph.json names the crawl directories. Relative names are tried from here and from the graph."""
    named = [Path(source) for source in whole.summary.get("sources", [])]
    places = [(source, whole.path / source) for source in named]
    found = [[path for path in pair if os.path.isdir(path)] for pair in places]  # False for an invalid name
    return [paths[0] for paths in found if paths]


# -- summary.json --------------------------------------------------------------------------------------------


def summary_json(analysis: Analysis) -> dict[str, Any]:
    """All numbers of the report that are not about single nodes, for programs."""
    levels = {}
    for finding in analysis.findings:
        numbers = {key: value for key, value in asdict(finding.summary).items() if "histogram" not in key}
        numbers["in_degrees"] = _pairs(finding.summary.in_histogram)
        numbers["out_degrees"] = _pairs(finding.summary.out_histogram)
        levels[finding.level] = numbers
    return {"graph": str(analysis.graph), "states": asdict(analysis.states), "levels": levels}


def _pairs(of: Histogram) -> list[list[int]]:
    """[degree, how many nodes have it] for each degree that occurs."""
    return [[degree, count] for degree, count in zip(of.degrees.tolist(), of.counts.tolist(), strict=True)]


PART_MEANINGS = {
    Part.CORE: "can all reach each other",
    Part.IN: "reach the core, are not reached from it",
    Part.OUT: "are reached from the core, do not lead back",
    Part.TUBE: "lead from In to Out, bypassing the core",
    Part.TENDRIL: "are connected to In or Out, but not to the core",
    Part.DISCONNECTED: "have no path, in any direction, to the rest",
}

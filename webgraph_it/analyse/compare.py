"""What `webgraph-it analyse compare GRAPH_DIR RATINGS.csv` does: rankings against human judgements.

A URL is looked up in any spelling of its node. Several ratings of one node are averaged. URLs that are not
in the graph are listed and left out. Positions come from an earlier analysis (`ranks.parquet`)."""

import shlex
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from webgraph_it.analyse.agreement import CONFIDENCE, RESAMPLES, STATISTICS, Estimate, agreement
from webgraph_it.analyse.problem import Problem
from webgraph_it.analyse.ratings import Rating, read_ratings
from webgraph_it.files.own import SHARED_MODE, write_whole
from webgraph_it.graph import GraphError, WebGraph, node_table
from webgraph_it.report.charts import scatter
from webgraph_it.report.parts import card, section, table
from webgraph_it.report.style import document
from webgraph_it.report.svg import Markup, element

RANKINGS = {
    "pagerank": "PageRank",
    "authority": "Authority (HITS)",
    "hub": "Hub (HITS)",
    "in_degree": "In-degree",
}
FEWEST = 3
LISTED = 200


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rated nodes, and how well each ranking agrees with their ratings."""

    urls: list[str]
    ratings: NDArray[np.float64]
    positions: dict[str, NDArray[np.int64]]
    agreements: dict[str, dict[str, Estimate]]
    unmatched: list[Rating]


def run(graph: Path, analysis: Path, ratings: Path, output: Path) -> str:
    """Compare, write the page, and return the text to print."""
    ranks = analysis / "ranks.parquet"
    try:
        whole = WebGraph(graph)
        if not ranks.exists():
            raise Problem(f"{ranks} does not exist: run webgraph-it analyse {shlex.quote(str(graph))} first")
        comparison = compare(whole, ranks, read_ratings(ratings))
    except GraphError as problem:
        raise Problem(str(problem)) from None
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, page(comparison, str(ratings)), SHARED_MODE)
    return f"{words(comparison)}\n\n{output}"


def compare(graph: WebGraph, ranks: Path, ratings: list[Rating]) -> Comparison:
    """Match the ratings with nodes and measure agreement."""
    matched: dict[int, list[float]] = defaultdict(list)
    unmatched = []
    for rating in ratings:
        try:
            matched[graph.id(rating.url)].append(rating.rating)
        except KeyError:
            unmatched.append(rating)
    nodes = sorted(matched)
    means = np.array([np.mean(matched[node]) for node in nodes])
    _check(len(nodes), means, len(ratings))
    ids = np.array(nodes)
    count = len(graph)
    positions = {name: _column(ranks, count, f"{name}_position")[ids].astype(np.int64) for name in RANKINGS}
    values = {name: _column(ranks, count, name)[ids].astype(np.float64) for name in RANKINGS}
    agreements = {
        name: agreement(means, values[name]) for name in RANKINGS if values[name].max() > values[name].min()
    }
    return Comparison([graph.url(node) for node in nodes], means, positions, agreements, unmatched)


def _check(nodes: int, means: NDArray[np.float64], given: int) -> None:
    if nodes < FEWEST:
        raise Problem(
            f"only {nodes} of the {given} rated URLs are in the graph: at least {FEWEST} are needed"
        )
    if means.max() == means.min():
        raise Problem(f"all {nodes} URLs found have the same rating, {means[0]:g}: no order to compare with")


def _column(ranks: Path, rows: int, name: str) -> NDArray[np.float64]:
    column: NDArray[np.float64] = node_table.read(ranks, rows, [name]).column(name).to_numpy()
    return column


def words(comparison: Comparison) -> str:
    """The agreement as text for a terminal."""
    lines = [
        f"{len(comparison.urls)} rated URLs are in the graph, {len(comparison.unmatched)} are not",
        f"{'':18}" + "".join(f"{name:<28}" for name in STATISTICS),
    ]
    for name, title in RANKINGS.items():
        found = comparison.agreements.get(name)
        cells = [str(found[statistic]) for statistic in STATISTICS] if found else ["all equal here: no order"]
        lines.append(f"{title:<18}" + "".join(f"{cell:<28}" for cell in cells).rstrip())
    lines.append(f"in brackets: {CONFIDENCE:.0%} interval, bootstrap of {RESAMPLES} resamples")
    if comparison.unmatched:
        lines.append("not in the graph:")
        lines += [f"  line {rating.line}: {rating.url}" for rating in comparison.unmatched[:LISTED]]
    if len(comparison.unmatched) > LISTED:
        lines.append(f"  and {len(comparison.unmatched) - LISTED} more (all are in the page)")
    return "\n".join(lines)


def page(comparison: Comparison, source: str) -> str:
    """The agreement as a page with a scatter plot per ranking."""
    title = "Rankings and human ratings"
    missing_count = len(comparison.unmatched)
    lead = f"{len(comparison.urls)} URLs rated in {source} are in the graph. {missing_count} more are not."
    parts = [
        section(
            "agreement",
            "Agreement",
            element("div", card("", "", _table(comparison), wide=True), class_="cards"),
        )
    ]
    plots = [_plot(comparison, name) for name in RANKINGS]
    parts.append(
        section(
            "plots",
            "Place and rating",
            element("p", "Each dot is a URL. The first place is at the left."),
            element("div", *plots, class_="cards"),
        )
    )
    if comparison.unmatched:
        rows = [[rating.line, rating.url, f"{rating.rating:g}"] for rating in comparison.unmatched]
        missing = table(["line", "URL", "rating"], rows, numbers={0, 2}, names={1})
        parts.append(
            section(
                "missing",
                "Not in the graph",
                element("div", card("", "", missing, wide=True), class_="cards"),
            )
        )
    heading = element("header", element("h1", title), element("p", lead, class_="lead"))
    return document(title, heading, element("main", *parts))


def _table(comparison: Comparison) -> Markup:
    rows = []
    for name, title in RANKINGS.items():
        found = comparison.agreements.get(name)
        rows.append([title, *(str(found[statistic]) if found else "–" for statistic in STATISTICS)])
    note = (
        f"In brackets: {CONFIDENCE:.0%} interval from {RESAMPLES} bootstrap resamples. "
        "1: the same order. 0: no agreement. −1: the opposite order."
    )
    body = table(["ranking", *STATISTICS], rows, numbers={1, 2, 3})
    return element("div", body, element("p", note), class_="scroll")


def _plot(comparison: Comparison, name: str) -> Markup:
    places = comparison.positions[name].tolist()
    points = list(zip(places, comparison.ratings.tolist(), comparison.urls, strict=True))
    title = RANKINGS[name]
    return card(title, "", scatter(title, points, f"place by {title}", "rating"))

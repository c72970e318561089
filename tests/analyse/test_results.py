"""The files of an analysis against the graph they speak of."""

import gzip
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.analyse.compact import NASTY
from tests.analyse.graphs import to_networkx
from webgraph_it.analyse.csr import csr, without_loops
from webgraph_it.graph import WebGraph

LEVELS = {"pages": "", "hosts": "hosts", "domains": "domains"}


@pytest.mark.parametrize("level", LEVELS)
def test_parquet_has_a_row_per_node_in_order(analysed: Path, level: str) -> None:
    graph = WebGraph(analysed / LEVELS[level])
    table = pq.read_table(analysed / "analysis" / LEVELS[level] / "ranks.parquet").to_pydict()
    assert table["id"] == list(range(len(graph)))
    assert sorted(table["pagerank_position"]) == list(range(1, len(graph) + 1))
    by_position = sorted(table["id"], key=lambda node: table["pagerank_position"][node])
    assert by_position == sorted(table["id"], key=lambda node: (-table["pagerank"][node], node))


def test_domain_ranks_count_links_between_domains_only(analysed: Path) -> None:
    graph = WebGraph(analysed / "domains")
    known = to_networkx(without_loops(csr(graph.offsets, graph.targets, graph.weights)))
    expected = nx.pagerank(known, tol=1e-13, max_iter=1000)
    ranks = pq.read_table(analysed / "analysis/domains/ranks.parquet").column("pagerank").to_numpy()
    assert np.abs(ranks - [expected[node] for node in range(len(graph))]).max() < 1e-9


@pytest.mark.parametrize(
    ("level", "last"), [("pages", "#url"), ("hosts", "#host_rev"), ("domains", "#n_hosts")]
)
def test_text_has_the_same_ranks_as_parquet(analysed: Path, level: str, last: str) -> None:
    folder = analysed / "analysis" / LEVELS[level]
    with gzip.open(folder / "ranks.txt.gz", "rt", encoding="utf-8") as lines:
        head, *rows = [line.rstrip("\n").split("\t") for line in lines]
    first = head.index("#pr_pos")
    assert head[:first] == (
        [] if level == "pages" else ["#harmonicc_pos", "#harmonicc_val"]
    )  # as Common Crawl's
    assert head[-1] == last
    table = pq.read_table(folder / "ranks.parquet").to_pydict()
    assert [int(row[first]) for row in rows] == table["pagerank_position"]
    assert [float(row[first + 1]) for row in rows] == pytest.approx(table["pagerank"], rel=1e-9)
    assert {len(row) for row in rows} == {len(head)}


def test_hosts_are_reversed_in_text(analysed: Path) -> None:
    with gzip.open(analysed / "analysis/hosts/ranks.txt.gz", "rt") as lines:
        names = [line.rstrip().rpartition("\t")[2] for line in lines][1:]
    assert "it.padova.comune" in names
    assert names == sorted(names, key=lambda name: name.split("."))


def test_the_top_lists_are_the_best_in_order(analysed: Path) -> None:
    table = pq.read_table(analysed / "analysis" / "ranks.parquet").to_pydict()
    for measure in ("pagerank", "authority", "hub", "in_degree"):
        rows = (analysed / "analysis" / f"top-{measure.replace('_', '-')}.txt").read_text().splitlines()[1:]
        assert len(rows) == 1000
        best = sorted(table["id"], key=lambda node: table[f"{measure}_position"][node])[:1000]
        assert [row.split("\t")[2] for row in rows] == [table["url"][node] for node in best]


def test_the_summary_is_json_with_plain_counts(analysed: Path) -> None:
    summary = json.loads((analysed / "analysis" / "summary.json").read_text())
    graph = WebGraph(analysed)
    pages = summary["levels"]["pages"]
    assert pages["nodes"] == len(graph)
    assert pages["arcs"] == graph.arcs
    assert sum(count for _, count in pages["in_degrees"]) == len(graph)
    assert sum(degree * count for degree, count in pages["in_degrees"]) == graph.arcs
    assert sum(pages["bow_tie"].values()) == len(graph)
    assert sum(summary["states"]["counts"].values()) == len(graph)
    assert sum(summary["states"]["pagerank"].values()) == pytest.approx(1)
    assert summary["states"]["dangling"]["never-tried"] == summary["states"]["counts"]["never-tried"]


def test_no_unfinished_file_is_left(analysed: Path) -> None:
    assert not list((analysed / "analysis").rglob("*.new"))


def test_the_nasty_page_is_a_row_like_others(analysed: Path) -> None:
    table = pq.read_table(analysed / "analysis" / "ranks.parquet", columns=["url"]).to_pydict()
    assert NASTY in table["url"]

"""What the report shows beside the measures: states of the nodes, links between domains, where the crawl is."""

import json
from pathlib import Path

import pytest

from tests.benchmarks.crawl_generator import generate
from tests.verbs import convert
from webgraph_it.analyse import analysis as module
from webgraph_it.analyse.analysis import PART_MEANINGS, Analysis, analyse, crawl_folders, link_matrix
from webgraph_it.analyse.components import Part
from webgraph_it.analyse.csr import csr, from_arcs
from webgraph_it.analyse.results import Best
from webgraph_it.graph import WebGraph


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analysis")
    crawl = generate(folder / "crawl", nodes=300, arcs=2000)
    assert convert([str(crawl), "--out", str(folder / "graph")]) == 0
    return folder / "graph"


@pytest.fixture(scope="module")
def found(graph: Path, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    return analyse(graph, tmp_path_factory.mktemp("output"), lambda words: None)


def test_states_account_for_every_node_and_all_of_pagerank(graph: Path, found: Analysis) -> None:
    whole = WebGraph(graph)
    states = whole.nodes(["state"])["state"].to_pylist()
    assert found.states.counts == {state: states.count(state) for state in set(states)}
    dangling = [state for node, state in enumerate(states) if not len(whole.successors(node))]
    assert found.states.dangling == {state: dangling.count(state) for state in set(states)}
    assert sum(found.states.pagerank.values()) == pytest.approx(1)


def test_every_level_is_found_and_nothing_in_the_graph_changes(graph: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in graph.rglob("*")}
    found = analyse(graph, tmp_path / "new" / "output", lambda words: None)
    assert [finding.level for finding in found.findings] == ["pages", "hosts", "domains"]
    assert {path: path.stat().st_mtime_ns for path in graph.rglob("*")} == before
    summary = json.loads((tmp_path / "new/output/summary.json").read_text())
    assert set(summary["levels"]) == {"pages", "hosts", "domains"}
    degrees = summary["levels"]["pages"]["in_degrees"]
    assert sum(count for _, count in degrees) == len(WebGraph(graph))
    assert sum(degree * count for degree, count in degrees) == WebGraph(graph).arcs


def test_a_transpose_beyond_memory_lies_in_the_output_folder_meanwhile(
    graph: Path, found: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers are the same, and nothing of it stays."""
    monkeypatch.setattr(module, "IN_MEMORY_ARCS", 0)
    again = analyse(graph, tmp_path, lambda words: None)
    assert again.findings[1].best == found.findings[1].best
    assert not list(tmp_path.glob("transposed-*"))


def test_the_matrix_holds_links_from_row_to_column() -> None:
    graph = from_arcs(4, [(0, 0), (0, 2), (2, 1), (3, 2)])
    weighted = csr(graph.offsets, graph.targets, [5, 7, 11, 13])
    best = [Best(2, 0.5, "c", ""), Best(0, 0.25, "a", "")]
    assert link_matrix(weighted, best).links == [[0, 0], [7, 5]]
    assert link_matrix(graph, best).links == [[0, 0], [1, 1]]
    assert link_matrix(graph, best).names == ["c", "a"]


def test_crawl_directories_that_are_gone_are_left_out(graph: Path, tmp_path: Path) -> None:
    whole = WebGraph(graph)
    (graph / "beside").mkdir(exist_ok=True)
    whole.summary["sources"] = [str(tmp_path), str(tmp_path / "gone"), "beside", "no\0name"]
    assert crawl_folders(whole) == [tmp_path, graph / "beside"]


def test_every_part_of_the_bow_tie_has_its_meaning() -> None:
    assert set(PART_MEANINGS) == set(Part)

"""The graphs of a directory: pages first, then what convert made of them; rows carry the results' own names."""

from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.crawl_generator import generate
from tests.verbs import convert
from webgraph_it.analyse import levels
from webgraph_it.analyse.levels import open_levels, reversed_name
from webgraph_it.graph import WebGraph


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("levels")
    crawl = generate(folder / "crawl", nodes=300, arcs=2000)
    assert convert([str(crawl), "--out", str(folder / "graph")]) == 0
    return folder / "graph"


def test_pages_come_first_and_only_they_have_a_transpose(graph: Path) -> None:
    found = open_levels(WebGraph(graph))
    assert [level.name for level in found] == ["pages", "hosts", "domains"]
    assert [level.name_column for level in found] == ["url", "host", "domain"]
    assert [level.folder for level in found] == [graph, graph / "hosts", graph / "domains"]
    assert [level.transposed is not None for level in found] == [True, False, False]
    assert [level.graph.weights is not None for level in found] == [False, True, True]
    assert found[0].transposed is not None
    assert found[0].transposed.arcs == found[0].graph.arcs


def test_a_graph_that_was_not_made_is_left_out(graph: Path, tmp_path: Path) -> None:
    """Hosts are skipped: domains are there all the same."""
    for path in graph.iterdir():
        if path.name != "hosts":
            (tmp_path / path.name).symlink_to(path)
    assert [level.name for level in open_levels(WebGraph(tmp_path))] == ["pages", "domains"]


def test_batches_hold_every_node_once_in_order(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "BATCH", 7)
    pages, _, domains = open_levels(WebGraph(graph))
    rows = list(pages.batches())
    sizes = [batch.num_rows for _, batch in rows]
    assert [first for first, _ in rows] == np.cumsum([0, *sizes[:-1]]).tolist()
    assert len(rows) > 1
    urls = [url for _, batch in rows for url in batch.column("url").to_pylist()]
    assert urls == list(WebGraph(graph).urls)
    assert next(domains.batches())[1].schema.names == ["domain", "n_hosts"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dei.unipd.it", "it.unipd.dei"),
        ("it", "it"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]"),
        ("", ""),
    ],
)
def test_a_name_is_reversed_and_an_address_is_not(name: str, expected: str) -> None:
    assert reversed_name(name) == expected

from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from tests.verbs import convert
from webgraph_it.graph import WebGraph
from webgraph_it.graph.stats import stats


def test_the_numbers_are_those_of_the_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgraph_it.graph.stats.ROWS_AT_A_TIME", 4)
    crawl = write_crawl(tmp_path / "crawl")
    assert convert([str(crawl)]) == 0
    graph = WebGraph(crawl / "compact")
    assert dict(stats(graph)) == {
        "nodes": 6, "arcs": 7, "hosts": 3, "host arcs": 4, "domains": 2, "domain arcs": 3,
        "fetched": 4, "redirect": 1, "error": 1,
    }  # fmt: skip
    assert dict(stats(graph.hosts)) == {"nodes": 3, "arcs": 4}

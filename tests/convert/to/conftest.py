from pathlib import Path

import pytest

from tests.convert.to.graphs import make_graph


@pytest.fixture(scope="session")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_graph(tmp_path_factory.mktemp("exports"))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small graph comes in many pieces."""
    monkeypatch.setattr("webgraph_it.convert.to.tables.ROWS_AT_A_TIME", 333)
    monkeypatch.setattr("webgraph_it.graph.lists.NODES_AT_A_TIME", 111)

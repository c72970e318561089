"""One analysed graph for all tests of the report."""

from pathlib import Path

import pytest

from tests.analyse.compact import make_compact, make_crawl
from webgraph_it.analyse.command import run


@pytest.fixture(scope="session")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph directory of 1,500 pages with its analysis/ beside a crawl directory."""
    folder = tmp_path_factory.mktemp("analysed")
    make_crawl(folder / "crawl", make_compact(folder / "graph", 1500, (folder / "crawl",)))
    run(folder / "graph", folder / "graph" / "analysis", [], 1.8e9, lambda words: None)
    return folder / "graph"

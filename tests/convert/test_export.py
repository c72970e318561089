import gzip
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import networkx
import pyarrow.parquet
import pytest
import scipy.sparse

from tests.convert.crawls import LINKS, URLS, expected_arcs, write_crawl
from webgraph_it.convert.command import main

ARCS = [(a, b) for a, row in enumerate(expected_arcs(LINKS, list(URLS))) for b in row]
ORDERED_URLS = [URLS[key] for key in sorted(URLS)]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    crawl = write_crawl(tmp_path_factory.mktemp("export") / "crawl")
    assert main([str(crawl)]) == 0
    return crawl / "compact"


def export(graph: Path, name: str, to: Path, *more: str) -> int:
    return main(["export", str(graph), "--format", name, "--to", str(to), *more])


def text(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_common_crawl_layout(graph: Path, tmp_path: Path) -> None:
    assert export(graph, "cc", tmp_path) == 0
    assert text(tmp_path / "host-vertices.txt.gz") == ["0\tit.esempio", "1\tit.esempio.news", "2\tit.negozio"]
    assert text(tmp_path / "host-edges.txt.gz") == ["0\t1", "1\t2", "2\t0"]
    assert text(tmp_path / "domain-vertices.txt.gz") == ["0\tit.esempio\t2", "1\tit.negozio\t1"]
    assert text(tmp_path / "domain-edges.txt.gz") == ["0\t1", "1\t0"]


def test_pages_in_common_crawl_layout(graph: Path, tmp_path: Path) -> None:
    assert export(graph, "cc", tmp_path, "--level", "pages") == 0
    assert text(tmp_path / "page-vertices.txt.gz") == [f"{i}\t{url}" for i, url in enumerate(ORDERED_URLS)]
    assert text(tmp_path / "page-edges.txt.gz") == [f"{a}\t{b}" for a, b in ARCS if a != b]


def test_parquet_edge_list(graph: Path, tmp_path: Path) -> None:
    assert export(graph, "parquet", tmp_path / "arcs.parquet") == 0
    table = pyarrow.parquet.read_table(tmp_path / "arcs.parquet").to_pydict()
    assert list(zip(table["source"], table["target"], strict=True)) == ARCS
    assert export(graph, "parquet", tmp_path / "hosts.parquet", "--level", "hosts") == 0
    assert pyarrow.parquet.read_table(tmp_path / "hosts.parquet")["weight"].to_pylist() == [3, 1, 2, 1]


def test_scipy_npz(graph: Path, tmp_path: Path) -> None:
    assert export(graph, "npz", tmp_path / "graph.npz") == 0
    matrix = scipy.sparse.load_npz(tmp_path / "graph.npz")
    assert [(int(a), int(b)) for a, b in zip(*matrix.nonzero(), strict=True)] == ARCS


def test_networkx_reads_graphml(graph: Path, tmp_path: Path) -> None:
    assert export(graph, "graphml", tmp_path / "g.graphml") == 0
    found = networkx.read_graphml(tmp_path / "g.graphml")
    assert [found.nodes[str(i)]["url"] for i in range(6)] == ORDERED_URLS
    assert sorted((int(a), int(b)) for a, b in found.edges) == ARCS


def test_gexf_is_xml_with_all_arcs(graph: Path, tmp_path: Path) -> None:
    assert export(graph, "gexf", tmp_path / "h.gexf", "--level", "hosts") == 0
    space = "{http://gexf.net/1.3}"
    edges = ElementTree.parse(tmp_path / "h.gexf").getroot().iter(f"{space}edge")
    assert [(e.get("source"), e.get("target"), e.get("weight")) for e in edges] == [
        ("0", "0", "3"), ("0", "1", "1"), ("1", "2", "2"), ("2", "0", "1"),
    ]  # fmt: skip


def test_large_xml_is_refused_with_its_size(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(graph, "graphml", tmp_path / "g.graphml", "--most-arcs", "3") == 2
    assert "has 7 arcs: as graphml it would be about 0.0 GB" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_export_of_no_graph_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(tmp_path, "npz", tmp_path / "x.npz") == 2
    assert "not a finished compact graph" in capsys.readouterr().err

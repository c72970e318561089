import gzip
import os
from pathlib import Path

import networkx
import pyarrow.parquet
import pytest
import scipy.sparse

from tests.convert.crawls import HOME, LINKS, SHOP, URLS, expected_arcs, write_crawl
from tests.verbs import analyse
from tests.verbs import convert as main

ARCS = [(a, b) for a, row in enumerate(expected_arcs(LINKS, list(URLS))) for b in row]
ORDERED_URLS = [URLS[key] for key in sorted(URLS)]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    crawl = write_crawl(tmp_path_factory.mktemp("export") / "crawl")
    assert main([str(crawl)]) == 0
    return crawl / "compact"


@pytest.fixture(scope="module")
def analysis(graph: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analysis")
    assert analyse([str(graph), "-o", str(folder)]) == 0
    return folder


def export(graph: Path, name: str, to: Path, *more: str) -> int:
    return main(["export", str(graph), "--format", name, "--to", str(to), *more])


def text(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


@pytest.mark.parametrize(
    ("name", "to"),
    [
        ("arcs", "graph.json"),
        ("arcs", "targets.u32"),
        ("parquet", "hosts/nodes.parquet"),
        ("sqlite", "urls.blocks"),
        ("cc", ""),
        ("csv", "hosts"),
    ],
)
def test_a_graph_is_not_written_over_itself(
    name: str, to: str, graph: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in graph.rglob("*") if path.is_file()}
    assert (graph / to).exists()
    assert export(graph, name, graph / to, *(["--replace"] if name == "sqlite" else [])) == 2
    assert "is part of the graph" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in graph.rglob("*") if path.is_file()} == before


def test_an_export_may_lie_beside_the_files_of_the_graph(graph: Path) -> None:
    for _ in range(2):
        assert export(graph, "arcs", graph / "arcs.txt") == 0
    (graph / "arcs.txt").unlink()


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


def test_networkx_reads_gexf(graph: Path, tmp_path: Path) -> None:
    assert export(graph, "gexf", tmp_path / "h.gexf", "--level", "hosts") == 0
    found = networkx.read_gexf(tmp_path / "h.gexf")
    assert [found.nodes[node]["label"] for node in "012"] == ["esempio.it", "news.esempio.it", "negozio.it"]
    assert [(a, b, data["weight"]) for a, b, data in found.edges(data=True)] == [
        ("0", "0", 3), ("0", "1", 1), ("1", "2", 2), ("2", "0", 1),
    ]  # fmt: skip


READERS = {"gexf": networkx.read_gexf, "graphml": networkx.read_graphml}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("level", ["pages", "hosts", "domains"])
def test_viewers_see_names_pages_ranks_and_components(
    graph: Path, analysis: Path, tmp_path: Path, name: str, level: str
) -> None:
    assert export(graph, name, tmp_path / "before", "--level", level) == 0
    assert "pagerank" not in READERS[name](tmp_path / "before").nodes["0"]
    assert export(graph, name, tmp_path / "x", "--level", level, "--analysis", str(analysis)) == 0
    found = READERS[name](tmp_path / "x")
    ranks = pyarrow.parquet.read_table(
        analysis / ("" if level == "pages" else level) / "ranks.parquet"
    ).to_pydict()
    for column in ("pagerank", "pagerank_position", "strong_component", "weak_component", "bow_tie"):
        assert [found.nodes[str(node)][column] for node in range(len(found))] == ranks[column]
    shown = {"pages": "url", "hosts": "host", "domains": "domain"}[level]
    known = "url" if level == "pages" else "name"
    assert [found.nodes[str(node)][known] for node in range(len(found))] == ranks[shown]
    if level != "pages":
        pages = pyarrow.parquet.read_table(graph / level / "nodes.parquet")["pages"].to_pylist()
        assert [found.nodes[str(node)]["pages"] for node in range(len(found))] == pages
        assert sum(pages) == 6


def test_ranks_of_another_graph_are_refused(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_crawl(tmp_path / "crawl", {**LINKS, SHOP: [HOME]})
    assert main([str(other)]) == 0
    assert analyse([str(other / "compact"), "-o", str(tmp_path / "a")]) == 0
    capsys.readouterr()
    assert export(graph, "gexf", tmp_path / "x.gexf", "--analysis", str(tmp_path / "a")) == 2
    assert "belongs to another graph" in capsys.readouterr().err
    assert not list(tmp_path.glob("*x.gexf*"))


@pytest.mark.parametrize("name", ["npz", "parquet", "gexf", "graphml"])
def test_export_makes_the_folder_and_takes_any_name(graph: Path, tmp_path: Path, name: str) -> None:
    assert export(graph, name, tmp_path / "new" / "folder" / "plain") == 0
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["plain"]


@pytest.mark.parametrize("name", ["npz", "parquet", "gexf", "cc"])
def test_export_to_where_nothing_can_be_written_is_one_sentence(
    graph: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("mine")
    places = ["file/x", "file/a/x", *(["folder"] if name != "cc" else [])]
    for place in places:
        assert export(graph, name, tmp_path / place) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(places)
    assert all(line.startswith(f"--to {tmp_path}") and "Errno" not in line for line in said)
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert found == ["file", "folder", "folder/mine"]


@pytest.mark.parametrize("name", ["npz", "arcs"])
def test_export_follows_a_link_and_does_not_replace_a_pipe(
    graph: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert export(graph, name, tmp_path / "link") == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").is_file()
    os.mkfifo(tmp_path / "pipe")
    capsys.readouterr()
    assert export(graph, name, tmp_path / "pipe") == 2
    assert "pipe is a named pipe, expected a regular file" in capsys.readouterr().err
    assert (tmp_path / "pipe").is_fifo()


def test_large_xml_is_refused_with_its_size(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(graph, "graphml", tmp_path / "g.graphml", "--most-arcs", "3") == 2
    assert "has 7 arcs: as graphml it would be about 0.0 GB" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_export_of_no_graph_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(tmp_path, "npz", tmp_path / "x.npz") == 2
    assert "not a finished compact graph" in capsys.readouterr().err


def test_an_export_is_synced_then_renamed_then_its_folder_synced(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, str]] = []
    rename = Path.rename

    def renamed(old: Path, new: Path) -> Path:
        calls.append(("rename", new.name))
        return rename(old, new)

    def synced(descriptor: int) -> None:
        calls.append(("sync", Path(os.readlink(f"/proc/self/fd/{descriptor}")).name))

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "rename", renamed)
    assert export(graph, "parquet", tmp_path / "arcs.parquet") == 0
    assert calls == [
        ("sync", "arcs.parquet.new"),
        ("rename", "arcs.parquet"),
        ("sync", tmp_path.name),
    ]

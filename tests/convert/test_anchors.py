"""What links say, in the compact graph: texts and labels of arcs, from lines written by hand and from crawls."""

import json
import sqlite3
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.convert.crawls import ABOUT, HOME, MISSING, NEWS, SHOP, URLS, digest, write_crawl
from tests.crawl.crawling import run_crawl
from webgraph_it.cli.shell.main import main
from webgraph_it.convert import anchors
from webgraph_it.convert.anchors import arc_places
from webgraph_it.graph import WebGraph
from webgraph_it.graph.csr import NOFOLLOW
from webgraph_it.simweb import SimWeb

Line = tuple[str, str, str, str]
LINES: list[Line] = [
    (HOME, NEWS, "", "notizie"),
    (HOME, ABOUT, "n", "chi siamo"),
    (HOME, ABOUT, "n", "chi siamo noi"),
    (NEWS, MISSING, "n", ""),
    (NEWS, SHOP, "", 'il "negozio", più in là'),
]


def write_lines(crawl: Path, lines: list[Line]) -> None:
    (crawl / "anchors").mkdir(exist_ok=True)
    text = "".join(
        f"{digest(a).hex()}\t{digest(b).hex()}\t{label}\t{words}\n" for a, b, label, words in lines
    )
    (crawl / "anchors" / "000001.tsv").write_text(text)


def convert(*arguments: object) -> None:
    assert main(["convert", *map(str, arguments)]) == 0


def texts(graph: WebGraph) -> list[tuple[str, str, str]]:
    rows = pyarrow.parquet.read_table(graph.path / "anchors.parquet").to_pylist()
    assert rows == sorted(rows, key=lambda row: (row["source"], row["target"], row["text"]))
    return [(graph.url(row["source"]), graph.url(row["target"]), row["text"]) for row in rows]


def nofollow(graph: WebGraph) -> set[tuple[str, str]]:
    assert graph.labels is not None
    sources = np.repeat(np.arange(len(graph)), np.diff(graph.offsets).astype(np.int64))
    arcs = zip(sources.tolist(), graph.targets.tolist(), graph.labels.tolist(), strict=True)
    return {(graph.url(a), graph.url(b)) for a, b, label in arcs if label & NOFOLLOW}


@pytest.fixture
def labelled(tmp_path: Path) -> WebGraph:
    write_lines(write_crawl(tmp_path / "crawl"), LINES)
    convert(tmp_path / "crawl", "--out", tmp_path / "graph")
    return WebGraph(tmp_path / "graph")


def test_texts_and_labels_of_arcs(labelled: WebGraph) -> None:
    expected = {(URLS[a], URLS[b], words) for a, b, _, words in LINES if words}
    assert set(texts(labelled)) == expected
    assert len(texts(labelled)) == len(expected)
    assert nofollow(labelled) == {(URLS[HOME], URLS[ABOUT]), (URLS[NEWS], URLS[MISSING])}
    counts = json.loads((labelled.path / "graph.json").read_text())["counts"]
    assert (counts["anchor_texts"], counts["nofollow_arcs"]) == (4, 2)


def test_without_lines_there_are_no_such_files_and_the_graph_is_the_same(
    tmp_path: Path, labelled: WebGraph
) -> None:
    write_crawl(tmp_path / "plain")
    convert(tmp_path / "plain", "--out", tmp_path / "other")
    others = {path.name: path.read_bytes() for path in (tmp_path / "other").iterdir() if path.is_file()}
    assert not {"anchors.parquet", "labels.u8"} & others.keys()
    assert WebGraph(tmp_path / "other").labels is None
    for name in others.keys() - {"graph.json"}:
        assert (labelled.path / name).read_bytes() == others[name], name


def test_lines_of_arcs_that_a_later_crawl_replaced_are_left_out(tmp_path: Path) -> None:
    write_lines(write_crawl(tmp_path / "old"), LINES)
    write_lines(write_crawl(tmp_path / "new", links={HOME: [NEWS]}), [(HOME, NEWS, "", "notizie")])
    convert(tmp_path / "old", tmp_path / "new", "--out", tmp_path / "graph")
    graph = WebGraph(tmp_path / "graph")
    assert {row[:2] for row in texts(graph)} == {(URLS[HOME], URLS[NEWS]), (URLS[NEWS], URLS[SHOP])}
    assert nofollow(graph) == {(URLS[NEWS], URLS[MISSING])}


def test_many_parts_and_chunks_make_the_same_files(
    tmp_path: Path, labelled: WebGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anchors, "CHUNK_BYTES", 100)
    monkeypatch.setattr(anchors, "BYTES_PER_BYTE", 1 << 30)
    monkeypatch.setattr(anchors, "MAX_PARTS", 3)
    monkeypatch.setattr("webgraph_it.convert.mapping.INDEX_BYTES_PER_NODE", 1 << 26)  # several passes
    convert(tmp_path / "crawl", "--out", tmp_path / "other")
    for name in ("anchors.parquet", "labels.u8"):
        ours, theirs = labelled.path / name, tmp_path / "other" / name
        if name.endswith(".u8"):
            assert ours.read_bytes() == theirs.read_bytes()
        else:
            assert pyarrow.parquet.read_table(ours) == pyarrow.parquet.read_table(theirs)


@pytest.mark.parametrize(
    "line", ["x\ty\t\ttesto\n", f"{'0' * 31}g\t{'0' * 32}\t\tx\n", f"{'0' * 32}\t{'0' * 32}\tx\n", "\n\n"]
)
def test_a_damaged_line_is_one_sentence(
    tmp_path: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_crawl(tmp_path / "crawl")
    (tmp_path / "crawl" / "anchors").mkdir()
    (tmp_path / "crawl" / "anchors" / "000001.tsv").write_text(line)
    code = main(["convert", str(tmp_path / "crawl"), "--out", str(tmp_path / "graph")])
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert (code, "000001.tsv has a line that is not" in said) == (2, True)


@settings(deadline=None)
@given(st.lists(st.sets(st.integers(0, 5)), min_size=6, max_size=6), st.data())
def test_the_place_of_an_arc(lists: list[set[int]], data: st.DataObject) -> None:
    offsets = np.cumsum([0, *map(len, lists)])
    targets = np.array([target for some in lists for target in sorted(some)], np.uint32)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
    sources, ends = (
        np.array([pair[i] for pair in pairs], kind) for i, kind in ((0, np.int64), (1, np.uint32))
    )
    for (source, end), place in zip(pairs, arc_places(offsets, targets, sources, ends).tolist(), strict=True):
        if end in lists[source]:
            assert offsets[source] <= place < offsets[source + 1]
            assert targets[place] == end
        else:
            assert place == -1


def test_exports_have_the_label_as_a_column(tmp_path: Path, labelled: WebGraph) -> None:
    for name in ("x.duckdb", "x.parquet", "x.sqlite", "x.csv"):
        assert main(["export", str(labelled.path), "--to", str(tmp_path / name)]) == 0
    query = "SELECT source, target FROM {} WHERE nofollow ORDER BY ALL"
    with duckdb.connect(str(tmp_path / "x.duckdb"), read_only=True) as database:
        found = database.execute(query.format("arcs")).fetchall()
        assert database.execute(query.format(f"'{tmp_path / 'x.parquet'}'")).fetchall() == found
        assert database.execute(query.format(f"'{tmp_path / 'x.csv' / 'arcs.csv'}'")).fetchall() == found

    assert (
        sqlite3.connect(tmp_path / "x.sqlite").execute(query.replace("ALL", "1, 2").format("arcs")).fetchall()
        == found
    )
    assert {(labelled.url(a), labelled.url(b)) for a, b in found} == nofollow(labelled)


def test_a_crawl_and_its_graph(tmp_path: Path) -> None:
    shares = {"nofollow-link": 0.3}
    with SimWeb(hosts=4, pages=20, seed=2, degree=4, page_bytes=500, only=[], shares=shares) as web:
        run_crawl(web, tmp_path / "crawl", ANCHOR_TEXT=True)
    convert(tmp_path / "crawl", "--out", tmp_path / "graph", "--skip", "bv,transpose,hosts,domains")
    graph = WebGraph(tmp_path / "graph")
    assert graph.arcs == len(web.truth.arcs)
    assert len(texts(graph)) == graph.arcs
    assert 0 < len(nofollow(graph)) < graph.arcs

"""Graphs that are damaged, or crafted by somebody who knows the formats: refused in one sentence, never believed."""

import json
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.convert.crawls import write_crawl
from tests.verbs import analyse
from tests.verbs import convert as main
from webgraph_it.graph import GraphError, UrlMap, WebGraph
from webgraph_it.graph.urlmap_layout import HEADER_BYTES


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    crawl = write_crawl(tmp_path_factory.mktemp("damage") / "crawl")
    assert main([str(crawl)]) == 0
    return crawl / "compact"


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "graph"))


def put(path: Path, position: int, value: int, kind: str) -> None:
    """Write one number over what stands at `position`, counted in such numbers."""
    data = bytearray(path.read_bytes())
    struct.pack_into(f"<{kind}", data, position * struct.calcsize(kind), value)
    path.write_bytes(bytes(data))


def forge(path: Path, **values: object) -> None:
    """Change members of graph.json; its list of files goes, as whoever crafts a graph would do."""
    summary = json.loads((path / "graph.json").read_bytes())
    summary.pop("files", None)
    (path / "graph.json").write_text(json.dumps(summary | values))


@pytest.mark.parametrize(
    "name",
    ["offsets.u64", "targets.u32", "urls.index", "urls.blocks", "nodes.parquet", "italy.graph", "offsets-t.u64",
     "targets-t.u32", "hosts/weights.u32", "hosts/targets.u32", "domains/nodes.parquet"],
)  # fmt: skip
@pytest.mark.parametrize("change", [-4, 8])
def test_file_of_another_size_is_named_on_opening(path: Path, name: str, change: int) -> None:
    file = path / name
    size = file.stat().st_size
    os.truncate(file, size + change)
    sentence = (
        rf"{name} has {size + change} bytes, not the {size} that graph.json counts.*convert JOBDIR.*--check"
    )
    with pytest.raises(GraphError, match=sentence):
        WebGraph(path)


@pytest.mark.parametrize("name", ["offsets.u64", "targets.u32"])
def test_sizes_follow_from_nodes_and_arcs_too(path: Path, name: str) -> None:
    forge(path)
    os.truncate(path / name, (path / name).stat().st_size - 8)
    with pytest.raises(GraphError, match=f"{name} has [0-9]+ bytes, not"):
        WebGraph(path)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"nodes": "6"}, "has '6' as its number of nodes"),
        ({"nodes": -1}, "has -1 as its number of nodes"),
        ({"nodes": 2**40}, "as its number of nodes"),
        ({"arcs": None}, "has None as its number of arcs"),
        ({"arcs": True}, "has True as its number of arcs"),
        ({"sources": 7}, "has 7 as its sources"),
        ({"files": [1]}, "has a list of 1 as its files"),
        ({"files": {"/etc/passwd": {"bytes": 1}}}, "which is not in this folder"),
        ({"files": {"../x": {"bytes": 1}}}, "which is not in this folder"),
        ({"files": {"targets.u32": {"bytes": "1"}}}, "does not say how many bytes 'targets.u32' has"),
        ({"recipe_version": {}}, "by recipe an object of 0"),
    ],
)
def test_summary_with_wrong_types_is_one_sentence(
    path: Path, value: dict[str, object], sentence: str
) -> None:
    forge(path, **value)
    with pytest.raises(GraphError, match=sentence):
        WebGraph(path)


@pytest.mark.parametrize(
    "content",
    [b'{"nodes": 6, "arc', b"[" * 100_000, b"[]", b""],
    ids=["cut", "nested", "list", "empty"],
)
def test_cut_or_nested_summary_is_one_sentence(
    path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (path / "graph.json").write_bytes(content)
    with pytest.raises(GraphError, match=r"run webgraph-it convert again"):
        WebGraph(path)
    assert main(["export", str(path), "--format", "npz", "--to", str(path / "x.npz")]) == 2
    assert analyse([str(path)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert all(line.startswith(f"{path / 'graph.json'} ") for line in said)


CRAFTED: dict[str, Callable[[Path], None]] = {
    "a target that is no node": lambda path: put(path / "targets.u32", 0, 0xFFFFFFF0, "I"),
    "targets out of order": lambda path: put(path / "targets.u32", 1, 0, "I"),
    "an offset beyond the arcs": lambda path: put(path / "offsets.u64", 1, 2**40, "Q"),
    "offsets that decrease": lambda path: put(path / "offsets.u64", 2, 0, "Q"),
}


@pytest.mark.parametrize("craft", CRAFTED.values(), ids=CRAFTED)
def test_lists_that_cannot_be_are_refused_before_they_are_used(
    path: Path, craft: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Sizes and ends agree: only the lists themselves are wrong."""
    forge(path)
    craft(path)
    for use in (
        lambda graph: graph.offsets,
        lambda graph: graph.to_scipy(),
        lambda graph: graph.to_networkx(),
    ):
        with pytest.raises(GraphError, match="give no valid list for node"):
            use(WebGraph(path))
    graph = WebGraph(path)
    with pytest.raises(GraphError, match=r"offsets\.u64"):
        list(map(graph.successors, graph))
    capsys.readouterr()
    assert analyse([str(path)]) == 2
    assert main(["export", str(path), "--format", "npz", "--to", str(path / "x.npz")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert all("give no valid list" in line for line in said)
    assert not list(path.glob("*x.npz*"))
    assert not list(path.glob(".x.npz*"))


def test_transpose_of_another_graph_is_refused(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every list of it is valid: it is the graph itself, not turned round."""
    forge(path)
    assert WebGraph(path).transposed() is not None
    shutil.copyfile(path / "offsets.u64", path / "offsets-t.u64")
    shutil.copyfile(path / "targets.u32", path / "targets-t.u32")
    with pytest.raises(GraphError, match=r"targets-t\.u32 does not hold the arcs of targets\.u32"):
        WebGraph(path).transposed()
    assert analyse([str(path)]) == 2
    assert "does not hold the arcs" in capsys.readouterr().err


def test_fewer_rows_than_nodes_are_refused(path: Path) -> None:
    forge(path)
    shutil.copyfile(path / "hosts" / "nodes.parquet", path / "nodes.parquet")
    with pytest.raises(GraphError, match=r"nodes\.parquet has 3 rows, not one for each of the 6 nodes"):
        WebGraph(path).nodes()


@pytest.mark.parametrize(
    ("position", "value", "sentence"),
    [
        (1, 2**62, "says 4611686018427387904 URLs"),
        (1, 7, "names 7 nodes, not 6"),
        (2, 0, "in blocks of 0"),
        (3, 2**63, "bytes, not the [0-9]+ of its header"),
        (4, 2**63, "bytes, not the [0-9]+ of its header"),
        (5, 1, "urls.blocks has [0-9]+ bytes"),
        (6, 2**63, "urls.blocks has [0-9]+ bytes, not"),
        (7, 5, "has heads that overlap"),
        (8, 2**40, "has heads that overlap"),
    ],
)
def test_index_of_the_url_map_is_not_believed(path: Path, position: int, value: int, sentence: str) -> None:
    """In units of eight bytes: magic, n, per block, dictionary, heads, two starts, two starts of heads."""
    forge(path)
    assert HEADER_BYTES == 40
    put(path / "urls.index", position, value, "Q")
    with pytest.raises(GraphError, match=sentence):
        WebGraph(path).id("http://www.esempio.it/")


def test_bomb_in_the_url_map_is_not_decompressed(path: Path) -> None:
    block = zstandard.ZstdCompressor().compress(bytes(1 << 30))
    (path / "urls.blocks").write_bytes(block)
    put(path / "urls.index", 6, len(block), "Q")
    for use in (lambda urls: urls.url(0), lambda urls: urls.id("http://www.esempio.it/"), list):
        with pytest.raises(GraphError, match="has no valid block 0"):
            use(UrlMap(path / "urls"))


SIX = b"0" * 6
DAMAGED_BLOCKS = {
    "empty": b"",
    "without lines": SIX,
    "of empty lines": SIX + b"\n" * 6,
    "without a last line end": SIX + b"\x0ba\n" * 5 + b"\x0bz",
    "with a line too few": SIX + b"\x0ba\n" * 5,
}
ODD_BLOCKS = {
    "of unknown spellings": b"9" * 6 + b"\x0ba\n" * 6,
    "that copies what is not there": SIX + b"\xffa\n" * 6,
    "that is no text": SIX + b"\x0b\xff\n" * 6,
    "without its URLs": b"x" * 6 + b"\x0ba\n" * 6,
}


def put_block(path: Path, raw: bytes) -> UrlMap:
    block = zstandard.ZstdCompressor().compress(raw)
    (path / "urls.blocks").write_bytes(block)
    put(path / "urls.index", 6, len(block), "Q")
    return UrlMap(path / "urls")


@pytest.mark.parametrize("raw", (DAMAGED_BLOCKS | ODD_BLOCKS).values(), ids=DAMAGED_BLOCKS | ODD_BLOCKS)
def test_damaged_block_of_the_url_map_is_refused(path: Path, raw: bytes) -> None:
    with pytest.raises(GraphError, match="has no valid block 0"):
        put_block(path, raw).url(0)


@pytest.mark.parametrize("raw", DAMAGED_BLOCKS.values(), ids=DAMAGED_BLOCKS)
def test_search_never_leaves_a_damaged_block(path: Path, raw: bytes) -> None:
    with pytest.raises(GraphError, match="has no valid block 0"):
        put_block(path, raw).find("it,zzz)/")


def test_pipes_in_place_of_files_are_refused(path: Path) -> None:
    for name in ("targets.u32", "graph.json"):
        (path / name).unlink()
        os.mkfifo(path / name)
        with pytest.raises(GraphError, match=f"{name} is a named pipe"):
            WebGraph(path)


def test_a_part_taken_away_is_missed_when_it_is_asked_for(path: Path) -> None:
    (path / "targets-t.u32").unlink()
    (path / "offsets-t.u64").unlink()
    graph = WebGraph(path)
    assert graph.successors(0).tolist() == [0, 1, 2]
    assert graph.transposed() is None
    with pytest.raises(GraphError, match=r"has no offsets-t\.u64"):
        graph.predecessors(0)

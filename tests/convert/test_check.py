from pathlib import Path

import numpy as np
import pytest

from tests.convert.crawls import HOME, SHOP, URLS, page_line, shard, write_crawl
from tests.verbs import convert as main
from webgraph_it.convert.steps import checksums
from webgraph_it.files.own import write_whole
from webgraph_it.graph import WebGraph


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    write_crawl(tmp_path)
    assert main([str(tmp_path)]) == 0
    return tmp_path


def sign_again(out: Path) -> None:
    """Make the checksums agree with whatever the files now hold."""
    import json

    summary = json.loads((out / "graph.json").read_bytes())
    summary["files"] = checksums(out, summary["files"], 1)
    write_whole(out / "graph.json", json.dumps(summary))


def said(crawl: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main([str(crawl), "--check"]) == 2
    assert not (crawl / "compact" / ".check").exists()
    return capsys.readouterr().err.splitlines()[-1]


def test_a_sound_graph_passes(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(crawl), "--check"]) == 0
    assert "is correct: 52 files, 6 nodes, 7 arcs" in capsys.readouterr().out
    assert not (crawl / "compact" / ".check").exists()


def test_changed_byte_is_found(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = crawl / "compact" / "hosts" / "italy.graph"
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert "hosts/italy.graph was changed" in said(crawl, capsys)


def test_cut_file_is_found(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = crawl / "compact" / "graph.g4"
    path.write_bytes(path.read_bytes()[:-4])
    assert "graph.g4 has 44 bytes, not 48" in said(crawl, capsys)


def test_missing_file_is_found(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (crawl / "compact" / "nodes.parquet").unlink()
    assert "nodes.parquet is missing" in said(crawl, capsys)


def test_first_different_list_is_named(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = crawl / "compact" / "targets.u32"
    targets = np.fromfile(path, np.uint32)
    targets[4] = 4  # the first successor of node 2
    targets.tofile(path)
    sign_again(crawl / "compact")
    assert f"the first difference is at node 2 ({WebGraph(crawl / 'compact').url(2)})" in said(crawl, capsys)


def test_arc_more_in_the_shards_is_named(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (crawl / "graph" / "000001.g16").open("ab") as file:
        file.write(shard({SHOP: [HOME]}))
    assert f"the first difference is at node 5 ({URLS[SHOP]})" in said(crawl, capsys)


def test_state_that_the_shards_contradict_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_crawl(tmp_path)
    with (tmp_path / "pages" / "000001.jsonl").open("a") as file:
        file.write(page_line("it,negozio)/missing", "http://negozio.it/missing", "fetched"))
    assert main([str(tmp_path)]) == 0
    assert "1 nodes have a state that contradicts the shards. The first is node 3" in said(tmp_path, capsys)

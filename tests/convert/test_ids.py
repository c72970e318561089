"""`convert --ids`: what a cluster numbered becomes the same graph, byte for byte."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.convert.crawls import LINKS, STATES, STATUS, URLS, write_crawl
from webgraph_it.cli import main
from webgraph_it.convert import ids

KEYS = sorted(URLS)


def write_ids(folder: Path, order: Sequence[int] | None = None, files: int = 2) -> Path:
    """What `webgraph-it cluster compact` would make of the small crawl, written by hand."""
    rows = [
        {
            "id": number,
            "key": KEYS[number],
            "url": URLS[KEYS[number]],
            "state": STATES[KEYS[number]],
            "status": STATUS[STATES[KEYS[number]]],
            "depth": 1,
            "parent": KEYS[number] in LINKS,
        }
        for number in (order or range(len(KEYS)))
    ]
    arcs = sorted((KEYS.index(a), KEYS.index(b)) for a, targets in LINKS.items() for b in targets)
    tables = {
        "nodes": pa.Table.from_pylist(rows),
        "arcs": pa.table(list(map(list, zip(*arcs, strict=True))), ["source", "target"]),
    }
    for name, table in tables.items():
        (folder / name).mkdir(parents=True)
        for number in range(files):
            share = -(-table.num_rows // files)
            pq.write_table(table.slice(number * share, share), folder / name / f"part-{number:05d}.parquet")
    counts = {name: table.num_rows for name, table in tables.items()}
    facts = {
        "recipe_version": 1,
        "name": "italy",
        "sources": ["crawls/1"],
        "archives": ["warc"],
        "rows": counts,
    }
    (folder / "ids.json").write_text(json.dumps(facts))
    return folder


@pytest.mark.parametrize("at_once", [2, 1 << 20])
def test_ids_become_the_bytes_that_the_crawl_becomes(
    at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ids, "NODES_AT_ONCE", at_once)
    crawl, folder = write_crawl(tmp_path / "crawl"), write_ids(tmp_path / "ids")
    assert main(["convert", str(crawl), "--out", str(tmp_path / "a")]) == 0
    assert main(["convert", "--ids", str(folder), "--out", str(tmp_path / "b")]) == 0
    files = [
        f.relative_to(tmp_path / "a")
        for f in (tmp_path / "a").rglob("*")
        if f.is_file() and ".work" not in f.parts
    ]
    assert len(files) > 30
    differ = [f for f in files if (tmp_path / "a" / f).read_bytes() != (tmp_path / "b" / f).read_bytes()]
    assert {file.name for file in differ} == {"graph.json"}, "which names its sources"


def test_graph_json_of_ids_has_what_is_known(tmp_path: Path) -> None:
    """No number for what the cluster left out: repeated links, earlier visits, pages outside of the graph."""
    crawl, folder = write_crawl(tmp_path / "crawl"), write_ids(tmp_path / "ids")
    assert main(["convert", str(crawl), "--out", str(tmp_path / "a")]) == 0
    assert main(["convert", "--ids", str(folder), "--out", str(tmp_path / "b")]) == 0
    ours, theirs = (json.loads((tmp_path / name / "graph.json").read_text()) for name in "ab")
    assert (theirs["sources"], theirs["archives"]) == (["crawls/1"], ["warc"])
    assert theirs["counts"].items() <= ours["counts"].items()
    assert ours["counts"].keys() - theirs["counts"].keys() == ids.UNKNOWN


def test_ids_out_of_order_or_unfinished_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_ids(tmp_path / "ids", order=[1, 0, 2, 3, 4, 5])
    assert main(["convert", "--ids", str(folder)]) == 2
    assert "is not in order of id" in capsys.readouterr().err
    (folder / "ids.json").write_text("{}")
    assert main(["convert", "--ids", str(folder)]) == 2
    assert "does not say a name and recipe_version 1" in capsys.readouterr().err
    (folder / "ids.json").unlink()
    assert main(["convert", "--ids", str(folder)]) == 2
    assert "has no ids.json: give a finished folder" in capsys.readouterr().err
    assert main(["convert", "--ids", str(folder), str(folder)]) == 2
    assert "--ids stands alone" in capsys.readouterr().err
    assert main(["convert", "--ids", str(tmp_path / "nothere")]) == 2
    assert f"--ids {tmp_path}/nothere is not a folder" in capsys.readouterr().err


@pytest.mark.parametrize(("table", "rows"), [("nodes", "3 rows, expected 6"), ("arcs", "4 rows, expected 7")])
def test_ids_of_which_a_file_is_lost_or_damaged_are_refused(
    table: str, rows: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_ids(tmp_path / "ids")
    part = folder / table / "part-00001.parquet"
    part.write_bytes(part.read_bytes()[:-20])
    assert main(["convert", "--ids", str(folder), "--out", str(tmp_path / "out")]) == 2
    assert f"{part} is damaged" in capsys.readouterr().err
    part.unlink()
    assert main(["convert", "--ids", str(folder), "--out", str(tmp_path / "out")]) == 2
    assert f"{folder / table} has {rows}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

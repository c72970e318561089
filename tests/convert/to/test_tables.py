import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tests.convert.to.graphs import TABLES, rows_of
from webgraph_it.cli import main
from webgraph_it.convert.to.tables import tables
from webgraph_it.graph import GraphError


@pytest.mark.parametrize("name", TABLES)
def test_rows_come_in_pieces_and_are_those_of_the_graph(graph: Path, name: str) -> None:
    (table,) = (table for table in tables(graph) if table.name == name)
    batches = list(table.batches())
    assert all(batch.schema == table.schema for batch in batches)
    assert len(batches) > 1 or name not in ("nodes", "arcs")
    found = pa.Table.from_batches(batches).to_pydict()
    rows = list(zip(*found.values(), strict=True))
    assert rows == rows_of(graph, name)
    assert len(rows) == table.rows


def test_nodes_that_were_never_tried_have_no_depth(graph: Path) -> None:
    depths = {row[3]: row[5] for row in rows_of(graph, "nodes")}
    assert depths["never-tried"] is None
    assert isinstance(depths["fetched"], int)


def test_parts_that_convert_skipped_are_left_out(graph: Path, tmp_path: Path) -> None:
    shutil.copytree(graph, tmp_path / "graph")
    shutil.rmtree(tmp_path / "graph" / "domains")
    assert [table.name for table in tables(tmp_path / "graph")] == ["nodes", "arcs", "hosts", "host_arcs"]
    with pytest.raises(GraphError, match="domains"):
        tables(tmp_path / "graph", "domains")


@pytest.mark.parametrize("name", ["new/x.sqlite", "new/x.csv", "new/x.duckdb", "new/x.parquet"])
def test_what_is_no_graph_makes_no_folder(tmp_path: Path, name: str) -> None:
    assert main(["export", str(tmp_path / "nowhere"), "--to", str(tmp_path / name)]) == 2
    assert list(tmp_path.iterdir()) == []


def test_an_ending_that_says_no_format_is_refused(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(graph), "--to", str(tmp_path / "x.txt")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        f"--to {tmp_path}/x.txt does not say which format is meant: give --format, or a name"
    )


@pytest.mark.parametrize("name", ["arcs.parquet", "arcs.duckdb"])
def test_memory_does_not_grow_with_the_arcs(tmp_path: Path, name: str) -> None:
    """40 M arcs: mapped they would take 160 MB, as two columns 320 MB."""
    if name.endswith("duckdb"):
        pytest.importorskip("duckdb")
    graph, nodes, links = tmp_path / "graph", 400_000, 100
    graph.mkdir()
    np.arange(0, nodes * links + 1, links, dtype="<u8").tofile(graph / "offsets.u64")
    np.tile(np.arange(links, dtype="<u4"), nodes).tofile(graph / "targets.u32")
    (graph / "graph.json").write_text(
        json.dumps({"recipe_version": 1, "nodes": nodes, "arcs": nodes * links})
    )
    if name.endswith("duckdb"):
        ids = np.arange(nodes)
        columns = {"url": ids.astype(str), "host": ids, "state": ids.astype(str), "status": ids % 600}
        pyarrow.parquet.write_table(pa.table({**columns, "depth": ids}), graph / "nodes.parquet")
    measured = (
        "import re, sys; from webgraph_it.cli import main; code = main();"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]); sys.exit(code)"
    )
    words = ["export", str(graph), "--to", str(tmp_path / name)]
    done = subprocess.run(
        [sys.executable, "-c", measured, *words], capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stderr
    kilobytes = int(done.stdout.splitlines()[-1])
    assert kilobytes < (300_000 if name.endswith("parquet") else 450_000)

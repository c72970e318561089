import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from tests.convert.to.graphs import TABLES, rows_of
from webgraph_it.cli import main
from webgraph_it.convert.to.tables import tables
from webgraph_it.graph import GraphError


@pytest.mark.parametrize("name", TABLES)
def test_rows_come_in_pieces_and_are_those_of_the_graph(graph: Path, name: str) -> None:
    (table,) = (table for table in tables(graph) if table.name == name)
    batches = list(table.batches())
    assert all(batch.schema.names == table.schema.names for batch in batches)
    assert all(batch.schema.types == table.schema.types for batch in batches)
    assert len(batches) > 1 or table.rows < 333
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


def test_an_ending_that_says_no_format_is_refused(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(graph), "--to", str(tmp_path / "x.txt")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"--to {tmp_path}/x.txt does not say which format is meant: give --format, or a name")


def test_an_export_of_many_arcs_stays_small(tmp_path: Path) -> None:
    """40 M arcs are 320 MB as two columns: with all of them in memory the limit would be reached."""
    from tests.convert.to.large import make_large

    make_large(tmp_path / "graph", nodes=400_000, arcs_per_node=100)
    limited = (
        "import resource, sys; from webgraph_it.cli import main; code = main();"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(code)"
    )
    words = ["export", str(tmp_path / "graph"), "--to", str(tmp_path / "arcs.parquet")]
    done = subprocess.run([sys.executable, "-c", limited, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    base = resource.getpagesize()
    assert base
    assert int(done.stdout.splitlines()[-1]) < 330_000

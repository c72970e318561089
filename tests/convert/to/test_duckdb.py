import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.convert.to.graphs import TABLES, rows_of
from webgraph_it.cli import main
from webgraph_it.convert.to import duckdb as to_duckdb
from webgraph_it.convert.to import tables


def test_duckdb_reads_every_row_of_the_graph(graph: Path, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    to = tmp_path / "new" / "italy.duckdb"
    assert main(["export", str(graph), "--to", str(to)]) == 0
    assert [path.name for path in to.parent.iterdir()] == ["italy.duckdb"]
    with duckdb.connect(str(to), read_only=True) as database:
        assert {name for (name,) in database.sql("SHOW TABLES").fetchall()} == set(TABLES)
        for table in TABLES:
            assert database.sql(f"FROM {table}").fetchall() == rows_of(graph, table), table
        popular = "SELECT url FROM arcs JOIN nodes ON id = target GROUP BY ALL ORDER BY count(*) DESC, url"
        ((url,),) = database.sql(f"{popular} LIMIT 1").fetchall()
        assert url.startswith("http")


def test_many_portions_make_the_same_tables(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = pytest.importorskip("duckdb")
    monkeypatch.setattr(to_duckdb, "PORTION_BYTES", 1)
    monkeypatch.setattr(tables, "ROWS_AT_A_TIME", 7)
    assert main(["export", str(graph), "--to", str(tmp_path / "x.duckdb")]) == 0
    with database.connect(str(tmp_path / "x.duckdb"), read_only=True) as found:
        for table in TABLES:
            assert found.sql(f"FROM {table}").fetchall() == rows_of(graph, table), table


def test_a_database_that_exists_is_replaced_only_on_demand(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    duckdb = pytest.importorskip("duckdb")
    to = tmp_path / "mine.duckdb"
    to.write_text("mine")
    words = ["export", str(graph), "--to", str(to), "--level", "domains"]
    assert main(words) == 2
    assert capsys.readouterr().err == (
        f"--to {to} exists: give another name, or --replace to replace all of it.\n"
    )
    assert to.read_text() == "mine"
    assert main([*words, "--replace"]) == 0
    with duckdb.connect(str(to), read_only=True) as database:
        assert database.sql("SHOW TABLES").fetchall() == [("domain_arcs",), ("domains",)]


def test_a_damaged_graph_leaves_no_database(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    damaged = tmp_path / "graph"
    shutil.copytree(graph, damaged)
    with (damaged / "targets.u32").open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"\xff\xff\xff\x7f")
    assert main(["export", str(damaged), "--to", str(tmp_path / "x.duckdb")]) == 2
    assert "give no valid list" in capsys.readouterr().err.splitlines()[-1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph"]


def test_without_the_package_one_sentence_says_how_to_get_it(graph: Path, tmp_path: Path) -> None:
    for package, extra, to in (
        ("duckdb", "duckdb", tmp_path / "x.duckdb"),
        ("psycopg", "postgres", "postgresql:///nowhere"),
    ):
        hidden = (
            f"import sys; sys.modules[{package!r}] = None; from webgraph_it.cli import main; sys.exit(main())"
        )
        command = [sys.executable, "-c", hidden, "export", str(graph), "--to", str(to)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"The package {package} is not installed, and this export needs it: pip install 'webgraph_it[{extra}]'.\n"
        )
    assert list(tmp_path.iterdir()) == []

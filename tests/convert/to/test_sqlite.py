import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.convert.to.graphs import TABLES, rows_of
from webgraph_it.cli import main

SLOWLY = """
import sys, time
from webgraph_it.convert.to import tables
batches = tables._arc_batches
def slowly(graph, schema):
    for batch in batches(graph, schema):
        yield batch
        print("begun", flush=True)
        time.sleep(60)
tables._arc_batches = slowly
from webgraph_it.cli import main
sys.exit(main())
"""


def test_sqlite_reads_every_row_of_the_graph(graph: Path, tmp_path: Path) -> None:
    to = tmp_path / "italy.sqlite"
    assert main(["export", str(graph), "--to", str(to)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["italy.sqlite"]
    with closing(sqlite3.connect(to)) as database:
        for table in TABLES:
            key = "id" if table in ("nodes", "hosts", "domains") else "source, target"
            found = database.execute(f"SELECT * FROM {table} ORDER BY {key}").fetchall()
            assert found == rows_of(graph, table), table
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize(
    "question",
    [
        "SELECT * FROM arcs WHERE source = 7",
        "SELECT * FROM arcs WHERE target = 7",
        "SELECT * FROM nodes WHERE url = 'http://x.it/'",
        "SELECT * FROM hosts WHERE name = 'x.it'",
    ],
)
def test_what_people_ask_for_is_found_by_an_index(graph: Path, tmp_path: Path, question: str) -> None:
    to = tmp_path / "italy.sqlite"
    assert main(["export", str(graph), "--to", str(to)]) == 0
    with closing(sqlite3.connect(to)) as database:
        ((*_, plan),) = database.execute(f"EXPLAIN QUERY PLAN {question}").fetchall()
    assert plan.startswith("SEARCH")


@pytest.mark.parametrize("name", ["x.sqlite", "x.duckdb", "x.csv/arcs.csv"])
def test_an_interrupted_export_leaves_nothing(graph: Path, tmp_path: Path, name: str) -> None:
    if name.endswith("duckdb"):
        pytest.importorskip("duckdb")
    to = tmp_path / name.partition("/")[0]
    command = [sys.executable, "-c", SLOWLY, "export", str(graph), "--to", str(to)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        assert [path for path in tmp_path.rglob("*") if path.is_file()]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.splitlines()[-1] == "Interrupted: what was half written is removed."
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_killed_export_is_not_in_the_way_of_the_next(graph: Path, tmp_path: Path) -> None:
    to = tmp_path / "x.sqlite"
    command = [sys.executable, "-c", SLOWLY, "export", str(graph), "--to", str(to)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        process.kill()
    assert not to.exists()
    assert main(["export", str(graph), "--to", str(to)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["x.sqlite"]


def test_ctrl_c_is_heard_while_an_index_is_made(tmp_path: Path) -> None:
    """SQLite's own loop runs no Python for minutes; the handler that write_sqlite sets lets signals through."""
    script = """
import sys
from pathlib import Path
import pyarrow as pa
from webgraph_it.convert.to import sqlite
from webgraph_it.convert.to.tables import ID, Table, _schema
from webgraph_it.progress import Progress
class Told(Progress):
    def begin(self, step, total=0):
        if "index" in step:
            print("begun", flush=True)
many = pa.array(range(200_000), pa.uint32())
def batches():
    for first in range(20):
        source = pa.array([first] * len(many), pa.uint32())
        yield pa.RecordBatch.from_arrays([source, many.take(pa.array(range(len(many))))], names=["source", "target"])
table = Table("arcs", 4_000_000, _schema({"source": ID, "target": ID}), batches)
sqlite.write_sqlite([table], Path(sys.argv[1]), Told())
"""
    command = [sys.executable, "-c", script, str(tmp_path / "x.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert said.splitlines()[-1] == "KeyboardInterrupt"
    assert (
        "raise KeyboardInterrupt from None" in said
    )  # SQLite was interrupted; else it had made the index first
    assert list(tmp_path.iterdir()) == []

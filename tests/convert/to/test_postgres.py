import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.convert.to.graphs import TABLES, rows_of
from tests.convert.to.postgres_cluster import cluster, programs
from tests.convert.to.test_sqlite import SLOWLY
from webgraph_it.cli import main
from webgraph_it.graph import WebGraph

psycopg = pytest.importorskip(
    "psycopg", reason="psycopg is not installed: pip install 'webgraph_it[postgres]'"
)
FOLDER = programs()
pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="PostgreSQL is not installed: apt-get install postgresql"
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    assert FOLDER
    with cluster(FOLDER) as address:
        yield address


def ask(address: str, question: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(address) as connection:
        return connection.execute(question).fetchall()  # type: ignore[no-any-return]


def tables_in(address: str, schema: str) -> set[str]:
    asked = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}'"
    return {name for (name,) in ask(address, asked)}


def test_postgresql_reads_every_row_of_the_graph(
    graph: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(graph), "--to", address, "--schema", "Every row"]) == 0
    assert capsys.readouterr().out == "postgres.Every row\n"
    assert tables_in(address, "Every row") == set(TABLES)
    for table in TABLES:
        key = "id" if table in ("nodes", "hosts", "domains") else "source, target"
        found = ask(address, f'SELECT * FROM "Every row".{table} ORDER BY {key}')
        assert found == rows_of(graph, table), table


def test_postgresql_has_the_label_of_an_arc(graph: Path, tmp_path: Path, address: str) -> None:
    labelled = tmp_path / "labelled"
    shutil.copytree(graph, labelled)
    arcs = WebGraph(labelled).arcs
    (labelled / "labels.u8").write_bytes(bytes(number % 3 == 0 for number in range(arcs)))
    assert main(["export", str(labelled), "--to", address, "--schema", "labelled", "--level", "pages"]) == 0
    found = ask(address, "SELECT nofollow FROM labelled.arcs ORDER BY source, target")
    assert found == [(number % 3 == 0,) for number in range(arcs)]


def test_psql_counts_the_arcs(graph: Path, address: str) -> None:
    assert main(["export", str(graph), "--to", address, "--schema", "counted", "--level", "pages"]) == 0
    assert tables_in(address, "counted") == {"nodes", "arcs"}
    psql = shutil.which("psql")
    if psql is None:
        pytest.skip("psql is not installed: apt-get install postgresql-client")
    command = [psql, address, "-Atc", "SELECT count(*), sum(source), sum(target) FROM counted.arcs"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    arcs = rows_of(graph, "arcs")
    assert said.strip() == f"{len(arcs)}|{sum(a for a, _ in arcs)}|{sum(b for _, b in arcs)}"


def test_tables_that_exist_are_replaced_only_on_demand(
    graph: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", str(graph), "--to", address, "--level", "domains", "--schema", "twice"]
    assert main(words) == 0
    with psycopg.connect(address) as connection:
        connection.execute("DELETE FROM twice.domains")
    capsys.readouterr()
    assert main(words) == 2
    assert capsys.readouterr().err == (
        'PostgreSQL says that relation "domains" already exists: give --replace to replace the tables of an '
        "earlier export, or --schema NAME for a place of its own.\n"
    )
    assert ask(address, "SELECT * FROM twice.domains") == []
    assert main([*words, "--replace"]) == 0
    assert len(ask(address, "SELECT * FROM twice.domains")) == len(rows_of(graph, "domains"))


def test_a_damaged_graph_leaves_the_database_as_it_was(graph: Path, address: str, tmp_path: Path) -> None:
    damaged = tmp_path / "graph"
    shutil.copytree(graph, damaged)
    (damaged / "domains" / "nodes.parquet").write_bytes(b"PAR1" * 10)
    summary = damaged / "graph.json"
    size = (graph / "domains" / "nodes.parquet").stat().st_size
    summary.write_text(summary.read_text().replace(f'"bytes": {size}', '"bytes": 40'))
    assert main(["export", str(damaged), "--to", address, "--schema", "damaged"]) == 2
    assert tables_in(address, "damaged") == set()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_an_export_that_ends_early_leaves_nothing(graph: Path, address: str, ending: int) -> None:
    command = [sys.executable, "-c", SLOWLY, "export", str(graph), "--to", address, "--schema", "early"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        os.kill(process.pid, ending)
        process.communicate(timeout=30)
    assert process.returncode == (130 if ending == signal.SIGINT else -signal.SIGKILL)
    assert tables_in(address, "early") == set()


def test_a_server_that_is_not_there_is_one_sentence(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = f"postgresql://anna:secret@/italy?host={tmp_path}"
    assert main(["export", str(graph), "--to", to]) == 2
    said = capsys.readouterr().err
    assert said.startswith("PostgreSQL cannot be reached: ")
    assert said.count("\n") == 1
    assert "secret" not in said


def test_an_address_that_cannot_be_parsed_is_not_shown(
    graph: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(graph), "--to", "postgresql://anna:se cret@/italy"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        "--to is no address that PostgreSQL can parse: expected postgresql://USER@HOST/DATABASE"
    )
    assert "cret" not in said

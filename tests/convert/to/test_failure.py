import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from webgraph_it.cli.shell.mistakes import Failure, of_system
from webgraph_it.convert.sources import ConvertError
from webgraph_it.convert.to.failure import DatabaseError, library


def test_what_a_database_refuses_is_a_failure_in_one_sentence() -> None:
    failure = of_system(DatabaseError("SQLite", sqlite3.OperationalError("disk I/O error\nHINT: none")))
    assert isinstance(failure, Failure)
    assert str(failure) == "SQLite failed, and nothing was written: disk I/O error"


def test_a_package_that_is_missing_is_named_with_its_extra() -> None:
    with pytest.raises(
        ConvertError, match=r"package no_such is not installed.*pip install 'webgraph_it\[none\]'"
    ):
        library("no_such", "none")


@pytest.mark.parametrize("name", ["x.sqlite", "x.duckdb", "x.csv", "x.parquet"])
def test_a_file_that_may_not_grow_ends_in_one_sentence_and_leaves_nothing(
    graph: Path, tmp_path: Path, name: str
) -> None:
    """A limit on the size of files stands in for a full disk."""
    if name.endswith("duckdb"):
        pytest.importorskip("duckdb")
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
        "from webgraph_it.cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", script, "export", str(graph), "--to", str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

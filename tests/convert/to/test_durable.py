"""An export is on disk before its name appears, and the name is on disk before the command ends: seen by strace."""

import sys
from pathlib import Path

import pytest

from tests.syscalls import needs_strace, trace

EXPORT = [sys.executable, "-m", "webgraph_it", "export"]


@needs_strace
@pytest.mark.parametrize("name", ["x.sqlite", "x.duckdb", "x.csv", "x.parquet"])
def test_a_file_is_synced_before_its_name_and_its_folder_after(
    graph: Path, tmp_path: Path, name: str
) -> None:
    if name.endswith("duckdb"):
        pytest.importorskip("duckdb")
    to = tmp_path / name
    calls = trace([*EXPORT, str(graph), "--to", str(to)], tmp_path / "log")
    renamed = [
        (number, *call.paths)
        for number, call in enumerate(calls)
        if call.name.startswith("rename") and call.paths[1].startswith(str(to))
    ]
    assert len(renamed) == (6 if name.endswith("csv") else 1)
    for number, old, new in renamed:
        assert [call for call in calls[:number] if call.name == "fsync" and call.paths[0] == old]
        folder = str(Path(new).parent)
        assert [call for call in calls[number:] if call.name == "fsync" and call.paths[0] == folder]

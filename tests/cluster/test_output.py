"""The folder of a result: what is refused before Spark starts, and what is left alone."""

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from tests.convert.crawls import write_crawl
from webgraph_it.cluster import output
from webgraph_it.cluster.output import MARK, Result, claimed
from webgraph_it.cluster.session import ClusterError
from webgraph_it.progress import Progress


class Table:
    """Writes its rows as Spark's DataFrame does, or fails in the middle of it."""

    def __init__(self, *rows: int, fails: bool = False) -> None:
        self.rows, self.fails = rows, fails
        self.write = self

    def mode(self, _: str) -> Self:
        return self

    def parquet(self, path: str) -> None:
        folder = Path(path)
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"a": self.rows}), folder / "part-00000-1f-c000.snappy.parquet")
        (folder / ".part-00000-1f-c000.snappy.parquet.crc").touch()
        if self.fails:
            raise RuntimeError("a task failed")
        (folder / "_SUCCESS").touch()


def rows_of(folder: Path) -> list[int]:
    found: list[int] = pq.read_table(folder)["a"].to_pylist()
    return found


def claim(out: Path) -> AbstractContextManager[Result]:
    return claimed(str(out), ["hosts"], Progress())


def make(out: Path, *tables: Table) -> None:
    """What a command with a marker does: hosts/0, hosts/1 …"""
    with claim(out) as result:
        for number, table in enumerate(tables):
            result.write(table, f"hosts/{number}")  # type: ignore[arg-type]
        result.publish(["hosts"], "ids.json", {"tables": len(tables)})


@pytest.mark.parametrize("only_files_move", [(), ("local",)])
def test_a_result_replaces_the_earlier_one_when_it_is_whole(
    only_files_move: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "ONLY_FILES_MOVE", only_files_move)
    make(tmp_path, Table(1), Table(2), Table(3))
    with pytest.raises(RuntimeError):
        make(tmp_path, Table(4), Table(5, fails=True))
    assert [rows_of(tmp_path / f"hosts/{number}") for number in range(3)] == [[1], [2], [3]]
    assert json.loads((tmp_path / "ids.json").read_text()) == {
        "tables": 3,
        "rows": dict.fromkeys(["hosts/0", "hosts/1", "hosts/2"], 1),
    }
    make(tmp_path, Table(6), Table(7))
    assert [rows_of(folder) for folder in sorted((tmp_path / "hosts").iterdir())] == [[6], [7]]
    assert json.loads((tmp_path / "ids.json").read_text()) == {
        "tables": 2,
        "rows": dict.fromkeys(["hosts/0", "hosts/1"], 1),
    }
    assert {path.name for path in tmp_path.iterdir()} == {MARK, "hosts", "ids.json"}


def test_a_result_is_replaced_on_a_file_system_of_another_machine() -> None:
    system = fs._MockFileSystem()
    for folder, content in (("out/hosts", b"old"), ("out/.new/hosts", b"new")):
        system.create_dir(f"{folder}/nodes", recursive=True)
        with system.open_output_stream(f"{folder}/nodes/part-00000.parquet") as file:
            file.write(content)
    output._replace(system, "out/.new/hosts", "out/hosts", "out/.new/.old/hosts")
    with system.open_input_stream("out/hosts/nodes/part-00000.parquet") as file:
        assert file.read() == b"new"


def test_a_table_says_how_many_rows_it_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path, Table(1, 2, 3))
    first, second = capsys.readouterr().err.splitlines()
    assert (first, second.partition(" (")[0]) == ("writing hosts/0", "hosts/0: 3 rows")


@pytest.mark.parametrize("name", ["hosts/0/notes.txt", "hosts/.mine", "hosts/sub/part-list.txt", "hosts"])
def test_a_file_of_somebody_in_place_of_a_result_is_refused(name: str, tmp_path: Path) -> None:
    with claim(tmp_path / "out"):
        pass
    (tmp_path / "out/notes.txt").write_text("beside the results, and so nobody's matter")
    file = tmp_path / "out" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mine")
    with pytest.raises(ClusterError, match=f"has {name}, which webgraph-it cluster did not make"):
        make(tmp_path / "out", Table(1))
    assert file.read_text() == "mine"


def test_what_a_killed_spark_left_is_replaced(tmp_path: Path) -> None:
    make(tmp_path, Table(1))
    left = tmp_path / "hosts/0/_temporary/0/task_1/part-00000.snappy.parquet"
    for file in (left, tmp_path / ".new/hosts/7/part-00000.parquet", left.with_name("x")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    make(tmp_path, Table(2))
    assert rows_of(tmp_path / "hosts") == [2]


def test_a_new_folder_is_claimed_and_may_be_claimed_again(tmp_path: Path) -> None:
    for _ in range(2):
        with claim(tmp_path / "deep/out"):
            (tmp_path / "deep/out/degrees").mkdir(exist_ok=True)
    assert (tmp_path / "deep/out" / MARK).exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "degrees").mkdir()
    (tmp_path / "degrees/mine.txt").write_text("mine")
    with (
        pytest.raises(ClusterError, match="has files that webgraph-it cluster did not make"),
        claim(tmp_path),
    ):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["degrees", "mine.txt"]


def test_one_command_at_a_time_writes_a_folder(tmp_path: Path) -> None:
    out = tmp_path
    with claim(out), pytest.raises(ClusterError, match="Another command is writing"), claim(out):
        pass
    with claim(tmp_path):
        pass


@pytest.mark.parametrize("name", ["crawl", "crawl/sub/deep", "fleet", "fleet/ranks"])
def test_nothing_is_written_into_a_crawl_directory_or_a_fleet(name: str, tmp_path: Path) -> None:
    write_crawl(tmp_path / "crawl")
    write_crawl(tmp_path / "fleet/member-01")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ClusterError, match="is in the crawl directory"), claim(tmp_path / name):
        pass
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("file", r"--out \S+/file is a file; expected: a folder"),
        ("file/sub", r"--out \S+/sub cannot be used: Not a directory"),
        ("/proc/x", r"--out /proc/x cannot be used: No such file or directory"),
    ],
)
def test_a_place_that_cannot_be_a_folder_is_named(name: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ClusterError, match=found), claim(tmp_path / name):
        pass

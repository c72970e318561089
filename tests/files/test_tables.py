"""Tables that a cluster made are whole, or refused."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from webgraph_it.files.regular import InputError
from webgraph_it.files.tables import batches, check_tables, count_rows


def write(table: Path, *parts: list[int]) -> Path:
    table.mkdir()
    for number, values in enumerate(parts):
        pq.write_table(pa.table({"a": values, "b": values}), table / f"part-{number}.parquet")
    return table


def test_batches_come_in_order_of_files_and_have_what_was_asked(tmp_path: Path) -> None:
    found = [batch.to_pydict() for batch in batches(write(tmp_path / "t", [1, 2], [3]), ["a"])]
    assert found == [{"a": [1, 2]}, {"a": [3]}]


@pytest.mark.parametrize("rows", [{"t": 4}, {"t": "3"}, {"u": 3}, {}, None, [3]])
def test_another_number_of_rows_is_refused(rows: object, tmp_path: Path) -> None:
    write(tmp_path / "t", [1, 2], [3])
    with pytest.raises(InputError, match=r"has 3 rows, expected .*cluster compact"):
        check_tables(tmp_path, rows, ["t"], "cluster compact")


def test_the_right_number_of_rows_is_accepted(tmp_path: Path) -> None:
    write(tmp_path / "t", [1, 2], [3])
    write(tmp_path / "empty")
    check_tables(tmp_path, {"t": 3, "empty": 0}, ["t", "empty"], "cluster compact")


@pytest.mark.parametrize("size", [0, 10, 100])
def test_a_damaged_file_is_named(size: int, tmp_path: Path) -> None:
    part = write(tmp_path / "t", [1], [2]) / "part-1.parquet"
    part.write_bytes(part.read_bytes()[:size])
    for read in (count_rows, lambda table: list(batches(table, ["a"]))):
        with pytest.raises(InputError, match=rf"{part} is damaged"):
            read(tmp_path / "t")

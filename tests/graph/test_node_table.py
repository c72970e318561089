"""nodes.parquet is read row for row, or refused: too few rows, another type, a gap, no Parquet at all."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from webgraph_it.graph import node_table
from webgraph_it.graph.damage import GraphError

SOUND: dict[str, list[Any]] = {"url": ["a", "b", "c"], "host": [0, 0, 1], "depth": [1, None, 2]}


def table(folder: Path, **changes: Any) -> Path:
    path = folder / "nodes.parquet"
    pq.write_table(pa.table({name: values for name, values in (SOUND | changes).items() if values}), path)
    return path


def test_rows_are_read_in_order_whole_or_in_batches(tmp_path: Path) -> None:
    path = table(tmp_path)
    assert node_table.read(path, 3).to_pydict() == SOUND
    assert node_table.read(path, 3, ["host"]).to_pydict() == {"host": [0, 0, 1]}
    assert node_table.columns_of(path, 3) == ["url", "host", "depth"]
    found = node_table.batches(path, 3, ["depth", "url"], batch_rows=2)
    assert [(first, batch.to_pydict()) for first, batch in found] == [
        (0, {"depth": [1, None], "url": ["a", "b"]}),
        (2, {"depth": [2], "url": ["c"]}),
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"url": [1, 2, 3]}, "has a column url of int64"),
        ({"depth": ["1", "2", "3"]}, "has a column depth of string"),
        ({"host": [[0], [0], [1]]}, "has a column host of list"),
        ({"url": ["a", None, "c"]}, "has 1 rows without a url"),
        ({"host": [None, None, 1]}, "has 2 rows without a host"),
        ({"url": None}, "has no column url"),
    ],
)
def test_a_column_of_another_kind_or_with_gaps_is_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    path = table(tmp_path, **changes)
    columns = ["url", "host", "depth"]
    for read in (
        lambda: node_table.read(path, 3, columns),
        lambda: list(node_table.batches(path, 3, columns, 2)),
    ):
        with pytest.raises(GraphError, match=words):
            read()


@pytest.mark.parametrize("rows", [2, 4])
def test_another_number_of_rows_is_refused(tmp_path: Path, rows: int) -> None:
    path = table(tmp_path)
    with pytest.raises(GraphError, match=f"has 3 rows, not one for each of the {rows} nodes"):
        node_table.read(path, rows)


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.99])
def test_a_torn_file_is_refused(tmp_path: Path, kept: float) -> None:
    path = table(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(GraphError, match=r"nodes\.parquet"):
        node_table.read(path, 3)

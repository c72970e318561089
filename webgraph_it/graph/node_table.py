"""Reads nodes.parquet (and ranks.parquet, which analyse makes from it), and refuses damaged ones.

Guarantees: there is one row per node of the graph. The requested columns exist and have the types that
docs/formats.md gives them. Only those in WITH_GAPS have gaps. Anything else is a GraphError.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from webgraph_it.graph.damage import damaged, part_size

TEXT = frozenset({"url", "name", "key", "state", "bow_tie"})
EITHER = frozenset({"host", "domain"})
"""Ids in nodes.parquet, names in ranks.parquet. All other columns are numbers."""
WITH_GAPS = frozenset({"depth", "first_seen", "last_visit"})
TIMES = {"first_seen": pa.types.is_date, "last_visit": pa.types.is_timestamp, "gone": pa.types.is_boolean}
"""Columns of a graph through time that are neither text nor numbers."""


def read(path: Path, rows: int, columns: list[str] | None = None) -> pa.Table:
    """All rows, of all columns or of the given ones."""
    with _file(path, rows, columns) as file, _refusing(path):
        table = file.read(columns=columns)
        for name in table.column_names:
            _check_column(path, name, table[name])
        return table


def batches(
    path: Path, rows: int, columns: list[str], batch_rows: int
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """(first id, some rows of these columns), in order of id."""
    first = 0
    with _file(path, rows, columns) as file, _refusing(path):
        for batch in file.iter_batches(batch_size=batch_rows, columns=columns):
            for name in columns:
                _check_column(path, name, batch.column(name))
            yield first, batch.select(columns)
            first += batch.num_rows
    if first != rows:
        raise damaged(path, f"has {first} rows, not one for each of the {rows} nodes")


def columns_of(path: Path, rows: int) -> list[str]:
    """The names of a table's columns."""
    with _file(path, rows, None) as file:
        return list(file.schema_arrow.names)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, f"cannot be read as Parquet ({type(error).__name__})") from None


@contextmanager
def _file(path: Path, rows: int, columns: list[str] | None) -> Iterator[Any]:
    part_size(path)
    with _refusing(path):
        file = pq.ParquetFile(path)
    with file:
        if file.metadata.num_rows != rows:
            raise damaged(path, f"has {file.metadata.num_rows} rows, not one for each of the {rows} nodes")
        for name in columns or ():
            if name not in file.schema_arrow.names:
                raise damaged(path, f"has no column {name}")
        yield file


def _check_column(path: Path, name: str, column: Any) -> None:
    column.validate(full=True)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    is_time = name in TIMES and TIMES[name](kind)
    if not (
        is_time
        or (is_text and name in TEXT | EITHER)
        or (is_number and name not in TEXT and name not in TIMES)
    ):
        raise damaged(path, f"has a column {name} of {kind}")
    if column.null_count and name not in WITH_GAPS:
        raise damaged(path, f"has {column.null_count} rows without a {name}")

"""Tables of Parquet files that `webgraph-it cluster` made, read by those who take a result over.

    <folder>/ids.json          written last; its member "rows" has the number of rows of each table
    <folder>/nodes/*.parquet   a table, in order of file names

Guarantees: a table that lost a file, or that has a damaged one, is refused before anything is made of it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from webgraph_it.files.received import InputError, is_count

ROWS_AT_ONCE = 65_536


def check_tables(folder: Path, rows: object, names: Sequence[str], command: str) -> None:
    """InputError unless these tables are whole. `rows`: what the marker says; `command`: what makes them again."""
    for name in names:
        expected = rows.get(name) if isinstance(rows, dict) else None
        found = count_rows(folder / name)
        if found != expected:
            said = f"{expected:,}" if is_count(expected) else "a number that is not known"
            raise InputError(
                f"{folder / name} has {found:,} rows, expected {said}: copy the whole folder again, or make it again "
                f"with webgraph-it {command}."
            )


def count_rows(table: Path) -> int:
    """InputError if a file of the table is damaged."""
    total = 0
    for file in _files(table):
        with _opened(file) as parquet:
            total += parquet.metadata.num_rows
    return total


def batches(table: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a table. InputError if a file of it is damaged."""
    for file in _files(table):
        with _opened(file) as parquet:
            try:
                yield from parquet.iter_batches(ROWS_AT_ONCE, columns=list(columns))
            except (pa.ArrowException, OSError) as error:
                raise _damaged(file, error) from None


def _opened(file: Path) -> "pyarrow.parquet.ParquetFile":
    try:
        return pyarrow.parquet.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(file, error) from None


def _damaged(file: Path, error: Exception) -> InputError:
    reason = str(error).partition("\n")[0].rstrip(". ")
    return InputError(
        f"{file} is damaged ({reason}): copy it again, or make it again with webgraph-it cluster."
    )


def _files(table: Path) -> list[Path]:
    return sorted(table.glob("*.parquet"))

"""Tables → an SQLite file.

Guarantees: the file appears when it is complete and on disk; until then it has no journal, for nobody else sees it.
Nodes are found by id and by URL or name, arcs by source and by target, without reading the whole table. The indexes
are sorted in temporary files that SQLite puts where SQLITE_TMPDIR or TMPDIR says.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from webgraph_it.convert.to.failure import DatabaseError
from webgraph_it.convert.to.tables import COUNT, FLAG, ID, STATUS, TEXT, Table
from webgraph_it.files.whole_path import whole_path
from webgraph_it.progress import Progress

CACHE_KB = 64_000
STEPS_BETWEEN_SIGNALS = 1_000_000
"""Of SQLite's machine: Ctrl-C is heard that often while an index is made."""
KINDS = {ID: "INTEGER", COUNT: "INTEGER", STATUS: "INTEGER", TEXT: "TEXT", FLAG: "INTEGER"}


def write_sqlite(tables: Sequence[Table], path: Path, progress: Progress) -> None:
    """Write all tables into a new file."""
    with whole_path(path) as unfinished:
        try:
            with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
                for setting in ("journal_mode=OFF", "synchronous=OFF", f"cache_size=-{CACHE_KB}"):
                    connection.execute(f"PRAGMA {setting}")
                connection.set_progress_handler(lambda: 0, STEPS_BETWEEN_SIGNALS)
                for table in tables:
                    _write(connection, table, progress)
        except sqlite3.Error as error:
            if str(error) == "interrupted":
                raise KeyboardInterrupt from None
            raise DatabaseError("SQLite", error) from error


def _write(connection: sqlite3.Connection, table: Table, progress: Progress) -> None:
    columns = [
        f'"{field.name}" {KINDS[field.type]}{"" if field.nullable else " NOT NULL"}' for field in table.schema
    ]
    is_of_arcs = table.key != ("id",)
    columns.append(f"PRIMARY KEY ({', '.join(table.key)})")
    kind = " WITHOUT ROWID" if is_of_arcs else ""
    connection.execute(f"CREATE TABLE {table.name} ({', '.join(columns)}){kind}")
    connection.execute("BEGIN")
    places = ", ".join("?" * len(table.schema))
    connection.executemany(f"INSERT INTO {table.name} VALUES ({places})", _rows(table, progress))
    indexed = "target" if is_of_arcs else "name" if "name" in table.schema.names else "url"
    progress.begin(f"{table.name}, index of {indexed}")
    connection.execute(f"CREATE INDEX {table.name}_{indexed} ON {table.name} ({indexed})")
    connection.execute("COMMIT")


def _rows(table: Table, progress: Progress) -> Iterator[tuple[Any, ...]]:
    for batch in table.read(progress):
        yield from zip(*(_values(column) for column in batch.columns), strict=True)


def _values(column: pa.Array) -> list[Any]:
    """numpy makes Python's numbers several times as fast as pyarrow."""
    is_number = pa.types.is_integer(column.type) and not column.null_count
    values: list[Any] = column.to_numpy().tolist() if is_number else column.to_pylist()
    return values

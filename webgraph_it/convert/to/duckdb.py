"""Tables → a DuckDB file.

Guarantees: the file appears when it is complete and on disk. DuckDB is given MEMORY_LIMIT and spills into the
folder of the unfinished file. Each batch is a transaction of its own: DuckDB keeps what it was given until the
transaction ends, and nobody sees the file before it is complete. There are no indexes: rows are sorted, and
DuckDB skips the blocks that a query does not need, while an index would have to fit into memory.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from webgraph_it.convert.to.failure import DatabaseError, library
from webgraph_it.convert.to.tables import COUNT, FLAG, ID, STATUS, TEXT, Table
from webgraph_it.files.whole_path import whole_path
from webgraph_it.progress import Progress

MEMORY_LIMIT = "512MB"
PORTION_BYTES = 128 << 20
"""Of rows, before the file is closed and opened again. DuckDB keeps the blocks that it wrote in memory until another
needs the room, so without this it would take all that it is given."""
KINDS = {ID: "UINTEGER", COUNT: "BIGINT", STATUS: "USMALLINT", TEXT: "VARCHAR", FLAG: "BOOLEAN"}


def write_duckdb(tables: Sequence[Table], path: Path, progress: Progress) -> None:
    """Write all tables into a new file."""
    duckdb = library("duckdb", "duckdb")
    with whole_path(path) as unfinished:
        config = {"memory_limit": MEMORY_LIMIT, "temp_directory": str(unfinished.with_name("spilled"))}
        try:
            for table in tables:
                _write(lambda: duckdb.connect(str(unfinished), config=config), table, progress)
        except duckdb.Error as error:
            raise DatabaseError("DuckDB", error) from error


def _write(connect: Callable[[], Any], table: Table, progress: Progress) -> None:
    columns = ", ".join(
        f'"{field.name}" {KINDS[field.type]}{"" if field.nullable else " NOT NULL"}' for field in table.schema
    )
    batches = table.read(progress)
    with connect() as connection:
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
        is_left = _insert(connection, table.name, batches)
    while is_left:
        with connect() as connection:
            is_left = _insert(connection, table.name, batches)


def _insert(connection: Any, name: str, batches: Iterator[pa.RecordBatch]) -> bool:
    """Write about PORTION_BYTES of the rows. False: there are no more."""
    written = 0
    for batch in batches:
        connection.register("batch", pa.Table.from_batches([batch]))
        connection.execute(f"INSERT INTO {name} FROM batch")
        connection.unregister("batch")
        written += batch.nbytes
        if written >= PORTION_BYTES:
            break
    connection.execute("CHECKPOINT")
    return written >= PORTION_BYTES

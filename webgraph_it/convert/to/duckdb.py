"""Tables → a DuckDB file.

Guarantees: the file appears when it is complete and on disk. DuckDB is given MEMORY_LIMIT and spills into the
folder of the unfinished file. Each batch is a transaction of its own: DuckDB keeps what it was given until the
transaction ends, and nobody sees the file before it is complete. There are no indexes: rows are sorted, and
DuckDB skips the blocks that a query does not need, while an index would have to fit into memory.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from webgraph_it.convert.to.failure import DatabaseError, library
from webgraph_it.convert.to.tables import COUNT, FLAG, ID, STATUS, TEXT, Table
from webgraph_it.files.whole_path import whole_path
from webgraph_it.progress import Progress

MEMORY_LIMIT = "512MB"
KINDS = {ID: "UINTEGER", COUNT: "BIGINT", STATUS: "USMALLINT", TEXT: "VARCHAR", FLAG: "BOOLEAN"}


def write_duckdb(tables: Sequence[Table], path: Path, progress: Progress) -> None:
    """Write all tables into a new file."""
    duckdb = library("duckdb", "duckdb")
    with whole_path(path) as unfinished:
        spilled = str(unfinished.with_name("spilled"))
        try:
            with duckdb.connect(
                str(unfinished), config={"memory_limit": MEMORY_LIMIT, "temp_directory": spilled}
            ) as connection:
                for table in tables:
                    _write(connection, table, progress)
                connection.execute("CHECKPOINT")
        except duckdb.Error as error:
            raise DatabaseError("DuckDB", error) from error


def _write(connection: Any, table: Table, progress: Progress) -> None:
    columns = ", ".join(
        f'"{field.name}" {KINDS[field.type]}{"" if field.nullable else " NOT NULL"}' for field in table.schema
    )
    connection.execute(f"CREATE TABLE {table.name} ({columns})")
    for batch in table.read(progress):
        connection.register("batch", pa.Table.from_batches([batch]))
        connection.execute(f"INSERT INTO {table.name} FROM batch")
        connection.unregister("batch")

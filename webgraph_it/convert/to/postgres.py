"""Tables → PostgreSQL, by COPY.

Guarantees: one transaction, so that others see all tables or none, and after an error, Ctrl-C or a lost connection
the database is what it was. A table that exists is replaced only if that was asked for. Nodes are found by id and by
URL or name, arcs by source and by target. The index of text is a hash: a URL may be longer than a B-tree takes.
Of an address that PostgreSQL cannot parse nothing is shown: it may hold a password.
"""

from collections.abc import Sequence
from typing import Any

from webgraph_it.convert.sources import ConvertError
from webgraph_it.convert.to.csv import lines
from webgraph_it.convert.to.failure import DatabaseError, library
from webgraph_it.convert.to.tables import COUNT, FLAG, ID, STATUS, TEXT, Table
from webgraph_it.progress import Progress

KINDS = {ID: "integer", COUNT: "bigint", STATUS: "integer", TEXT: "text", FLAG: "boolean"}


def write_postgres(
    tables: Sequence[Table], address: str, schema: str | None, replace: bool, progress: Progress
) -> str:
    """Write all tables; returns where they are: `database.schema`."""
    psycopg = library("psycopg", "postgres")
    try:
        connection = psycopg.connect(address, client_encoding="UTF8", application_name="webgraph-it export")
    except psycopg.ProgrammingError:
        raise ConvertError(
            "--to is no address that PostgreSQL can parse: expected postgresql://USER@HOST/DATABASE, "
            "with % escapes for spaces and the like."
        ) from None
    except psycopg.Error as error:
        words = str(error).strip().splitlines()[0]
        raise ConvertError(
            f"PostgreSQL cannot be reached: {words}; check --to postgresql://USER@HOST/DATABASE."
        ) from None
    try:
        with connection:  # commits at its end, or rolls back
            place = _place(connection, schema)
            for table in tables:
                _write(connection, table, replace, progress)
            progress.begin("commit")
    except psycopg.errors.DuplicateTable as error:
        words = str(error).strip().splitlines()[0]
        raise ConvertError(
            f"PostgreSQL says that {words}: give --replace to replace the tables of an earlier export, "
            "or --schema NAME for a place of its own."
        ) from None
    except psycopg.Error as error:
        raise DatabaseError("PostgreSQL", error) from error
    return place


def _place(connection: Any, schema: str | None) -> str:
    sql = library("psycopg.sql", "postgres")
    if schema:
        name = sql.Identifier(schema)
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
        connection.execute(sql.SQL("SET LOCAL search_path TO {}").format(name))
    (found,) = connection.execute("SELECT current_schema()").fetchone()
    if found is None:
        raise ConvertError("The connection has no schema to write to: give one with --schema NAME.")
    return f"{connection.info.dbname}.{found}"


def _write(connection: Any, table: Table, replace: bool, progress: Progress) -> None:
    columns = ", ".join(
        f'"{field.name}" {KINDS[field.type]}{"" if field.nullable else " NOT NULL"}' for field in table.schema
    )
    if replace:
        connection.execute(f"DROP TABLE IF EXISTS {table.name}")
    connection.execute(f"CREATE TABLE {table.name} ({columns})")
    with connection.cursor() as cursor, cursor.copy(f"COPY {table.name} FROM STDIN (FORMAT csv)") as copy:
        for batch in table.read(progress):
            copy.write(lines(batch))
    progress.begin(f"{table.name}, indexes")
    connection.execute(f"ALTER TABLE {table.name} ADD PRIMARY KEY ({', '.join(table.key)})")
    text = "name" if "name" in table.schema.names else "url"
    indexed = "(target)" if table.key != ("id",) else f"USING hash ({text})"
    connection.execute(f"CREATE INDEX ON {table.name} {indexed}")
    connection.execute(f"ANALYZE {table.name}")

"""Tables → a folder of CSV files: nodes.csv, arcs.csv and so on, with a line of names at the top.

Guarantees: all files are complete before the first of them appears. UTF-8, comma, LF; text is in double quotes; nothing
between two commas is null. PostgreSQL's `COPY … (FORMAT csv)` reads the same lines.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from webgraph_it.convert.to.tables import Table
from webgraph_it.files.own import SHARED_MODE, whole_file
from webgraph_it.progress import Progress


def write_csv(tables: Sequence[Table], folder: Path, progress: Progress) -> None:
    """Write every table into its file."""
    with ExitStack() as finished:
        for table in tables:
            file = finished.enter_context(whole_file(folder / f"{table.name}.csv", SHARED_MODE))
            file.write(",".join(table.schema.names).encode() + b"\n")
            for batch in table.read(progress):
                file.write(lines(batch))


def lines(batch: pa.RecordBatch) -> bytes:
    """Some rows, without a line of names."""
    buffer = BytesIO()
    pyarrow.csv.write_csv(batch, buffer, pyarrow.csv.WriteOptions(include_header=False))
    return buffer.getvalue()

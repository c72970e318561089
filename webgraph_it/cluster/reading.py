"""A task's bytes → Arrow batches. These functions run in Spark's workers and know nothing of Spark.

Guarantees: each sequence and each line is read by exactly one task, wherever the splits fall. A split may begin
inside a sequence: its task skips the children before the first parent, and reads the last sequence to its end, beyond
the split.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from webgraph_it.cluster.sources import FILE_BITS, Split, Task, opened
from webgraph_it.convert.arrow import strings
from webgraph_it.convert.kernels import digests
from webgraph_it.convert.lines import LINKED, LISTED, TIMED_RUN, TRIED, Piece, rows_of
from webgraph_it.shards.formats import (
    DIGEST_BYTES,
    LINKS_FOLDER,
    PAGES_FOLDER,
    PARENT_BIT,
    URLS_FOLDER,
    Part,
    ShardError,
)

Words = NDArray[np.int64]
SEQUENCE = pa.schema({"high": pa.int64(), "low": pa.int64(), "position": pa.int64(), "children": pa.binary()})
"""A parent, and the digests of its children, one after another."""
LINE = pa.schema(
    {
        "high": pa.int64(),
        "low": pa.int64(),
        "key": pa.string(),
        "url": pa.string(),
        "kind": pa.int16(),
        "state": pa.int16(),
        "status": pa.int32(),
        "depth": pa.int64(),
        "position": pa.int64(),
    }
)
"""A line of a URL list, of a link log or of a page log."""
TIMED_LINE = pa.schema([*LINE, *(TIMED_RUN.field(name) for name in ("time", "change", "via"))]).append(
    pa.field("host_depth", pa.int64())
)
"""The same with what a re-crawl needs of a page log."""
KINDS = {URLS_FOLDER: LISTED, LINKS_FOLDER: LINKED, PAGES_FOLDER: TRIED}
RECORD = pa.schema({name: pa.int64() for name in ("high", "low", "position")})
"""A parent or a child."""
ARC = pa.schema({name: pa.int64() for name in ("high", "low", "to_high", "to_low")})
ROWS_PER_BATCH = 8192
AHEAD_BYTES = 1 << 16
_MIX = np.uint64(0x9E3779B97F4A7C15)


def records(task: Task) -> Iterator[pa.RecordBatch]:
    """Every record of these splits of shards."""
    for split in task:
        system, path = opened(split.uri)
        with system.open_input_file(path) as file:
            high, low = words(_records(file, split.start, split.stop))
        first = (split.file << FILE_BITS) + split.start // DIGEST_BYTES
        columns = [high, low, np.arange(first, first + len(high), dtype=np.int64)]
        yield from pa.table([pa.array(column) for column in columns], schema=RECORD).to_batches(
            max_chunksize=8 * ROWS_PER_BATCH
        )


def sequences(task: Task) -> Iterator[pa.RecordBatch]:
    """The sequences that begin in these splits of shards."""
    for split in task:
        system, path = opened(split.uri)
        with system.open_input_file(path) as file:
            yield from _sequences(split, _with_last_children(split, file))


def _with_last_children(split: Split, file: pa.NativeFile) -> NDArray[np.uint8]:
    """The records from the first parent of the split to the last child of its last one."""
    records = _records(file, split.start, split.stop)
    flags = records[:, 0] & PARENT_BIT
    if split.start == 0 and not flags[0]:
        raise ShardError(f"{split.uri} starts with a child that has no parent: it was cut at its front.")
    if not flags.any():
        return records[:0]
    pieces, at = [records[int(np.argmax(flags > 0)) :]], split.stop
    while at < split.length:
        ahead = _records(file, at, min(at + AHEAD_BYTES, split.length))
        parents = np.flatnonzero(ahead[:, 0] & PARENT_BIT)
        pieces.append(ahead[: parents[0]] if len(parents) else ahead)
        if len(parents):
            break
        at += ahead.nbytes
    return np.concatenate(pieces)


def _records(file: pa.NativeFile, start: int, stop: int) -> NDArray[np.uint8]:
    data = file.read_at(stop - start, start)
    if len(data) != stop - start:
        raise ShardError("a shard became shorter while it was read.")
    return np.frombuffer(data, np.uint8).reshape(-1, DIGEST_BYTES)


def _sequences(split: Split, records: NDArray[np.uint8]) -> Iterator[pa.RecordBatch]:
    parents = np.flatnonzero(records[:, 0] & PARENT_BIT)
    ends = np.append(parents[1:], len(records)) - np.arange(1, len(parents) + 1)
    children = records[(records[:, 0] & PARENT_BIT) == 0]
    high, low = words(records[parents])
    position = (split.file << FILE_BITS) + split.start // DIGEST_BYTES + parents
    starts = np.concatenate([[0], ends])
    for first in range(0, len(parents), ROWS_PER_BATCH):
        rows = slice(first, first + ROWS_PER_BATCH)
        offsets = starts[first : first + ROWS_PER_BATCH + 1]
        inside = children[offsets[0] : offsets[-1]]
        lists = pa.Array.from_buffers(
            pa.binary(),
            len(offsets) - 1,
            [
                None,
                pa.py_buffer(((offsets - offsets[0]) * DIGEST_BYTES).astype(np.int32)),
                pa.py_buffer(np.ascontiguousarray(inside)),
            ],
        )
        columns = [
            pa.array(high[rows]),
            pa.array(low[rows]),
            pa.array(position[rows].astype(np.int64)),
            lists,
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=SEQUENCE)


def words(records: NDArray[np.uint8]) -> tuple[Words, Words]:
    """Digests as two numbers each. The parent's bit is cleared. Ordered by (high, low as unsigned), as the bytes."""
    both = np.ascontiguousarray(records).view(">u8").astype(np.uint64).reshape(-1, 2)
    return (both[:, 0] & np.uint64((1 << 63) - 1)).astype(np.int64), both[:, 1].view(np.int64)


def arcs(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The arcs of sequences, each once."""
    for batch in batches:
        row, high, low = children_of(batch["children"])
        keep = distinct(row, high, low)
        source = row[keep]
        columns = [batch["high"].to_numpy()[source], batch["low"].to_numpy()[source], high[keep], low[keep]]
        for first in range(0, len(source), 8 * ROWS_PER_BATCH):
            part = [pa.array(column[first : first + 8 * ROWS_PER_BATCH]) for column in columns]
            yield pa.RecordBatch.from_arrays(part, schema=ARC)


def children_of(lists: pa.Array) -> tuple[NDArray[np.int64], Words, Words]:
    """(row, high, low) of each child in a column of lists."""
    binary = lists.cast(pa.binary()) if lists.type != pa.binary() else lists
    _, offsets, data = binary.buffers()
    bounds = np.frombuffer(offsets, np.int32)[binary.offset : binary.offset + len(binary) + 1].astype(
        np.int64
    )
    bytes_of = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    records = bytes_of[bounds[0] : bounds[-1]].reshape(-1, DIGEST_BYTES)
    row = np.repeat(np.arange(len(binary)), np.diff(bounds) // DIGEST_BYTES)
    return row, *words(records)


def distinct(row: NDArray[np.int64], high: Words, low: Words) -> NDArray[np.int64]:
    """The places of the first of equal (row, high, low), in order."""
    mixed = np.sort(low.view(np.uint64) ^ (row.astype(np.uint64) * _MIX))
    if not (mixed[1:] == mixed[:-1]).any():  # all differ, so no two are equal
        return np.arange(len(row))
    order = np.lexsort((low, high, row))
    same = (
        (row[order][1:] == row[order][:-1])
        & (high[order][1:] == high[order][:-1])
        & (low[order][1:] == low[order][:-1])
    )
    return np.sort(order[np.concatenate([[True], ~same])])


def timed_lines(task: Task) -> Iterator[pa.RecordBatch]:
    """The same, with the times of visits."""
    return lines(task, TIMED_LINE)


def lines(task: Task, schema: pa.Schema = LINE) -> Iterator[pa.RecordBatch]:
    """The lines that begin in these splits of URL lists, link logs and page logs."""
    for split in task:
        system, path = opened(split.uri)
        with system.open_input_file(path) as file:
            text, start = _lines(split, file)
        piece = Piece(
            Part(Path(path), split.length), split.start, split.stop, KINDS[split.stream], schema is TIMED_LINE
        )
        table = rows_of(piece, text)
        key = table["key"].combine_chunks()
        names, out = strings(key), np.empty((len(key), DIGEST_BYTES), np.uint8)
        digests(names.offsets, names.data, out)
        high, low = words(out)
        first = (split.file << FILE_BITS) + start
        position = np.arange(first, first + len(key), dtype=np.int64)
        columns = {"high": high, "low": low, "position": position} | {
            name: table[name] for name in table.column_names
        }
        made = pa.table([_array(columns[field.name]).cast(field.type) for field in schema], schema=schema)
        yield from made.to_batches(max_chunksize=ROWS_PER_BATCH)


def _array(column: "pa.ChunkedArray | NDArray[np.int64]") -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else pa.array(column)


def _lines(split: Split, file: pa.NativeFile) -> tuple[bytes, int]:
    """The lines that begin in the split, and where the first of them begins."""
    before = max(split.start - 1, 0)
    data, at = file.read_at(split.stop - before, before), split.stop
    while at < split.length and not data.endswith(b"\n"):
        data += file.read_at(min(AHEAD_BYTES, split.length - at), at)
        line_end = data.find(b"\n", at - before)
        at = min(at + AHEAD_BYTES, split.length)
        if line_end >= 0:
            data = data[: line_end + 1]
            break
    skipped = data.find(b"\n") + 1 if split.start else 0
    if split.start and (not skipped or before + skipped >= split.stop):
        return b"", split.stop  # no line begins here
    return data[skipped:], before + skipped

"""What links say: the lines of `anchors/` → anchors.parquet and labels.u8. Only for crawls that have such lines.

    lines ─► ids of source and target ─► files by ranges of the source ─► each sorted in memory

Guarantees: anchors.parquet has a row for each text of each arc, once, in order of source, target and text. labels.u8
has a byte for each arc, in the order of targets.u32. Lines of arcs that the graph does not have (a later crawl replaced
their page) are left out. Memory is bounded like that of the other steps. The other files do not depend on this.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from webgraph_it.convert import kernels, mapping
from webgraph_it.convert.job import Job
from webgraph_it.graph.csr import (
    LABELS,
    NOFOLLOW,
    OFFSET_TYPE,
    OFFSETS,
    TARGET_TYPE,
    TARGETS,
    Array,
    open_array,
)
from webgraph_it.shards.formats import DIGEST_BYTES, Part, ShardError

TEXTS = "anchors.parquet"
CHUNK_BYTES = 4 << 20
BYTES_PER_BYTE = 6
"""Approximate memory needed to sort a byte of the lines."""
MAX_PARTS = 256
ROWS_PER_GROUP = 1 << 20
LINES = pa.schema({"source": pa.binary(), "target": pa.binary(), "label": pa.string(), "text": pa.string()})
ROWS = pa.schema({"source": pa.uint32(), "target": pa.uint32(), "label": pa.uint8(), "text": pa.string()})
SCHEMA = pa.schema({"source": pa.uint32(), "target": pa.uint32(), "text": pa.string()})
HEX_DIGITS = 2 * DIGEST_BYTES
HEX = np.full(256, 255, np.uint8)
HEX[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)


def has_anchors(job: Job) -> bool:
    """Whether a crawl has kept what its links say. A graph through time has no such files: they have no times."""
    return bool(job.sources.anchors) and not job.sources.timed


def make_anchors(job: Job) -> None:
    """The step: see the module."""
    ids = job.staging / "anchor-ids.u32"
    job.progress.expect(sum(part.length for part in job.sources.anchors))
    _look_up(job, ids)
    parts = _partition(job, ids)
    arcs = job.counts["arcs"]
    offsets = open_array(job.out / OFFSETS, OFFSET_TYPE).view(np.int64)
    targets = open_array(job.out / TARGETS, TARGET_TYPE)
    with ExitStack() as stack:
        (job.staging / LABELS).write_bytes(b"")
        labels = (
            np.memmap(job.staging / LABELS, np.uint8, "w+", shape=(arcs,)) if arcs else np.empty(0, np.uint8)
        )
        writer = stack.enter_context(
            pyarrow.parquet.ParquetWriter(job.staging / TEXTS, SCHEMA, compression="zstd")
        )
        texts = 0
        for part in parts:
            table = _with_arcs(_read(part), offsets, targets, labels)
            writer.write_table(table, ROWS_PER_GROUP)
            texts += len(table)
        nofollow = int(np.count_nonzero(labels))
        if isinstance(labels, np.memmap):
            labels.flush()
    job.counts.update({"anchor_texts": texts, "nofollow_arcs": nofollow})


# -- lines ----------------------------------------------------------------------------------------------------


def _chunks(parts: tuple[Part, ...]) -> Iterator[tuple[Part, bytes]]:
    """Whole lines, some at a time."""
    for part in parts:
        left, rest = part.length, b""
        with part.path.open("rb") as file:
            while left and (data := file.read(min(CHUNK_BYTES, left))):
                left -= len(data)
                lines, newline, rest = (rest + data).rpartition(b"\n")
                if newline:
                    yield part, lines + newline
        if rest:
            raise ShardError(
                f"{part.path} is torn: its {part.length} bytes end within a line. Resume the crawl once."
            )


def _table(part: Part, lines: bytes) -> pa.Table:
    try:
        return pyarrow.csv.read_csv(
            BytesIO(lines),
            pyarrow.csv.ReadOptions(column_names=LINES.names, block_size=len(lines) + 1),
            pyarrow.csv.ParseOptions(
                delimiter="\t", quote_char=False, escape_char=False, ignore_empty_lines=False
            ),
            pyarrow.csv.ConvertOptions(column_types=LINES, strings_can_be_null=False),
        ).combine_chunks()
    except pa.ArrowInvalid:
        raise _not_anchors(part) from None


def _not_anchors(part: Part) -> ShardError:
    return ShardError(
        f"{part.path} has a line that is not `digest TAB digest TAB label TAB text`: restore the file from a copy."
    )


def _words(part: Part, column: pa.ChunkedArray) -> Array:
    """Digests in hex as pairs of words."""
    if len(column) and pc.min_max(pc.binary_length(column)).as_py() != {"min": HEX_DIGITS, "max": HEX_DIGITS}:
        raise _not_anchors(part)
    letters = np.frombuffer(b"".join(column.to_pylist()), np.uint8).reshape(-1, 2)
    halves = HEX[letters]
    if (halves == 255).any():
        raise _not_anchors(part)
    return (halves[:, 0] << 4 | halves[:, 1]).view(np.uint64).reshape(-1, 2)


# -- ids ------------------------------------------------------------------------------------------------------


def _look_up(job: Job, path: Path) -> None:
    """Write the ids of source and target of each line. In several passes, if the index exceeds the memory."""
    nodes = job.counts["nodes"]
    passes = mapping.passes_for(nodes, job.budget_bytes)
    path.write_bytes(b"")
    for number in range(passes):
        index = mapping.build_index(job.out / ".work" / "digests.bin", nodes, number, passes)
        with path.open("r+b") as file:
            for part, lines in _chunks(job.sources.anchors):
                table = _table(part, lines)
                start = file.tell()
                for name in ("source", "target"):
                    ids = np.fromfile(file, np.uint32, len(table)) if number else _unknown(len(table))
                    index.resolve(_words(part, table[name]), ids)
                    file.seek(start)
                    ids.tofile(file)
                    start = file.tell()


def _unknown(rows: int) -> Array:
    return np.full(rows, kernels.UNKNOWN, np.uint32)


def _partition(job: Job, ids: Path) -> list[Path]:
    """Files of rows by ranges of the source, each small enough to be sorted in memory."""
    size = sum(part.length for part in job.sources.anchors)
    count = min(size * BYTES_PER_BYTE // job.budget_bytes + 1, MAX_PARTS)
    width = max(-(-job.counts["nodes"] // count), 1)
    paths = [job.staging / f"anchors-{number:03d}.arrow" for number in range(count)]
    with ExitStack() as stack, ids.open("rb") as file:
        writers = [stack.enter_context(pyarrow.ipc.new_stream(str(path), ROWS)) for path in paths]
        done = 0
        for part, lines in _chunks(job.sources.anchors):
            table = _table(part, lines)
            sources, targets = (np.fromfile(file, np.uint32, len(table)) for _ in range(2))
            labels = pc.equal(table["label"], "n").cast(pa.uint8())
            rows = pa.table([sources, targets, labels, table["text"]], schema=ROWS)
            known = (sources != kernels.UNKNOWN) & (targets != kernels.UNKNOWN)
            for number in np.unique(sources[known] // width).tolist():
                here = known & (sources // width == number)
                writers[number].write_table(rows.filter(pa.array(here)))
            done += len(lines)
            job.progress.at(done)
    ids.unlink()
    return paths


# -- rows -----------------------------------------------------------------------------------------------------


def _read(path: Path) -> pa.Table:
    with pyarrow.ipc.open_stream(str(path)) as reader:
        table = reader.read_all()
    path.unlink()
    return table


def _with_arcs(rows: pa.Table, offsets: Array, targets: Array, labels: Array) -> pa.Table:
    """The texts of arcs, each once, sorted. Marks the arcs that are labelled."""
    places = arc_places(
        offsets, targets, rows["source"].to_numpy().astype(np.int64), rows["target"].to_numpy()
    )
    labelled = rows["label"].to_numpy() != 0
    labels[places[labelled & (places >= 0)]] |= NOFOLLOW
    said = pc.and_(pa.array(places >= 0), pc.not_equal(rows["text"], ""))
    texts = rows.filter(said).select(SCHEMA.names)
    distinct = texts.group_by(SCHEMA.names, use_threads=False).aggregate([])
    return distinct.sort_by([(name, "ascending") for name in SCHEMA.names]).cast(SCHEMA)


def arc_places(offsets: Array, targets: Array, sources: Array, ends: Array) -> Array:
    """The place of each arc in `targets`; -1 if there is none. All are searched for at once, by halving."""
    low, high = offsets[sources], offsets[sources + 1]
    beyond = high.copy()
    last = max(len(targets) - 1, 0)
    while (open_ := low < high).any():
        middle = (low + high) // 2
        less = open_ & (targets[np.minimum(middle, last)] < ends)
        low, high = np.where(less, middle + 1, low), np.where(open_ & ~less, middle, high)
    is_there = low < beyond
    is_there[is_there] = targets[low[is_there]] == ends[is_there]
    return np.where(is_there, low, -1)

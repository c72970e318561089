"""Shards of digests → sequences of ids, in one pass over the shards (more if the index exceeds the memory).

The index of digests stays in memory: 12 bytes per node and a bucket table. The shards stream through it,
several chunks at a time. Whole sequences are appended in order to files, one file per range of parent ids.
Each file is small enough to be sorted in memory later. There is no join, and no sort of the arcs.

Guarantees: every record of every shard is in exactly one file of `parts/`, as an id. Sequences of the same
parent keep their order. If a digest is in no URL list, or a shard starts with a child, the step fails and
reports how many there are.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial as partial_function
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webgraph_it.convert import kernels
from webgraph_it.convert.job import Job
from webgraph_it.convert.sources import ConvertError
from webgraph_it.convert.threads import in_order
from webgraph_it.graph.csr import Array
from webgraph_it.shards.formats import DIGEST_BYTES, PARENT_BIT, Part, ShardError

CHUNK_RECORDS = 1 << 20
PIECE_RECORDS = 1 << 16
"""Records read and looked up at a time: one megabyte, which fits in the processor's cache."""
INDEX_BYTES_PER_NODE = 18
ROW_BYTES_PER_RECORD = 10
"""Approximate memory needed to turn one record of a part into a list."""
PART_RECORDS = 1 << 22
"""Approximate maximum size of a part. A small part stays in the cache, and no thread waits long for another."""
MAX_PARTS = 512


@dataclass(frozen=True, slots=True)
class Index:
    """The digests of a range of buckets (see the kernels)."""

    shift: int
    first: int
    starts: Array
    entries: Array

    def resolve(self, words: Array, out: Array) -> None:
        kernels.look_up(words, self.shift, self.first, self.starts, self.entries, out)


class Chunk(NamedTuple):
    """Some records of a shard. `number` is the number of records before it in all shards."""

    part: Part
    start: int
    stop: int
    number: int


def make_parts(job: Job) -> None:
    """The step: see the module."""
    nodes = job.counts["nodes"]
    if (job.out / ".work" / "digests.bin").stat().st_size != nodes * DIGEST_BYTES:
        raise ConvertError(f"{job.work} was left by another conversion: remove it and give the same command.")
    records = sum(part.length for part in job.sources.graph) // DIGEST_BYTES
    passes = passes_for(nodes, job.budget_bytes)
    partial = job.staging / "partial.u32" if passes > 1 else None
    job.progress.expect(records * passes)
    with ExitStack() as stack:
        parts = stack.enter_context(Parts(job.staging / ".work" / "parts", nodes, parts_for(records, job)))
        for number in range(passes):
            index = build_index(job.out / ".work" / "digests.bin", nodes, number, passes)
            last = number == passes - 1
            _stream(job, index, partial, parts if last else None, records * number)
    job.counts.update({"records": records, "passes": passes, "parents_written": parts.parents})


def passes_for(nodes: int, budget_bytes: int) -> int:
    """The number of parts of the index: a power of two, so that a part is a range of top bits."""
    passes = 1
    while nodes * INDEX_BYTES_PER_NODE / passes > budget_bytes // 2:
        passes *= 2
    return passes


def parts_for(records: int, job: Job) -> int:
    """The number of files for the sequences. Each thread sorts one at a time, within the memory budget."""
    needed = records * ROW_BYTES_PER_RECORD * job.threads // job.budget_bytes + 1
    return min(max(needed, records // PART_RECORDS, 2 * job.threads), MAX_PARTS)


def build_index(digests: Path, nodes: int, number: int = 0, passes: int = 1) -> Index:
    """Part `number` of the index of all digests."""
    bits = max((nodes * 3 // 4).bit_length(), passes.bit_length(), 1)
    shift, buckets = 64 - bits, (1 << bits) // passes
    first = number * buckets
    starts = np.zeros(buckets + 1, np.uint32)
    for _, words in _digest_chunks(digests):
        kernels.count_buckets(words, shift, first, starts)
    np.cumsum(starts, out=starts)
    entries = np.empty((int(starts[-1]) + 2, 3), np.uint32)
    entries[-2:] = kernels.UNKNOWN
    for base, words in _digest_chunks(digests):
        kernels.fill_buckets(words, base, shift, first, starts, entries)
    starts[1:] = starts[:-1].copy()
    starts[0] = 0
    one, other = kernels.twin(starts, entries)
    if one >= 0:
        raise ConvertError(
            f"nodes {one} and {other} have the same digest: two keys collide, or one is listed twice."
        )
    return Index(shift, first, starts, entries)


def _digest_chunks(path: Path) -> Iterator[tuple[int, Array]]:
    """(first id, words of the digests) for a million nodes at a time."""
    with path.open("rb") as file:
        base = 0
        while len(words := np.fromfile(file, np.uint64, 2 * CHUNK_RECORDS)):
            yield base, words.reshape(-1, 2)
            base += len(words) // 2


def _stream(job: Job, index: Index, partial: Path | None, parts: "Parts | None", done: int) -> None:
    """One pass over all shards with one part of the index."""
    unknown = Unknown()
    with ExitStack() as stack:
        kept = stack.enter_context(partial.open("r+b" if partial.exists() else "w+b")) if partial else None
        work = partial_function(_resolved, index=index, partial=partial, parts=parts)
        for chunk, values, groups in in_order(work, _chunks(job.sources.graph), job.threads + 1):
            if parts and groups:
                parts.add(values, groups)
            elif parts:
                unknown.look(chunk, values)
            elif kept:
                kept.seek(4 * chunk.number)
                values.tofile(kept)
            job.progress.at(done + chunk.number + len(values))
    unknown.refuse()


def _chunks(shards: tuple[Part, ...]) -> Iterator[Chunk]:
    number = 0
    for part in shards:
        records = part.length // DIGEST_BYTES
        for start in range(0, records, CHUNK_RECORDS):
            stop = min(start + CHUNK_RECORDS, records)
            yield Chunk(part, start, stop, number)
            number += stop - start


def read_words(chunk: Chunk) -> Iterator[tuple[int, Array]]:
    """The digests of a chunk as pairs of words, piece by piece: (first record of the piece, words). Each piece
    overwrites the one before. Refuses a shard that starts with a child."""
    count = chunk.stop - chunk.start
    buffer = np.empty((min(PIECE_RECORDS, count), 2), np.uint64)
    with chunk.part.path.open("rb", buffering=0) as file:
        file.seek(chunk.start * DIGEST_BYTES)
        for first in range(0, count, PIECE_RECORDS):
            words = buffer[: count - first]
            if file.readinto(words.view(np.uint8)) != words.nbytes:  # type: ignore[arg-type]
                raise ShardError(f"{chunk.part.path} became shorter while it was read.")
            if chunk.start == first == 0:
                _refuse_orphans(chunk.part.path, words)
            yield first, words


def _refuse_orphans(path: Path, words: Array) -> None:
    flags = words.view(np.uint8)[:, 0] & PARENT_BIT
    if not flags[0]:
        children = int(np.argmax(np.append(flags, PARENT_BIT) > 0))
        raise ShardError(
            f"{path} starts with {children} children that have no parent: "
            "a shard starts with a parent (first bit 1). The file was cut at its front, or is not a shard."
        )


def _resolved(
    chunk: Chunk, index: Index, partial: Path | None, parts: "Parts | None"
) -> tuple[Chunk, Array, "Groups | None"]:
    """The chunk as ids. They are grouped for `parts`, unless a digest is unknown."""
    count = chunk.stop - chunk.start
    if partial and index.first:
        values = np.fromfile(partial, np.uint32, count, offset=4 * chunk.number)
    else:
        values = np.full(count, kernels.UNKNOWN, np.uint32)
    for first, words in read_words(chunk):
        index.resolve(words, values[first : first + len(words)])
    if not parts or (values == kernels.UNKNOWN).any():
        return chunk, values, None
    return chunk, *parts.group(values)


class Unknown:
    """Counts records that are in no URL list, and remembers the first."""

    def __init__(self) -> None:
        self.count = 0
        self._first = ""

    def look(self, chunk: Chunk, values: Array) -> None:
        where = np.flatnonzero(values == kernels.UNKNOWN)
        if len(where) and not self.count:
            position = chunk.start + int(where[0])
            words = np.fromfile(chunk.part.path, np.uint8, DIGEST_BYTES, offset=position * DIGEST_BYTES)
            self._first = f"{words.tobytes().hex()}, record {position} of {chunk.part.path}"
        self.count += len(where)

    def refuse(self) -> None:
        if self.count:
            raise unlisted(self.count, self._first)


def unlisted(count: int, first: str) -> ShardError:
    """The refusal of records that are in no URL list."""
    return ShardError(
        f"{count} digests in the shards have no URL in the lists. The first is {first}. "
        "A URL list is missing or belongs to another crawl: give all directories of the crawl."
    )


class Groups(NamedTuple):
    """Layout of grouped records: `counts[0]` children of the previous parent, then the records of each part."""

    counts: list[int]
    last: int
    """The part of the last parent; -1 if there is none."""
    parents: int


class Parts:
    """Files of sequences by ranges of their parent's id: `000.seq` holds parents 0 … width-1, and so on."""

    def __init__(self, folder: Path, nodes: int, count: int) -> None:
        self.width = max(-(-nodes // count), 1)
        self.parents = 0
        self._current = 0
        folder.mkdir(parents=True)
        self._files = [
            (folder / f"{number:03d}.seq").open("wb") for number in range(max(-(-nodes // self.width), 1))
        ]
        (folder / "width").write_text(str(self.width))

    def __enter__(self) -> "Parts":
        return self

    def __exit__(self, *exception: object) -> None:
        for file in self._files:
            file.close()

    def group(self, values: Array) -> tuple[Array, Groups]:
        """Group records by part, in order. Any thread may do this."""
        counts, out = np.zeros(len(self._files) + 1, np.int64), np.empty_like(values)
        last, parents = kernels.partition_sequences(values, self.width, counts, out)
        return out, Groups(counts.tolist(), last, parents)

    def add(self, values: Array, groups: Groups) -> None:
        """Write grouped records. The first may be children of the previous parent."""
        start = 0
        for file, count in zip((self._files[self._current], *self._files), groups.counts, strict=True):
            if count:
                values[start : start + count].tofile(file)
            start += count
        self._current = groups.last if groups.parents else self._current
        self.parents += groups.parents

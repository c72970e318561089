"""Numbered files that grow without making the crawl wait: a double-buffered writer, and an unbuffered one.

A crawl keeps three streams (graph, urls, pages) and those that were asked for, each a folder of numbered files. A
record is one sequence of the stream, already encoded. `Shards` keeps them in step and is the only class that touches
the disk:

    crawl thread   write ─► filling buffer ──swap──┐            swap ── sync ──►
    scribe thread                                  └─► write to file ──────────► fsync, lengths

Guarantees: records reach the file in the order of `write`. `sync` covers everything written before it and
nothing after. A failed write leaves no part of a buffer in the file. After a failure that cannot be retried,
nothing is ever synced again. Memory is bounded by two buffers per stream: the caller of a writer that is `full` must
wait for `room`. If the disk is full, the writer waits for space.
Does not decide when to sync, and knows neither digests nor JSON.

Longer than 400 lines because what writes the files also cuts them back after a crash.
"""

import asyncio
import errno
import logging
import os
import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from webgraph_it.files.own import make_folder, open_file, sync
from webgraph_it.killpoint import reached
from webgraph_it.shards.contract import BackgroundWriter, Writer
from webgraph_it.shards.formats import (
    ALWAYS,
    DIGEST_BYTES,
    GRAPH_FOLDER,
    SUFFIXES,
    ShardError,
    file_name,
    number_of,
)

logger = logging.getLogger(__name__)

FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
RETRY_SECONDS = 1.0


class Durable(NamedTuple):
    """The part of one file that is known to be on disk."""

    length: int
    crc32: int


class Place(NamedTuple):
    """Where a sequence begins: file number and byte offset."""

    number: int
    offset: int


class AppendFile:
    """One numbered file that grows by whole buffers. Used by one thread at a time."""

    def __init__(self, path: Path, durable: Durable | None = None) -> None:
        self.path = path
        self.durable = durable or Durable(0, 0)
        self.operations = 0
        self._fd = open_file(path, os.O_WRONLY | os.O_CREAT)
        os.ftruncate(self._fd, self.durable.length)
        os.lseek(self._fd, self.durable.length, os.SEEK_SET)
        sync(path.parent)

    def append(self, buffer: bytes | bytearray) -> None:
        """Write all of it or nothing: what a failed write left behind is cut off."""
        written = 0
        try:
            while written < len(buffer):
                written += os.write(self._fd, memoryview(buffer)[written:])
                self.operations += 1
        except OSError:
            os.ftruncate(self._fd, self.durable.length)
            os.lseek(self._fd, self.durable.length, os.SEEK_SET)
            raise
        self.durable = Durable(self.durable.length + written, zlib.crc32(buffer, self.durable.crc32))

    def sync(self) -> None:
        os.fdatasync(self._fd)
        self.operations += 1

    def close(self) -> None:
        os.close(self._fd)


NewWriter = Callable[[Callable[[bytearray], None], ThreadPoolExecutor, int], Writer]
"""A class of writers. Its arguments: the function that appends to the file, the scribe, the sequences per buffer."""


class DoubleBufferedWriter:
    """One buffer fills while the scribe writes the other."""

    def __init__(
        self, append: Callable[[bytearray], None], scribe: ThreadPoolExecutor, sequences: int
    ) -> None:
        self._append = append
        self._scribe = scribe
        self._sequences = sequences
        self._filling = bytearray()
        self._count = 0
        self._writing: Future[None] | None = None

    def __repr__(self) -> str:
        state = "busy" if self._busy else "idle"
        return f"<DoubleBufferedWriter filling: {self._count} of {self._sequences} | {state}>"

    def write(self, record: bytes) -> None:
        self._filling += record
        self._count += 1
        if self._count >= self._sequences and not self._busy:
            self.swap()

    def swap(self) -> None:
        if self._filling:
            self._writing = self._scribe.submit(self._append, self._filling)
            self._filling, self._count = bytearray(), 0

    @property
    def _busy(self) -> bool:
        return self._writing is not None and not self._writing.done()

    @property
    def full(self) -> bool:
        return self._count >= self._sequences and self._busy

    async def room(self) -> None:
        while self.full and self._writing is not None:
            await asyncio.wait({asyncio.wrap_future(self._writing)})
        if self._count >= self._sequences:
            self.swap()


class UnbufferedWriter:
    """Writes every record to the file at once, in the crawl's own thread. For comparison."""

    full = False

    def __init__(
        self, append: Callable[[bytearray], None], scribe: ThreadPoolExecutor, sequences: int
    ) -> None:
        self._append = append

    def write(self, record: bytes) -> None:
        self._append(bytearray(record))

    def swap(self) -> None:
        """Does nothing, because nothing is held back."""

    async def room(self) -> None:
        """Returns at once, because there is always room."""


class Shards:
    """The streams of a crawl, in step: same file number, synced together."""

    def __init__(
        self,
        directory: Path,
        committed: Mapping[str, Durable] | None,
        sequences: Mapping[str, int],
        writer_class: NewWriter = DoubleBufferedWriter,
        own_classes: Mapping[str, NewWriter] | None = None,
    ) -> None:
        """`committed`: file name → its state at the last commit. None for a new crawl.
        `sequences`: stream → sequences per buffer. These streams are written. Files of others stay as they are.
        `own_classes`: stream → its class of writers, if that is not `writer_class`."""
        self._directory = directory
        self._scribe = ThreadPoolExecutor(1, thread_name_prefix="scribe")
        self._stopping = False
        self.waiting_for_disk = False
        self.failure: OSError | None = None
        self.recovered = recover(directory, committed or {}, sequences)
        self._finished = dict(committed or {})
        self._number = 1 + max(map(number_of, self._finished), default=0)
        self._files = self._open_files(sequences)
        self._place = Place(self._number, 0)
        self._operations_of_closed = 0
        self._writers = {
            stream: (own_classes or {}).get(stream, writer_class)(self._appender(stream), self._scribe, count)
            for stream, count in sequences.items()
        }
        self._in_background = [each for each in self._writers.values() if isinstance(each, BackgroundWriter)]
        self._begin_files()

    def __contains__(self, stream: str) -> bool:
        """Whether the stream is written."""
        return stream in self._writers

    def __getitem__(self, stream: str) -> Writer:
        return self._writers[stream]

    def write_sequence(self, sequence: bytes) -> Place:
        """Write to the stream `graph`. Returns where the sequence will be."""
        place = self._place
        self._writers[GRAPH_FOLDER].write(sequence)
        self._place = Place(place.number, place.offset + len(sequence))
        return place

    def sequence_at(self, place: Place, links: int) -> list[bytes]:
        """The parent and its children, of a sequence that was committed. Empty if it is not there."""
        path = self._directory / GRAPH_FOLDER / file_name(GRAPH_FOLDER, place.number)
        try:
            with path.open("rb") as file:
                file.seek(place.offset)
                found = file.read((links + 1) * DIGEST_BYTES)
        except OSError:
            return []
        whole = len(found) == (links + 1) * DIGEST_BYTES
        return [found[at : at + DIGEST_BYTES] for at in range(0, len(found), DIGEST_BYTES)] if whole else []

    @property
    def full(self) -> bool:
        return any(writer.full for writer in self._writers.values())

    async def room(self) -> None:
        for writer in self._writers.values():
            await writer.room()

    def sync(
        self,
        then: Callable[[dict[str, Durable]], None],
        *,
        next_number: bool = False,
        without: Collection[str] = (),
    ) -> Future[None]:
        """Make everything written so far durable, then run `then(files)`, all in the scribe thread.

        `files` names every file of the crawl with its length and checksum. With `next_number`, what is
        written after this call goes to the next number, and earlier files are never touched again. Files of `without`
        are no longer part of the crawl: they are deleted once `then` has returned. A crash before that leaves files
        that no commit names, and the next opening deletes them.
        """
        for writer in self._writers.values():
            writer.swap()
        if next_number:
            self._place = Place(self._place.number + 1, 0)
            self._begin_files()
        return self._scribe.submit(self._sync, then, next_number, without)

    def _begin_files(self) -> None:
        for writer in self._in_background:
            writer.begin_file(self._place.number)

    def stop_waiting(self) -> None:
        """The crawl is stopping, so do not wait for a full disk any more. A write that fails now is final, and nothing
        is synced after it."""
        self._stopping = True

    def close(self) -> None:
        """Wait for the scribe. Records that were not synced before are not part of the crawl."""
        self._stopping = True
        for writer in self._in_background:
            writer.close()
        self._scribe.shutdown(wait=True)
        for file in self._files.values():
            file.close()

    def file_bytes(self, stream: str) -> int:
        """Length of the file that grows now."""
        file = self._files.get(stream)
        return file.durable.length if file is not None else 0

    @property
    def operations(self) -> int:
        """Disk operations so far: writes and syncs."""
        return self._operations_of_closed + sum(file.operations for file in self._files.values())

    def _open_files(self, streams: Iterable[str]) -> dict[str, AppendFile]:
        return {
            stream: AppendFile(self._directory / stream / file_name(stream, self._number))
            for stream in streams
        }

    def _appender(self, stream: str) -> Callable[[bytearray], None]:
        def append(buffer: bytearray) -> None:
            while True:
                try:
                    return self._files[stream].append(buffer)
                except OSError as error:
                    self._wait_for_disk(error)

        return append

    def _wait_for_disk(self, error: OSError) -> None:
        """The disk is full. The buffer stays in memory, so the writer becomes full and blocks the crawl."""
        may_wait = threading.current_thread() is not threading.main_thread()  # else nothing could stop it
        if error.errno not in FULL_DISK or self._stopping or not may_wait:
            self.failure = error
            raise error
        if not self.waiting_for_disk:
            logger.warning("The disk of %s is full: the crawl waits until there is room.", self._directory)
        self.waiting_for_disk = True
        time.sleep(RETRY_SECONDS)

    def _sync(
        self, then: Callable[[dict[str, Durable]], None], next_number: bool, without: Collection[str]
    ) -> None:
        if self.failure:
            raise self.failure
        for writer in self._in_background:
            if writer.failure is not None:
                raise writer.failure
        reached("after-shard-write")
        for stream, file in self._files.items():
            file.sync()
            self._finished[f"{stream}/{file.path.name}"] = file.durable
        self.waiting_for_disk = False
        if next_number:
            self._begin_next_number()
        for name in without:
            self._finished.pop(name, None)
        then(dict(self._finished))
        if without:
            reached("shipped")
        for name in without:
            (self._directory / name).unlink(missing_ok=True)

    def _begin_next_number(self) -> None:
        self._operations_of_closed = self.operations
        for file in self._files.values():
            file.close()
        self._number += 1
        self._files = self._open_files(self._files)


def recover(directory: Path, committed: Mapping[str, Durable], streams: Iterable[str] = ALWAYS) -> list[str]:
    """Cut the files back to what was committed. Returns a sentence for each cut. Raises ShardError on damage."""
    verify(directory, committed)
    sentences = []
    for stream in streams:
        make_folder(directory / stream)
    for stream, suffix in SUFFIXES.items():
        folder = directory / stream
        if not folder.is_dir():
            continue
        for name in committed:
            if (
                name.startswith(f"{stream}/") and not (directory / name).exists()
            ):  # no byte of it was committed
                os.close(open_file(directory / name, os.O_WRONLY | os.O_CREAT))
        for path in sorted(folder.glob(f"*{suffix}")):
            sentences += _cut(path, committed.get(f"{stream}/{path.name}"))
            reached("during-recovery")
    return sentences


def verify(directory: Path, committed: Mapping[str, Durable]) -> None:
    """Raise ShardError if the files do not hold what was committed.

    Checks the sizes of all files, and the contents of the newest. An older file was checked when it was the newest.
    """
    newest = max(map(number_of, committed), default=0)
    for name, durable in committed.items():
        _check(directory / name, durable, contents=number_of(name) == newest)


def _cut(path: Path, durable: Durable | None) -> list[str]:
    size = path.lstat().st_size
    kept = durable.length if durable else 0
    if durable is None:
        path.unlink()
    elif size > kept:
        cut(path, kept)
    if size <= kept:
        return []
    return [f"{path.parent.name}/{path.name}: cut {size - kept} bytes written after the last commit"]


def cut(path: Path, length: int) -> None:
    """Cut the file to this length, and sync it."""
    descriptor = open_file(path, os.O_WRONLY)
    try:
        os.ftruncate(descriptor, length)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check(path: Path, durable: Durable, *, contents: bool) -> None:
    if not durable.length:  # even a missing file has what was committed
        return
    size = path.stat().st_size if path.exists() else 0
    if size < durable.length:
        raise ShardError(
            f"{path} has {size} bytes, but {durable.length} were committed: "
            "restore the file from a copy, or start a new crawl in another JOBDIR."
        )
    if contents and (found := crc32_of(path, durable.length)) != durable.crc32:
        raise ShardError(
            f"{path} is damaged: its checksum is {found:08x}, the committed one {durable.crc32:08x}. "
            "Restore the file from a copy, or start a new crawl in another JOBDIR."
        )


def crc32_of(path: Path, length: int) -> int:
    """The checksum of the first `length` bytes."""
    crc = 0
    with path.open("rb") as file:
        while chunk := file.read(min(length, 1 << 20)):
            crc = zlib.crc32(chunk, crc)
            length -= len(chunk)
    return crc

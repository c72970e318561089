"""The frontier's store on disk: RocksDB through rocksdict, in constant memory.

A commit is one sorted table file, written beside the database and then ingested by RocksDB: the
file is synced, linked into the directory, and one synced record of the MANIFEST makes it part of the
database. That record is the commit: all or nothing. A WriteBatch would be worse: rocksdict holds the
interpreter's lock for the whole write (measured: 0.6 s for 300,000 changes, during which the crawl would stop),
and RocksDB would write each change two more times (log, memory table, table). A table file takes 1.1 µs a change, in
small steps that let the crawl thread run, and no log or memory table is needed at all.

Memory: blocks, indexes and bloom filters share one cache of BLOCK_CACHE_BYTES. Indexes and filters are split
into small blocks, because a whole one (megabytes) does not fit a shard of the cache and would be read again
for each lookup (measured: 658 µs instead of 4 µs).

Compaction is "universal": tables of similar size are merged, so a row is rewritten about log2(commits) times. With
level compaction, every second commit rewrote the whole database until it had 256 MB (measured: 1.9 times the bytes
written at 1 million URLs, and growing). The cost is disk space: while its largest table is merged, the database takes
twice its size.
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rocksdict import (
    AccessType,
    BlockBasedIndexType,
    BlockBasedOptions,
    Cache,
    DbClosedError,
    DBCompactionStyle,
    DBCompressionType,
    IngestExternalFileOptions,
    Options,
    Rdict,
    ReadOptions,
    SstFileWriter,
)

from .records import DamageError, FrontierError
from .store import Changes, Row

BLOCK_CACHE_BYTES = 8 << 20
BLOOM_BITS_PER_KEY = 10
MAX_OPEN_FILES = 512
TABLE_FILE = "commit.sst.part"
SYNC_EVERY_CHANGES = 50_000
"""The last sync holds the interpreter's lock. Earlier ones do not, and leave it little to do."""
FORBIDDEN = ("Permission denied", "Operation not permitted", "Read-only file system")
SORT_AT_ONCE = 20_000
"""Sorting this many keys holds the interpreter's lock for about 5 ms."""


class RocksStore:
    """A Store in a directory, which it creates if needed. One process at a time."""

    on_damage: Callable[[FrontierError], None] | None = None
    """Called when a read fails, before the error is raised, because the reader may not be able to stop the crawl."""

    def __init__(self, directory: str | Path, *, read_only: bool = False) -> None:
        """`read_only`: an existing store as of its last commit, even if another process uses it; nothing is written."""
        self._directory = Path(directory)
        self._options = _options()
        self._ingest = IngestExternalFileOptions()
        self._ingest.set_move_files(True)
        # Given as a column family too: otherwise an existing database is opened with the options in its own
        # files, and with a block cache of 8 MiB.
        families = {"default": self._options}
        try:
            if read_only:
                self._rocks = Rdict(str(self._directory), self._options, families, AccessType.read_only())
                self._get = self._rocks.get
                return
            self._directory.mkdir(0o700, parents=True, exist_ok=True)
            _sync(str(self._directory.parent))  # RocksDB syncs its files, not the entry of its directory
            self._rocks = Rdict(str(self._directory), self._options, families)
        except Exception as error:  # rocksdict raises bare Exceptions
            raise self._explained(error) from error
        self._get = self._rocks.get

    def get(self, key: bytes) -> bytes | None:
        try:
            value: bytes | None = self._get(key)
        except Exception as error:
            raise self._unreadable(error) from error
        return value

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        try:
            return list(self._get(list(keys)) or ())
        except Exception as error:
            raise self._unreadable(error) from error

    def items(self, lower: bytes, upper: bytes) -> Iterator[Row]:
        reading = ReadOptions()
        reading.set_iterate_upper_bound(upper)
        # These rows are read only once, so they must not displace the crawl's blocks. The stub lacks the argument.
        reading.fill_cache(False)  # type: ignore[call-arg]
        try:
            rows = self._rocks.iter(reading)
            rows.seek(lower)
            while rows.valid():
                yield rows.key(), rows.value()
                rows.next()
            rows.status()  # a damaged block looks like the end of the rows; only this shows it
        except Exception as error:
            raise self._unreadable(error) from error

    def scan(self, lower: bytes, upper: bytes, limit: int) -> list[Row]:
        reading = ReadOptions()
        reading.set_iterate_upper_bound(upper)
        found: list[Row] = []
        try:
            rows = self._rocks.iter(reading)
            rows.seek(lower)
            while len(found) < limit and rows.valid():
                found.append((rows.key(), rows.value()))
                rows.next()
            rows.status()
        except Exception as error:
            raise self._unreadable(error) from error
        return found

    def commit(self, changes: Changes) -> None:
        if not changes:
            return
        try:
            table = self._write_table(changes)
            self._rocks.ingest_external_file([table], self._ingest)
        except OSError as error:
            raise FrontierError(f"{self._directory}: the commit cannot be written: {error}") from error
        except Exception as error:
            raise self._explained(error) from error

    @property
    def size_bytes(self) -> int:
        """Size of its tables."""
        return sum(table.stat().st_size for table in self._directory.glob("*.sst"))

    def read_through(self) -> None:
        """Read every row once. Raises FrontierError if any byte changed since it was written."""
        for _ in self.items(b"", b"\xff"):
            pass

    def close(self) -> None:
        """Raises FrontierError if something has gone wrong, such as a damaged table in a merge."""
        try:
            with suppress(DbClosedError):
                self._rocks.close()
        except Exception as error:
            raise self._explained(error) from error

    def _write_table(self, changes: Changes) -> str:
        path = str(self._directory / TABLE_FILE)
        # A file left by a crash may be a hard link to an ingested table: never write into it.
        Path(path).unlink(missing_ok=True)
        writer = SstFileWriter(self._options)
        writer.open(path)
        unsynced = 0
        for keys in in_order(list(changes)):
            for key in keys:
                value = changes[key]
                if value is None:
                    del writer[key]
                else:
                    writer[key] = value
            unsynced += len(keys)
            if unsynced >= SYNC_EVERY_CHANGES:
                _sync(path)
                unsynced = 0
        writer.finish()
        return path

    def _unreadable(self, error: Exception) -> FrontierError:
        explained = self._explained(error)
        if self.on_damage is not None:
            self.on_damage(explained)
        return explained

    def _explained(self, error: Exception) -> FrontierError:
        text = " ".join(str(error).split())
        if "lock" in text.lower() and "LOCK" in text:
            return FrontierError(f"{self._directory}: another process is using this frontier; stop it first")
        if "No space left" in text:
            return FrontierError(f"{self._directory}: the disk is full; make room and resume ({text})")
        if any(reason in text for reason in FORBIDDEN):
            return FrontierError(
                f"{self._directory}: the system does not let you read or write the frontier; allow it and give the "
                f"same command again ({text})"
            )
        return DamageError(
            f"{self._directory}: the frontier's store cannot be read or written ({text}); "
            "if its files are damaged, restore the crawl directory from a copy or start a new one"
        )


def in_order(keys: list[bytes]) -> Iterator[list[bytes]]:
    """The keys in order, in batches; no step holds the interpreter's lock for long."""
    if len(keys) <= SORT_AT_ONCE:
        yield sorted(keys)
        return
    buckets = len(keys) // (SORT_AT_ONCE // 2)
    sample = sorted(keys[:: max(1, len(keys) // (buckets * 16))])
    pivots = sample[16::16]
    parts: list[list[bytes]] = [[] for _ in range(len(pivots) + 1)]
    for key in keys:
        parts[bisect_right(pivots, key)].append(key)
    for part in parts:
        part.sort()
        yield part


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def _options() -> Options:
    options = Options(raw_mode=True)
    options.set_block_based_table_factory(_tables())
    options.set_compression_type(DBCompressionType.lz4())
    options.set_max_open_files(MAX_OPEN_FILES)
    options.set_max_background_jobs(2)
    options.set_write_buffer_size(1 << 20)  # unused: commits are ingested
    options.set_compaction_style(DBCompactionStyle.universal())
    options.set_level_zero_slowdown_writes_trigger(40)
    options.set_level_zero_stop_writes_trigger(60)
    options.set_max_log_file_size(1 << 20)
    options.set_keep_log_file_num(2)
    options.set_stats_dump_period_sec(0)
    return options


def _tables() -> BlockBasedOptions:
    tables = BlockBasedOptions()
    tables.set_block_cache(Cache(BLOCK_CACHE_BYTES))
    tables.set_format_version(5)
    tables.set_bloom_filter(BLOOM_BITS_PER_KEY, False)
    tables.set_index_type(BlockBasedIndexType.two_level_index_search())
    tables.set_partition_filters(True)
    tables.set_metadata_block_size(4096)
    tables.set_cache_index_and_filter_blocks(True)
    tables.set_pin_top_level_index_and_filter(True)
    tables.set_pin_l0_filter_and_index_blocks_in_cache(True)
    return tables

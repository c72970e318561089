"""Which bytes of which files count, and how they are divided among tasks.

A crawl directory may be on any file system that pyarrow opens (a path, or file:, hdfs:, s3:, gs:, abfs:). A fleet's
directory stands for its members. Nothing is written. Any fault is one ShardError.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyarrow as pa
from pyarrow import fs

from webgraph_it.files.received import is_count
from webgraph_it.shards.directory import COMMITTED_FILE, CRAWL_FILE, CrawlDirectory
from webgraph_it.shards.fleet import member_number, refuse_twice
from webgraph_it.shards.formats import (
    GRAPH_FOLDER,
    LINKS_FOLDER,
    PAGES_FOLDER,
    URLS_FOLDER,
    ShardError,
    check_whole_records,
    is_shard_name,
    number_of,
)
from webgraph_it.urls import RECIPE_VERSION

SPLIT_BYTES = 64 << 20
FILE_BITS = 40
"""A position is the number of the file, then this many bits for the record or line in it."""

ADVICE = {
    "libjvm": "Java's libjvm was not found: set JAVA_HOME to the folder of Java 17 or 21.",
    "libhdfs": "Hadoop's libhdfs was not found: set HADOOP_HOME to the folder of Hadoop's client libraries.",
}
"""What pyarrow could not load → what to do."""


class Split(NamedTuple):
    """The records or lines that begin at start … stop - 1 of a file."""

    uri: str
    stream: str
    start: int
    stop: int
    length: int
    """Bytes of the file that count."""
    file: int
    """Number of the file, in order of precedence."""


Task = tuple[Split, ...]


class Sources(NamedTuple):
    """The splits of each stream, in order of precedence."""

    splits: tuple[Split, ...]
    name: str
    """Of the first crawl."""
    given: tuple[str, ...]
    """The directories, as they were given."""
    archives: tuple[str, ...]
    """Formats of the archives from which pages were ingested."""

    def tasks(self, *streams: str, split_bytes: int = SPLIT_BYTES) -> list[Task]:
        """The splits of these streams. Small ones share a task."""
        return list(_packed((split for split in self.splits if split.stream in streams), split_bytes))

    def __str__(self) -> str:
        """`5 files, 346,093 bytes`."""
        count, size = len({split.uri for split in self.splits}), sum(s.stop - s.start for s in self.splits)
        return f"{count:,} {'file' if count == 1 else 'files'}, {size:,} bytes"

    def fingerprint(self) -> list[list[object]]:
        """Differs if other bytes count, or if they are divided otherwise."""
        return [[split.uri, split.start, split.length] for split in self.splits]

    def file_of(self, position: int) -> str:
        """The URI of the file of a position."""
        return next(split.uri for split in self.splits if split.file == position >> FILE_BITS)

    def bytes_of(self, stream: str) -> int:
        return sum(split.stop - split.start for split in self.splits if split.stream == stream)


def sources(directories: Sequence[str], split_bytes: int = SPLIT_BYTES) -> Sources:
    """The files of all crawl directories. If two contain the same page, the later one counts."""
    crawls = [crawl for directory in directories for crawl in _crawls(directory)]
    refuse_twice([_place(crawl) for crawl in crawls])
    files = [file for crawl in crawls for file in _files(crawl)]
    if not any(stream == URLS_FOLDER for _, stream, _ in files):
        raise ShardError(f"{directories[0]} has no URL list (urls/000001.tsv): nothing was crawled yet.")
    return Sources(
        tuple(
            Split(uri, stream, start, min(start + split_bytes, length), length, number)
            for number, (uri, stream, length) in enumerate(files)
            for start in range(0, length, split_bytes)
        ),
        _read(crawls[0]).name,
        tuple(directories),
        tuple(sorted({name for crawl in crawls for name in _read(crawl).archives})),
    )


def opened(uri: str) -> tuple[fs.FileSystem, str]:
    """The file system of a directory or file, and its path there."""
    try:
        system, path = fs.FileSystem.from_uri(uri if ":/" in uri else os.path.abspath(uri))
    except (pa.ArrowException, OSError) as error:
        raise ShardError(not_opened(uri, str(error))) from None
    return system, path


def _place(uri: str) -> str:
    """Equal for two names of a directory."""
    system, path = opened(uri)
    return os.path.realpath(path) if isinstance(system, fs.LocalFileSystem) else f"{system.type_name}:{path}"


def not_opened(uri: str, reason: str) -> str:
    """What pyarrow says at first, and what to do. It goes on with every path that it has tried."""
    first = reason.strip().partition("\n")[0].rstrip(". ")
    advice = next(
        (advice for word, advice in ADVICE.items() if word in reason),
        "Give a path, or a URI that pyarrow knows.",
    )
    return f"{uri} cannot be opened: {first}. {advice}"


def _crawls(directory: str) -> Iterator[str]:
    """The directory itself, or the members of a fleet."""
    directory = directory.rstrip("/")
    system, path = opened(directory)
    if system.get_file_info(path).is_file:
        raise ShardError(f"{directory} is a file: give the JOBDIR of a crawl, or of a fleet.")
    names = [info.base_name for info in _listed(directory) if not info.is_file]
    members = sorted(name for name in names if member_number(Path(name)))
    if members and len(members) != (size := _read(f"{directory}/{members[0]}").fleet_size):
        raise ShardError(
            f"{directory} has {len(members)} of the {size} members of a fleet: give all of them."
        )
    yield from (f"{directory}/{name}" for name in members) if members else [directory]


def _files(crawl: str) -> list[tuple[str, str, int]]:
    """(URI, stream, bytes that count) of every file of a crawl directory, in order."""
    committed = _read(crawl).committed
    found = []
    for stream in (URLS_FOLDER, LINKS_FOLDER, PAGES_FOLDER, GRAPH_FOLDER):
        sizes = {
            f"{stream}/{info.base_name}": info.size
            for info in _listed(f"{crawl}/{stream}")
            if info.is_file and is_shard_name(stream, info.base_name)
        }
        lengths = sizes if committed is None else _of(stream, committed)
        for name in sorted(lengths, key=number_of):
            length, size = lengths[name], sizes.get(name)
            if size is None:
                raise ShardError(f"{crawl} lacks {name}, which {COMMITTED_FILE} counts: restore the file.")
            if size < length:
                raise ShardError(
                    f"{crawl}/{name} has {size} bytes, but {length} were committed: restore the file."
                )
            if stream == GRAPH_FOLDER:
                check_whole_records(f"{crawl}/{name}", length)
            found.append((f"{crawl}/{name}", stream, length))
    return found


def _of(stream: str, lengths: dict[str, int]) -> dict[str, int]:
    return {name: length for name, length in lengths.items() if name.startswith(f"{stream}/")}


class _Read(NamedTuple):
    """What the small files of a crawl directory say."""

    committed: dict[str, int] | None
    fleet_size: int
    name: str
    archives: list[str]


def _read(crawl: str) -> _Read:
    """The two small files are read by the class that knows them, from a copy."""
    system, path = opened(crawl)
    with TemporaryDirectory() as folder:
        for name in (CRAWL_FILE, COMMITTED_FILE):
            if system.get_file_info(f"{path}/{name}").is_file:
                with system.open_input_stream(f"{path}/{name}") as file:
                    (Path(folder) / name).write_bytes(file.read())
        directory = CrawlDirectory(Path(folder))
        try:
            if (version := directory.recipe_version()) != RECIPE_VERSION:
                raise ShardError(
                    f"{crawl} names its nodes by recipe {version}, this program by recipe {RECIPE_VERSION}."
                )
            size = directory.record().get("FLEET_SIZE")
            fleet_size = size if is_count(size) else 0
            return _Read(directory.committed(), fleet_size, directory.name(), directory.archives())
        except ShardError as error:
            raise ShardError(str(error).replace(folder, crawl)) from None


def _listed(uri: str) -> list[fs.FileInfo]:
    system, path = opened(uri)
    try:
        found: list[fs.FileInfo] = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
    except OSError:  # a file, not a folder
        return []
    return found


def _packed(splits: Iterable[Split], split_bytes: int) -> Iterator[Task]:
    task: list[Split] = []
    for split in splits:
        if task and sum(each.stop - each.start for each in (*task, split)) > split_bytes:
            yield tuple(task)
            task = []
        task.append(split)
    if task:
        yield tuple(task)

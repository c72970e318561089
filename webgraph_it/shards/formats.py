"""The crawl directory at rest: what its files hold, byte by byte, and how to read them.

    <JOBDIR>/
      crawl.json              one JSON object; "recipe_version" says how its nodes are named (urls.names)
      committed.json          {"graph": {"000001.g16": bytes, …}, "urls": {…}, "pages": {…}}, once committed
      graph/000001.g16 …      hashed edge sequences
      urls/000001.tsv …       one line per new node
      pages/000001.jsonl …    one line per URL that was tried

**g16.** Records of 16 bytes: the digest of a node (MD5 of its key). The first bit of the first byte tells
what it is: 1 a parent, 0 a child of the last parent before it. A page without links is a parent alone. A
file starts with a parent; a sequence never goes on in the next file. There is no header.

**tsv.** `key TAB url LF`, ASCII, once per node of the graph, in order of discovery.

**jsonl.** One JSON object per line with the fields PAGE_FIELDS, in that order. If a key has several lines,
the last one counts: a node that a limit cut is fetched after all when the limit is raised. A key that is in no
URL list is outside the graph (a seed out of scope, or a page below it); such a key has a line with the state
`never-tried` when it is found on a page.

A crawl that is running, or that crashed, may have files longer than its last commit, and whole new ones.
Where committed.json exists, only the bytes it counts are read and nothing beyond. Numbers order the files.

Guarantees: nothing here writes. Whatever is wrong with a directory is one ShardError that says what was
found, what was expected and what to do. This module needs neither numpy nor pyarrow: the crawl imports it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webgraph_it.files.received import InputError, is_count, read_json_object, regular_size, shown

FORMAT_VERSION = 1
DIGEST_BYTES = 16
PARENT_BIT = 0x80
"""In the first byte of a digest."""
GRAPH_FOLDER, URLS_FOLDER, PAGES_FOLDER = "graph", "urls", "pages"
SUFFIXES = {GRAPH_FOLDER: ".g16", URLS_FOLDER: ".tsv", PAGES_FOLDER: ".jsonl"}
CRAWL_FILE, COMMITTED_FILE = "crawl.json", "committed.json"
PAGE_FIELDS = (
    "key", "url", "time", "status", "type", "bytes", "digest", "depth", "via", "links", "address", "state",
    "reason", "seconds", "host_depth",
)  # fmt: skip
_NUMBERED = re.compile(r"[0-9]{6,}")


class ShardError(ValueError):
    """The crawl directory is not what it should be."""


@dataclass(frozen=True, slots=True)
class Part:
    """The first `length` bytes of a file: as much of it as counts."""

    path: Path
    length: int


def file_name(folder: str, number: int) -> str:
    """`000001.g16` for the first file of `graph`."""
    return f"{number:06d}{SUFFIXES[folder]}"


@dataclass(frozen=True, slots=True)
class CrawlDirectory:
    """What a crawl left: three lists of parts, in order."""

    path: Path
    recipe_version: int
    graph: tuple[Part, ...]
    urls: tuple[Part, ...]
    pages: tuple[Part, ...]


def open_crawl(path: Path) -> CrawlDirectory:
    """The crawl directory at `path`, with the lengths that count."""
    if not (path / CRAWL_FILE).is_file():
        raise ShardError(
            f"{path} is not a crawl directory: it has no {CRAWL_FILE}. Give the JOBDIR of a crawl."
        )
    crawl = _json_object(path / CRAWL_FILE)
    version = crawl.get("recipe_version")
    if not is_count(version):
        raise ShardError(
            f"{path / CRAWL_FILE} does not say its recipe_version (a number); found {shown(version)}."
        )
    committed_file = path / COMMITTED_FILE
    committed = _json_object(committed_file) if committed_file.exists() else None
    parts = {folder: _parts(path, folder, committed) for folder in SUFFIXES}
    return CrawlDirectory(path, version, parts[GRAPH_FOLDER], parts[URLS_FOLDER], parts[PAGES_FOLDER])


def whole_parts(paths: list[Path]) -> tuple[Part, ...]:
    """Each file in full."""
    return tuple(Part(path, _size(path)) for path in paths)


def numbered_files(folder: Path, suffix: str) -> list[Path]:
    """The numbered files of a folder, by number."""
    files = [p for p in folder.glob(f"*{suffix}") if _NUMBERED.fullmatch(p.stem)]
    return sorted(files, key=lambda p: int(p.stem))


def check_whole_records(part: Part) -> None:
    """Refuse a g16 file that ends within a record."""
    torn = part.length % DIGEST_BYTES
    if torn:
        raise ShardError(
            f"{part.path} is torn: {part.length} bytes are {part.length // DIGEST_BYTES} records of "
            f"{DIGEST_BYTES} bytes and {torn} bytes more. Resume the crawl once: it cuts its files "
            "back to the last commit."
        )


def sequences(part: Part) -> Iterator[tuple[bytes, list[bytes]]]:
    """Parents with their children, one by one, the parent bit cleared. Plain and slow: for small checks."""
    check_whole_records(part)
    parent, children = b"", list[bytes]()
    for record in _records(part):
        if record[0] & PARENT_BIT:
            if parent:
                yield parent, children
            parent, children = bytes((record[0] & ~PARENT_BIT,)) + record[1:], []
        elif parent:
            children.append(record)
        else:
            raise ShardError(f"{part.path} starts with a child: a shard starts with a parent (first bit 1).")
    if parent:
        yield parent, children


def lines(part: Part) -> Iterator[bytes]:
    """The lines of a part, without their LF; one that has none is torn, and refused."""
    read = 0
    with part.path.open("rb") as file:
        for line in file:
            if read >= part.length:
                return
            read += len(line)
            if read > part.length or not line.endswith(b"\n"):
                raise ShardError(
                    f"{part.path} is torn: byte {part.length} is within a line. Restore the file from a copy."
                )
            yield line[:-1]


def page_lines(parts: Iterable[Part]) -> Iterator[dict[str, Any]]:
    """The objects of a page log."""
    for part in parts:
        for line in lines(part):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ShardError(f"{part.path} is not a page log: {error}.") from None


def _records(part: Part) -> Iterator[bytes]:
    with part.path.open("rb") as file:
        for _ in range(part.length // DIGEST_BYTES):
            yield file.read(DIGEST_BYTES)


def _parts(path: Path, folder: str, committed: dict[str, Any] | None) -> tuple[Part, ...]:
    files = numbered_files(path / folder, SUFFIXES[folder])
    if committed is None:
        return whole_parts(files)
    lengths = committed.get(folder, {})
    if not isinstance(lengths, dict) or not all(map(is_count, lengths.values())):
        raise ShardError(
            f"{path / COMMITTED_FILE} does not say how many bytes of each file in {folder}/ count: "
            "restore the file, or resume the crawl once."
        )
    missing = sorted(set(lengths) - {p.name for p in files})
    if missing:
        raise ShardError(
            f"{path / folder} lacks {shown(missing[0])}, which {COMMITTED_FILE} counts: restore the file."
        )
    return tuple(_committed_part(p, lengths[p.name]) for p in files if p.name in lengths)


def _committed_part(path: Path, length: int) -> Part:
    size = _size(path)
    if size < length:
        raise ShardError(
            f"{path} has {size} bytes, but {length} were committed: it was cut after the crawl wrote it."
        )
    return Part(path, length)


def _size(path: Path) -> int:
    try:
        return regular_size(path)
    except InputError as error:
        raise ShardError(str(error)) from None


def _json_object(path: Path) -> dict[str, Any]:
    try:
        return read_json_object(path)
    except InputError as error:
        raise ShardError(str(error)) from None

"""The streams of a crawl, byte by byte, and how to read them (shards/directory.py says where they are).

Every crawl has the first three. The others are there if they were asked for.

**g16.** Records of 16 bytes: the digest of a node (MD5 of its key). The first bit of the first byte is 1 for
a parent and 0 for a child of the last parent before it. A page without links is a parent alone. A
file starts with a parent. A sequence never continues in the next file. There is no header.

**tsv.** `key TAB url LF`, ASCII, once per node of the graph, in order of discovery.

**jsonl.** One JSON object per line with the fields PAGE_FIELDS, in that order. If a key has several lines,
the last one counts, because a node that a limit cut is fetched after all when the limit is raised. The line of a
re-visit also has REVISIT_FIELDS, and `recrawl/__init__.py` says what its state means. A key that is in
no URL list is outside the graph (a seed out of scope, or a page below it). When it is found on a page, such a key
gets a line with the state `never-tried`.

**links.** `slice TAB depth TAB marks TAB via TAB url LF`, ASCII: a link to a site of another member of a fleet, once
for each member that finds it. `slice` (three hexadecimal digits) is that of the link's site, `depth` that of the link,
`via` the key of the page with the link, empty for a seed. `marks`, separated by commas: `outside` (it is not a node of
the graph), `same-content` (the page is a copy, so its links are not fetched). Files that every member has taken in are
deleted.

Guarantees: nothing here writes. Any fault of a file is one ShardError that says what was found, what was
expected and what to do. This module needs neither numpy nor pyarrow, because the crawl imports it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webgraph_it.files.received import InputError

DIGEST_BYTES = 16
PARENT_BIT = 0x80
"""The parent's bit, in the first byte of a digest."""
GRAPH_FOLDER, URLS_FOLDER, PAGES_FOLDER = "graph", "urls", "pages"
LINKS_FOLDER, ANCHORS_FOLDER, WARC_FOLDER = "links", "anchors", "warc"
SUFFIXES = {
    GRAPH_FOLDER: ".g16",
    URLS_FOLDER: ".tsv",
    PAGES_FOLDER: ".jsonl",
    LINKS_FOLDER: ".tsv",
    ANCHORS_FOLDER: ".tsv",
    WARC_FOLDER: ".warc.gz",
}
ALWAYS = (GRAPH_FOLDER, URLS_FOLDER, PAGES_FOLDER)
"""The streams that every crawl has."""
LINK_FIELDS, LINK_MARKS = 5, 2
"""Number of fields of a line of `links`, and which of them has the marks, counted from 0."""
LINK_OUTSIDE, LINK_COPY = "outside", "same-content"
PAGE_FIELDS = (
    "key",
    "url",
    "time",
    "status",
    "type",
    "bytes",
    "digest",
    "depth",
    "via",
    "links",
    "address",
    "state",
    "reason",
    "seconds",
    "host_depth",
)
REVISIT_FIELDS = ("visit", "change")
"""After the others, in the line of a re-visit only."""
_NAMES = {stream: re.compile(rf"[0-9]{{6,18}}{re.escape(suffix)}") for stream, suffix in SUFFIXES.items()}
_NUMBERED = re.compile(r"[0-9]{6,}")


class ShardError(InputError):
    """A fault of the crawl directory, in one sentence."""


@dataclass(frozen=True, slots=True)
class Part:
    """The first `length` bytes of a file. Only these count."""

    path: Path
    length: int


def file_name(folder: str, number: int) -> str:
    """`000001.g16` for the first file of `graph`."""
    return f"{number:06d}{SUFFIXES[folder]}"


def number_of(name: str) -> int:
    """1 for `000001.g16`, also with its folder."""
    return int(name.rpartition("/")[2].partition(".")[0])


def is_shard_name(folder: str, name: str) -> bool:
    """True for `000001.g16` in `graph`, and for nothing like `../x`."""
    return folder in _NAMES and _NAMES[folder].fullmatch(name) is not None


def numbered_files(folder: Path, suffix: str) -> list[Path]:
    """The numbered files of a folder, by number."""
    files = [p for p in folder.glob(f"*{suffix}") if _NUMBERED.fullmatch(p.name.removesuffix(suffix))]
    return sorted(files, key=lambda p: number_of(p.name))


def check_whole_records(file: Path | str, length: int) -> None:
    """Refuse a g16 file that ends within a record."""
    torn = length % DIGEST_BYTES
    if torn:
        raise ShardError(
            f"{file} is torn: {length} bytes are {length // DIGEST_BYTES} records of "
            f"{DIGEST_BYTES} bytes and {torn} bytes more. Resume the crawl once: it cuts its files "
            "back to the last commit."
        )


def lines(part: Part) -> Iterator[bytes]:
    """The lines of a part, without their LF. A line without LF is torn, and refused."""
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


def json_lines(part: Part) -> Iterator[dict[str, Any] | None]:
    """The objects of a log, for callers that can skip a line. None for a line that is torn or not JSON."""
    read = 0
    with part.path.open("rb") as file:
        for line in file:
            read += len(line)
            if read > part.length:
                return
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                found = None
            yield found if isinstance(found, dict) else None

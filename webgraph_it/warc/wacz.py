"""WACZ 1.1.1: the archive of a crawl packed in one ZIP file that replay tools open.

    archive/000001.warc.gz …    the WARC files, as far as they are committed; stored
    indexes/index.cdx.gz        the lines of all CDXJ, sorted, in gzip members of BLOCK_LINES lines; stored
    indexes/index.idx           the first key of each member, with its place
    pages/pages.jsonl           the HTML pages of the page log
    datapackage.json            names, sizes and SHA-256 of these files
    datapackage-digest.json     the SHA-256 of datapackage.json

Guarantees: memory does not grow with the archive, except for index lines of files that have no CDXJ yet. The file
appears when it is complete. Nothing in the crawl directory is changed. A running crawl is packed up to its last commit.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from hashlib import sha256
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from webgraph_it import __version__
from webgraph_it.files.own import SHARED_MODE, whole_file
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import PAGES_FOLDER, WARC_FOLDER, Part, ShardError, page_lines
from webgraph_it.warc.cdxj import index_of
from webgraph_it.warc.reading import index_lines
from webgraph_it.warc.record import warc_date

VERSION = "1.1.1"
BLOCK_LINES = 3000
_COPY_BYTES = 1 << 20


class Packed(NamedTuple):
    """What is in the file."""

    files: int
    captures: int
    pages: int
    size_bytes: int


def pack(
    directory: CrawlDirectory, to: Path, now: float, told: Callable[[int], None] = lambda copied: None
) -> Packed:
    """`told` is called with the bytes of WARC files that were copied so far."""
    parts = archive_of(directory)
    with whole_file(to, SHARED_MODE) as file, ZipFile(file, "w", allowZip64=True) as package:
        writer = _Package(package, now)
        captures = _write_index(writer, parts)
        copied = 0
        for part in parts:
            with writer.adding(f"archive/{part.path.name}") as entry:
                for piece in _pieces(part):
                    entry.write(piece)
                    told(copied := copied + len(piece))
        pages = _write_pages(writer, directory)
        writer.finish(directory.name())
    return Packed(len(parts), captures, pages, to.stat().st_size)


def archive_of(directory: CrawlDirectory) -> list[Part]:
    """The WARC files that hold anything. ShardError if there are none."""
    directory.recipe_version()  # refuses anything but a crawl directory
    parts = [part for part in directory.parts(WARC_FOLDER) if part.length]
    if not parts:
        raise ShardError(f"{directory.path} has no archive: crawl with -s WARC=True, then pack it again.")
    return parts


class _Entry:
    """A file in the package. Counts and hashes what is written."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._hash = sha256()
        self.size_bytes = 0

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        self._hash.update(data)
        self.size_bytes += len(data)

    @property
    def digest(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"


class _Package:
    """A ZIP file, and the list of what is in it."""

    def __init__(self, package: ZipFile, now: float) -> None:
        self._package = package
        self._now = datetime.fromtimestamp(now, UTC)
        self._resources: list[dict[str, object]] = []

    def adding(self, path: str, method: int = ZIP_STORED) -> "_Adding":
        info = ZipInfo(path, self._now.timetuple()[:6])
        info.compress_type = method
        return _Adding(self._package.open(info, "w", force_zip64=True), path, self._resources)

    def finish(self, title: str) -> None:
        package = {
            "profile": "data-package",
            "wacz_version": VERSION,
            "title": title,
            "software": f"webgraph_it/{__version__}",
            "created": f"{self._now:%Y-%m-%dT%H:%M:%SZ}",
            "resources": list(self._resources),
        }
        with self.adding("datapackage.json", ZIP_DEFLATED) as entry:
            entry.write(json.dumps(package, indent=2).encode())
        said = {"path": "datapackage.json", "hash": entry.digest}
        with self.adding("datapackage-digest.json", ZIP_DEFLATED) as last:
            last.write(json.dumps(said, indent=2).encode())


class _Adding:
    """One entry from its first byte to its last. Then it is in the list."""

    def __init__(self, stream: IO[bytes], path: str, resources: list[dict[str, object]]) -> None:
        self._stream = stream
        self._path = path
        self._resources = resources
        self._entry = _Entry(stream)

    def __enter__(self) -> _Entry:
        return self._entry

    def __exit__(self, *error: object) -> None:
        self._stream.close()
        name, entry = self._path.rpartition("/")[2], self._entry
        said = {"name": name, "path": self._path, "hash": entry.digest, "bytes": entry.size_bytes}
        self._resources.append(said)


def _write_index(writer: _Package, parts: list[Part]) -> int:
    """Returns the number of captures."""
    captures, offset = 0, 0
    places = ['!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']
    with ExitStack() as files, writer.adding("indexes/index.cdx.gz") as entry:
        lines = merge(*(_sorted_lines(part, files) for part in parts))
        while block := list(islice(lines, BLOCK_LINES)):
            pressed = zlib.compress("".join(block).encode(), wbits=16 + zlib.MAX_WBITS)
            entry.write(pressed)
            place = {
                "offset": offset,
                "length": len(pressed),
                "digest": f"sha256:{sha256(pressed).hexdigest()}",
            }
            places.append(f"{block[0].partition('{')[0]}{json.dumps(place)}\n")
            captures, offset = captures + len(block), offset + len(pressed)
    with writer.adding("indexes/index.idx", ZIP_DEFLATED) as entry:
        entry.write("".join(places).encode())
    return captures


def _sorted_lines(part: Part, files: ExitStack) -> Iterable[str]:
    """From its CDXJ, or from its records if it has none yet."""
    index = index_of(part.path)
    if index.exists():
        return files.enter_context(index.open(encoding="utf-8", newline="\n"))
    return sorted(index_lines(part))


def _write_pages(writer: _Package, directory: CrawlDirectory) -> int:
    """Returns how many there are."""
    count = 0
    with writer.adding("pages/pages.jsonl", ZIP_DEFLATED) as entry:
        entry.write(b'{"format": "json-pages-1.0", "id": "pages", "title": "All pages"}\n')
        for line in page_lines(directory.parts(PAGES_FOLDER)):
            if line["state"] == "fetched" and line["type"] in ("text/html", "application/xhtml+xml"):
                count += 1
                page = {"id": str(count), "url": line["url"], "ts": warc_date(line["time"])}
                entry.write(f"{json.dumps(page)}\n".encode())
    return count


def _pieces(part: Part) -> Iterator[bytes]:
    left = part.length
    with part.path.open("rb") as file:
        while left and (piece := file.read(min(left, _COPY_BYTES))):
            left -= len(piece)
            yield piece

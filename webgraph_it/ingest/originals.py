"""Finds the capture whose payload a revisit refers to, by the place that was noted when it was read.

In a file with one gzip member per record, the place is where its member begins. A file that was compressed as a whole
(`gzip file.warc`) has no such places. It is unpacked once into a file without a name beside the frontier, at most
MAX_UNPACKED_BYTES of it, and its payloads are found there by their digests. At most MAX_UNPACKED_FILES are kept.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, BinaryIO, Final, cast

from webgraph_it.ingest.reading import origin_of
from webgraph_it.ingest.records import Record, record_at, records

MAX_UNPACKED_BYTES: Final = 1 << 34
MAX_UNPACKED_FILES: Final = 2
_GZIP: Final = b"\x1f\x8b\x08"
_COPY_BYTES: Final = 1 << 20


class Originals:
    """`folder`: where files are unpacked, if that is necessary."""

    def __init__(self, folder: Path, cap_bytes: int) -> None:
        self._folder = folder
        self._cap_bytes = cap_bytes
        self._unpacked: dict[Path, Unpacked] = {}

    def find(self, path: Path, position: int, origin: str) -> Record | None:
        """The capture with this payload; None if it is not there. Raises OSError of the files."""
        with path.open("rb") as file:
            found = record_at(file, position, self._cap_bytes)
            if found is not None and origin_of(found) == origin:
                return found
            if not _is_gzip(file, 0) or _is_gzip(file, position):
                return None
            if path not in self._unpacked:
                while len(self._unpacked) >= MAX_UNPACKED_FILES:
                    self._unpacked.pop(next(iter(self._unpacked))).close()
                self._unpacked[path] = Unpacked(file, self._folder)
        return self._unpacked[path].find(origin, self._cap_bytes)

    def close(self) -> None:
        for each in self._unpacked.values():
            each.close()
        self._unpacked.clear()


class Unpacked:
    """A file that was compressed as a whole, with the places of its payloads."""

    def __init__(self, packed: BinaryIO, folder: Path) -> None:
        self._file = cast("IO[bytes]", TemporaryFile(dir=folder))  # noqa: SIM115 - closed by `close`
        self._places: dict[str, int] = {}
        for piece in _pieces(packed):
            self._file.write(piece)
        for item in records(cast("BinaryIO", self._file), 1):
            if isinstance(item, Record) and item.kind != "revisit" and item.digest:
                self._places.setdefault(origin_of(item), item.position)

    def find(self, origin: str, cap_bytes: int) -> Record | None:
        place = self._places.get(origin)
        return None if place is None else record_at(cast("BinaryIO", self._file), place, cap_bytes)

    def close(self) -> None:
        self._file.close()


def _is_gzip(file: BinaryIO, position: int) -> bool:
    file.seek(position)
    return file.read(len(_GZIP)) == _GZIP


def _pieces(packed: BinaryIO) -> Iterator[bytes]:
    """What can be unpacked, up to the limit."""
    packed.seek(0)
    left = MAX_UNPACKED_BYTES
    with suppress(EOFError, zlib.error, gzip.BadGzipFile):
        opened = gzip.GzipFile(fileobj=packed)
        while left > 0 and (piece := opened.read1(min(_COPY_BYTES, left))):
            left -= len(piece)
            yield piece

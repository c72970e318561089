"""A file that was given to be ingested: its size, its format, and the time of its first record."""

import os
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from webgraph_it.files.received import regular_size
from webgraph_it.ingest import arc, records
from webgraph_it.ingest.ledger import ArchiveError
from webgraph_it.ingest.reading import is_wat
from webgraph_it.ingest.records import Record

WARC, ARC, WAT = "warc", "arc", "wat"
POORER: Final = {
    ARC: "ARC has no digests and no revisits",
    WAT: "WAT has the links that Common Crawl found, and not the pages",
}
"""Formats that tell less than WARC, and what they lack."""
_LOOKED_AT: Final = 20
_STARTS: Final = (b"WARC/", arc.FIRST, b"\x28\xb5\x2f\xfd")
"""First bytes (unpacked) of WARC, ARC, and WARC in zstd."""
_CAP_BYTES: Final = 1 << 16


class Archive(NamedTuple):
    """One file."""

    path: Path
    size: int
    format: str
    time: float
    """Of its first dated record; 0 if there is none among the first few."""


def look(path: Path) -> Archive:
    """What the file is. Raises ArchiveError if it cannot be opened, or is certainly no archive.

    A file that begins like an archive is one, however damaged. One that does not is one if a record is found in it.
    """
    try:
        whole = Path(os.path.abspath(path))
        size = regular_size(whole)
        with whole.open("rb") as file:
            start = arc.first_bytes(file)
            is_arc = arc.is_arc(start)
            found = list(islice((arc.records if is_arc else records.records)(file, _CAP_BYTES), _LOOKED_AT))
            is_archive = start.startswith(_STARTS) and (bool(found) or is_arc or records.has_records(file))
    except OSError as error:
        raise ArchiveError(
            f"{path} cannot be read ({error.strerror or error}): give a WARC, ARC or WAT file."
        ) from None
    taken = [item for item in found if isinstance(item, Record)]
    if not taken and len(found) < _LOOKED_AT and not is_archive:
        raise ArchiveError(f"{path} {_what(start)}")
    kind = ARC if is_arc else WAT if any(map(is_wat, taken)) else WARC
    return Archive(whole, size, kind, next((record.time for record in taken if record.time), 0.0))


def _what(start: bytes) -> str:
    """What a file with these first bytes is instead of an archive, and what to do."""
    if not start:
        return "is empty, or cannot be unpacked: give a WARC, ARC or WAT file."
    if start.startswith(b"PK\x03\x04"):
        return "is a ZIP file, as a WACZ is: unzip it, and give the files of its folder archive/."
    return "is not an archive, because no record is in it: give a WARC, ARC or WAT file."


def in_order(paths: list[Path]) -> list[Archive]:
    """The files in order of time, each once."""
    archives = {archive.path: archive for archive in map(look, paths)}
    return sorted(archives.values(), key=lambda archive: (archive.time, str(archive.path)))

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
_CAP_BYTES: Final = 1 << 16


class Archive(NamedTuple):
    """One file."""

    path: Path
    size: int
    format: str
    time: float
    """Of its first dated record; 0 if there is none among the first few."""


def look(path: Path) -> Archive:
    """What the file is. Raises ArchiveError if it cannot be opened."""
    try:
        whole = Path(os.path.abspath(path))
        size = regular_size(whole)
        with whole.open("rb") as file:
            is_arc = arc.is_arc(arc.first_bytes(file))
            found = list(islice((arc.records if is_arc else records.records)(file, _CAP_BYTES), _LOOKED_AT))
    except OSError as error:
        raise ArchiveError(
            f"{path} cannot be read ({error.strerror or error}): give a WARC, ARC or WAT file."
        ) from None
    taken = [item for item in found if isinstance(item, Record)]
    kind = ARC if is_arc else WAT if any(map(is_wat, taken)) else WARC
    return Archive(whole, size, kind, next((record.time for record in taken if record.time), 0.0))


def in_order(paths: list[Path]) -> list[Archive]:
    """The files in order of time, each once."""
    archives = {archive.path: archive for archive in map(look, paths)}
    return sorted(archives.values(), key=lambda archive: (archive.time, str(archive.path)))

"""What was taken from which file: rows of the frontier's metadata, committed with the pages.

    archive/000001    JSON of a Taken: path, size, format, records taken, whether that was all, what was counted

So a commit holds all of a record or nothing, and the same command continues where the last commit left off. A file is
known by its path and its size.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from webgraph_it.files.received import InputError
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.ingest.reading import Milestone

FILES, HANDED_OVER = "archives", "archives/handed-over"


DAMAGED = "damaged/"


class ArchiveError(InputError):
    """Why a file or a directory cannot be ingested, in one sentence."""


@dataclass(slots=True)
class Taken:
    """One file, and how far it was taken."""

    path: str
    size: int
    format: str
    records: int = 0
    """Records and damaged places so far."""
    finished: bool = False
    failure: str = ""
    milestone: Milestone | None = None
    """The last record that can be found by its position; None if there is none."""
    counts: Counter[str] = field(default_factory=Counter)
    """How many records were what: `pages`, `unchanged`, or why they are no pages."""

    @property
    def is_barren(self) -> bool:
        """Whether it was read, and every record of it was damaged."""
        return bool(self.counts) and all(name.startswith(DAMAGED) for name in self.counts)


class Ledger:
    """The files of a crawl directory, in the order in which they were begun."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        number = int(frontier.get_meta(FILES) or b"0")
        self.files = [self._load(each) for each in range(1, number + 1)]
        self._numbers = {taken.path: number for number, taken in enumerate(self.files, 1)}

    def _load(self, number: int) -> Taken:
        found = json.loads(self._frontier.get_meta(f"{FILES}/{number:06d}") or b"{}")
        at = found.get("milestone")
        known = {"counts": Counter(found.get("counts", {})), "milestone": Milestone(*at) if at else None}
        return Taken(**{**found, **known})

    def of(self, path: Path, size: int, kind: str) -> tuple[int, Taken]:
        """The number and the row of a file; a new row if it was never begun."""
        name = str(path)
        number = self._numbers.get(name)
        if number is None:
            self.files.append(Taken(name, size, kind))
            number = self._numbers[name] = len(self.files)
        taken = self.files[number - 1]
        if taken.size != size:
            raise ArchiveError(
                f"{path} has {size:,} bytes, and had {taken.size:,} when it was begun: give the same file, "
                "or another --jobdir."
            )
        return number, taken

    def find(self, path: Path) -> Taken | None:
        """The row of a file that was begun."""
        number = self._numbers.get(str(path))
        return None if number is None else self.files[number - 1]

    def save(self, number: int) -> None:
        """To be committed with the pages recorded so far."""
        self._frontier.put_meta(FILES, str(len(self.files)).encode())
        taken = self.files[number - 1]
        row = {name: getattr(taken, name) for name in Taken.__slots__}
        self._frontier.put_meta(f"{FILES}/{number:06d}", json.dumps(row).encode())

    @property
    def handed_over(self) -> bool:
        """Whether what was never captured has been queued for a crawl, at least in part."""
        return self._frontier.get_meta(HANDED_OVER) is not None

    def hand_over(self) -> None:
        self._frontier.put_meta(HANDED_OVER, b"1")

    def counts(self) -> Counter[str]:
        """Over all files."""
        return sum((taken.counts for taken in self.files), Counter())

"""Checks that the crawl directory is complete, before a resume changes anything. Nothing here writes.

The frontier's last commit names every shard file with its length, and a resume cuts off everything beyond. That
is right only if the frontier is the newest. Three sources show whether it is: the frontier's own record,
committed.json, and the numbers of the files.

    store commit ──► committed.json      so the record may be ahead of committed.json, and is never behind it
    checkpoint, or a new run ──► next number      files two numbers ahead of the record are empty

With a frontier that contradicts them (it was removed, or restored from an older copy), a resume would cut off pages
that were committed. So the resume is refused, and repair can rebuild the frontier from the files.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.files.own import NEW
from webgraph_it.shards.directory import (
    COMMITTED_FILE,
    CRAWL_FILE,
    LOCK_FILE,
    REPORTS,
    SEEDS,
    CrawlDirectory,
)
from webgraph_it.shards.fleet import BOARD_FOLDER, LOGS_FOLDER, fleet_size, member_number, members
from webgraph_it.shards.formats import LINKS_FOLDER, number_of

Lengths = Mapping[str, int]
"""File name, such as `graph/000001.g16`, → bytes."""

BEFORE_CRAWL_FILE = re.compile(
    rf"{LOCK_FILE}|{CRAWL_FILE}{NEW}|{REPORTS}|{SEEDS}|{SEEDS}/[0-9]{{6,18}}\.txt({NEW})?|lost\+found"
)
"""What a crawl killed before its crawl.json leaves, and what a new file system has."""
BEFORE_MEMBERS = re.compile(
    rf"{LOCK_FILE}|{BOARD_FOLDER}|{LOGS_FOLDER}|member-[0-9]+|broker-.*\.db.*|lost\+found"
)
"""What a fleet killed before the crawl.json of its first member leaves."""
SHOWN_NAMES = 3
UNCHANGED = " Nothing was changed."
"""The end of a refusal to resume. A repair leaves it out when it quotes the refusal."""


def how_to_repair(path: Path) -> str:
    """What to do about a frontier of which there is no copy. The files of a member of a fleet do not say what it has
    taken in from the others, so its frontier cannot be rebuilt from them."""
    if (number := member_number(path)) and fleet_size(path.parent):
        fleet = shlex.quote(str(path.parent))
        return f"let the member crawl its pages again: webgraph-it fleet give-up {fleet} {number}"
    return f"rebuild it from the files with: webgraph-it repair {shlex.quote(str(path))}"


def refuse_missing_parts(path: Path) -> None:
    """Raise DirectoryError if there is a crawl whose crawl.json or frontier is missing."""
    directory = CrawlDirectory(path)
    files = directory.sizes()
    is_crawl = any(files.values()) or directory.committed_file.exists()
    if (is_crawl or directory.has_frontier) and not directory.crawl_file.exists():
        raise DirectoryError(
            f"{path} holds a crawl but no {CRAWL_FILE}, which says what shapes its graph: "
            f"restore that file from a copy, or give another JOBDIR.{UNCHANGED}"
        )
    if is_crawl and not directory.has_frontier:
        raise DirectoryError(
            f"{path} holds {sum(files.values()):,} bytes of graph, URL lists and page log but no frontier/, "
            f"which knows what is still to be fetched: restore frontier/ from a copy, or {how_to_repair(path)}."
            + UNCHANGED
        )


def refuse_occupied(path: Path) -> None:
    """Raise DirectoryError if a directory without crawl.json holds other files: a crawl could overwrite them."""
    if (path / CRAWL_FILE).exists() or not path.exists():
        return
    there = [*path.iterdir(), *(path / REPORTS).glob("*"), *(path / SEEDS).glob("*")]
    names = sorted(str(each.relative_to(path)) for each in there)
    if others := _others(names, BEFORE_CRAWL_FILE):
        raise DirectoryError(
            f"JOBDIR {path} has other files ({others}) and no {CRAWL_FILE}; "
            "expected: the directory of a crawl, an empty one, or a new name. Give another JOBDIR."
        )


def refuse_occupied_fleet(path: Path) -> None:
    """The same for a fleet: DirectoryError if a directory without members holds other files."""
    if not path.exists() or members(path):
        return
    if others := _others(sorted(each.name for each in path.iterdir()), BEFORE_MEMBERS):
        raise DirectoryError(
            f"{path} has other files ({others}) and no members; expected: the directory of a fleet, an empty one, "
            "or a new name. Give another directory."
        )


def _others(names: Sequence[str], ours: re.Pattern[str]) -> str:
    """The first names that are not ours, in words. Empty if there are none."""
    others = [name for name in names if not ours.fullmatch(name)]
    return f"{', '.join(others[:SHOWN_NAMES])}{', …' if len(others) > SHOWN_NAMES else ''}"


def refuse_older_frontier(
    path: Path, record: Lengths, committed: Lengths | None, files: Lengths, *, first_commit: bool
) -> None:
    """Raise DirectoryError if resuming would cut off what was committed.

    `record`: the lengths in the frontier's last commit; `committed`: committed.json, None if it is missing;
    `files`: sizes on disk; `first_commit`: the record is that of the crawl's first commit, or there is none.
    """
    behind = _behind(record, committed or {}) or _beyond_numbers(record, files)
    if behind:
        name, known, found = behind
        raise DirectoryError(
            f"The frontier in {path} is older than the crawl's files: it knows {known:,} bytes of {name}, "
            f"and {found:,} were committed. Restore the newest copy of frontier/, or {how_to_repair(path)}."
            + UNCHANGED
        )
    tail = sum(max(0, size - record.get(name, 0)) for name, size in files.items())
    if committed is None and tail and not first_commit:
        raise DirectoryError(
            f"{path} has no {COMMITTED_FILE}, so it is unknown whether {tail:,} bytes beyond the frontier's last "
            f"commit were committed: restore that file from a copy, or make a new frontier: {how_to_repair(path)}."
            + UNCHANGED
        )


def _behind(record: Lengths, committed: Lengths) -> tuple[str, int, int] | None:
    """The first file of which more was committed than the frontier knows: name, bytes known, bytes committed.

    A link file that the record lacks was deleted by its commit, if the record has a later one.
    """
    newest_links = max((number_of(name) for name in record if name.startswith(f"{LINKS_FOLDER}/")), default=0)
    for name, length in sorted(committed.items()):
        if name not in record and name.startswith(f"{LINKS_FOLDER}/") and number_of(name) < newest_links:
            continue
        if record.get(name, 0) < length:
            return name, record.get(name, 0), length
    return None


def _beyond_numbers(record: Lengths, files: Lengths) -> tuple[str, int, int] | None:
    """A file whose number is too high for the run of the last commit, or for the next run."""
    newest = max(map(number_of, record), default=0)
    for name, size in sorted(files.items()):
        if size and number_of(name) >= newest + 2:
            return name, record.get(name, 0), size
    return None

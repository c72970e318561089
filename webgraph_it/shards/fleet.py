"""The directory of a fleet: the directories of its members, side by side.

    DIR/
      member-01/ member-02/ …   the crawl directory of each member (shards/directory.py)
      board/                    statuses of the members, on one machine
      logs/                     what each member printed, if webgraph-it fleet started it
      crawl.lock                locked by webgraph-it fleet, while it runs

On several machines each has only the directories of its own members.

Guarantees: no other module knows these names. Nothing here writes.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from webgraph_it.shards.directory import CRAWL_FILE, LOCK_FILE, CrawlDirectory
from webgraph_it.shards.formats import ShardError

BOARD_FOLDER, LOGS_FOLDER = "board", "logs"
RESIZE_FILE = "resize.json"
"""While it is there, the fleet is being changed, and no member may start."""
NEW_SIZE, GIVEN_UP = "to", "give_up"
"""Members of it: the new number of members, or the member that is given up."""
_MEMBER = re.compile(r"member-([0-9]{2,4})")


def member_folder(number: int) -> str:
    """`member-01` for member 1."""
    return f"member-{number:02d}"


def member_number(path: Path) -> int:
    """1 for `member-01`; 0 for any other name."""
    found = _MEMBER.fullmatch(path.name)
    return int(found[1]) if found and member_folder(int(found[1])) == path.name else 0


def members(directory: Path) -> dict[int, Path]:
    """The directories of the members that were started here, by number. Empty if this is no fleet."""
    if (directory / CRAWL_FILE).exists() or not directory.is_dir():
        return {}
    found = {
        number: path for path in directory.iterdir() if (number := member_number(path)) and path.is_dir()
    }
    return {number: found[number] for number in sorted(found) if (found[number] / CRAWL_FILE).is_file()}


def fleet_size(directory: Path) -> int:
    """The number of members that the fleet has, by the first member's crawl.json. 0 if this is no fleet."""
    for path in members(directory).values():
        size = CrawlDirectory(path).record().get("FLEET_SIZE")
        if isinstance(size, int) and size > 0:
            return size
    return 0


def missing_members(directory: Path) -> list[int]:
    """The members of a fleet that have no directory here, or none that was begun."""
    here = members(directory)
    return [number for number in range(1, fleet_size(directory) + 1) if number not in here]


def lacks(directory: Path, number: int) -> str:
    """The sentence for a member that is missing."""
    return (
        f"{directory} is a fleet of {fleet_size(directory)} members and lacks {member_folder(number)}: "
        "copy the directories of all members into it."
    )


def crawls_of(paths: Iterable[Path]) -> list[Path]:
    """The crawl directories, with the members of a fleet in its place. ShardError if members are missing, or
    if one of them is there twice."""
    found: list[Path] = []
    for path in paths:
        here = members(path)
        if not here:
            found.append(path)
            continue
        if missing := missing_members(path):
            raise ShardError(lacks(path, missing[0]))
        found += here.values()
    refuse_twice([str(path.resolve()) for path in found])
    return found


def refuse_twice(crawls: Sequence[str]) -> None:
    """ShardError if two crawl directories are the same."""
    if len(set(crawls)) < len(crawls):
        raise ShardError("One crawl directory was given twice; expected each of them once.")


def running_since(member: Path) -> float | None:
    """When the process that last locked a member's directory did so; None if it has ended. Nothing is locked to find
    out, because a member that starts in that moment would be refused."""
    lock = member / LOCK_FILE
    try:
        os.kill(int(lock.read_text()), 0)
        return lock.stat().st_mtime
    except (OSError, ValueError):
        return None

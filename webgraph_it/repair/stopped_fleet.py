"""A fleet that does not run, as a whole: its members are checked, then locked, then opened.

    1  all members are here, and are of one fleet
    2  each is ours, may be written to, and has its frontier
    3  each is locked; its store is intact and the newest, and its files are what was committed

Guarantees: a fleet that fails 1 or 2 is left as it is, byte by byte. One that fails 3 loses nothing: no file is cut,
and nothing is committed to a store. What killed commands have left is removed, once nobody else can be using it.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.crawl.survey import UNCHANGED, refuse_missing_parts
from webgraph_it.repair.agreement import refuse_strangers
from webgraph_it.repair.stopped import StoppedMember, lock_member, refuse_unwritable
from webgraph_it.shards.fleet import fleet_size, member_folder, members

NEW_SIZED, OLD_SIZED = "resize.new", "resize.old"
NEW_MEMBER, WORK = "give-up.new", "give-up.work"
LEFTOVERS = (NEW_SIZED, OLD_SIZED, NEW_MEMBER, WORK)
"""What a change of the fleet makes for itself. Without resize.json none of it counts."""


def members_of(directory: Path) -> dict[int, StoppedMember]:
    """All members of the fleet, by number. DirectoryError if it is no fleet, or not a whole one."""
    here = members(directory)
    if not fleet_size(directory):
        raise DirectoryError(f"{directory} is not the directory of a fleet; expected: one with member-01/.")
    refuse_strangers(here)
    missing = [number for number in range(1, fleet_size(directory) + 1) if number not in here]
    if missing:
        raise DirectoryError(
            f"{directory} lacks {member_folder(missing[0])}: copy the directories of all members into it, as far as "
            "they are left, then give the same command again."
        )
    return {number: StoppedMember(path, number) for number, path in here.items()}


def _lacks_frontier(member: StoppedMember) -> bool:
    """Not if it has not kept anything yet."""
    try:
        refuse_missing_parts(member.path)
    except DirectoryError:
        return True
    return False


@contextmanager
def opened(directory: Path, found: Mapping[int, StoppedMember], lost: int = 0) -> Iterator[None]:
    """Inside the block the members are open. `lost`: this one is only locked, because its frontier may be missing."""
    refuse_unwritable(directory, f"{directory} cannot be changed")
    without = [member.path.name for member in found.values() if _lacks_frontier(member)]
    if lost and len(without) > 1:
        raise DirectoryError(
            f"{' and '.join(without)} of {directory} have no frontier/; expected: at most one, because a member is "
            f"given up with what the frontiers of all others know. Restore the other ones from a copy.{UNCHANGED}"
        )
    for number, member in found.items():
        member.refuse_incomplete(needs_frontier=number != lost)
    with ExitStack() as held:
        for member in found.values():
            held.callback(member.close)
            if member.number == lost:
                lock_member(member.directory, lost)
            else:
                member.open()
        clear(directory)
        try:
            yield
        except PermissionError as error:
            raise DirectoryError(
                f"{error.filename2 or error.filename} cannot be changed ({error.strerror}): allow it, then give the "
                "same command again."
            ) from None


def clear_leftovers(directory: Path, found: Mapping[int, StoppedMember]) -> None:
    """If there are any. DirectoryError if a member is in use: another command may be making them."""
    if not any((directory / name).exists() for name in LEFTOVERS):
        return
    with ExitStack() as held:
        for member in found.values():
            held.callback(member.close)
            lock_member(member.directory, member.number)
        clear(directory)


def clear(directory: Path) -> None:
    """Only while all members are locked, or at the end of a change."""
    for name in LEFTOVERS:
        shutil.rmtree(directory / name, ignore_errors=True)

"""Changes the number of members of a fleet that is stopped: sites, with all that is known of them, change their owners.

    1  every member takes in what the others have logged for it         ordinary commits
    2  resize.new/member-01/ …      new frontiers, crawl.json, committed.json        nothing of the fleet changes
    3  resize.json                  from here on the change happens
    4  renames                      files of members that go away; frontiers; crawl.json; committed.json
    5  resize.json is removed

Guarantees: after a crash at any moment the same command finishes the work. Before step 3 the fleet can be resumed as it
was, and after step 3 no member starts until the change is finished. No page is fetched again, and the graph is that of
a fleet that had its new size from the beginning. The graph, URL lists and page logs stay where they are; those of a
member that goes away become another's.
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from webgraph_it.crawl.directory import DirectoryError, write_json
from webgraph_it.crawl.inbox import META as CURSORS
from webgraph_it.crawl.link_log import LOG_START, RUNS
from webgraph_it.crawl.resuming import FLEET, unfinished_change
from webgraph_it.crawl.seeding import META as SEEDS_META
from webgraph_it.crawl.seeding import Loaded
from webgraph_it.crawl.standstill import counted
from webgraph_it.files.own import make_folder, sync
from webgraph_it.files.received import InputError, read_json_object
from webgraph_it.fleet.local_broker import forget_starts
from webgraph_it.fleet.slices import MAX_MEMBERS, Table, as_text, rebalanced, slice_of_host
from webgraph_it.frontier.division import divide
from webgraph_it.frontier.layout import META
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.killpoint import reached
from webgraph_it.repair.stopped import StoppedMember
from webgraph_it.repair.stopped_fleet import NEW_SIZED as STAGE
from webgraph_it.repair.stopped_fleet import OLD_SIZED as OLD
from webgraph_it.repair.stopped_fleet import clear, clear_leftovers, members_of, opened
from webgraph_it.shards.committed import packed, unpacked
from webgraph_it.shards.directory import COMMITTED_FILE, CRAWL_FILE, FRONTIER, SEEDS
from webgraph_it.shards.fleet import (
    BOARD_FOLDER,
    GIVEN_UP,
    NEW_SIZE,
    RESIZE_FILE,
    member_folder,
)
from webgraph_it.shards.formats import LINKS_FOLDER, URLS_FOLDER, file_name, lines, number_of
from webgraph_it.shards.writer import Durable
from webgraph_it.urls.names import digest

Say = Callable[[str], None]


def resize(directory: Path, to: int, say: Say) -> None:
    """Give the fleet `to` members. DirectoryError if that cannot be done; then nothing has changed."""
    if (directory / RESIZE_FILE).exists():
        _finish(directory)
        say("An earlier change of size was interrupted: it is finished now.")
    old = members_of(directory)
    if not 1 <= to <= MAX_MEMBERS:
        raise DirectoryError(f"--to is {to}; expected: 1 to {MAX_MEMBERS} members.")
    if to == len(old):
        clear_leftovers(directory, old)
        say(f"{directory} has {counted(to, 'member')} already.")
        return
    with opened(directory, old):
        for member in old.values():
            member.take_in(old)
        say(f"All links are taken in by their {counted(len(old), 'owner')}.")
        _stage(directory, old, to)
        say(f"Frontiers are made for {counted(to, 'member')}.")
        reached("resize-staged")
        _finish(directory)


# -- what the members will be -----------------------------------------------------------------------------------------


def _stage(directory: Path, old: Mapping[int, StoppedMember], to: int) -> None:
    table = rebalanced(old[1].table, range(1, to + 1))
    stage = directory / STAGE
    stores = {number: RocksStore(member.directory.frontier) for number, member in old.items()}
    new: dict[int, RocksStore] = {}
    try:
        known = {
            number: {
                name: store.get(META + name.encode())
                for name in ("shards", "tally", "commits", CURSORS, RUNS, LOG_START, SEEDS_META)
            }
            for number, store in stores.items()
        }
        files = {number: unpacked(found["shards"]) for number, found in known.items()}
        kept, moves = _new_files(files, to)
        for number in range(1, to + 1):
            (stage / member_folder(number)).mkdir(parents=True)
            new[number] = RocksStore(stage / member_folder(number) / FRONTIER)
        metas = {number: _meta(number, old, known, kept[number], to) for number in new}
        divide(
            stores,
            new,
            lambda host: table[slice_of_host(host)],
            lambda number: _moved(old[number], table),
            metas,
        )
        for number in new:
            _write_records(stage / member_folder(number), old, number, to, table, kept[number])
    finally:
        for store in (*stores.values(), *new.values()):
            store.close()
    for path in (*stage.rglob("*"), stage):
        sync(path)
    write_json(directory / RESIZE_FILE, {"from": len(old), NEW_SIZE: to, "moves": moves})
    sync(directory)


def _new_files(
    files: Mapping[int, Mapping[str, Durable]], to: int
) -> tuple[dict[int, dict[str, Durable]], list[list[str]]]:
    """The files of each new member, without link logs, and which files of others become theirs, under which names."""
    kept = {
        number: {
            name: each
            for name, each in files.get(number, {}).items()
            if not name.startswith(f"{LINKS_FOLDER}/")
        }
        for number in range(1, to + 1)
    }
    moves: list[list[str]] = []
    for number in sorted(set(files) - set(kept)):
        heir = (number - 1) % to + 1
        base = max(map(number_of, kept[heir]), default=0)
        for name, each in files[number].items():
            stream = name.partition("/")[0]
            if stream == LINKS_FOLDER:
                continue
            renamed = f"{stream}/{file_name(stream, base + number_of(name))}"
            kept[heir][renamed] = each
            moves.append([f"{member_folder(number)}/{name}", f"{member_folder(heir)}/{renamed}"])
    return kept, moves


def _meta(
    number: int,
    old: Mapping[int, StoppedMember],
    known: Mapping[int, Mapping[str, bytes | None]],
    files: Mapping[str, Durable],
    to: int,
) -> dict[str, bytes]:
    """What the frontier of a new member remembers. All logs are taken in, so each goes on from its end."""
    heard = {
        sender: [member.log_end, member.epoch]
        for sender, member in old.items()
        if sender != number and sender <= to and member.log_end
    }
    heirs = [each for each in old if (each - 1) % to + 1 == number]
    found = {
        "shards": packed(files),
        "tally": merged_tallies([known[each]["tally"] for each in heirs]),
        "commits": b"2",
        CURSORS: json.dumps(heard).encode(),
    }
    if number in old:
        found[RUNS] = known[number][RUNS] or b"[]"
        found[LOG_START] = str(old[number].log_end).encode()
    loaded = [each[SEEDS_META] for each in known.values()]
    if all(each and Loaded(**json.loads(each)).finished for each in loaded):
        found[SEEDS_META] = loaded[0] or b""
    return found


def merged_tallies(found: list[bytes | None]) -> bytes:
    """The tallies of several members as one: counts are added up; they ran at the same time."""
    whole: dict[str, Any] = {}
    for each in found:
        for name, value in json.loads(each or b"{}").items():
            if isinstance(value, dict):
                whole[name] = dict(Counter(whole.get(name, {})) + Counter(value))
            elif name == "seconds":
                whole[name] = max(whole.get(name, 0.0), value)
            else:
                whole[name] = whole.get(name, 0) + value
    return json.dumps(whole).encode()


def _moved(member: StoppedMember, table: Table) -> Iterator[bytes]:
    """The digests of a member's nodes that have another owner now."""
    for part in member.directory.parts(URLS_FOLDER):
        for line in lines(part):
            key = line.partition(b"\t")[0].decode()
            if table[slice_of_host(key.partition(")")[0])] != member.number:
                yield digest(key)


def _write_records(
    stage: Path,
    old: Mapping[int, StoppedMember],
    number: int,
    to: int,
    table: Table,
    files: Mapping[str, Durable],
) -> None:
    """crawl.json and committed.json, and the copies of the seeds of a member that is new."""
    source = old.get(number, old[1])
    record = source.record
    fleet = {**record[FLEET], "member": number, "slices": as_text(table)}
    write_json(stage / CRAWL_FILE, {**record, "FLEET_SIZE": to, FLEET: fleet})
    lengths: dict[str, dict[str, int]] = {}
    for name, each in sorted(files.items()):
        stream, _, short = name.partition("/")
        lengths.setdefault(stream, {})[short] = each.length
    write_json(stage / COMMITTED_FILE, lengths)
    if number not in old:
        shutil.copytree(source.path / SEEDS, stage / SEEDS)


# -- the change itself: every step may be repeated -----------------------------------------------------------------


def _finish(directory: Path) -> None:
    try:
        plan = read_json_object(directory / RESIZE_FILE)
        if GIVEN_UP in plan:
            raise DirectoryError(unfinished_change(directory))
        before, to, moves = int(plan["from"]), int(plan[NEW_SIZE]), list(plan["moves"])
    except (InputError, KeyError, TypeError, ValueError):
        raise DirectoryError(f"{directory / RESIZE_FILE} is damaged: restore it from a copy.") from None
    make_folder(directory / OLD)
    for source, target in moves:
        rename_once(directory / source, directory / target)
        reached("resize-moved")
    for number in range(1, to + 1):
        _replace_member(directory, member_folder(number))
        reached("resize-replaced")
    for number in range(to + 1, before + 1):
        _put_aside(directory, directory / member_folder(number), member_folder(number))
    shutil.rmtree(directory / BOARD_FOLDER, ignore_errors=True)
    forget_starts(directory)
    sync(directory)
    (directory / RESIZE_FILE).unlink()
    sync(directory)
    reached("resize-finished")
    clear(directory)


def _replace_member(directory: Path, name: str) -> None:
    stage, member = directory / STAGE / name, directory / name
    if not member.exists():
        make_folder(member)
    new = stage / FRONTIER
    if new.exists():
        if (member / FRONTIER).exists():
            _put_aside(directory, member / FRONTIER, f"{name}.{FRONTIER}")
        rename_once(new, member / FRONTIER)
    for each in (SEEDS, COMMITTED_FILE, CRAWL_FILE):
        rename_once(stage / each, member / each)


def _put_aside(directory: Path, path: Path, name: str) -> None:
    """Under a name that is free: an earlier change may have left something."""
    kept = directory / OLD / name
    while kept.exists():
        kept = kept.with_name(f"{kept.name}.old")
    rename_once(path, kept)


def rename_once(source: Path, target: Path) -> None:
    """Unless it was done before. A folder that is there already stays."""
    if not source.exists() or (source.is_dir() and target.exists()):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    os.rename(source, target)
    sync(target.parent)
    sync(source.parent)

"""Gives up what a member of a fleet has crawled: it starts again with the URLs that are known, and crawls them again.

For a member whose frontier is lost, or whose directory is an old copy that the others refuse. Its URL lists must be
there, because the others know only digests of what they have sent: an arc to a URL that no list has would lead nowhere.
If there is one, nothing is changed.

    1  give-up.new/member-02/      its URL list, records of pages that others own, a frontier with its own URLs queued
    2  resize.json                 from here on the change happens
    3  the others forget how far they have taken in its links: it sends all of them again, and they are known
    4  renames                     the old directory is kept as given-up/member-02

Guarantees: after a crash at any moment the same command finishes the work. When the fleet has ended, its graph is that
of a fleet that gave nothing up.
"""

import json
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from webgraph_it.crawl.directory import DirectoryError, JobDirectory, write_json
from webgraph_it.crawl.inbox import META as CURSORS
from webgraph_it.crawl.link_log import RUNS
from webgraph_it.crawl.resuming import unfinished_change
from webgraph_it.crawl.survey import refuse_missing_parts
from webgraph_it.crawl.tally import Tally
from webgraph_it.files.own import make_folder, sync
from webgraph_it.files.received import InputError, read_json_object
from webgraph_it.fleet.local import board_of
from webgraph_it.fleet.local_broker import forget_starts
from webgraph_it.fleet.log import found_in
from webgraph_it.fleet.slices import Table, slice_of
from webgraph_it.frontier.layout import META
from webgraph_it.frontier.rebuild import Rebuild
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.items import Link, Page, State
from webgraph_it.killpoint import reached
from webgraph_it.repair.repair import policies_of
from webgraph_it.repair.resize import rename_once
from webgraph_it.repair.stopped import StoppedMember
from webgraph_it.repair.stopped_fleet import NEW_MEMBER as STAGE
from webgraph_it.repair.stopped_fleet import WORK, clear, members_of, opened
from webgraph_it.repair.streams import listed, logged, sequences
from webgraph_it.repair.work import Work
from webgraph_it.shards.committed import packed
from webgraph_it.shards.directory import COMMITTED_FILE, CRAWL_FILE, FRONTIER, SEEDS
from webgraph_it.shards.encode import page_line, sequence
from webgraph_it.shards.fleet import BOARD_FOLDER, GIVEN_UP, RESIZE_FILE, member_folder, members
from webgraph_it.shards.formats import (
    GRAPH_FOLDER,
    LINKS_FOLDER,
    PAGES_FOLDER,
    URLS_FOLDER,
    Part,
    file_name,
)
from webgraph_it.shards.writer import Durable
from webgraph_it.urls.names import Refusal, digest, key

KEPT = "given-up"
DONE = b"done"
CUTS = (State.TRAP_CUT, State.QUOTA_CUT)

Say = Callable[[str], None]


def give_up(directory: Path, number: int, say: Say) -> None:
    """DirectoryError if it cannot be done; then nothing has changed."""
    if (directory / RESIZE_FILE).exists():
        finished = _finish(directory)
        say(f"Giving up member {finished} was interrupted: it is finished now.")
        if finished == number:
            return
    others = members_of(directory)
    if number not in others:
        raise DirectoryError(
            f"{directory} has no member {number}; expected: the number of a member, 1 to {len(others)}."
        )
    with opened(directory, others, lost=number), ExitStack() as held:
        given_up = others.pop(number).directory
        held.callback(shutil.rmtree, directory / WORK, ignore_errors=True)
        work = Work(directory / WORK)
        held.callback(work.close)
        queued = _stage(directory, number, given_up, others, work)
        say(f"Member {number} will start again with {queued:,} URLs.")
        reached("resize-staged")
        _finish(directory)


# -- what is known -------------------------------------------------------------------------------------------------


def _stage(
    directory: Path, number: int, given_up: JobDirectory, others: Mapping[int, StoppedMember], work: Work
) -> int:
    """Make the new directory of the member. Returns how many URLs it has queued."""
    table = next(iter(others.values())).table if others else StoppedMember(given_up.path, number).table
    _refuse_lost_urls(number, given_up, others, work)
    _learn_states(number, given_up, others, table, work)
    stage = directory / STAGE / member_folder(number)
    for stream in (URLS_FOLDER, PAGES_FOLDER, GRAPH_FOLDER):
        (stage / stream).mkdir(parents=True)
    if (given_up.path / SEEDS).is_dir():
        shutil.copytree(given_up.path / SEEDS, stage / SEEDS)
    tally = Tally()
    files = _write_files(stage, number, given_up, table, work, tally)
    queued = _write_frontier(stage, number, given_up, others, table, work, files, tally)
    shutil.copy(given_up.crawl_file, stage / CRAWL_FILE)
    lengths: dict[str, dict[str, int]] = {}
    for name, each in files.items():
        lengths.setdefault(name.partition("/")[0], {})[name.partition("/")[2]] = each.length
    write_json(stage / COMMITTED_FILE, lengths)
    for path in (*stage.rglob("*"), stage, stage.parent):
        sync(path)
    write_json(directory / RESIZE_FILE, {GIVEN_UP: number})
    sync(directory)
    return queued


def _parts(directory: JobDirectory, stream: str) -> list[Part]:
    """The files of the member that is given up, as far as they are on disk."""
    return directory.parts_within(stream, directory.sizes())


def _refuse_lost_urls(
    number: int, given_up: JobDirectory, others: Mapping[int, StoppedMember], work: Work
) -> None:
    """Raise DirectoryError if a page of another member links to a URL that no list has."""
    for directory in (given_up, *(member.directory for member in others.values())):
        for each in listed(_parts(directory, URLS_FOLDER)):
            work.add_listed(each.link.digest)
    for member in others.values():
        for part in member.directory.parts(LINKS_FOLDER):
            for found in found_in(part.path.read_bytes()[: part.length]):
                surt = key(found.url)
                if not isinstance(surt, Refusal):
                    work.add_listed(digest(surt))
    lost = sum(
        not work.is_listed(child)
        for member in others.values()
        for each in sequences(member.directory.parts(GRAPH_FOLDER))
        for child in each.children
    )
    if lost:
        raise DirectoryError(
            f"{lost:,} links of other members lead to URLs that only member {number} knew, and its URL lists do not "
            f"have them: restore {given_up.path}/{URLS_FOLDER}/ from the newest copy. Nothing was changed."
        )


def _learn_states(
    number: int, given_up: JobDirectory, others: Mapping[int, StoppedMember], table: Table, work: Work
) -> None:
    """What the page logs say about the member's own URLs. What others recorded, when they owned a site, is kept; what
    the member itself has fetched counts as not fetched."""
    for line in logged(_parts(given_up, PAGES_FOLDER)):
        if table[slice_of(line.page.key)] == number:
            work.set_state(line.page.digest, b"0" + page_line(line.page, 0).encode())
    for member in others.values():
        for line in logged(member.directory.parts(PAGES_FOLDER)):
            if line.was_tried and table[slice_of(line.page.key)] == number:
                work.set_state(line.page.digest, b"1" + page_line(line.page, 0).encode())


def _state(work: Work, name: bytes) -> tuple[Page | None, bool]:
    """The last line about a URL, and whether another member has recorded it."""
    found = work.state(name)
    if found is None:
        return None, False
    line = json.loads(found[1:])
    page = Page(
        *(line["url"], line["key"], name, line["time"], State(line["state"]), line["status"], line["depth"]),
        line["via"],
        content_digest=line["digest"],
        address=line["address"],
        reason=line["reason"],
        seconds=line["seconds"],
        host_depth=line["host_depth"],
    )
    return page, found[:1] == b"1"


# -- the new directory ---------------------------------------------------------------------------------------------


def _write_files(
    stage: Path, number: int, given_up: JobDirectory, table: Table, work: Work, tally: Tally
) -> dict[str, Durable]:
    """The URL list as it is; of graph and page log only what belongs to pages of others, and the lines of cut nodes."""

    def pages() -> Iterator[bytes]:
        for line in logged(_parts(given_up, PAGES_FOLDER)):
            is_others = table[slice_of(line.page.key)] != number
            if is_others or not line.was_tried:
                yield page_line(line.page, line.links).encode()
                if line.page.state in CUTS:
                    tally.count_cut(line.page.state, line.page.reason)
                elif line.was_tried:
                    tally.count(
                        line.page, line.links, is_parent=line.page.state in (State.FETCHED, State.REDIRECT)
                    )
                    work.add_seed(line.page.digest)  # a mark: its sequence is kept

    def graph() -> Iterator[bytes]:
        for each in sequences(_parts(given_up, GRAPH_FOLDER)):
            if work.is_seed(each.parent):
                yield sequence(each.parent, each.children)

    urls = (f"{each.link.key}\t{each.link.url}\n".encode() for each in listed(_parts(given_up, URLS_FOLDER)))
    streams = ((URLS_FOLDER, urls), (PAGES_FOLDER, pages()), (GRAPH_FOLDER, graph()))
    files = {}
    for stream, records in streams:
        name = f"{stream}/{file_name(stream, 1)}"
        with (stage / name).open("wb") as file:
            files[name] = _written(file, records)
    return files


def _written(file: BinaryIO, records: Iterator[bytes]) -> Durable:
    length = crc = 0
    for record in records:
        file.write(record)
        length, crc = length + len(record), zlib.crc32(record, crc)
    return Durable(length, crc)


def _write_frontier(
    stage: Path,
    number: int,
    given_up: JobDirectory,
    others: Mapping[int, StoppedMember],
    table: Table,
    work: Work,
    files: Mapping[str, Durable],
    tally: Tally,
) -> int:
    rebuild = Rebuild(RocksStore(stage / FRONTIER), *policies_of(given_up.record()))
    try:
        for link in _own_urls(number, given_up, others, table):
            if work.state(link.digest) == DONE:
                continue
            page, is_recorded = _state(work, link.digest)
            if page is not None and is_recorded:
                rebuild.finished(page)
            elif page is not None and page.state in CUTS:
                rebuild.cut(page)
            elif page is not None:
                rebuild.queue(link, page.depth, page.host_depth, page.via)
            else:
                rebuild.queue(link, 0, 0, "")
            work.set_state(link.digest, DONE)
        heard = {
            each: [member.log_start, member.epoch] for each, member in others.items() if member.log_start
        }
        last = max(
            [
                _epoch_put(given_up.path.parent, number),
                *(_epoch_heard(each, number) for each in others.values()),
            ]
        )
        rebuild.commit(
            {
                "shards": packed(files),
                "tally": tally.to_bytes(),
                "commits": b"2",
                CURSORS: json.dumps(heard).encode(),
                RUNS: json.dumps([[last, 0]] if last else []).encode(),
            }
        )
        return rebuild.counts().queued
    finally:
        rebuild.abandon()


def _own_urls(
    number: int, given_up: JobDirectory, others: Mapping[int, StoppedMember], table: Table
) -> Iterator[Link]:
    """Every URL that the member owns and that somebody has written down."""
    for directory in (given_up, *(member.directory for member in others.values())):
        for each in listed(_parts(directory, URLS_FOLDER)):
            if table[slice_of(each.link.key)] == number:
                yield each.link
        for line in logged(_parts(directory, PAGES_FOLDER)):  # also what is fetched and is no node
            if table[slice_of(line.page.key)] == number:
                yield Link(line.page.url, line.page.key, line.page.digest, "")


def _epoch_put(directory: Path, number: int) -> int:
    """The last epoch of the member that the notice board knows. The broker knows no later one."""
    status = board_of(directory).get(number)
    return status.epoch if status is not None else 0


def _epoch_heard(member: StoppedMember, number: int) -> int:
    """The last epoch of the member that another one knows."""
    store = RocksStore(member.directory.frontier)
    try:
        cursors = json.loads(store.get(META + CURSORS.encode()) or b"{}")
        return int(cursors.get(str(number), [0, 0])[1])
    finally:
        store.close()


# -- the change itself: every step may be repeated -----------------------------------------------------------------


def _finish(directory: Path) -> int:
    """Returns the member that is given up. DirectoryError if resize.json is of a change of size."""
    try:
        number = int(read_json_object(directory / RESIZE_FILE)[GIVEN_UP])
    except (InputError, KeyError, TypeError, ValueError):
        raise DirectoryError(unfinished_change(directory)) from None
    others = [path for other, path in members(directory).items() if other != number]
    for path in others:
        refuse_missing_parts(path)
    for path in others:
        _forget_cursor(path / FRONTIER, number)
    name = member_folder(number)
    stage, kept = directory / STAGE / name, directory / KEPT / name
    if stage.exists():
        make_folder(directory / KEPT)
        while kept.exists() and (directory / name).exists():
            kept = kept.with_name(f"{kept.name}.old")
        if (directory / name).exists():
            rename_once(directory / name, kept)
        reached("resize-moved")
        rename_once(stage, directory / name)
    reached("resize-replaced")
    shutil.rmtree(directory / BOARD_FOLDER, ignore_errors=True)
    forget_starts(directory)
    sync(directory)
    (directory / RESIZE_FILE).unlink()
    sync(directory)
    reached("resize-finished")
    clear(directory)
    return number


def _forget_cursor(frontier: Path, number: int) -> None:
    store = RocksStore(frontier)
    try:
        cursors = json.loads(store.get(META + CURSORS.encode()) or b"{}")
        cursors.pop(str(number), None)
        store.commit({META + CURSORS.encode(): json.dumps(cursors).encode()})
    finally:
        store.close()

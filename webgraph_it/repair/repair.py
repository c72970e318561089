"""A new frontier from the files of a crawl.

    1  which lengths count    those of committed.json; without it, the longest complete and consistent beginning
    2  frontier.new           seen = URL list and page log, done = page log, queued = the rest
    3  committed.json         with these lengths
    4  the files              cut to these lengths; what is cut off is kept in cut-off/
    5  frontier               replaced; the old one is kept as frontier.old

Guarantees: after a crash at any moment the same command finishes the work. Nothing that counts is cut, and nothing
is deleted. After a resume the graph is that of a crawl that never lost its frontier. Fetched pages are not
fetched again, unless they were not committed. Memory is bounded, because lookups use a store on disk.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webgraph_it.crawl.directory import DirectoryError, JobDirectory, refuse_unusable
from webgraph_it.crawl.ownership import refuse_foreign
from webgraph_it.crawl.store_check import check_store
from webgraph_it.crawl.survey import UNCHANGED, how_to_repair
from webgraph_it.crawl.tally import Tally
from webgraph_it.files.own import make_folder, open_file, sync, whole_file
from webgraph_it.files.received import is_count, shown
from webgraph_it.frontier.rebuild import Rebuild
from webgraph_it.frontier.records import Counts, DamageError, Limits, Order, Ordering
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.items import PARENTS, Link, Page, State
from webgraph_it.repair.archives import archive_length
from webgraph_it.repair.discovery import found, recorded
from webgraph_it.repair.streams import (
    START,
    Logged,
    Place,
    Sequence16,
    listed,
    logged,
    sequences,
)
from webgraph_it.repair.visits import visited
from webgraph_it.repair.work import Work
from webgraph_it.settings_table import CrawlSettings, SettingsError
from webgraph_it.shards.committed import packed
from webgraph_it.shards.directory import COMMITTED_FILE, CRAWL_FILE, LOOKUP, REBUILT
from webgraph_it.shards.formats import (
    ALWAYS,
    GRAPH_FOLDER,
    PAGES_FOLDER,
    SUFFIXES,
    URLS_FOLDER,
    WARC_FOLDER,
    Part,
    ShardError,
)
from webgraph_it.shards.writer import Durable, crc32_of, cut
from webgraph_it.urls.seed_changes import seed_digests

TRIED, WAITS_OUTSIDE = b"t", b"w"
CUTS = {b"c": State.TRAP_CUT, b"q": State.QUOTA_CUT}
"""The state in the last line of a key. After one of CUTS comes the reason."""

CUT_WORDS = {state: word for word, state in CUTS.items()}

Parts = dict[str, list[Part]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a repair."""

    was_sound: bool
    counts: Counts | None = None
    cut_off_bytes: int = 0
    kept_frontier: Path | None = None


def repair(path: Path, tell: Callable[[str], None]) -> Outcome:
    """Give the crawl directory a frontier that agrees with its files. Reports each step."""
    refuse_unusable(path)
    refuse_foreign(path)
    directory = JobDirectory(path)
    if not directory.crawl_file.exists():
        raise DirectoryError(
            f"{path} is not a crawl directory: it has no {CRAWL_FILE}. Restore it from a copy."
        )
    directory.seeds_copy()
    directory.lock()
    try:
        if reason := why_unsound(directory):
            _refuse_member(directory, reason)
            tell(reason)
            return _rebuilt(directory, tell)
        return Outcome(was_sound=True)
    finally:
        directory.unlock()


def _refuse_member(directory: JobDirectory, reason: str) -> None:
    """The files of a member do not say what it has taken in from the others, and they have deleted it."""
    if not directory.record().get("FLEET_SIZE"):
        return
    if not directory.has_frontier:
        reason += f" Restore it from a copy made after the last commit, or {how_to_repair(directory.path)}."
    raise DirectoryError(
        f"{directory.path} is a member of a fleet, which has links that only its frontier knows. {reason}"
    )


def why_unsound(directory: JobDirectory) -> str:
    """Why the frontier cannot be used. Empty if it can."""
    if not directory.has_frontier:
        return "There is no frontier."
    try:
        check_store(directory)
    except ShardError:
        raise
    except (DirectoryError, DamageError) as error:
        return str(error).removesuffix(UNCHANGED)
    return ""


def _rebuilt(directory: JobDirectory, tell: Callable[[str], None]) -> Outcome:
    path = directory.path
    new, work_path = path / REBUILT, path / LOOKUP
    for leftover in (new, work_path):
        shutil.rmtree(leftover, ignore_errors=True)
    work = Work(work_path)
    try:
        copy = directory.seeds_copy()
        for each in seed_digests(copy) if copy else ():
            work.add_seed(each)
        parts = _parts(directory, _lengths(directory, work, tell))
        files = {
            f"{stream}/{part.path.name}": Durable(part.length, crc32_of(part.path, part.length))
            for stream, some in parts.items()
            for part in some
        }
        counts = _write_frontier(new, directory.record(), parts, files, work)
    finally:
        work.close()
        shutil.rmtree(work_path, ignore_errors=True)
    directory.write_committed(files)
    cut_off = cut_files(directory, {name: file.length for name, file in files.items()})
    kept = _free_name(path / "frontier.old") if directory.frontier.exists() else None
    if kept is not None:
        directory.frontier.rename(kept)
    new.rename(directory.frontier)
    sync(path)
    return Outcome(False, counts, cut_off, kept)


# -- which lengths count ------------------------------------------------------------------------------------


def _lengths(directory: JobDirectory, work: Work, tell: Callable[[str], None]) -> dict[str, int]:
    sizes, committed = directory.sizes(), directory.committed()
    if committed is not None:
        for name, length in sorted(committed.items()):
            if sizes.get(name, 0) < length:
                raise ShardError(
                    f"{directory.path / name} has {sizes.get(name, 0):,} bytes, but {length:,} were committed: "
                    "restore the file from a copy. Nothing was changed."
                )
        _refuse_disagreement(directory, committed, work)
        return committed
    tell(f"There is no {COMMITTED_FILE}: the files count as far as they are complete and agree.")
    return consistent_lengths(directory, sizes, work)


def _refuse_disagreement(directory: JobDirectory, lengths: dict[str, int], work: Work) -> None:
    """Raise ShardError if no commit can have made these lengths: a resume would write arcs twice, or lose some."""
    parts = _parts(directory, lengths)
    ends = dict.fromkeys(ALWAYS, START)
    for listing in listed(parts[URLS_FOLDER]):
        work.add_listed(listing.link.digest)
        ends[URLS_FOLDER] = listing.end
    for each in logged(parts[PAGES_FOLDER]):
        ends[PAGES_FOLDER] = each.end
    agreed = True
    for line, sequence in recorded(logged(parts[PAGES_FOLDER]), sequences(parts[GRAPH_FOLDER])):
        agreed = agreed and _agree(line, sequence, work)
        ends[GRAPH_FOLDER] = sequence.end if sequence is not None else ends[GRAPH_FOLDER]
    if not agreed or any(end != _end(parts[stream]) for stream, end in ends.items()):
        raise ShardError(
            f"{directory.committed_file} counts lines of the page log, the URL list and the shards that do not belong "
            "together, expected those of one commit: restore the file from a copy, or remove it, then repair again. "
            "Nothing was changed."
        )


def _end(parts: list[Part]) -> Place:
    return max((Place(index, part.length) for index, part in enumerate(parts) if part.length), default=START)


def consistent_lengths(directory: JobDirectory, sizes: dict[str, int], work: Work) -> dict[str, int]:
    """The longest beginning of the three streams that a commit could have made, without its last page.

    The last page is left out, because it is unknown whether all lines of the nodes cut on it were written.
    Of an archive, the captures of these pages count. The other streams count as they are, because nothing else tells
    what belongs to which page.
    """
    parts = _parts(directory, sizes)
    for listing in listed(parts[URLS_FOLDER]):
        work.add_listed(listing.link.digest)
    pages_end = graph_end = graph_so_far = START
    for line, sequence in recorded(logged(parts[PAGES_FOLDER]), sequences(parts[GRAPH_FOLDER])):
        pages_end, graph_end = line.start, graph_so_far
        if not _agree(line, sequence, work):
            break
        graph_so_far = sequence.end if sequence is not None else graph_so_far
    urls_end = _end_of_urls(parts, pages_end, graph_end, work)
    ends = {PAGES_FOLDER: pages_end, GRAPH_FOLDER: graph_end, URLS_FOLDER: urls_end}
    further = {name: size for name, size in sizes.items() if name.partition("/")[0] not in ends}
    kept = _shortened(parts[PAGES_FOLDER], pages_end)
    further |= {f"{WARC_FOLDER}/{part.path.name}": archive_length(part, kept) for part in parts[WARC_FOLDER]}
    return further | {
        f"{stream}/{part.path.name}": _length_within(index, part, end)
        for stream, end in ends.items()
        for index, part in enumerate(parts[stream])
        if index <= end.part
    }


def _agree(line: Logged, sequence: Sequence16 | None, work: Work) -> bool:
    """Whether the shard and the URL list agree with the page's line."""
    if sequence is None:
        return line.page.state not in PARENTS or not work.is_listed(line.page.digest)
    return len(sequence.children) == line.links and all(map(work.is_listed, sequence.children))


def _end_of_urls(parts: Parts, pages_end: Place, graph_end: Place, work: Work) -> Place:
    """The list up to the last line that is a seed or was found by a kept page."""
    kept = {
        PAGES_FOLDER: _shortened(parts[PAGES_FOLDER], pages_end),
        GRAPH_FOLDER: _shortened(parts[GRAPH_FOLDER], graph_end),
    }
    pairs = recorded(logged(kept[PAGES_FOLDER]), sequences(kept[GRAPH_FOLDER]))
    end = START
    for each in found(listed(parts[URLS_FOLDER]), pairs, _has_links, work.is_seed):
        if each.finder is not None or work.is_seed(each.line.link.digest):
            end = each.line.end
    return end


def _shortened(parts: list[Part], end: Place) -> list[Part]:
    return [
        Part(part.path, _length_within(index, part, end))
        for index, part in enumerate(parts)
        if index <= end.part
    ]


def _length_within(index: int, part: Part, end: Place) -> int:
    return part.length if index < end.part else end.offset


def _parts(directory: JobDirectory, lengths: dict[str, int]) -> Parts:
    """The files that count, up to the lengths that count."""
    return {stream: directory.parts_within(stream, lengths) for stream in SUFFIXES}


# -- the frontier -------------------------------------------------------------------------------------------


def _write_frontier(
    new: Path, record: dict[str, Any], parts: Parts, files: dict[str, Durable], work: Work
) -> Counts:
    store = RocksStore(new)
    rebuild = Rebuild(store, *policies_of(record))
    tally = Tally()
    try:
        _replay_log(parts, rebuild, tally, work)
        pairs = recorded(logged(parts[PAGES_FOLDER]), sequences(parts[GRAPH_FOLDER]))
        pairs = visited(pairs, rebuild, tally, parts[GRAPH_FOLDER])
        for each in found(listed(parts[URLS_FOLDER]), pairs, _has_links, work.is_seed):
            link, finder = each.line.link, each.finder
            if work.state(link.digest) is None:
                rebuild.queue(link, *_place(link, finder))
        for line in logged(parts[PAGES_FOLDER]):
            page = line.page
            if page.state is State.NEVER_TRIED and work.state(page.digest) == WAITS_OUTSIDE:
                link = Link(page.url, page.key, page.digest, "")
                rebuild.queue(link, page.depth, page.host_depth, page.via)
                work.set_state(page.digest, TRIED)
        rebuild.commit({"shards": packed(files), "tally": tally.to_bytes(), "commits": b"2"})
        return rebuild.counts()
    finally:
        rebuild.abandon()


def policies_of(record: dict[str, Any]) -> tuple[Ordering, Limits]:
    """Order and limits of a crawl, from its crawl.json."""
    limits = Limits(
        max_pages_per_host=_limit(record, "MAX_PAGES_PER_HOST"),
        max_depth=_limit(record, "MAX_DEPTH"),
        max_host_depth=_limit(record, "MAX_HOST_DEPTH"),
        max_queries_per_path=_limit(record, "MAX_QUERIES_PER_PATH"),
        max_same_content=_limit(record, "MAX_SAME_CONTENT"),
        max_hosts_per_domain=_limit(record, "MAX_HOSTS_PER_DOMAIN"),
        max_pages_per_domain=_limit(record, "MAX_PAGES_PER_DOMAIN"),
    )
    order = record.get("settings", {}).get("FRONTIER_ORDER", CrawlSettings.FRONTIER_ORDER.default)
    if order not in list(Order):
        raise _wrong("FRONTIER_ORDER", order, " or ".join(Order))
    if order != Order.KEYWORDS:
        return Order(order), limits
    row = CrawlSettings.FRONTIER_KEYWORDS
    weights = record["settings"].get(row.name, row.default)
    try:
        return row.read(weights), limits
    except SettingsError:
        raise _wrong(row.name, weights, row.reader.expected) from None


def _limit(record: dict[str, Any], name: str) -> int:
    value = record.get(name, 0)
    if not is_count(value):
        raise _wrong(name, value, "a number from 0")
    return value


def _wrong(name: str, value: object, expected: str) -> DirectoryError:
    return DirectoryError(
        f"{CRAWL_FILE} has {shown(value)} as {name}, expected {expected}: restore the file from a copy."
    )


def _replay_log(parts: Parts, rebuild: Rebuild, tally: Tally, work: Work) -> None:
    """Every line of the page log, in order. If a key has several, the last counts."""
    for line in logged(parts[PAGES_FOLDER]):
        page, before = line.page, work.state(line.page.digest)
        if line.was_tried:
            if before != TRIED:
                cut = CUTS.get(before[:1]) if before else None
                rebuild.finished(page, cut_before=cut is not None)
                if before and cut is not None:
                    tally.take_back_cut(cut, before[1:].decode())
            work.set_state(page.digest, TRIED)
        elif page.state in CUT_WORDS and before is None:
            rebuild.cut(page)
            tally.count_cut(page.state, page.reason)
            work.set_state(page.digest, CUT_WORDS[page.state] + page.reason.encode())
        elif before is None:
            work.set_state(page.digest, WAITS_OUTSIDE)
        if page.time:
            tally.seconds = max(tally.seconds, page.time)


def _has_links(page: Page) -> bool:
    return page.state in PARENTS


def _place(link: Link, finder: Page | None) -> tuple[int, int, str]:
    """Depth, host depth and via of a node that this page found. Without a page, those of a seed."""
    if finder is None:
        return 0, 0, ""
    same_host = link.key.partition(")")[0] == finder.key.partition(")")[0]
    return finder.depth + 1, finder.host_depth + 1 if same_host else 0, finder.key


# -- the files ----------------------------------------------------------------------------------------------


def cut_files(directory: JobDirectory, lengths: dict[str, int]) -> int:
    """Cut the files to these lengths. What is cut off goes to a separate folder. Returns its bytes."""
    longer = {
        name: size
        for name, size in directory.sizes().items()
        if size > lengths.get(name, 0) or name not in lengths
    }
    if not longer:
        return 0
    folder = _free_name(directory.path / "cut-off")
    for name in longer:
        source, kept = directory.path / name, folder / name
        make_folder(folder)
        make_folder(kept.parent)
        if name not in lengths:
            source.rename(kept)
            continue
        with open(open_file(source, os.O_RDONLY), "rb") as file, whole_file(kept) as rest:
            file.seek(lengths[name])
            shutil.copyfileobj(file, rest)
        cut(source, lengths[name])
    return sum(size - lengths.get(name, 0) for name, size in longer.items())


def _free_name(path: Path) -> Path:
    """The path, or the path with the first free number."""
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free

"""A member of a fleet that does not run, opened without Scrapy: to take in what the others have logged for it."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.directory import DirectoryError, InUseError, JobDirectory, why_unwritable
from webgraph_it.crawl.inbox import Inbox
from webgraph_it.crawl.link_log import log_start_of, runs_of, spans_of
from webgraph_it.crawl.ownership import refuse_foreign
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.resuming import FLEET
from webgraph_it.crawl.store_check import check_store
from webgraph_it.crawl.survey import UNCHANGED, how_to_repair, refuse_missing_parts
from webgraph_it.crawl.tally import Tally
from webgraph_it.fleet.exchange import Cursor, Span
from webgraph_it.fleet.log import lines_for, read_range
from webgraph_it.fleet.slices import Table, from_text
from webgraph_it.fleet.transport import Batch
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.leases import Leases
from webgraph_it.frontier.rebuild import NO_DELAYS
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.repair.repair import policies_of
from webgraph_it.settings_table import CrawlSettings
from webgraph_it.shards.committed import unpacked
from webgraph_it.shards.formats import ALWAYS, LINKS_FOLDER
from webgraph_it.shards.writer import Durable, Shards
from webgraph_it.urls.scope import Scope
from webgraph_it.urls.seeds import read_seeds

BUFFER = 1000


class StoppedMember:
    """Locked from `open` to `close`."""

    def __init__(self, path: Path, number: int) -> None:
        self.path = path
        self.number = number
        self.directory = JobDirectory(path)
        self.record: dict[str, Any] = self.directory.record()
        self.table: Table = from_text(self.record.get(FLEET, {}).get("slices"))
        self.log: tuple[Span, ...] = ()
        self.log_start = 0
        """Everything before it is deleted. After a change of size that is the whole log: then there are no files."""
        self.log_end = 0
        self.epoch = 0

    def __repr__(self) -> str:
        return f"<StoppedMember {self.number} in {self.path}>"

    def refuse_incomplete(self, *, needs_frontier: bool = True) -> None:
        """DirectoryError or NotOursError if it cannot be opened and changed. Nothing is written."""
        refuse_foreign(self.path)
        for path in (self.path, self.directory.frontier):
            refuse_unwritable(path, f"Member {self.number} of {self.path.parent} cannot be changed")
        if needs_frontier:
            refuse_missing_parts(self.path)

    def open(self) -> None:
        """Check it, lock it, and learn what its log is. DirectoryError if it runs."""
        self.refuse_incomplete()
        lock_member(self.directory, self.number)
        check_store(self.directory)
        frontier = self._frontier()
        self.log_start = log_start_of(frontier)
        self.log = spans_of(self.files_of(frontier), self.log_start)
        self.log_end = self.log[-1].end if self.log else self.log_start
        runs = runs_of(frontier)
        self.epoch = runs[-1].epoch if runs else 0
        frontier.abandon()

    def close(self) -> None:
        with suppress(DirectoryError):
            self.directory.unlock()

    @staticmethod
    def files_of(frontier: Frontier) -> dict[str, Durable]:
        return unpacked(frontier.get_meta("shards"))

    def _frontier(self) -> Frontier:
        store = RocksStore(self.directory.frontier)
        return Frontier.open(store, NO_DELAYS, *policies_of(self.record), time.time())

    def take_in(self, others: Mapping[int, "StoppedMember"]) -> None:
        """Apply all that the others have logged for this member, and commit it."""
        asyncio.run(self._take_in(others))

    async def _take_in(self, others: Mapping[int, "StoppedMember"]) -> None:
        frontier = self._frontier()
        files = self.files_of(frontier)
        shards = Shards(self.path, files, dict.fromkeys((*ALWAYS, LINKS_FOLDER), BUFFER))
        tally = Tally(frontier.get_meta("tally"))
        recorder = Recorder(frontier, Leases(), time.time, shards, tally)
        inbox = Inbox(self.number, self.table, scope_of(self.directory), frontier, recorder)
        try:
            for other in others.values():
                if other.number != self.number:
                    await self._take_from(other, inbox)
            await Committer(self.directory, frontier, shards, tally, recorder.step).commit()
        finally:
            shards.close()
            frontier.abandon()

    async def _take_from(self, other: "StoppedMember", inbox: Inbox) -> None:
        if (had := inbox.cursors.get(other.number, Cursor()).offset) > other.log_end:
            raise DirectoryError(
                f"{self.path} has taken in {had:,} bytes of the links of member {other.number}, which has "
                f"{other.log_end:,}: that one is an old copy. Restore the newest one, or {how_to_repair(other.path)}."
            )
        while (begin := inbox.cursors.get(other.number, Cursor()).offset) < other.log_end:
            end, data = read_range(other.path, other.log, begin)
            if end <= begin:
                raise DirectoryError(
                    f"{self.path} has taken in {begin:,} bytes of the links of member {other.number}, which has "
                    f"{other.log_end:,}, and the next ones are missing: it is an old copy. Restore the newest one."
                )
            lines = lines_for(data, self.table, self.number)
            await inbox.apply(Batch(other.number, self.number, other.epoch, begin, end, lines))


def refuse_unwritable(path: Path, what: str) -> None:
    if why := why_unwritable(path):
        raise DirectoryError(
            f"{what} ({why}): allow yourself to write to {path}, then give the same command again.{UNCHANGED}"
        )


def lock_member(directory: JobDirectory, number: int) -> None:
    """DirectoryError if the member runs."""
    try:
        directory.lock()
    except InUseError as error:
        raise DirectoryError(
            f"Member {number} of {directory.path.parent} is in use by {error.owner}: stop the fleet first."
        ) from None


def scope_of(directory: JobDirectory) -> Scope:
    """The scope of a crawl, from its crawl.json and its copy of the seeds."""
    record = directory.record()
    names = (
        "SCOPE_SURTS",
        "ALLOWED_PORTS",
        "EXCLUDED_EXTENSIONS",
        "MAX_URL_LENGTH",
        "MAX_PATH_SEGMENTS",
        "MAX_REPEATED_SEGMENTS",
    )
    values = CrawlSettings.read({name: record[name] for name in names if name in record})
    seeds = directory.seeds_copy()
    if seeds is None:
        raise DirectoryError(f"{directory.path} has no copy of its seeds; expected: one in seeds/.")
    return Scope.from_settings(
        {name: values[name] for name in names}, read_seeds(str(seeds), tuple(values.SCOPE_SURTS))
    )

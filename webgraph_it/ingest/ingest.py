"""Records the captures of archives, file after file, and commits them as a crawl commits its pages.

    Ahead.frames ──► Captures.take (one step, no await) ──► commit, with how far each file was taken

Guarantees: after a crash at any moment the same command finishes the work, and the directory is that of an ingest that
never crashed. Captures are taken in order of time as far as the files are: a capture that is not newer than the one
recorded is counted and left out, so the newest counts in any case. Memory is bounded: what is read ahead is on disk,
and what is not committed is limited as in a crawl.
"""

import asyncio
import gc
import os
import shutil
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.commits import Commits
from webgraph_it.crawl.complaints import Complaints
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.link_rules import link_policy_number
from webgraph_it.crawl.progress import Run
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.reporter import Reporter
from webgraph_it.crawl.seeding import SeedLoader
from webgraph_it.crawl.tally import Tally
from webgraph_it.extract import LinkPolicy, link_policy
from webgraph_it.extract.worker import policy_fields
from webgraph_it.extract.workers import WorkerPool
from webgraph_it.frontier.harvest import Harvest
from webgraph_it.frontier.leases import Leases
from webgraph_it.frontier.records import Counts, Limits, Order, Ordering
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.ingest.ahead import Ahead
from webgraph_it.ingest.archive import Archive, in_order
from webgraph_it.ingest.captures import Captures
from webgraph_it.ingest.directory import claim, note_formats, with_whole_paths
from webgraph_it.ingest.frames import unpacked
from webgraph_it.ingest.ledger import ArchiveError, Ledger, Taken
from webgraph_it.ingest.reader import reader_of
from webgraph_it.ingest.reading import Reading, milestone_of
from webgraph_it.killpoint import reached
from webgraph_it.progress import Progress
from webgraph_it.settings_table import CrawlSettings
from webgraph_it.shards.committed import unpacked as unpacked_files
from webgraph_it.shards.writer import Shards

MAX_UNCOMMITTED = 150_000
"""Changes to the frontier, about 45 MB, and as many again during a commit."""


GARBAGE_THRESHOLD = 20_000
"""New objects between two garbage collections, as in a crawl. There are many objects and hardly any cycles."""
LOOK_EVERY = 64
"""Records between two looks at the commits."""
BAD = Reading(reason="damaged/bad-reply")


class Outcome(NamedTuple):
    """The result of an ingest."""

    counts: Counter[str]
    """What the records of all files were, over all runs."""
    frontier: Counts
    tally: Tally
    files: Sequence[Taken]


async def ingest(
    paths: list[Path],
    jobdir: Path,
    given: Mapping[str, Any],
    progress: Progress,
    *,
    spider: str = "",
    hand_over: bool = False,
) -> Outcome:
    """Record the captures of these files. With `hand_over`, queue what they link to and do not have."""
    archives = in_order(paths)
    directory, values, typed = claim(jobdir, given, spider)
    try:
        running = Ingest(directory, values, typed, progress)
        before = gc.get_threshold()
        gc.set_threshold(GARBAGE_THRESHOLD)
        try:
            return await running.run(archives, hand_over=hand_over)
        finally:
            gc.set_threshold(*before)
            await running.close()
    finally:
        directory.unlock()


class Ingest:
    """One run in a claimed directory."""

    def __init__(
        self,
        directory: JobDirectory,
        values: CrawlSettings,
        typed: Mapping[str, Any],
        progress: Progress,
    ) -> None:
        self._directory = directory
        self._values = values
        self._typed = typed
        self._progress = progress
        copy = directory.seeds_copy()
        assert copy is not None, "claim has made it"
        self._seeds = copy
        policy = policy_of(values)
        reader = reader_of(values, str(copy), policy_fields(policy))
        self._harvest = Harvest.open(
            RocksStore(directory.frontier), order_of(values), limits_of(values), time.time()
        )
        self._ledger = Ledger(self._harvest)
        self._harvest.before_freeze = self._save
        tally = Tally(self._harvest.get_meta("tally"))
        buffers = {"graph": values.GRAPH_BUFFER, "urls": values.URLS_BUFFER, "pages": values.GRAPH_BUFFER}
        shards = Shards(directory.path, unpacked_files(self._harvest.get_meta("shards")), buffers)
        self._leases = Leases()
        self._leases.on_failure = self._failed
        rules = link_policy_number(values)
        self._recorder = Recorder(self._harvest, self._leases, self._now, shards, tally, rules)
        workers = WorkerPool(policy, 1, values.EXTRACT_TIMEOUT, values.EXTRACT_MEMORY)
        self._captures = Captures(
            self._harvest, self._recorder, self._leases, reader, workers, self._ledger, directory.path
        )
        self._committer = Committer(directory, self._harvest, shards, tally, self._recorder.step)
        self._run = Run(time.monotonic(), tally.pages, tally.seconds)
        self._commits = Commits(self._committer, self._harvest, tally, self._run, self._commit_failed)
        self._reporter = Reporter(
            directory, self._harvest, tally, copy, reader.scope, self._run, Complaints(directory.reports)
        )
        self._committing: asyncio.Task[None] | None = None
        self._committed_at = time.monotonic()
        self._options: dict[str, object] = {
            "settings": with_whole_paths(typed),
            "seeds": os.path.abspath(copy),
            "policy": policy_fields(policy),
            "cpu_seconds": values.EXTRACT_TIMEOUT,
            "memory_bytes": values.EXTRACT_MEMORY,
        }
        self._scope = reader.scope
        self._number = 0
        """Of the file whose captures are being recorded; 0: none."""
        self._failure: BaseException | None = None

    def _now(self) -> float:
        """The frontier's time is that of the capture."""
        return self._captures.time

    async def run(self, archives: Sequence[Archive], *, hand_over: bool) -> Outcome:
        if self._ledger.handed_over and archives:
            raise ArchiveError(
                f"{self._directory.path} was handed over to a crawl (--continue), so nothing more can be ingested: "
                "give another --jobdir. webgraph-it convert makes one graph of several directories."
            )
        note_formats(self._directory, {archive.format for archive in archives})
        await self._load_seeds()
        await self._take_files([each for each in archives if not self._is_finished(each)])
        if hand_over:
            await self._hand_over()
        await self._commit_and_wait()
        await self._reporter.write("Ingested")
        tally = self._recorder.tally
        return Outcome(self._ledger.counts(), self._harvest.counts(), tally, self._ledger.files)

    def _is_finished(self, archive: Archive) -> bool:
        taken = self._ledger.find(archive.path)
        if taken is not None:
            self._ledger.of(archive.path, archive.size, archive.format)  # refuses another size
        if taken is None or not taken.finished:
            return False
        self._progress.note(f"{archive.path.name}: ingested before")
        return True

    async def _load_seeds(self) -> None:
        """As nodes, before the first capture."""
        if not self._seeds.stat().st_size:
            return
        loader = SeedLoader(
            self._seeds, self._scope, self._harvest, self._recorder.record_seeds, self._commit_if_due
        )
        await loader.load(lambda: False)

    # -- files ----------------------------------------------------------------------------------------------

    async def _take_files(self, archives: Sequence[Archive]) -> None:
        """In order. Some of the next files are read meanwhile."""
        workers = self._values.EXTRACT_WORKERS
        ahead: dict[int, Ahead] = {}
        workers = workers if workers > 0 else os.cpu_count() or 1
        total, before = sum(archive.size for archive in archives), 0
        try:
            for index, archive in enumerate(archives):
                for other in range(index, min(index + workers, len(archives))):
                    if other not in ahead:
                        ahead[other] = self._start(archives[other])
                self._progress.begin(archive.path.name, total)
                await self._take_file(archive, ahead[index], before)
                ahead.pop(index).close()
                before += archive.size
        finally:
            for each in ahead.values():
                each.close()

    def _start(self, archive: Archive) -> Ahead:
        taken = self._ledger.find(archive.path)
        if taken is None:
            return Ahead(archive.path, self._options, 0, self._directory.path)
        return Ahead(archive.path, self._options, taken.records, self._directory.path, taken.milestone)

    async def _take_file(self, archive: Archive, ahead: Ahead, before: int) -> None:
        self._number, taken = self._ledger.of(archive.path, archive.size, archive.format)
        pages = taken.counts["pages"]
        async for frame in ahead.frames():
            try:
                reading = unpacked(frame.head, frame.links)
            except ValueError:
                reading = BAD
            if self._recorder.shards.full:
                await self._recorder.shards.room()
            await self._captures.take(reading, self._number, taken)
            taken.milestone = milestone_of(reading, taken.records) or taken.milestone
            taken.records += 1
            reached("between-captures")
            if self._failure is not None:
                raise self._failure
            self._progress.at(before + max(reading.position, 0))
            if not taken.records % LOOK_EVERY:
                await self._commit_if_due()
        taken.failure = ahead.failure
        if ahead.failure:
            taken.counts["damaged/unreadable"] += 1
        taken.finished = True
        self._save()
        new = taken.counts["pages"] - pages
        self._progress.end(f"{new:,} pages{f'; {ahead.failure}' if ahead.failure else ''}")

    def _save(self) -> None:
        """At the moment of a commit: how far the current file was taken."""
        if self._number:
            self._ledger.save(self._number)

    # -- the crawl that follows -----------------------------------------------------------------------------

    async def _hand_over(self) -> None:
        """Queue what was found and never captured."""
        await self._commit_and_wait()
        self._progress.begin("queueing what was never captured")
        self._ledger.hand_over()
        for cuts in self._harvest.hand_over(time.time()):
            self._recorder.record_cuts(cuts)
            reached("between-hand-overs")
            if self._recorder.shards.full:
                await self._recorder.shards.room()
            await self._commit_if_due()
        self._progress.end(f"{self._harvest.counts().queued:,} URLs")

    # -- commits --------------------------------------------------------------------------------------------

    async def _commit_if_due(self) -> None:
        """Begin a commit if much or old is uncommitted. It runs beside the recording; there is one at a time."""
        await asyncio.sleep(0)
        many = self._harvest.counts().uncommitted > MAX_UNCOMMITTED
        if not many and time.monotonic() - self._committed_at < self._values.COMMIT_INTERVAL:
            return
        if self._committing is not None:
            await self._committing
        self._refuse_full_disk()
        self._committed_at = time.monotonic()
        self._committing = asyncio.get_running_loop().create_task(self._commits.commit())
        await asyncio.sleep(0)

    def _refuse_full_disk(self) -> None:
        """A crawl pauses below MIN_FREE_DISK. An ingest ends there, and the same command continues."""
        free, least = shutil.disk_usage(self._directory.path).free, self._values.MIN_FREE_DISK
        if free < least:
            raise ArchiveError(
                f"The disk of {self._directory.path} has {free / 1e6:,.0f} MB free, expected MIN_FREE_DISK, "
                f"{least / 1e6:,.0f} MB: make room, then give the same command again."
            )

    async def _commit_and_wait(self) -> None:
        if self._committing is not None:
            await self._committing
            self._committing = None
        await self._commits.commit()

    def _commit_failed(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._committer.stop()

    def _failed(self, error: BaseException) -> None:
        self._failure = error
        self._committer.stop()

    async def close(self) -> None:
        """Close with what was committed last."""
        await self._captures.close()
        if self._committing is not None:
            await asyncio.wait([self._committing])
        await self._reporter.wait()
        self._recorder.shards.close()
        self._harvest.before_freeze = None
        self._harvest.abandon()


def policy_of(values: CrawlSettings) -> LinkPolicy:
    return link_policy(
        values.LINK_KINDS_ARCS,
        values.LINK_KINDS_FOLLOWED,
        values.EXTRACT_EMBEDDED,
        values.EXTRACT_PLAIN_TEXT,
    )


def limits_of(values: CrawlSettings) -> Limits:
    return Limits(**{name: values[name.upper()] for name in Limits._fields})


def order_of(values: CrawlSettings) -> Ordering:
    order = Order(values.FRONTIER_ORDER)
    return values.FRONTIER_KEYWORDS if order is Order.KEYWORDS else order

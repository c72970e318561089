"""Makes and connects the parts of a running crawl. CrawlExtension starts and stops them."""

import logging
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from webgraph_it.crawl.actions import Action
from webgraph_it.crawl.archive import Archivist
from webgraph_it.crawl.audit import AuditLog
from webgraph_it.crawl.budget import LEASE_ROUND_SECONDS, SHARE_ROUND_SECONDS
from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.commits import LOOK_SECONDS, Commits
from webgraph_it.crawl.complaints import Complaints
from webgraph_it.crawl.control import Control
from webgraph_it.crawl.control_socket import ControlSocket
from webgraph_it.crawl.directory import DirectoryError, JobDirectory
from webgraph_it.crawl.disk_watch import DISK_SECONDS, DiskWatch
from webgraph_it.crawl.failures import Failures
from webgraph_it.crawl.member import ROUND_SECONDS
from webgraph_it.crawl.operations import Operations
from webgraph_it.crawl.pending import POSTPONED, Pending
from webgraph_it.crawl.progress import LiveLine, Run
from webgraph_it.crawl.progress_log import FIRST_PROGRESS_SECONDS, ProgressLog
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.reporter import Reporter
from webgraph_it.crawl.rules_file import META, SETTING, RulesFile, RulesFileError
from webgraph_it.crawl.stall_log import StallLog
from webgraph_it.crawl.standstill_watch import StandstillWatch
from webgraph_it.crawl.steering import SHAPING
from webgraph_it.crawl.teller import Teller
from webgraph_it.crawl.timers import Timers
from webgraph_it.engine.fleet import fleet_part
from webgraph_it.engine.fleet_budget import fleet_budget
from webgraph_it.engine.gauges import Gauges
from webgraph_it.engine.parts import scheduler_of
from webgraph_it.engine.pipeline import pipeline_of
from webgraph_it.engine.recrawling import Recrawling
from webgraph_it.engine.scope_middlewares import scope_of
from webgraph_it.engine.seed_loading import SeedLoading
from webgraph_it.engine.steered import Steered
from webgraph_it.engine.stop_watch import STOP_SECONDS, StopWatch
from webgraph_it.frontier.records import Order
from webgraph_it.shards.formats import WARC_FOLDER
from webgraph_it.warc.writer import WarcWriter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from webgraph_it.console.server import Console

logger = logging.getLogger(__name__)

ALL_KEYS = ("",)
"""What every key begins with."""
RULES_SECONDS = 1.0
"""How often RULES_FILE is looked at."""


class Fail(Protocol):
    """Stops the crawl with exit code 1 or 2 (CrawlExtension.fail)."""

    def __call__(
        self, why: str, *, is_whole: bool = True, remedy: str = "", is_refusal: bool = False
    ) -> None: ...


class Running:
    """The parts of a running crawl. Nothing here runs by itself before `start_timers`."""

    def __init__(
        self,
        crawler: "Crawler",
        directory: JobDirectory,
        min_free_disk_bytes: int,
        failures: Failures,
        fail: Fail,
        stop: Callable[[], None],
    ) -> None:
        settings, set_stat = crawler.settings, crawler.stats.set_value
        self.directory = directory
        self.failures = failures
        self.scheduler = scheduler = scheduler_of(crawler)
        self.recorder = recorder = pipeline_of(crawler).recorder
        tally, frontier, reports = recorder.tally, scheduler.frontier, directory.reports
        scheduler.count_busy = tally.count_busy
        self.run = run = Run(time.monotonic(), tally.pages, tally.seconds)
        self.control = Control(scheduler.pause)
        self.committer = Committer(directory, frontier, recorder.shards, tally, recorder.step)
        self.gauges = Gauges(crawler, recorder, self.control, run, directory.path)
        self.stalls = StallLog(set_stat)
        self._scope, self._seed_list = scope_of(crawler), Path(settings["SEEDS"])
        self.fleet = fleet_part(
            settings, scheduler, recorder, pipeline_of(crawler).committed, self._scope, self.control, fail
        )
        self.committer.party = self.fleet.member if self.fleet is not None else None
        complaints = Complaints(reports)
        list_to_report = _kept_seeds(directory) or self._seed_list
        self.reporter = Reporter(directory, frontier, tally, list_to_report, self._scope, run, complaints)
        self.commits = Commits(
            self.committer,
            frontier,
            tally,
            run,
            lambda error: fail(f"it could not be committed ({error})", is_whole=False),
        )
        self.progress = ProgressLog(
            reports, self.gauges.moment, run, tally, self.committer, complaints, set_stat
        )
        self.teller = Teller(_live_line(), self.gauges.moment)
        self.seeds = SeedLoading(
            scheduler, recorder, self.commits, failures, fail, hold=bool(settings["MAX_DEPTH"])
        )
        if self.fleet is not None:
            self.fleet.join(self.commits, self.seeds)
        self._budget = fleet_budget(crawler, self.fleet, self.control, fail)
        is_popular = settings["FRONTIER_ORDER"] == Order.POPULAR
        self.recrawling = Recrawling(scheduler, self.commits, directory, self._scope, is_popular=is_popular)
        self._plan_seconds = settings["RECRAWL_PLAN_INTERVAL"] if settings["CONTINUOUS"] else 0.0
        self._archivist = _archivist(recorder, directory)
        self._warc_file_bytes: int = settings["WARC_FILE_SIZE"]
        self._disk = DiskWatch(self.control, min_free_disk_bytes, directory.path)
        self._standstill = StandstillWatch(run.opened_at)
        self._stop = StopWatch(crawler, recorder.shards, self.committer)
        self._timers = Timers(_task_failed(failures, fail))
        self._ask_to_stop = stop
        self.steered = steered = Steered(crawler, self, self._scope)
        self._rules_file = RulesFile(settings["RULES_FILE"])
        self._is_settling = False
        self._read_rules()
        self.operations = Operations(steered, frontier, AuditLog(reports), self._note, time.time)
        self._pending = Pending(reports, self.operations.do)
        if self._pending:
            self.control.pause(POSTPONED)
        self._socket = ControlSocket(directory.path, self.operations.do)
        self._console = _console(settings, self)

    def ask_to_stop(self) -> None:
        """As a SIGTERM would."""
        self._ask_to_stop()

    def _note(self, action: Action) -> None:
        """What changes the graph is in crawl.json, too."""
        if action.name in SHAPING:
            self.directory.note(action.name, dict(action.arguments))

    async def listen(self) -> None:
        """To operators, until `commit_for_the_last_time`."""
        await self._socket.open()
        if self._console is not None:
            await self._console.open()

    async def be_let_in(self) -> None:
        """Waits until this crawl may begin. If it ends before that, this is cancelled."""
        if self.fleet is not None:
            await self.fleet.starts()

    @property
    def _may_begin(self) -> bool:
        """Before that, nothing may be committed: a member of a fleet that is refused leaves nothing behind."""
        return self.fleet is None or self.fleet.has_started

    @property
    def is_unwanted(self) -> bool:
        """Whether nothing of this start may remain."""
        return self.fleet is not None and self.fleet.is_unwanted

    async def _commit(self) -> None:
        if self._may_begin:
            await self.commits.commit()

    async def load_seeds(self) -> None:
        await self._pending.do_all()
        self.control.unpause(POSTPONED)
        await self._settle_rules()
        await self.seeds.load(self._seed_list, self._scope)

    def start_timers(self, commit_seconds: float, checkpoint_seconds: float) -> None:
        """`checkpoint_seconds` 0: checkpoints only on request."""
        every = self._timers.every
        every(commit_seconds, self._commit)
        every(LOOK_SECONDS, self.commits.commit_if_large)
        if checkpoint_seconds:
            every(checkpoint_seconds, self.checkpoint)
        if self._plan_seconds:
            every(self._plan_seconds, self._plan_again)
        every(FIRST_PROGRESS_SECONDS, self.progress.write_if_due, at_once=True)
        every(self.teller.interval_seconds, self.teller.tell)
        every(DISK_SECONDS, self._watch_disk, at_once=True)
        if self._archivist is not None:
            every(LOOK_SECONDS, self._watch_archive)
        every(self._standstill.interval_seconds, self._watch_standstill)
        every(RULES_SECONDS, self._watch_rules)
        every(RULES_SECONDS, self._pending.do_all)  # asked while this run was starting
        if self.fleet is not None:
            every(ROUND_SECONDS, self.fleet.round, at_once=True)
        if self._budget is not None:
            every(SHARE_ROUND_SECONDS, self._budget.share_round, at_once=True)
            every(LEASE_ROUND_SECONDS, self._budget.lease_round)
        self._stop_watching = every(STOP_SECONDS, self._stop.look)

    async def _plan_again(self) -> None:
        await self.recrawling.plan_again(self.checkpoint)

    def ask_for_checkpoint(self) -> None:
        self._timers.once(self.checkpoint)

    async def checkpoint(self) -> None:
        """Start files with the next numbers. Older files are never changed again."""
        if not self._may_begin:
            return
        await self.commits.commit(checkpoint=True)
        if self.failures:
            return
        await self.recrawling.import_plans()
        await self._index_archive()
        await self.reporter.write("Running")
        logger.info("Checkpoint: the files so far in %s are final.", self.directory.path)

    async def commit_for_the_last_time(self) -> None:
        """Record nothing more, then commit. A page recorded after this commit would be in the frontier only."""
        if self._console is not None:
            await self._console.close()
        await self._socket.close()
        self.recrawling.close()
        self._timers.cancel(but=self._stop_watching)  # it keeps the last commit from waiting for ever
        self.scheduler.leases.ended = True
        if self.is_unwanted:
            self.committer.stop()
        if self._budget is not None:
            await self._budget.end()
        with suppress(Exception):  # `fail` was called
            await self.commits.commit()
        if self.fleet is not None and not self.committer.stopped:
            await self.fleet.end()
        self._stop_watching.cancel()
        if self._archivist is not None:
            await self._archivist.close()

    async def report_for_the_last_time(self, status: str) -> None:
        if self.committer.stopped:
            await self.reporter.wait()  # it reads the store, which closes soon
        else:
            self.progress.write()
            await self.reporter.write(status)
        self.teller.end()

    def close_files(self) -> None:
        """Close with what was committed last. A frontier that must not be committed is left as after a crash."""
        self.recorder.shards.close()
        frontier = self.scheduler.frontier
        if self.committer.stopped:
            frontier.abandon()
            return
        try:
            frontier.close()
        except Exception as error:  # all is committed; only the mark of a clean end is missing
            self.failures.note(f"its frontier could not be closed ({error})")

    async def _watch_rules(self) -> None:
        try:
            self._read_rules()
        except RulesFileError as error:
            logger.error("%s The rules in force stay.", error)
        await self._settle_rules()

    async def _settle_rules(self) -> None:
        """What rules of the file had cut, and none cuts now, is queued: also if the file changed between two runs."""
        frontier, now = self.scheduler.frontier, self._rules_file.checksum()
        before = frontier.get_meta(META)
        if (now or b"") == (before or b"") or self._is_settling:
            return
        self._is_settling = True
        if before:
            queued = await self.steered.take_back(ALL_KEYS)
            logger.info("%d URLs that rules of %s had cut are queued now.", queued, SETTING)
        frontier.put_meta(META, now or b"")
        self.directory.note(SETTING, self._rules_file.noted())
        self._is_settling = False

    def _read_rules(self) -> None:
        if self._rules_file.reload():
            self.steered.set_file_rules(self._rules_file.rules)
            logger.info("%d rules of RULES_FILE are in force.", len(self._rules_file.rules))

    async def _watch_disk(self) -> None:
        owed_bytes = self._archivist.held_bytes if self._archivist is not None else 0
        self._disk.look(self.gauges.free_disk_bytes - owed_bytes)

    async def _watch_archive(self) -> None:
        """A WARC file that is large enough ends, and with it all files of its number."""
        if self.recorder.shards.file_bytes(WARC_FOLDER) >= self._warc_file_bytes:
            await self.commits.commit(checkpoint=True)
            await self._index_archive()

    async def _index_archive(self) -> None:
        if self._archivist is not None:
            await self._archivist.index()

    async def _watch_standstill(self) -> None:
        """Say why, if the crawl gets no response."""
        now = time.monotonic()
        if self.fleet is not None and self.fleet.is_waiting:
            return
        if self._standstill.is_due(self.gauges.answers, now):
            facts = self.gauges.facts(self._standstill.idle_seconds(now))
            if words := self._standstill.words(facts, now):
                logger.warning(words)


def _console(settings: "BaseSettings", running: Running) -> "Console | None":
    """Its libraries are loaded only for a crawl that has one."""
    if not settings["CONSOLE"]:
        return None
    from webgraph_it.console.server import console_of
    from webgraph_it.engine.observed import Observed

    return console_of(
        Observed(running),
        running.directory,
        settings["CONSOLE"],
        settings["CONSOLE_TOKENS"],
        settings["CONSOLE_HOSTS"],
        settings["CONSOLE_MEMBERS"],
    )


def _archivist(recorder: Recorder, directory: JobDirectory) -> Archivist | None:
    """None if the crawl writes no archive."""
    writer = recorder.archive
    return Archivist(directory, writer) if isinstance(writer, WarcWriter) else None


def _task_failed(failures: Failures, fail: Fail) -> Callable[[Exception], None]:
    """The crawl must not continue without commits or the disk watch."""

    def failed(error: Exception) -> None:
        if not failures:
            logger.error("A task of the crawl itself failed.", exc_info=error)
        fail(f"a task of its own failed ({error!r})")

    return failed


def _kept_seeds(directory: JobDirectory) -> Path | None:
    """The crawl's own copy of its seeds: the user's file may be gone when the reports are written."""
    with suppress(DirectoryError):  # the copy is missing, and the same seeds were given again
        return directory.seeds_copy()
    return None


def _live_line() -> LiveLine | None:
    return LiveLine(sys.stderr, shutil.get_terminal_size().columns) if sys.stderr.isatty() else None

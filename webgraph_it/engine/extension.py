"""The crawl as a Scrapy extension: claims JOBDIR, starts the parts of a crawl (running.py), and stops them.

spider_opened starts the timers. spider_closed makes the last commit and says how to resume.
Every failure inside ends in `fail`: one sentence, exit code 1, and a directory that resumes from its last commit.
"""

import asyncio
import gc
import json
import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider

from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.facts import spider_of
from webgraph_it.crawl.failures import Failures, of_step
from webgraph_it.crawl.identity import identity_of
from webgraph_it.crawl.last_words import last_words
from webgraph_it.crawl.membership import fleet_identity
from webgraph_it.crawl.outcome import FAILED, STOPPED, WRONG_USAGE, exit_code, nobody_answered
from webgraph_it.crawl.remembered import REMEMBERED
from webgraph_it.crawl.resuming import resume_command
from webgraph_it.crawl.unix_signals import UnixSignals
from webgraph_it.engine.address_clock import AddressClock
from webgraph_it.engine.lane import Lane
from webgraph_it.engine.locator import Locator
from webgraph_it.engine.parts import parts_of, scheduler_of
from webgraph_it.engine.pipeline import pipeline_of
from webgraph_it.engine.required import check_spider
from webgraph_it.engine.running import Running
from webgraph_it.frontier.records import FrontierError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

GARBAGE_THRESHOLD = 20_000
"""New objects between two garbage collections. A crawl makes many objects and hardly any cycles."""


class CrawlExtension:
    """One crawl, from claiming its directory to its final message."""

    def __init__(
        self,
        crawler: "Crawler",
        directory: JobDirectory,
        commit_seconds: float,
        checkpoint_seconds: float,
        min_free_disk_bytes: int,
    ) -> None:
        self._crawler = crawler
        self._directory = directory
        self._commit_seconds = commit_seconds
        self._checkpoint_seconds = checkpoint_seconds
        self._min_free_disk_bytes = min_free_disk_bytes
        self._resume = resume_command(spider_of(crawler.settings), directory.path)
        self._failures = Failures(self._resume)
        self._running: Running | None = None
        """None: not opened, or only in part."""
        self._is_refused = False
        self.exit_code = STOPPED
        """The exit code of the process; final once the spider is closed."""

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        settings = crawler.settings
        check_spider(crawler.spider)
        directory = JobDirectory(Path(settings["JOBDIR"]))
        changes = directory.claim(
            {**identity_of(settings), **fleet_identity(settings, directory)},
            json.loads(settings[REMEMBERED]),
            spider=spider_of(settings),
        )
        for change in changes:
            logger.info("%s; noted in %s.", change, directory.crawl_file)
        extension = cls(
            crawler,
            directory,
            settings.getfloat("COMMIT_INTERVAL"),
            settings.getfloat("CHECKPOINT_INTERVAL"),
            settings["MIN_FREE_DISK"],
        )
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    # -- opening and closing ---------------------------------------------------------------------------------

    async def spider_opened(self) -> None:
        try:
            await self._open()
        except Exception as error:
            self._failures.note(f"it could not be opened ({error!r})")
            raise CloseSpider("failed") from error

    async def _open(self) -> None:
        scheduler_of(self._crawler).leases.on_failure = self._step_failed
        running = Running(
            self._crawler, self._directory, self._min_free_disk_bytes, self._failures, self.fail, self._stop
        )
        self._join(running)
        self._crawler.stats.set_value("start_time", datetime.now(UTC))
        gc.freeze()
        gc.set_threshold(GARBAGE_THRESHOLD)
        for cut in running.recorder.shards.recovered:
            logger.warning(cut)
        running.start_timers(self._commit_seconds, self._checkpoint_seconds)
        self._signals = UnixSignals(running.ask_for_checkpoint)
        self._signals.listen()
        running.stalls.watchdog.start()
        await running.listen()
        self._running = running

    def _join(self, running: Running) -> None:
        """Connect fetcher, scheduler and pipeline, as the settings say."""
        settings, scheduler = self._crawler.settings, running.scheduler
        if settings.getfloat("ADDRESS_DELAY"):
            fetcher = parts_of(self._crawler).fetcher
            fetcher.use_clock(AddressClock(scheduler))
            scheduler.frontier.locate_first()
            scheduler.locate = Locator(scheduler, fetcher).look
        if settings["LEAN_ENGINE"]:
            lane = Lane(self._crawler, scheduler, pipeline_of(self._crawler))
            scheduler.hand_over(lane.pump, lane.start_more)

    async def be_let_in(self) -> None:
        """A member of a fleet waits here until it may begin."""
        if self._running is not None:
            await self._running.be_let_in()

    async def migrate(self) -> None:
        """Give the directory of an earlier version what it lacks."""
        if self._running is not None:
            await self._running.recrawling.migrate(pipeline_of(self._crawler).committed)

    async def import_plans(self) -> None:
        """Queue the re-visits that were planned while the crawl was stopped."""
        if self._running is not None:
            await self._running.recrawling.import_plans()

    async def load_seeds(self) -> None:
        """Add all of SEEDS to the frontier, or the part that an earlier run did not load."""
        if self._running is not None:
            await self._running.load_seeds()

    async def spider_closed(self, reason: str) -> None:
        """The last commit, the reports, how to resume, and the exit code."""
        left = 0
        try:
            if self._running is not None:
                left = await self._close(self._running, reason)
        except Exception:
            self._failures.note_silently("it could not be closed")
            raise
        finally:
            self._directory.unlock()
            failed = WRONG_USAGE if self._is_refused else FAILED
            self.exit_code = failed if self._failures else exit_code(reason, left)

    async def _close(self, running: Running, reason: str) -> int:
        """Returns how many URLs are left."""
        self._signals.stop()
        running.stalls.watchdog.stop()
        await running.commit_for_the_last_time()
        counts = running.scheduler.frontier.counts()
        left = counts.queued + counts.leased
        self._finish_stats(running, reason)
        await running.report_for_the_last_time("Finished" if reason == "finished" else f"Stopped ({reason})")
        running.close_files()
        if running.is_unwanted:
            self._take_back()
            return left
        self._say_last_words(running, reason, left)
        if reason == "finished" and not left and nobody_answered(running.recorder.tally):
            self._failures.note_at_the_end(
                f"{running.recorder.tally.pages:,} URLs were tried, and no server answered. "
                "Check this machine's network, DNS_SERVERS, PORT_MAP and the seeds, then start again with a new JOBDIR."
            )
        return left

    def _take_back(self) -> None:
        """Nothing remains of a member's start that the others do not know of."""
        try:
            self._directory.take_back()
        except OSError as error:
            path = self._directory.path
            logger.error("What this start made in %s could not be removed (%s): remove it.", path, error)

    def _finish_stats(self, running: Running, reason: str) -> None:
        """Set the stats that Scrapy's CoreStats would have counted page by page."""
        stats, run = self._crawler.stats, running.run
        stats.set_value("finish_time", datetime.now(UTC))
        stats.set_value("elapsed_time_seconds", time.monotonic() - run.opened_at)
        stats.set_value("finish_reason", reason)
        stats.set_value("loop/longest_turn_seconds", running.stalls.watchdog.longest_seconds)
        stats.set_value("item_scraped_count", running.recorder.tally.pages - run.pages)

    def _say_last_words(self, running: Running, reason: str, left: int) -> None:
        directory = self._directory
        for words in last_words(
            running.recorder.tally,
            directory.path,
            directory.reports,
            running.seeds.loaded,
            left,
            reason,
            failed=bool(self._failures),
            resume=self._resume,
        ):
            logger.info(words)

    def _stop(self) -> None:
        """An operator wants the crawl to end: as after SIGTERM, it can be resumed."""
        if not scheduler_of(self._crawler).is_closing:
            closing = self._crawler.engine.close_spider_async(reason="shutdown")
            self._closing = asyncio.get_running_loop().create_task(closing)

    # -- failures --------------------------------------------------------------------------------------------

    def fail(self, why: str, *, is_whole: bool = True, remedy: str = "", is_refusal: bool = False) -> None:
        """Stop, with exit code 1. If not `is_whole`, frontier and shards may disagree: nothing more is committed. If
        `is_refusal`, the exit code is 2: another start would end in the same way."""
        self._is_refused = self._is_refused or (is_refusal and not self._failures)
        self._failures.note(why, remedy)
        running = self._running
        if running is None:
            return
        if not is_whole:
            running.committer.stop()
        running.control.pause("failed")
        if not running.scheduler.is_closing:
            closing = self._crawler.engine.close_spider_async(reason="failed")
            self._closing = asyncio.get_running_loop().create_task(closing)

    def _step_failed(self, error: BaseException) -> None:
        """An exception in the middle of recording a page, or of another change to the frontier."""
        if not isinstance(error, FrontierError):
            logger.error("A step of the crawl was not finished.", exc_info=error)
        why, remedy = of_step(error, self._directory.path)
        self.fail(why, is_whole=False, remedy=remedy)

"""The crawl as a Scrapy extension: claims JOBDIR, commits on time, watches the disk, tells how it goes.

Signals: spider_opened starts the timers, spider_closed commits for the last time and says how to resume,
SIGUSR1 asks for a checkpoint and fresh reports, SIGHUP stops like SIGTERM unless it was ignored at the start (nohup).

A stop ends within DOWNLOAD_TIMEOUT + 10 s: what was not sent is called off at once, what was sent when its time is
over, and a full disk is waited for no longer than STOP_DISK_SECONDS. Called-off URLs stay in the frontier as they were.

Whatever goes wrong inside ends in `fail`: one sentence, exit code 1, and a directory that resumes from its last commit.
"""

import asyncio
import gc
import json
import logging
import math
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider

from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.control import Pauses
from webgraph_it.crawl.directory import CrawlDirectory, DirectoryError
from webgraph_it.crawl.host_waits import grouped
from webgraph_it.crawl.identity import identity_of
from webgraph_it.crawl.lane import Lane
from webgraph_it.crawl.outcome import FAILED, STOPPED, exit_code
from webgraph_it.crawl.progress import LiveLine, Snapshot
from webgraph_it.crawl.remembered import REMEMBERED
from webgraph_it.crawl.reports import HostLine, seed_lines, write_reports
from webgraph_it.crawl.seeding import SeedLoader
from webgraph_it.crawl.standstill import Facts, sentence
from webgraph_it.crawl.survey import how_to_repair
from webgraph_it.crawl.watchdog import MAX_TURN_SECONDS, Watchdog
from webgraph_it.engine.required import check_spider
from webgraph_it.fetch.bandwidth_middleware import BandwidthMiddleware, shaper_of
from webgraph_it.fetch.downloader import LeanDownloader
from webgraph_it.fetch.handler import fetcher_of
from webgraph_it.frontier.records import FrontierError
from webgraph_it.frontier.scheduler import FrontierScheduler
from webgraph_it.graph.disk import open_file
from webgraph_it.graph.pipeline import GraphPipeline
from webgraph_it.graph.shards import CRAWL_FILE
from webgraph_it.graph.tally import Tally
from webgraph_it.urls.middlewares import scope_of
from webgraph_it.urls.seeds import SeedsError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

FIRST_PROGRESS_SECONDS, PROGRESS_SECONDS = 1.0, 10.0
"""How often progress.jsonl gets a line, in the first two minutes and after."""
FIRST_PERIOD_SECONDS = 120.0
LOG_SECONDS = 60.0
LIVE_SECONDS = 1.0
DISK_SECONDS = 2.0
STOP_SECONDS = 0.5
"""How often it is looked whether the crawl is to stop."""
STOP_DISK_SECONDS = 5.0
"""How long a crawl that stops waits for a full disk."""
STANDSTILL_SECONDS, STANDSTILL_AGAIN_SECONDS = 60.0, 600.0
"""Without a response for so long the log says why; again when the reasons change, or after so long."""
MOST_UNCOMMITTED = 60_000
"""Changes of the frontier, some 18 MB: a crawl at full speed commits every ten seconds or so."""
MAX_UNCOMMITTED_SEEDS = 40_000
"""The same while seeds are loaded, four for each: some 12 MB, ten thousand seeds."""
STALL_LOG_SECONDS = 60.0
"""At most so often the log says that the event loop was held; the stats count every time."""
GARBAGE_THRESHOLD = 20_000
"""New objects between two looks for cyclic garbage: a crawl makes many objects and hardly any cycles."""


class CrawlExtension:
    """One crawl, from claiming its directory to its last words."""

    def __init__(
        self,
        crawler: "Crawler",
        directory: CrawlDirectory,
        commit_seconds: float,
        checkpoint_seconds: float,
        min_free_disk_bytes: int,
    ) -> None:
        self._crawler = crawler
        self._directory = directory
        self._commit_seconds = commit_seconds
        self._checkpoint_seconds = checkpoint_seconds
        self._min_free_disk_bytes = min_free_disk_bytes
        self._tasks: list[asyncio.Task[None]] = []
        self._watchdog = Watchdog(self._stalled)
        self._stall_told_at = -STALL_LOG_SECONDS
        self._is_open = False
        self._pauses = Pauses()
        self._failure = ""
        self._stop_began: float | None = None
        self._hung_up = False
        self._complained: set[str] = set()
        self._quiet_since = time.monotonic()
        self._last_answers = (0, 0)
        self._said, self._said_at = "", 0.0
        """What was last said of a standstill, and when."""
        self._live = LiveLine(sys.stderr, shutil.get_terminal_size().columns) if sys.stderr.isatty() else None
        self._loader: SeedLoader | None = None
        self._reporting: asyncio.Task[None] | None = None
        self._noted: Moment | None = None
        """The last one in progress.jsonl."""
        self._told: Moment | None = None
        """The last one shown."""
        self.exit_code = STOPPED
        """What the process tells its caller; final once the spider is closed."""

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        settings = crawler.settings
        check_spider(crawler.spider)
        directory = CrawlDirectory(Path(settings["JOBDIR"]))
        changes = directory.claim(identity_of(settings), json.loads(settings[REMEMBERED]))
        for change in changes:
            logger.info("%s; noted in %s.", change, directory.path / CRAWL_FILE)
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

    # -- the crawl's life ----------------------------------------------------------------------------------

    async def spider_opened(self) -> None:
        try:
            self._open()
        except Exception as error:
            self._note_failure(f"it could not be opened ({error!r})")
            raise CloseSpider("failed") from error

    def _open(self) -> None:
        scheduler: Any = self._crawler.engine.scheduler
        self._scheduler: FrontierScheduler = scheduler
        pipeline = self._crawler.get_item_pipeline(GraphPipeline)
        assert isinstance(pipeline, GraphPipeline), "ITEM_PIPELINES must hold GraphPipeline"
        self._pipeline = pipeline
        self._scheduler.on_failure = self._step_failed
        self._committer = Committer(
            self._directory, self._scheduler.frontier, pipeline.shards, pipeline.tally, pipeline.step
        )
        self._fetcher = fetcher_of(self._crawler)
        self._shaper = shaper_of(self._crawler)
        if self._crawler.settings.getfloat("ADDRESS_DELAY"):
            self._fetcher.use_clock(AddressClock(self._scheduler))
        if self._crawler.settings["LEAN_ENGINE"]:
            self._scheduler.lane = Lane(self._crawler, self._scheduler, pipeline)
        self._scope = scope_of(self._crawler)
        self._seeds = Path(self._crawler.settings["SEEDS"])
        """For the reports. What the user gave may be gone by then, so the crawl's own copy if there is one."""
        with suppress(DirectoryError):  # the copy is missing, and the same seeds were given again
            self._seeds = self._directory.seeds_copy() or self._seeds
        self._opened_at = time.monotonic()
        self._crawler.stats.set_value("start_time", datetime.now(UTC))
        gc.freeze()
        gc.set_threshold(GARBAGE_THRESHOLD)
        self._pages_before, self._seconds_before = pipeline.tally.pages, pipeline.tally.seconds
        for cut in pipeline.shards.recovered:
            logger.warning(cut)
        self._every(self._commit_seconds, self.commit)
        self._every(LIVE_SECONDS, self._commit_if_large)
        if self._checkpoint_seconds:
            self._every(self._checkpoint_seconds, self.checkpoint)
        self._every(FIRST_PROGRESS_SECONDS, self._write_progress, at_once=True)
        self._every(LIVE_SECONDS if self._live else LOG_SECONDS, self._tell)
        self._every(DISK_SECONDS, self._watch_disk, at_once=True)
        self._quiet_since = time.monotonic()
        self._every(STANDSTILL_SECONDS / 6, self._watch_standstill)
        self._stop_watch = self._every(STOP_SECONDS, self._watch_stop)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, self._on_request)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            loop.add_signal_handler(signal.SIGHUP, self._on_hangup)
        self._watchdog.start()
        self._is_open = True

    async def spider_closed(self, reason: str) -> None:
        """The last commit, the reports, how to resume, and the exit code."""
        left = 0
        try:
            if self._is_open:
                left = await self._close(reason)
        except Exception:
            self._failure = self._failure or "it could not be closed"
            raise
        finally:
            self._directory.unlock()
            self.exit_code = FAILED if self._failure else exit_code(reason, left)

    async def _close(self, reason: str) -> int:
        """How many URLs are left."""
        asyncio.get_running_loop().remove_signal_handler(signal.SIGUSR1)
        self._watchdog.stop()
        for task in self._tasks:
            if task is not self._stop_watch:  # it sees to it that the last commit does not wait for ever
                task.cancel()
        self._scheduler.ended = (
            True  # what came between the last commit and the end would be in the frontier alone
        )
        with suppress(Exception):  # `_commit` has called `fail`
            await self.commit()
        self._stop_watch.cancel()
        counts = self._scheduler.frontier.counts()
        self._finish_stats(reason)
        if not self._committer.stopped:
            self._add_progress()
            await self._write_reports("Finished" if reason == "finished" else f"Stopped ({reason})")
        elif self._reporting is not None:
            await asyncio.wait([self._reporting])  # it reads the store
        self._end_live_line()
        self._close_files()
        left = counts.queued + counts.leased
        self._last_words(reason, left)
        return left

    def _close_files(self) -> None:
        """With what was committed last; a frontier that must not be committed is left as by a crash."""
        self._pipeline.shards.close()
        frontier = self._scheduler.frontier
        if self._committer.stopped:
            frontier.abandon()
            return
        try:
            frontier.close()
        except Exception as error:  # all is committed; only that the end was clean is not on record
            self._note_failure(f"its frontier could not be closed ({error})")

    # -- stops and failures ----------------------------------------------------------------------------------

    def fail(self, why: str, *, is_whole: bool = True, remedy: str = "") -> None:
        """Stop, with exit code 1. `is_whole` False: frontier and shards may disagree, nothing more is committed."""
        self._note_failure(why, remedy)
        if self._is_open and not is_whole:
            self._committer.stop()
        self._pause("failed")
        if not self._scheduler.is_closing:
            closing = self._crawler.engine.close_spider_async(reason="failed")
            self._closing = asyncio.get_running_loop().create_task(closing)

    def _note_failure(self, why: str, remedy: str = "") -> None:
        if not self._failure:
            self._failure = why
            logger.critical(
                "The crawl stops: %s. Nothing of the last commit is lost; %s",
                why,
                remedy
                or f"when the cause is gone, resume with: scrapy crawl italy -s JOBDIR={self._directory.path}",
            )

    def _step_failed(self, error: BaseException) -> None:
        """Inside the one step of a page, or of another change of the frontier."""
        if isinstance(error, FrontierError):  # its store cannot be read
            self.fail(
                str(error),
                is_whole=False,
                remedy="to resume, restore frontier/ from a copy made after the last commit, or "
                + how_to_repair(self._directory.path),
            )
            return
        logger.error("A step of the crawl was not finished.", exc_info=error)
        self.fail(f"a step of it could not be finished ({error!r})", is_whole=False)

    async def _watch_stop(self) -> None:
        """Once the engine closes, end what would keep it: fetches that wait, and writes to a full disk."""
        if not self._scheduler.is_closing:
            return
        if self._stop_began is None:
            self._stop_began = time.monotonic()
        elapsed = time.monotonic() - self._stop_began
        patience = 0.0 if self._committer.stopped else self._fetcher.settings.total_seconds
        downloader: Any = self._crawler.engine.downloader
        if isinstance(downloader, LeanDownloader):
            downloader.call_off(self._fetcher.exchanging if elapsed < patience else ())
        if self._pipeline.shards.waiting_for_disk and elapsed >= STOP_DISK_SECONDS:
            self._pipeline.shards.stop_waiting()

    def _on_hangup(self) -> None:
        """The terminal is gone: stop as by SIGTERM, once (a shell and the kernel may both say so)."""
        if not self._hung_up:
            self._hung_up = True
            os.kill(os.getpid(), signal.SIGTERM)

    def _pause(self, reason: str) -> bool:
        """True: not paused for this reason before."""
        is_new = self._pauses.pause(reason)
        self._scheduler.pause(True)
        return is_new

    def _unpause(self, reason: str) -> bool:
        """True: was paused for this reason. The crawl goes on if there is no other."""
        was_there = self._pauses.unpause(reason)
        self._scheduler.pause(bool(self._pauses))
        return was_there

    def _finish_stats(self, reason: str) -> None:
        """What Scrapy's CoreStats would have counted, page by page."""
        stats = self._crawler.stats
        stats.set_value("finish_time", datetime.now(UTC))
        stats.set_value("elapsed_time_seconds", time.monotonic() - self._opened_at)
        stats.set_value("finish_reason", reason)
        stats.set_value("loop/longest_turn_seconds", self._watchdog.longest_seconds)
        stats.set_value("item_scraped_count", self._pipeline.tally.pages - self._pages_before)

    def _last_words(self, reason: str, left: int) -> None:
        tally = self._pipeline.tally
        logger.info(
            "%d pages, %d links in %s; reports in %s.",
            tally.pages,
            tally.links,
            self._directory.path,
            self._directory.reports,
        )
        loaded = self._loader.loaded if self._loader else None
        seeds_are_left = loaded is not None and not loaded.finished
        if loaded is not None and seeds_are_left:
            logger.info("The seeds are loaded up to line %d of the list.", loaded.line)
        if (left or seeds_are_left) and not self._failure:
            logger.info(
                "%d URLs are left (%s). To resume: scrapy crawl italy -s JOBDIR=%s",
                left,
                reason,
                self._directory.path,
            )

    # -- seeds ---------------------------------------------------------------------------------------------

    async def load_seeds(self) -> None:
        """All of SEEDS goes to the frontier, or what an earlier run did not load."""
        if self._scheduler.ended:
            return
        self._loader = SeedLoader(
            Path(self._crawler.settings["SEEDS"]),
            self._scope,
            self._scheduler.frontier,
            self._pipeline.record_seeds,
            self._let_others_run,
        )
        self._scheduler.held = bool(self._crawler.settings["MAX_DEPTH"])  # depth is counted from the seeds
        try:
            await self._loader.load(lambda: self._scheduler.ended or self._scheduler.is_closing)
        except SeedsError as error:
            self.fail(str(error))
        except Exception:
            if not self._failure:  # of a commit: `_commit` has called `fail`
                raise
        finally:
            self._scheduler.held = False
        self._scheduler.wake()

    async def _let_others_run(self) -> None:
        """Between two slices: fetches, and a commit for which loading waits, so that memory holds no second one."""
        self._scheduler.wake()
        await asyncio.sleep(0)
        if self._pipeline.shards.full:
            await self._pipeline.shards.room()
        if self._scheduler.frontier.counts().uncommitted > MAX_UNCOMMITTED_SEEDS:
            await self.commit()

    # -- commits -------------------------------------------------------------------------------------------

    async def commit(self) -> None:
        await self._commit(checkpoint=False)

    async def _commit_if_large(self) -> None:
        """What is not yet committed is in memory: a fast crawl commits before its time."""
        if self._scheduler.frontier.counts().uncommitted > MOST_UNCOMMITTED:
            await self.commit()

    async def checkpoint(self) -> None:
        """Next file numbers; what is older is never touched again."""
        await self._commit(checkpoint=True)
        if self._failure:
            return
        await self._write_reports("Running")
        logger.info("Checkpoint: the files so far in %s are final.", self._directory.path)

    async def _commit(self, *, checkpoint: bool) -> None:
        self._pipeline.tally.seconds = self._seconds
        try:
            await self._committer.commit(checkpoint=checkpoint)
        except Exception as error:
            self.fail(f"it could not be committed ({error})", is_whole=False)
            raise

    def _on_request(self) -> None:
        self._run(self._guarded(self.checkpoint))

    # -- the disk --------------------------------------------------------------------------------------------

    async def _watch_disk(self) -> None:
        short = shutil.disk_usage(self._directory.path).free < self._min_free_disk_bytes
        if short and self._pause("disk"):
            logger.warning(
                "Less than %.1f GB free for %s: the crawl pauses until there is room.",
                self._min_free_disk_bytes / 1e9,
                self._directory.path,
            )
        elif not short and self._unpause("disk"):
            logger.info("There is room on the disk again: the crawl resumes.")

    # -- standing still --------------------------------------------------------------------------------------

    async def _watch_standstill(self) -> None:
        """A crawl that gets no response says why."""
        now, answers = time.monotonic(), (self._fetcher.replies, self._pipeline.tally.pages)
        if answers != self._last_answers:
            self._last_answers, self._quiet_since, self._said = answers, now, ""
            return
        if now - self._quiet_since < STANDSTILL_SECONDS or now - self._said_at < STANDSTILL_SECONDS:
            return
        facts = self.facts()
        reasons = sentence(facts._replace(idle_seconds=0.0))
        if reasons != self._said or now - self._said_at >= STANDSTILL_AGAIN_SECONDS:
            self._said, self._said_at = reasons, now
            logger.warning(sentence(facts))

    def facts(self) -> Facts:
        """What may hold up the crawl now."""
        fetcher, scheduler, engine = self._fetcher, self._scheduler, self._crawler.engine
        gate = fetcher.gate
        now, counts = time.time(), scheduler.frontier.counts()
        waits = list(scheduler.frontier.waits())
        bandwidth = self._crawler.get_downloader_middleware(BandwidthMiddleware)
        rate = self._crawler.stats.get_value("bandwidth/cap_bytes_per_second")
        return Facts(
            now=now,
            idle_seconds=time.monotonic() - self._quiet_since,
            queued=counts.queued,
            pauses=(*self._pauses.reasons, *(("by the engine",) if engine.paused else ())),
            disk_is_full=self._pipeline.shards.waiting_for_disk,
            bytes_per_second=rate,
            rate_until=bandwidth.rate_until(now) if rate is not None and bandwidth is not None else None,
            waiting_for_bandwidth=bandwidth.waiting if bandwidth is not None else 0,
            connections=fetcher.governor.sockets,
            connections_cap=fetcher.governor.cap,
            waiting_for_connection=fetcher.waiting_for_place,
            waiting_for_address=gate.waiting if gate else 0,
            address_until=gate.next_at if gate else None,
            waiting_for_dns=fetcher.waiting_for_dns,
            awaiting_response=len(fetcher.exchanging),
            under_way=counts.leased,
            waiting_for_extraction=scheduler.frontier.reading,
            host_waits=grouped(waits, scheduler.robots_waits, scheduler.now() - now),
            other_hosts=max(0, counts.hosts_waiting + counts.hosts_parked - len(waits)),
        )

    # -- the event loop --------------------------------------------------------------------------------------

    def _stalled(self, seconds: float) -> None:
        stats = self._crawler.stats
        stats.set_value("loop/stalls", self._watchdog.stalls)
        stats.set_value("loop/stall_seconds", self._watchdog.stall_seconds)
        now = time.monotonic()
        if now - self._stall_told_at >= STALL_LOG_SECONDS:
            self._stall_told_at = now
            logger.warning(
                "The event loop was held for %.0f ms; expected at most %.0f. Stalls so far: %d, %.2f s in all.",
                seconds * 1000,
                MAX_TURN_SECONDS * 1000,
                self._watchdog.stalls,
                self._watchdog.stall_seconds,
            )

    # -- words and numbers -----------------------------------------------------------------------------------

    @property
    def _seconds(self) -> float:
        return self._seconds_before + time.monotonic() - self._opened_at

    def snapshot(self, last: "Moment | None") -> "Moment":
        """The crawl now; rates since `last`."""
        now, tally, counts = time.monotonic(), self._pipeline.tally, self._scheduler.frontier.counts()
        stats = self._crawler.stats
        received = self._shaper.wire_bytes()
        since, pages_then, bytes_then = (
            (last.when, last.snapshot.pages, last.snapshot.wire_bytes)
            if last
            else (self._opened_at, self._pages_before, 0)
        )
        elapsed = max(1e-6, now - since)
        snapshot = Snapshot(
            time=time.time(),
            pages=tally.pages,
            pages_per_second=(tally.pages - pages_then) / elapsed,
            mean_pages_per_second=(tally.pages - self._pages_before) / max(1e-6, now - self._opened_at),
            wire_bytes=received,
            wire_bytes_per_second=(received - bytes_then) / elapsed,
            bandwidth_cap=stats.get_value("bandwidth/cap_bytes_per_second"),
            connections=self._fetcher.governor.sockets,
            connections_cap=self._crawler.settings.getint("MAX_TCP_CONNECTIONS"),
            hosts_ready=counts.hosts_ready,
            hosts_waiting=counts.hosts_waiting,
            hosts_parked=counts.hosts_parked,
            queued=counts.queued,
            seen=counts.seen,
            links_per_page=tally.links_per_page,
            free_disk_bytes=shutil.disk_usage(self._directory.path).free,
            rss_bytes=rss_bytes(),
        )
        return Moment(now, snapshot)

    async def _write_progress(self) -> None:
        """A line in progress.jsonl, if it is time for one."""
        now = time.monotonic()
        last = self._noted.when if self._noted else -math.inf
        if now - self._opened_at < FIRST_PERIOD_SECONDS or now - last >= PROGRESS_SECONDS:
            self._add_progress()

    def _add_progress(self) -> None:
        self._noted = self.snapshot(self._noted)
        snapshot = self._noted.snapshot
        try:
            progress = open_file(
                self._directory.reports / "progress.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT
            )
            with open(progress, "a") as file:
                file.write(snapshot.to_json() + "\n")
        except OSError as error:  # a full disk, mostly: the crawl itself waits for room
            self._complain("progress.jsonl", error)
        for name in ("queued", "seen", "hosts_ready", "hosts_waiting", "hosts_parked"):
            self._crawler.stats.set_value(f"webgraph/{name}", getattr(snapshot, name))
        self._crawler.stats.set_value("webgraph/pages", snapshot.pages)
        self._crawler.stats.set_value("webgraph/links", self._pipeline.tally.links)
        self._crawler.stats.set_value("webgraph/commits", self._committer.commits)

    async def _tell(self) -> None:
        self._told = self.snapshot(self._told)
        if self._live is None:
            logger.info(str(self._told.snapshot))
            return
        try:
            self._live.show(str(self._told.snapshot))
        except OSError:  # the terminal is gone
            self._live = None

    def _end_live_line(self) -> None:
        if self._live is not None:
            with suppress(OSError):
                self._live.end()

    def _complain(self, what: str, error: Exception) -> None:
        """Once for each: it is not the crawl that suffers."""
        if what not in self._complained:
            self._complained.add(what)
            logger.warning("%s in %s could not be written: %s.", what, self._directory.reports, error)

    async def _write_reports(self, status: str) -> None:
        """One at a time, and to the end, whoever is cancelled: the store is not closed under a reader."""
        writing = self._write_reports_after(self._reporting, status)
        self._reporting = asyncio.get_running_loop().create_task(writing)
        await asyncio.shield(self._reporting)

    async def _write_reports_after(self, earlier: asyncio.Task[None] | None, status: str) -> None:
        """As of the last commit, in a thread: millions of hosts and seeds take minutes."""
        if earlier is not None:
            await asyncio.wait([earlier])
        frontier = self._scheduler.frontier
        counts = frontier.counts()
        try:
            await asyncio.to_thread(
                write_reports,
                self._directory.reports,
                Tally(self._pipeline.tally.to_bytes()),
                (HostLine(h.host, h.finished, h.queued, h.failed) for h in frontier.committed_hosts()),
                seed_lines(self._seeds, self._scope, frontier.committed_states),
                name=str(self._directory.path),
                status=status,
                seconds=self._seconds,
                queued=counts.queued + counts.leased,
                seen=counts.seen,
                host_count=counts.hosts,
            )
        except (OSError, SeedsError) as error:
            self._complain("Reports", error)
        except FrontierError:
            pass  # the store has said so, and the crawl stops

    def _every(
        self, seconds: float, action: Callable[[], Awaitable[None]], *, at_once: bool = False
    ) -> asyncio.Task[None]:
        async def repeat() -> None:
            if at_once:
                await action()
            while True:
                await asyncio.sleep(seconds)
                await action()

        return self._run(self._guarded(repeat))

    def _run(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.append(task)
        return task

    async def _guarded(self, action: Callable[[], Awaitable[None]]) -> None:
        """No task of the crawl's own dies unheard: without commits or the disk watch it must not go on."""
        try:
            await action()
        except Exception as error:
            if not self._failure:
                logger.error("A task of the crawl itself failed.", exc_info=error)
            self.fail(f"a task of its own failed ({error!r})")


class Moment(NamedTuple):
    """A snapshot, and when it was taken by a clock that does not jump."""

    when: float
    snapshot: Snapshot


class AddressClock:
    """The frontier's clock of addresses, as the fetcher asks for it: only it knows where a host really is.

    The fetcher speaks of the machine's time and the frontier of the crawl's own: only waits are common to both.
    """

    def __init__(self, scheduler: FrontierScheduler) -> None:
        self._scheduler = scheduler

    def ready_at(self, address: str, now: float) -> float:
        crawl_now = self._scheduler.now()
        return now + (self._scheduler.frontier.address_ready(address, crawl_now) - crawl_now)

    def used(self, address: str, when: float) -> None:
        """`when` is always this moment."""
        self._scheduler.frontier.address_used(address, self._scheduler.now())


def rss_bytes() -> int:
    """Resident memory now; the peak where /proc is not there."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

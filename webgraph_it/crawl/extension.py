"""The crawl as a Scrapy extension: claims JOBDIR, commits on time, watches the disk, tells how it goes.

Signals: spider_opened starts the timers, spider_closed commits for the last time and says how to resume,
SIGUSR1 asks for a checkpoint and fresh reports.
"""

import asyncio
import gc
import logging
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.directory import CrawlDirectory
from webgraph_it.crawl.identity import identity_of
from webgraph_it.crawl.lane import Lane
from webgraph_it.crawl.progress import LiveLine, Snapshot
from webgraph_it.crawl.reports import HostLine, seed_lines, write_reports
from webgraph_it.crawl.seeding import SeedLoader
from webgraph_it.fetch.handler import fetcher_of
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.scheduler import FrontierScheduler
from webgraph_it.graph.pipeline import GraphPipeline
from webgraph_it.graph.tally import Tally
from webgraph_it.urls.middlewares import scope_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

FIRST_PROGRESS_SECONDS, PROGRESS_SECONDS = 1.0, 10.0
"""How often progress.jsonl gets a line, in the first two minutes and after."""
FIRST_PERIOD_SECONDS = 120.0
LOG_SECONDS = 60.0
LIVE_SECONDS = 1.0
DISK_SECONDS = 2.0
MOST_UNCOMMITTED = 60_000
"""Changes of the frontier, some 18 MB: a crawl at full speed commits every ten seconds or so."""
MAX_UNCOMMITTED_SEEDS = 40_000
"""The same while seeds are loaded, four for each: some 12 MB, ten thousand seeds."""
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
        self._live = LiveLine(sys.stderr, shutil.get_terminal_size().columns) if sys.stderr.isatty() else None
        self._loader: SeedLoader | None = None
        self._reporting: asyncio.Future[None] | None = None
        self._noted: Snapshot | None = None
        """The last one in progress.jsonl."""
        self._told: Snapshot | None = None
        """The last one shown."""

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        settings = crawler.settings
        if not settings.get("JOBDIR"):
            raise NotConfigured("JOBDIR is chosen by the spider")
        directory = CrawlDirectory(Path(settings["JOBDIR"]))
        directory.claim(identity_of(settings))
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
        scheduler: Any = self._crawler.engine.scheduler
        self._scheduler: FrontierScheduler = scheduler
        pipeline = self._crawler.get_item_pipeline(GraphPipeline)
        assert isinstance(pipeline, GraphPipeline), "ITEM_PIPELINES must hold GraphPipeline"
        self._pipeline = pipeline
        self._committer = Committer(
            self._directory, self._scheduler.frontier, pipeline.shards, pipeline.tally, pipeline.step
        )
        self._fetcher = fetcher_of(self._crawler)
        if self._crawler.settings.getfloat("ADDRESS_DELAY"):
            self._fetcher.use_clock(AddressClock(self._scheduler.frontier))
        if self._crawler.settings["LEAN_ENGINE"]:
            self._scheduler.lane = Lane(self._crawler, self._scheduler, pipeline)
        self._scope = scope_of(self._crawler)
        self._opened_at = time.time()
        self._crawler.stats.set_value("start_time", datetime.now(UTC))
        gc.freeze()
        gc.set_threshold(GARBAGE_THRESHOLD)
        self._pages_before, self._seconds_before = pipeline.tally.pages, pipeline.tally.seconds
        for sentence in pipeline.shards.recovered:
            logger.warning(sentence)
        self._every(self._commit_seconds, self.commit)
        self._every(LIVE_SECONDS, self._commit_if_large)
        if self._checkpoint_seconds:
            self._every(self._checkpoint_seconds, self.checkpoint)
        self._every(FIRST_PROGRESS_SECONDS, self._write_progress, at_once=True)
        self._every(LIVE_SECONDS if self._live else LOG_SECONDS, self._tell)
        self._every(DISK_SECONDS, self._watch_disk, at_once=True)
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._on_request)

    async def spider_closed(self, reason: str) -> None:
        """The last commit, the reports, and how to go on."""
        asyncio.get_running_loop().remove_signal_handler(signal.SIGUSR1)
        for task in self._tasks:
            task.cancel()
        self._add_progress()
        await self.commit()
        self._finish_stats(reason)
        await self._write_reports("Finished" if reason == "finished" else f"Stopped ({reason})")
        if self._live:
            self._live.end()
        counts = self._scheduler.frontier.counts()
        self._pipeline.shards.close()
        self._scheduler.frontier.close()
        self._directory.unlock()
        self._last_words(reason, counts.queued + counts.leased)

    def _finish_stats(self, reason: str) -> None:
        """What Scrapy's CoreStats would have counted, page by page."""
        stats = self._crawler.stats
        stats.set_value("finish_time", datetime.now(UTC))
        stats.set_value("elapsed_time_seconds", time.time() - self._opened_at)
        stats.set_value("finish_reason", reason)
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
        if loaded and not loaded.finished:
            logger.info("The seeds are loaded up to line %d of the list.", loaded.line)
        if left or (loaded and not loaded.finished):
            logger.info(
                "%d URLs are left (%s). To go on: scrapy crawl italy -s JOBDIR=%s",
                left,
                reason,
                self._directory.path,
            )

    # -- seeds ---------------------------------------------------------------------------------------------

    async def load_seeds(self) -> None:
        """All of SEEDS goes to the frontier, or what an earlier run did not load."""
        self._loader = SeedLoader(
            Path(self._crawler.settings["SEEDS"]),
            self._scope,
            self._scheduler.frontier,
            self._pipeline.record_seeds,
            self._let_others_run,
        )
        self._scheduler.held = bool(self._crawler.settings["MAX_DEPTH"])  # depth is counted from the seeds
        try:
            await self._loader.load(lambda: self._scheduler.closing)
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
        await self._write_reports("Running")
        logger.info("Checkpoint: the files so far in %s are final.", self._directory.path)

    async def _commit(self, *, checkpoint: bool) -> None:
        self._pipeline.tally.seconds = self._seconds
        try:
            await self._committer.commit(checkpoint=checkpoint)
        except Exception as error:
            logger.critical(
                "The crawl stops: it could not be committed (%s). Nothing of the last commit is lost; "
                "when the cause is gone, go on with: scrapy crawl italy -s JOBDIR=%s",
                error,
                self._directory.path,
            )
            self._scheduler.pause(True)
            asyncio.get_running_loop().create_task(self._crawler.stop_async())
            raise

    def _on_request(self) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(self.checkpoint()))

    # -- the disk --------------------------------------------------------------------------------------------

    async def _watch_disk(self) -> None:
        short = shutil.disk_usage(self._directory.path).free < self._min_free_disk_bytes
        if short and not self._scheduler.paused:
            logger.warning(
                "Less than %.1f GB free for %s: the crawl pauses until there is room.",
                self._min_free_disk_bytes / 1e9,
                self._directory.path,
            )
        elif self._scheduler.paused and not short:
            logger.info("There is room on the disk again: the crawl goes on.")
        self._scheduler.pause(short)

    # -- words and numbers -----------------------------------------------------------------------------------

    @property
    def _seconds(self) -> float:
        return self._seconds_before + time.time() - self._opened_at

    def snapshot(self, last: Snapshot | None) -> Snapshot:
        """The crawl now; rates since `last`."""
        now, tally, counts = time.time(), self._pipeline.tally, self._scheduler.frontier.counts()
        stats = self._crawler.stats
        received = stats.get_value("bandwidth/bytes", 0)
        elapsed = max(1e-6, now - (last.time if last else self._opened_at))
        return Snapshot(
            time=now,
            pages=tally.pages,
            pages_per_second=(tally.pages - (last.pages if last else self._pages_before)) / elapsed,
            mean_pages_per_second=(tally.pages - self._pages_before) / max(1e-6, now - self._opened_at),
            bytes=received,
            bytes_per_second=(received - (last.bytes if last else 0)) / elapsed,
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

    async def _write_progress(self) -> None:
        """A line in progress.jsonl, if it is time for one."""
        now = time.time()
        last = self._noted.time if self._noted else 0.0
        if now - self._opened_at < FIRST_PERIOD_SECONDS or now - last >= PROGRESS_SECONDS:
            self._add_progress()

    def _add_progress(self) -> None:
        self._noted = snapshot = self.snapshot(self._noted)
        with (self._directory.reports / "progress.jsonl").open("a") as file:
            file.write(snapshot.to_json() + "\n")
        for name in ("queued", "seen", "hosts_ready", "hosts_waiting", "hosts_parked"):
            self._crawler.stats.set_value(f"webgraph/{name}", getattr(snapshot, name))
        self._crawler.stats.set_value("webgraph/pages", snapshot.pages)
        self._crawler.stats.set_value("webgraph/links", self._pipeline.tally.links)
        self._crawler.stats.set_value("webgraph/commits", self._committer.commits)

    async def _tell(self) -> None:
        self._told = self.snapshot(self._told)
        if self._live:
            self._live.show(str(self._told))
        else:
            logger.info(str(self._told))

    async def _write_reports(self, status: str) -> None:
        """One at a time, and to the end, whoever is cancelled: the store is not closed under a reader."""
        self._reporting = asyncio.ensure_future(self._write_reports_after(self._reporting, status))
        await asyncio.shield(self._reporting)

    async def _write_reports_after(self, earlier: asyncio.Future[None] | None, status: str) -> None:
        """As of the last commit, in a thread: millions of hosts and seeds take minutes."""
        if earlier is not None:
            await asyncio.wait([earlier])
        frontier = self._scheduler.frontier
        counts = frontier.counts()
        await asyncio.to_thread(
            write_reports,
            self._directory.reports,
            Tally(self._pipeline.tally.to_bytes()),
            (HostLine(h.host, h.finished, h.queued, h.failed) for h in frontier.committed_hosts()),
            seed_lines(Path(self._crawler.settings["SEEDS"]), self._scope, frontier.committed_states),
            name=str(self._directory.path),
            status=status,
            seconds=self._seconds,
            queued=counts.queued + counts.leased,
            seen=counts.seen,
            host_count=counts.hosts,
        )

    def _every(self, seconds: float, action: Callable[[], Awaitable[None]], *, at_once: bool = False) -> None:
        async def repeat() -> None:
            if at_once:
                await action()
            while True:
                await asyncio.sleep(seconds)
                await action()

        self._tasks.append(asyncio.get_running_loop().create_task(repeat()))


class AddressClock:
    """The frontier's clock of addresses, as the fetcher asks for it: only it knows where a host really is."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier

    def ready_at(self, address: str, now: float) -> float:
        return self._frontier.address_ready(address, now)

    def used(self, address: str, when: float) -> None:
        self._frontier.address_used(address, when)


def rss_bytes() -> int:
    """Resident memory now; the peak where /proc is not there."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

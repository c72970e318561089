"""A stop takes at most DOWNLOAD_TIMEOUT + 10 s: once the engine is closing, everything that delays it is ended.

A request that was not sent is called off at once, and one that was sent when its timeout is over. The stop waits for a
full disk no longer than STOP_DISK_SECONDS. Called-off URLs stay in the frontier as they were.
"""

import time
from typing import TYPE_CHECKING

from webgraph_it.crawl.commit import Committer
from webgraph_it.engine.downloader import LeanDownloader
from webgraph_it.engine.parts import parts_of, scheduler_of
from webgraph_it.shards.writer import Shards

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

STOP_SECONDS = 0.5
"""How often to check whether the crawl is stopping."""
STOP_DISK_SECONDS = 5.0
"""How long a stopping crawl waits for a full disk."""


class StopWatch:
    """Checks every STOP_SECONDS, also during the last commit, which must not wait for ever."""

    def __init__(self, crawler: "Crawler", shards: Shards, committer: Committer) -> None:
        self._crawler = crawler
        self._scheduler = scheduler_of(crawler)
        self._fetcher = parts_of(crawler).fetcher
        self._shards = shards
        self._committer = committer
        self._began: float | None = None

    async def look(self) -> None:
        if not self._scheduler.is_closing:
            return
        now = time.monotonic()
        if self._began is None:
            self._began = now
        elapsed = now - self._began
        self._call_off(elapsed)
        if self._shards.waiting_for_disk and elapsed >= STOP_DISK_SECONDS:
            self._shards.stop_waiting()

    def _call_off(self, elapsed: float) -> None:
        """Call off waiting fetches; those already sent only after the timeout, or if the crawl has failed."""
        patience = 0.0 if self._committer.stopped else self._fetcher.settings.total_seconds
        downloader: object = self._crawler.engine.downloader
        if isinstance(downloader, LeanDownloader):
            downloader.call_off(self._fetcher.exchanging if elapsed < patience else ())

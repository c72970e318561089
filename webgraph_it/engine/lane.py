"""The short path of a page: one task from lease to record.

Scrapy's engine moves a page through about fifteen deferreds, tasks and signals. At a thousand pages a second
they take most of the crawl's CPU time. The lane calls the same components in the same order in one task: downloader
middlewares, download handler, the spider's callback or errback, the scope, the item pipeline. The engine still
opens and closes the crawl, decides when to pause and stop, and waits for pages in flight (engine/private.py).

What users extend still works: their downloader middlewares run as always; signals are sent if they have
listeners; if they add spider middlewares or item pipelines, pages go through Scrapy's own scraper.
LEAN_ENGINE=False gives everything back to Scrapy's engine.
"""

import asyncio
import logging
from contextlib import suppress
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from pydispatch.dispatcher import getAllReceivers, liveReceivers
from scrapy import Request, signals
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.python.failure import Failure

from webgraph_it.engine.pipeline import GraphPipeline
from webgraph_it.engine.private import OpenEngine
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.engine.scope_middlewares import ScopeSpiderMiddleware
from webgraph_it.frontier.records import FrontierError
from webgraph_it.items import Page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

SIGNALS = (signals.response_received, signals.item_scraped)


class Lane:
    """Takes requests from the scheduler, up to CONCURRENT_REQUESTS at once, and takes each from fetch to record."""

    def __init__(self, crawler: "Crawler", scheduler: FrontierScheduler, pipeline: GraphPipeline) -> None:
        engine: Any = crawler.engine
        self._crawler = crawler
        self._engine = engine
        self._private = private = OpenEngine(crawler)
        self._downloader = engine.downloader
        self._scheduler = scheduler
        self._pipeline = pipeline
        self._scope = private.only_spider_middleware(ScopeSpiderMiddleware)
        self._is_ours = private.only_item_pipeline(GraphPipeline) is pipeline
        self._listened: set[object] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def pump(self) -> None:
        """Start every request that may start now. The engine calls it at least every five seconds."""
        self._listened = {signal for signal in SIGNALS if self._has_listeners(signal)}
        self.start_more()

    def _has_listeners(self, signal: object) -> bool:
        return any(True for _ in liveReceivers(getAllReceivers(self._crawler, signal)))

    def start_more(self) -> None:
        """Called when a page ended or was answered: its slot, or its host, may be free."""
        while not self._private.is_full() and not self._engine.paused:
            request = self._scheduler.take()
            if request is None:
                break
            self._private.begin(request)
            self._downloader.active.add(request)
            task = asyncio.get_running_loop().create_task(self._see_through(request))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _see_through(self, request: Request) -> None:
        try:
            await self._visit(request)
        except FrontierError:
            pass  # the store has reported it, and the crawl is stopping
        except Exception:
            logger.exception("Error while processing %s", request)
        finally:
            self._scheduler.abandon(request.meta["lease"])  # unless it ended, or another request holds it
            self._downloader.active.discard(request)
            self._private.finish(request)
            with suppress(FrontierError):
                self.start_more()
            if not self._private.in_progress:
                self._private.look()  # perhaps that was the last one: let the engine check

    async def _visit(self, request: Request) -> None:
        result: Any
        try:
            result = await self._downloader.download(request)
        except Exception:
            result = Failure()  # type: ignore[no-untyped-call]
        if isinstance(result, Request):  # a middleware wants another request instead
            self._engine.crawl(result)
            return
        if isinstance(result, Response):
            result.request = result.request or request
            self._send(signals.response_received, response=result, request=result.request)
        if self._scope is None:
            await maybe_deferred_to_future(self._private.scrape(result, request))
            return
        size = len(result.body) if isinstance(result, Response) else 0
        self._private.hold(size)  # above SCRAPER_SLOT_MAX_ACTIVE_SIZE nothing starts
        try:
            await self._scrape(request, result)
        finally:
            self._private.hold(-size)

    async def _scrape(self, request: Request, result: Response | Failure) -> None:
        try:
            pages = await self._called_back(request, result)
        except FrontierError:
            raise
        except Exception:
            failure = Failure()  # type: ignore[no-untyped-call]
            self._private.tell_error(failure, request, result)
            return
        for page in pages:
            await self._record(page, result)

    async def _called_back(self, request: Request, result: Response | Failure) -> list[Page]:
        if isinstance(result, Response):
            output: Any = request.callback(result)  # type: ignore[misc]
        else:
            result.request = request  # type: ignore[attr-defined]
            output = request.errback(result)  # type: ignore[misc]
        if isawaitable(output):
            output = await output
        if not isinstance(result, Response):
            return list(output)
        return [await self._scope.judged_in_slices(page) for page in output]

    async def _record(self, page: Page, response: Response | Failure) -> None:
        if not self._is_ours:
            await self._private.process_item(page, response=response)
            return
        await self._pipeline.process_item(page)
        if signals.item_scraped in self._listened:  # its handlers may be coroutines
            await self._crawler.signals.send_catch_log_async(
                signal=signals.item_scraped, spider=self._crawler.spider, item=page, response=response
            )

    def _send(self, signal: object, **facts: Any) -> None:
        if signal in self._listened:
            self._crawler.signals.send_catch_log(signal=signal, spider=self._crawler.spider, **facts)

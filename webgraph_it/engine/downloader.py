"""Scrapy's DOWNLOADER without slots: the frontier has already decided who may be asked, and when.

Downloader middlewares (ours and the user's), the download handlers and the three signals of a download work
as in Scrapy. There are no per-domain queues, no delays and no garbage collection of slots. They cost Scrapy's own
Downloader six more task switches per page.
"""

import asyncio
from collections.abc import Callable, Container
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from pydispatch.dispatcher import getReceivers
from scrapy import Request, signals
from scrapy.core.downloader.handlers import DownloadHandlers
from scrapy.core.downloader.middleware import DownloaderMiddlewareManager
from scrapy.exceptions import NotSupported
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler
from twisted.internet.defer import Deferred

from webgraph_it.crawl.reasons import CALLED_OFF
from webgraph_it.engine.private import exception_chain, handler_lookup, methods_of
from webgraph_it.fetch.address_gate import AddressBusy

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

WATCHED = (signals.request_reached_downloader, signals.response_downloaded, signals.request_left_downloader)


class FetchCalledOff(Exception):
    """The crawl is stopping and did not wait for this fetch, or the address is busy. Not a failure of the host."""

    reason = CALLED_OFF


class LeanDownloader:
    """Runs up to CONCURRENT_REQUESTS downloads at once (0 = no limit). Sockets have a cap of their own."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._most = crawler.settings.getint("CONCURRENT_REQUESTS")
        self._watched: bool | None = None
        self._callable: dict[tuple[str, bool], list[Callable[..., Any]]] = {}
        self._requests: dict[asyncio.Task[Any], Request] = {}
        """Requests between the first middleware and the end of the fetch."""
        self._called_off: set[asyncio.Task[Any]] = set()
        self.active: set[Request] = set()
        self.slots: dict[str, Any] = {}
        """Always empty; Scrapy's own extensions read it."""
        self.handlers = DownloadHandlers(crawler)
        self.middleware = build_from_crawler(DownloaderMiddlewareManager, crawler)
        self._handler_of = handler_lookup(self.handlers)
        self._told = exception_chain(self.middleware)

    def fetch(self, request: Request) -> "Deferred[Response | Request]":
        return deferred_from_coro(self._fetch(request))

    def needs_backout(self) -> bool:
        return 0 < self._most <= len(self.active)

    def close(self) -> None:
        """Nothing to close: the engine closes the handlers."""

    async def _fetch(self, request: Request) -> Response | Request:
        self.active.add(request)
        try:
            return await self.download(request)
        finally:
            self.active.remove(request)

    async def download(self, request: Request) -> Response | Request:
        """Run the downloader middlewares and the handler, as Scrapy's middleware manager does."""
        task = asyncio.current_task()
        assert task is not None
        self._requests[task] = request
        try:
            result = await self._requested(request)
        except AddressBusy as busy:
            self._crawler.engine.scheduler.put_off(request, busy.address)  # type: ignore[union-attr]
            result = await self._failed(FetchCalledOff(f"{request.url}: {busy}"), request)
        except Exception as error:
            result = await self._failed(error, request)
        except asyncio.CancelledError:
            if task not in self._called_off:
                raise
            self._called_off.remove(task)
            task.uncancel()
            called_off = FetchCalledOff(f"{request.url}: it is not wanted any longer")
            result = await self._failed(called_off, request)
        finally:
            self._requests.pop(task, None)
        return await self._responded(result, request)

    async def _failed(self, error: Exception, request: Request) -> Response | Request:
        """What the middlewares make of an error. A user's middlewares do not see errors of robots.txt."""
        if "robots_txt" not in request.meta:
            return await self._told(error, request)
        for method in self._methods("process_exception", request):
            told = method(request=request, exception=error)
            if isawaitable(told):
                await told
        raise error

    def call_off_if(self, is_unwanted: Callable[[Request], bool]) -> int:
        """End the fetches that are not wanted any longer; how many."""
        unwanted = [task for task, request in self._requests.items() if is_unwanted(request)]
        for task in unwanted:
            if task not in self._called_off:
                self._called_off.add(task)
                task.cancel()
        return len(unwanted)

    def call_off(self, spared: Container[asyncio.Task[Any]] = ()) -> None:
        """End all fetches except `spared` with FetchCalledOff, because the crawl is stopping."""
        for task in self._requests.keys() - self._called_off:
            if task not in spared:
                self._called_off.add(task)
                task.cancel()

    async def _requested(self, request: Request) -> Response | Request:
        for method in self._methods("process_request", request):
            result = method(request=request)
            if result is not None and isawaitable(result):
                result = await result
            if result is not None:
                return self._expected(result, method, "None, a Response or a Request")
        return await self._download(request)

    async def _responded(self, result: Response | Request, request: Request) -> Response | Request:
        for method in self._methods("process_response", request):
            if isinstance(result, Request):
                break
            answer = method(request=request, response=result)
            if isawaitable(answer):
                answer = await answer
            result = self._expected(answer, method, "a Response or a Request")
        return result

    @staticmethod
    def _expected(result: Any, method: Callable[..., Any], expected: str) -> Response | Request:
        if isinstance(result, Response | Request):
            return result
        raise TypeError(f"{method} returned {type(result).__name__}; expected: {expected}")

    def _methods(self, name: str, request: Request) -> list[Callable[..., Any]]:
        """The middlewares' methods of that name. As in Scrapy, a method that takes the spider is given it.

        A request for robots.txt passes our own middlewares only: a user's cache must not decide what is allowed.
        """
        ours_only = "robots_txt" in request.meta
        found = self._callable.get((name, ours_only))
        if found is None:
            is_wanted = _is_ours if ours_only else _is_any
            found = methods_of(self.middleware, name, is_wanted)
            self._callable[name, ours_only] = found
        return found

    async def _download(self, request: Request) -> Response:
        send, spider = self._crawler.signals.send_catch_log, self._crawler.spider
        if self._is_watched:
            send(signal=signals.request_reached_downloader, request=request, spider=spider)
        try:
            handler = self._handler_of(request.url.partition(":")[0])
            if handler is None:
                raise NotSupported(f"no handler for {request.url}")
            response: Response = await handler.download_request(request)
            if self._is_watched:
                send(signal=signals.response_downloaded, response=response, request=request, spider=spider)
            return response
        finally:
            if self._is_watched:
                send(signal=signals.request_left_downloader, request=request, spider=spider)

    @property
    def _is_watched(self) -> bool:
        """Whether a signal has listeners. Sending one without listeners costs as much as parsing a header."""
        if self._watched is None:
            self._watched = any(getReceivers(self._crawler, signal) for signal in WATCHED)
        return self._watched


def _is_ours(middleware: object) -> bool:
    """Whether its class is ours, or derived from one of ours."""
    return any(kind.__module__.startswith("webgraph_it.") for kind in type(middleware).__mro__)


def _is_any(middleware: object) -> bool:
    return True

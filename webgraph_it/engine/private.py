"""All private parts of Scrapy that we use. No other module of ours uses any.

A part is private if its name begins with an underscore, or if Scrapy's documentation does not promise it.
scrapy>=2.19,<2.20 in pyproject.toml pins the version. tests/engine/test_private.py checks that each part is still
there, and that no other module uses one.

    ExecutionEngine._slot                               the requests in progress; None while the engine is not open
    _Slot.inprogress                                    whether any request is in progress
    _Slot.closing                                       whether the crawl is ending
    _Slot.nextcall                                      makes the engine look for requests now
    _Slot.add_request, _Slot.remove_request             a stop waits for the pages of the lane
    ExecutionEngine.needs_backout                       whether no further request may start
    Scraper.slot, Slot.active_size                      bytes of bodies in memory, for SCRAPER_SLOT_MAX_ACTIVE_SIZE
    Scraper.enqueue_scrape                              a page through the user's spider middlewares
    Scraper.start_itemproc_async                        a page through the user's item pipelines
    Scraper.handle_spider_error                         a failed callback: log line, signal, stats
    Scraper.spidermw, Scraper.itemproc                  the spider middlewares and the item pipelines
    MiddlewareManager.middlewares                       whether there are only ours
    MiddlewareManager.methods                           the methods of the downloader middlewares, in their order
    MiddlewareManager._mw_methods_requiring_spider      which of them take the spider as an argument
    DownloaderMiddlewareManager._handle_mw_method       calls those
    DownloaderMiddlewareManager._process_exception      what the middlewares make of an error
    DownloadHandlers._get_handler                       the download handler of a scheme
    Request._url_is_verbatim                            our URLs are in normal form and are sent unchanged
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request

if TYPE_CHECKING:
    from scrapy.core.downloader.handlers import DownloadHandlers
    from scrapy.core.downloader.middleware import DownloaderMiddlewareManager
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class PageRequest(Request):
    """A request for a URL in normal form. It is sent unchanged and never compared with others.

    Scrapy's live references do not track it: they serve the telnet console and double the time to make a request.
    """

    def __new__(cls, *_: Any, **__: Any) -> Self:
        return object.__new__(cls)

    def _url_is_verbatim(self) -> bool:
        return True


# -- the engine, at any time --------------------------------------------------------------------------------------


def is_closing(crawler: "Crawler") -> bool:
    """Whether the engine takes no more requests because the crawl is ending, for whatever reason."""
    slot = crawler.engine._slot
    return slot is None or slot.closing is not None


def is_idle(crawler: "Crawler") -> bool:
    """Whether the engine is open and no request is in progress."""
    slot = crawler.engine._slot
    return slot is not None and not slot.inprogress


def look_for_requests(crawler: "Crawler") -> None:
    """Make the engine ask the scheduler soon, unless the crawl is ending."""
    slot = crawler.engine._slot
    if slot is not None and slot.closing is None:
        slot.nextcall.schedule()


# -- the engine while it is open ----------------------------------------------------------------------------------


class OpenEngine:
    """What the lane needs from an open engine. The lookups happen once, because the calls come for each page."""

    def __init__(self, crawler: "Crawler") -> None:
        engine: Any = crawler.engine
        slot, scraper = engine._slot, engine.scraper
        self.begin: Callable[[Request], None] = slot.add_request
        """From now on a stop waits for this request."""
        self.finish: Callable[[Request], None] = slot.remove_request
        self.in_progress: set[Request] = slot.inprogress
        self.look: Callable[[], None] = slot.nextcall.schedule
        self.is_full: Callable[[], bool] = engine.needs_backout
        """Whether no further request may start: a limit is reached, or the crawl is ending."""
        self.scrape: Callable[..., Any] = scraper.enqueue_scrape
        self.process_item: Callable[..., Awaitable[None]] = scraper.start_itemproc_async
        self.tell_error: Callable[..., None] = scraper.handle_spider_error
        self._bodies = scraper.slot
        self._spider_middlewares, self._item_pipelines = scraper.spidermw, scraper.itemproc

    def hold(self, size_bytes: int) -> None:
        """Add `size_bytes` (negative to subtract) to the bytes of bodies in memory."""
        self._bodies.active_size += size_bytes

    def only_spider_middleware(self, kind: type) -> Any:
        """The spider middleware of this kind if it is the only one; otherwise None."""
        return _only(self._spider_middlewares, kind)

    def only_item_pipeline(self, kind: type) -> Any:
        return _only(self._item_pipelines, kind)


def _only(manager: Any, kind: type) -> Any:
    return manager.middlewares[0] if [type(each) for each in manager.middlewares] == [kind] else None


# -- the downloader -----------------------------------------------------------------------------------------------


def methods_of(
    manager: "DownloaderMiddlewareManager", name: str, is_wanted: Callable[[object], bool]
) -> list[Callable[..., Any]]:
    """The wanted middlewares' methods of that name. A method that takes the spider is given it."""
    call, wanting = manager._handle_mw_method, manager._mw_methods_requiring_spider
    return [
        partial(call, method) if method in wanting else method
        for method in manager.methods[name]
        if method is not None and is_wanted(method.__self__)  # type: ignore[attr-defined]
    ]


def exception_chain(
    manager: "DownloaderMiddlewareManager",
) -> "Callable[[Exception, Request], Awaitable[Response | Request]]":
    """What the middlewares make of an error, called as Scrapy calls them."""
    return manager._process_exception


def handler_lookup(handlers: "DownloadHandlers") -> Callable[[str], Any]:
    """A function from a scheme to its download handler, or None."""
    return handlers._get_handler

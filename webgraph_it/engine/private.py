"""The private parts of Scrapy that we touch, all of them. No other module of ours does.

Private is what begins with an underscore, and what Scrapy's documentation does not promise. The version is pinned by
scrapy>=2.19,<2.20 in pyproject.toml. tests/engine/test_private.py checks that each part is still there, and that no
other module touches one.

    ExecutionEngine._slot                               the requests in progress; None while the engine is not open
    _Slot.inprogress                                    whether any request is in progress
    _Slot.closing                                       whether the crawl ends
    _Slot.nextcall                                      to make the engine look for requests now
    _Slot.add_request, _Slot.remove_request             a stop waits for the pages of the lane
    ExecutionEngine.needs_backout                       whether no further request may start
    Scraper.slot, Slot.active_size                      bytes of bodies in memory, for SCRAPER_SLOT_MAX_ACTIVE_SIZE
    Scraper.enqueue_scrape                              a page through the user's spider middlewares
    Scraper.start_itemproc_async                        a page through the user's item pipelines
    Scraper.handle_spider_error                         a failed callback: log line, signal, stats
    Scraper.spidermw, Scraper.itemproc                  the spider middlewares and the item pipelines
    MiddlewareManager.middlewares                       whether they are ours alone
    MiddlewareManager.methods                           the methods of the downloader middlewares, in their order
    MiddlewareManager._mw_methods_requiring_spider      which of them want the spider as an argument
    DownloaderMiddlewareManager._handle_mw_method       calls those
    DownloaderMiddlewareManager._process_exception      what the middlewares make of an error
    DownloadHandlers._get_handler                       the download handler of a scheme
    Request._url_is_verbatim                            our URLs are in normal form: they are sent as they are
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
    """A request for a URL in normal form: it is sent as it is, and never compared with others.

    It is not in Scrapy's list of living objects, which is for its telnet console and doubles the time to make one.
    """

    def __new__(cls, *_: Any, **__: Any) -> Self:
        return object.__new__(cls)

    def _url_is_verbatim(self) -> bool:
        return True


# -- the engine, at any time --------------------------------------------------------------------------------------


def is_closing(crawler: "Crawler") -> bool:
    """The engine takes no more requests: the crawl ends, for whatever reason."""
    slot = crawler.engine._slot
    return slot is None or slot.closing is not None


def is_idle(crawler: "Crawler") -> bool:
    """The engine is open, and no request is in progress."""
    slot = crawler.engine._slot
    return slot is not None and not slot.inprogress


def look_for_requests(crawler: "Crawler") -> None:
    """Let the engine ask the scheduler soon, unless the crawl ends."""
    slot = crawler.engine._slot
    if slot is not None and slot.closing is None:
        slot.nextcall.schedule()


# -- the engine while it is open ----------------------------------------------------------------------------------


class OpenEngine:
    """What the lane needs of an engine that is open; looked up once, because it is called for each page."""

    def __init__(self, crawler: "Crawler") -> None:
        engine: Any = crawler.engine
        slot, scraper = engine._slot, engine.scraper
        self.begin: Callable[[Request], None] = slot.add_request
        """A stop waits for this request from now on."""
        self.finish: Callable[[Request], None] = slot.remove_request
        self.in_progress: set[Request] = slot.inprogress
        self.look: Callable[[], None] = slot.nextcall.schedule
        self.is_full: Callable[[], bool] = engine.needs_backout
        """No further request may start: a limit is reached, or the crawl ends."""
        self.scrape: Callable[..., Any] = scraper.enqueue_scrape
        self.process_item: Callable[..., Awaitable[None]] = scraper.start_itemproc_async
        self.tell_error: Callable[..., None] = scraper.handle_spider_error
        self._bodies = scraper.slot
        self._spider_middlewares, self._item_pipelines = scraper.spidermw, scraper.itemproc

    def hold(self, size_bytes: int) -> None:
        """So many more bytes of bodies are in memory, or fewer if negative."""
        self._bodies.active_size += size_bytes

    def only_spider_middleware(self, kind: type) -> Any:
        """The one of this kind, if there is no other beside it; else None."""
        return _only(self._spider_middlewares, kind)

    def only_item_pipeline(self, kind: type) -> Any:
        return _only(self._item_pipelines, kind)


def _only(manager: Any, kind: type) -> Any:
    return manager.middlewares[0] if [type(each) for each in manager.middlewares] == [kind] else None


# -- the downloader -----------------------------------------------------------------------------------------------


def methods_of(
    manager: "DownloaderMiddlewareManager", name: str, is_wanted: Callable[[object], bool]
) -> list[Callable[..., Any]]:
    """The methods of that name of the middlewares that are wanted; those that want the spider are given it."""
    call, wanting = manager._handle_mw_method, manager._mw_methods_requiring_spider
    return [
        partial(call, method) if method in wanting else method
        for method in manager.methods[name]
        if method is not None and is_wanted(method.__self__)  # type: ignore[attr-defined]
    ]


def exception_chain(
    manager: "DownloaderMiddlewareManager",
) -> "Callable[[Exception, Request], Awaitable[Response | Request]]":
    """What the middlewares make of an error, as Scrapy asks them."""
    return manager._process_exception


def handler_lookup(handlers: "DownloadHandlers") -> Callable[[str], Any]:
    """From a scheme to its download handler, or None."""
    return handlers._get_handler

"""The downloader: middlewares in Scrapy's order, ours alone for robots.txt, and fetches that can be called off."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, signals
from scrapy.exceptions import NotSupported
from scrapy.http import Response
from scrapy.settings import default_settings
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from webgraph_it.engine.downloader import FetchCalledOff, LeanDownloader
from webgraph_it.engine.lease_middleware import LeaseMiddleware
from webgraph_it.fetch.address_gate import AddressBusy

NO_MIDDLEWARES = dict.fromkeys(default_settings.DOWNLOADER_MIDDLEWARES_BASE)
NO_HANDLERS = dict.fromkeys(default_settings.DOWNLOAD_HANDLERS_BASE)
SEEN: list[str] = []


class First:
    """A user's middleware that may answer, stumble or lie, as the request's `first` says."""

    def process_request(self, request: Request) -> Any:
        SEEN.append("first asked")
        match request.meta.get("first"):
            case "answers":
                return Response(request.url, body=b"cached")
            case "stumbles":
                raise ValueError("my own mistake")
            case "lies":
                return 7
        return None

    async def process_response(self, request: Request, response: Response) -> Any:
        SEEN.append("first answered")
        return request.replace(url=f"{request.url}again") if response.status == 203 else response


class Second:
    async def process_request(self, request: Request) -> None:
        SEEN.append("second asked")

    def process_response(self, request: Request, response: Response) -> Response:
        SEEN.append("second answered")
        return response

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        SEEN.append(f"second told of {type(exception).__name__}")
        return Response(request.url, status=599) if request.meta.get("rescued") else None


class Ours(LeaseMiddleware):
    """Of a class of ours: it sees robots.txt, too."""

    def process_request(self, request: Request) -> None:
        SEEN.append("ours asked")


class Handler:
    """Answers by the URL's path."""

    lazy = False

    async def download_request(self, request: Request) -> Response:
        path = request.url.partition("//")[2].partition("/")[2]
        if path == "slow":
            await asyncio.sleep(60)
        if path == "busy":
            raise AddressBusy("127.1.0.1")
        if path == "broken":
            raise OSError("reset")
        return Response(request.url, status=int(path or 200))

    async def close(self) -> None: ...


@asynccontextmanager
async def downloading(**settings: object) -> AsyncIterator[LeanDownloader]:
    SEEN.clear()
    crawler = get_crawler(
        settings_dict={
            "DOWNLOADER_MIDDLEWARES": {**NO_MIDDLEWARES, First: 100, Second: 200, Ours: 300},
            "DOWNLOAD_HANDLERS": {**NO_HANDLERS, "prova": Handler},
            **settings,
        }
    )
    crawler.stats = MemoryStatsCollector(crawler)
    crawler.spider = crawler._create_spider("italy")
    yield LeanDownloader(crawler)


def downloaded(path: str = "", **meta: object) -> Response | Request:
    async def play() -> Response | Request:
        async with downloading() as downloader:
            return await downloader.download(Request(f"prova://a.it/{path}", meta=dict(meta)))

    return asyncio.run(play())


def test_requests_pass_the_middlewares_in_order_and_responses_in_reverse() -> None:
    assert downloaded("204").status == 204  # type: ignore[union-attr]
    assert SEEN == ["first asked", "second asked", "ours asked", "second answered", "first answered"]


def test_an_answer_of_a_middleware_is_taken_instead() -> None:
    assert downloaded(first="answers").body == b"cached"
    assert SEEN == ["first asked", "second answered", "first answered"]


def test_a_request_of_a_middleware_ends_the_way() -> None:
    assert downloaded("203").url.endswith("203again")


@pytest.mark.parametrize(
    ("path", "meta", "error"),
    [
        ("broken", {}, OSError),
        ("", {"first": "stumbles"}, ValueError),
        ("", {"first": "lies"}, TypeError),
    ],
)
def test_an_error_is_told_to_the_middlewares_one_of_which_may_answer(
    path: str, meta: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        downloaded(path, **meta)
    assert f"second told of {error.__name__}" in SEEN
    assert downloaded(path, rescued=True, **meta).status == 599  # type: ignore[union-attr]


def test_a_robots_txt_passes_our_own_middlewares_only() -> None:
    assert downloaded("200", robots_txt=True, first="answers").body == b""
    assert SEEN == ["ours asked"]
    with pytest.raises(OSError, match="reset"):
        downloaded("broken", robots_txt=True, rescued=True)
    assert SEEN == ["ours asked"]


def test_a_scheme_without_a_handler_is_refused() -> None:
    async def play() -> None:
        async with downloading() as downloader:
            await downloader.download(Request("altro://a.it/"))

    with pytest.raises(NotSupported, match="no handler for altro"):
        asyncio.run(play())


def test_a_busy_address_puts_the_request_off_and_says_nothing_of_the_host() -> None:
    put_off: list[tuple[str, str]] = []

    async def play() -> None:
        async with downloading() as downloader:
            scheduler = SimpleNamespace(
                put_off=lambda request, address: put_off.append((request.url, address))
            )
            downloader._crawler.engine = SimpleNamespace(scheduler=scheduler)  # type: ignore[assignment]
            await downloader.download(Request("prova://a.it/busy"))

    with pytest.raises(FetchCalledOff):
        asyncio.run(play())
    assert put_off == [("prova://a.it/busy", "127.1.0.1")]


def test_what_is_under_way_is_called_off_except_for_what_is_spared() -> None:
    async def play() -> list[object]:
        async with downloading() as downloader:
            requests = [Request(f"prova://{name}.it/slow") for name in ("a", "b")]
            tasks = [asyncio.create_task(downloader.download(request)) for request in requests]
            await asyncio.sleep(0.01)
            downloader.call_off(spared={tasks[1]})
            downloader.call_off(spared={tasks[1]})
            await asyncio.wait(tasks, timeout=0.5)
            ended = [task.done() for task in tasks]
            tasks[1].cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            return [*ended, *map(type, results)]

    assert asyncio.run(play()) == [True, False, FetchCalledOff, asyncio.CancelledError]


@pytest.mark.parametrize(("most", "active", "is_full"), [(2, 1, False), (2, 2, True), (0, 9, False)])
def test_no_more_downloads_at_once_than_concurrent_requests(most: int, active: int, is_full: bool) -> None:
    async def play() -> bool:
        async with downloading(CONCURRENT_REQUESTS=most) as downloader:
            downloader.active.update(Request(f"prova://{number}.it/") for number in range(active))
            return downloader.needs_backout()

    assert asyncio.run(play()) is is_full


def test_the_signals_of_a_download_are_sent_to_those_who_listen() -> None:
    sent: list[str] = []
    names = ("request_reached_downloader", "response_downloaded", "request_left_downloader")
    listeners = {name: lambda name=name: sent.append(name) for name in names}

    async def play() -> None:
        async with downloading() as downloader:
            for name, listener in listeners.items():
                downloader._crawler.signals.connect(listener, getattr(signals, name))
            await downloader.download(Request("prova://a.it/"))
            with pytest.raises(OSError, match="reset"):
                await downloader.download(Request("prova://a.it/broken"))

    asyncio.run(play())
    assert sent == [*names, names[0], names[2]]

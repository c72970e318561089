"""The scope in Scrapy: pages lose their links out of scope, requests out of scope are refused."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.core.downloader.middleware import DownloaderMiddlewareManager
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spiders import Spider
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from tests.defaults import default_scope, typed
from webgraph_it.engine.scope_middlewares import (
    OutOfScope,
    ScopeDownloaderMiddleware,
    ScopeSpiderMiddleware,
    judge,
)
from webgraph_it.items import Link, Page, State
from webgraph_it.urls import Name, name
from webgraph_it.urls.seeds import SeedsError

SCOPE = default_scope(["it,"], ["com,esempio)/italia/"])
LONG = "http://esempio.it/".ljust(3000, "x")
TARGETS = [
    "http://esempio.it/uno",
    "http://altrove.org/",
    "http://esempio.it/foto.jpg",
    "http://esempio.com/italia/due",
    "http://esempio.it/a/a/a/",
    "http://altrove.org/di/nuovo",
    LONG,
]


def link(url: str) -> Link:
    named = name(url)
    assert isinstance(named, Name)
    return Link(*named, "a")


def page(url: str, targets: list[str]) -> Page:
    named = name(url)
    assert isinstance(named, Name)
    links = tuple(link(target) for target in targets)
    return Page(*named, time=0.0, state=State.FETCHED, status=200, depth=0, via="", links=links)


@pytest.fixture
def crawler(tmp_path: Path) -> Crawler:
    seeds = tmp_path / "semi.txt"
    seeds.write_text("esempio.it\nhttp://esempio.com/italia/\n")
    middlewares = {
        "SPIDER_MIDDLEWARES": {"webgraph_it.engine.scope_middlewares.ScopeSpiderMiddleware": 100},
        "DOWNLOADER_MIDDLEWARES": {"webgraph_it.engine.scope_middlewares.ScopeDownloaderMiddleware": 100},
    }
    bases: dict[str, Any] = {"SPIDER_MIDDLEWARES_BASE": {}, "DOWNLOADER_MIDDLEWARES_BASE": {}}
    crawler = get_crawler(Spider, {**typed(SEEDS=str(seeds)), **middlewares, **bases})
    crawler.spider = crawler._create_spider("italy")
    return crawler


def stats_of(crawler: Crawler) -> dict[str, Any]:
    assert isinstance(crawler.stats, MemoryStatsCollector)
    return {path: count for path, count in crawler.stats.get_stats().items() if path.startswith("scope/")}


# -- judging ------------------------------------------------------------------------------------------------


def test_a_page_keeps_what_is_in_what_is_a_trap_and_what_is_fetched_only() -> None:
    judged, refusals = judge(page("http://esempio.it/", TARGETS), SCOPE)
    kept = [TARGETS[0], TARGETS[3], TARGETS[4], LONG]
    assert [found.url for found in judged.links] == kept
    assert judged.traps == {link(TARGETS[4]).digest: "trap-repetition", link(LONG).digest: "trap-length"}
    assert judged.fetch_only == {link(TARGETS[3]).digest}
    assert judged.in_graph
    assert refusals == {
        "scope/dropped/host": 2,
        "scope/dropped/extension": 1,
        "scope/trap/trap-repetition": 1,
        "scope/trap/trap-length": 1,
    }


def test_a_page_that_loses_nothing_is_the_same_object() -> None:
    before = page("http://esempio.it/", TARGETS[:1])
    assert judge(before, SCOPE)[0] is before


def test_a_directory_page_is_not_in_the_graph_and_keeps_its_links() -> None:
    judged, _ = judge(page("http://esempio.com/italia/", TARGETS[:2]), SCOPE)
    assert not judged.in_graph
    assert [found.url for found in judged.links] == TARGETS[:1]


def test_a_trap_that_was_refused_is_a_page_of_the_graph() -> None:
    assert judge(page("http://esempio.it/a/a/a/", []), SCOPE)[0].in_graph


# -- in Scrapy ------------------------------------------------------------------------------------------------


def test_scrapy_sends_every_page_through_the_spider_middleware(crawler: Crawler) -> None:
    manager = SpiderMiddlewareManager.from_crawler(crawler)
    assert [type(each) for each in manager.middlewares] == [ScopeSpiderMiddleware]
    other = Request("http://esempio.it/")

    async def callback() -> AsyncIterator[Any]:
        yield page("http://esempio.it/", TARGETS)
        yield page("http://esempio.it/due", TARGETS)
        yield other

    async def collect() -> list[Any]:
        middleware = manager.middlewares[0]
        assert isinstance(middleware, ScopeSpiderMiddleware)
        response = Response("http://esempio.it/")
        return [item async for item in middleware.process_spider_output(response, callback())]

    first, second, request = asyncio.run(collect())
    assert [len(first.links), len(second.links)] == [4, 4]
    assert request is other
    assert stats_of(crawler)["scope/dropped/host"] == 4


@pytest.fixture
def downloader(crawler: Crawler) -> ScopeDownloaderMiddleware:
    (middleware,) = DownloaderMiddlewareManager.from_crawler(crawler).middlewares
    assert isinstance(middleware, ScopeDownloaderMiddleware)
    return middleware


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://esempio.it/"),
        Request("https://www.comune.padova.it/uffici?id=3"),
        Request("http://esempio.com/italia/due"),
        Request("http://esempio.com/robots.txt", meta={"robots_txt": True}),
    ],
    ids=lambda request: request.url,
)
def test_requests_in_scope_pass(downloader: ScopeDownloaderMiddleware, request_: Request) -> None:
    assert downloader.process_request(request_) is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize(
    ("url", "reason", "state"),
    [
        ("http://altrove.org/", "host", State.ERROR),
        ("http://esempio.it/foto.jpg", "extension", State.ERROR),
        ("http://esempio.it/a/a/a/", "trap-repetition", State.TRAP_CUT),
        (LONG, "trap-length", State.TRAP_CUT),
        ("ftp://esempio.it/", "scheme", State.ERROR),
        ("file:///etc/passwd", "scheme", State.ERROR),
        ("http://a..it/", "host", State.ERROR),
    ],
)
def test_other_requests_are_refused_by_name(
    downloader: ScopeDownloaderMiddleware, crawler: Crawler, url: str, reason: str, state: State
) -> None:
    with pytest.raises(OutOfScope, match="is not to be fetched: ") as refusal:
        downloader.process_request(Request(url))
    assert (refusal.value.reason, refusal.value.state) == (reason, state)
    assert stats_of(crawler) == {f"scope/refused/{reason}": 1}


def test_a_missing_seed_file_is_said_at_the_start() -> None:
    with pytest.raises(SeedsError, match="cannot be read"):
        ScopeSpiderMiddleware.from_crawler(get_crawler(Spider, typed(SEEDS="/nessun/file")))

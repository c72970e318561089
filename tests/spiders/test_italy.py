"""The spider carries out what visit.py decides: a Page, or the lease ends with a real frontier in the right way."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest, UsageError
from scrapy.http import Response
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from tests.defaults import project_settings, typed
from tests.frontier.making import link
from webgraph_it.engine.downloader import FetchCalledOff
from webgraph_it.engine.parts import parts_of
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.frontier.records import Lease
from webgraph_it.items import Page, State
from webgraph_it.spiders.italy import ItalySpider


class Visit:
    """A spider, a scheduler with its frontier, and the lease of http://a.it/, whose robots.txt is asked for first."""

    def __init__(self, jobdir: Path, **settings: object) -> None:
        crawler: Any = get_crawler(
            settings_dict=typed(EXTRACT_WORKERS=0, HOST_DELAY=0, ADDRESS_DELAY=0, **settings)
            | {"JOBDIR": str(jobdir)}
        )
        crawler.stats = MemoryStatsCollector(crawler)
        self.stats = crawler.stats
        self.scheduler = FrontierScheduler.from_crawler(crawler)
        crawler.engine = SimpleNamespace(scheduler=self.scheduler, _slot=None)
        self.spider = ItalySpider.from_crawler(crawler)
        crawler.spider = self.spider
        self.scheduler.open(self.spider)
        self.frontier = self.scheduler.frontier
        self.frontier.add_seeds([link("a")], self.scheduler.now())

    def take(self) -> Request:
        request = self.scheduler.take()
        assert request is not None
        return request

    def page_request(self) -> Request:
        """Once robots.txt has said nothing."""
        self.spider.parse_robots(self.response(self.take(), 404))
        return self.take()

    @staticmethod
    def response(request: Request, status: int, body: bytes = b"", **headers: str) -> Response:
        return Response(request.url, status, headers={**headers}, body=body, request=request)

    async def close(self) -> None:
        await self.spider.spider_closed()
        self.scheduler.close("finished")
        await parts_of(self.spider.crawler).fetcher.close()
        self.frontier.abandon()


def visit(tmp_path: Path, play: Callable[[Visit], Any], **settings: object) -> Any:
    async def run() -> Any:
        made = Visit(tmp_path, **settings)
        await made.spider.spider_opened()
        try:
            result = play(made)
            return await result if asyncio.iscoroutine(result) else result
        finally:
            await made.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("status", "headers", "state", "reason", "links"),
    [
        (200, {"Content-Type": "text/html"}, State.FETCHED, "", ["http://b.it/"]),
        (301, {"Location": "http://c.it/x"}, State.REDIRECT, "", ["http://c.it/x"]),
        (302, {"Location": "mailto:x"}, State.ERROR, "redirect-nowhere", []),
        (404, {}, State.ERROR, "status-404", []),
    ],
)
def test_an_answer_for_good_is_one_page(
    tmp_path: Path, status: int, headers: dict[str, str], state: State, reason: str, links: list[str]
) -> None:
    async def play(made: Visit) -> list[Page]:
        response = made.response(made.page_request(), status, b"<a href=http://b.it/>", **headers)
        return await made.spider.parse(response)

    (page,) = visit(tmp_path, play)
    assert (page.state, page.reason, [each.url for each in page.links]) == (state, reason, links)
    assert page.key == "it,a)/"


@pytest.mark.parametrize(
    ("status", "headers"), [(503, {}), (429, {}), (301, {"Location": "https://www.a.it/"})]
)
def test_what_is_asked_again_is_no_page_and_its_lease_ends(
    tmp_path: Path, status: int, headers: dict[str, str]
) -> None:
    async def play(made: Visit) -> None:
        response = made.response(made.page_request(), status, **headers)
        assert await made.spider.parse(response) == []
        assert made.scheduler.leases.out == {}
        counts = made.frontier.counts()
        assert (counts.queued, counts.leased) == (1, 0)

    visit(tmp_path, play)


def test_the_last_attempt_is_an_error_on_the_record(tmp_path: Path) -> None:
    async def play(made: Visit) -> list[Page]:
        return await made.spider.parse(made.response(made.page_request(), 503))

    (page,) = visit(tmp_path, play, RETRY_TIMES=0)
    assert (page.state, page.reason) == (State.ERROR, "status-503")


def failure(request: Request, error: Exception) -> Any:
    made = Failure(error)  # type: ignore[no-untyped-call]
    made.request = request  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize(
    ("error", "pages", "queued"),
    [
        (FetchCalledOff("the crawl stops"), [], 1),
        (OSError("somebody's component"), [(State.ERROR, "component")], 0),
        (CannotResolveHostError("a.it"), [], 1),  # www.a.it is another spelling
        (IgnoreRequest("not mine"), [(State.ERROR, "ignored")], 0),
    ],
)
def test_a_failure_gives_the_url_back_or_is_an_error_on_the_record(
    tmp_path: Path, error: Exception, pages: list[tuple[State, str]], queued: int
) -> None:
    def play(made: Visit) -> None:
        found = made.spider.failed(failure(made.page_request(), error))
        assert [(page.state, page.reason) for page in found] == pages
        assert made.frontier.counts().queued == queued

    visit(tmp_path, play, RETRY_TIMES=0)


def test_robots_txt_comes_first_and_is_kept_for_the_page(tmp_path: Path) -> None:
    def play(made: Visit) -> None:
        request = made.take()
        assert request.url == "http://a.it/robots.txt"
        body = b"User-agent: *\nDisallow: /x\n"
        assert made.spider.parse_robots(made.response(request, 200, body)) == []
        assert made.frontier.robots("http://a.it") is not None
        page = made.take()
        lease: Lease = page.meta["lease"]
        assert (page.url, lease.key) == ("http://a.it/", "it,a)/")

    visit(tmp_path, play)


def test_a_robots_txt_that_is_elsewhere_is_followed(tmp_path: Path) -> None:
    def play(made: Visit) -> None:
        moved = made.response(made.take(), 301, Location="http://a.it/other.txt")
        assert made.spider.parse_robots(moved) == []
        assert made.take().url == "http://a.it/other.txt"

    visit(tmp_path, play)


def test_a_setting_that_cannot_be_is_a_usage_error_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="HOST_DELAY is 'soon'") as refused:
        ItalySpider.update_settings(project_settings(HOST_DELAY="soon"))
    assert refused.value.print_help is False

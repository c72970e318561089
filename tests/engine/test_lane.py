"""One task from lease to record: what is called, in which order, and what happens to a page that somebody loses."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, signals
from scrapy.http import Response
from scrapy.signalmanager import SignalManager
from twisted.python.failure import Failure

from webgraph_it.engine import lane
from webgraph_it.frontier.records import FrontierError


class Scope:
    """Stands where the scope does."""

    def __init__(self, told: list[str]) -> None:
        self._told = told

    async def judged_in_slices(self, page: Any) -> Any:
        self._told.append(f"judge {page}")
        return page


class Pipeline:
    """Stands where the graph writer does."""

    def __init__(self, told: list[str]) -> None:
        self._told = told

    async def process_item(self, item: Any) -> Any:
        self._told.append(f"record {item}")
        return item


class Engine:
    """An open engine with some requests: whatever the lane does to it is told in order."""

    paused = False

    def __init__(self, *requests: Request, most: int = 9, own_middleware: bool = False) -> None:
        self.told: list[str] = []
        self.requests, self.most = list(requests), most
        self.most_at_once = 0
        self.in_progress: set[Request] = set()
        tell = self.told.append
        self._slot = SimpleNamespace(
            add_request=self.add,
            remove_request=self.in_progress.discard,
            inprogress=self.in_progress,
            nextcall=SimpleNamespace(schedule=lambda: tell("look")),
        )
        scope, pipeline = Scope(self.told), Pipeline(self.told)
        self.slot = SimpleNamespace(active_size=0)
        self.scraper = SimpleNamespace(
            slot=self.slot,
            enqueue_scrape=self.scrape,
            start_itemproc_async=None,
            handle_spider_error=lambda failure, request, result: tell(f"error {failure.value}"),
            spidermw=SimpleNamespace(middlewares=[scope, object()] if own_middleware else [scope]),
            itemproc=SimpleNamespace(middlewares=[pipeline]),
        )
        self.pipeline = pipeline
        self.downloader = SimpleNamespace(active=set(), download=self.download)
        self.crawl = lambda request: tell(f"crawl {request.url}")
        self.abandon = lambda lease: tell(f"abandon {lease}")

    def add(self, request: Request) -> None:
        self.in_progress.add(request)
        self.most_at_once = max(self.most_at_once, len(self.in_progress))

    def needs_backout(self) -> bool:
        return len(self.in_progress) >= self.most

    def take(self) -> Request | None:
        return self.requests.pop(0) if self.requests else None

    def scrape(self, result: object, request: Request) -> "asyncio.Future[None]":
        self.told.append("Scrapy's scraper")
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    async def download(self, request: Request) -> Response | Request:
        await asyncio.sleep(0)
        self.told.append(f"download {request.url}")
        if "broken" in request.url:
            raise OSError("reset")
        if "elsewhere" in request.url:
            return Request("http://b.it/")
        return Response(request.url, body=b"12345")

    def run(self, listener: Any = None, signal: object = None) -> list[str]:
        """Pump until nothing is in progress; what was told."""

        async def play() -> None:
            manager = SignalManager(crawler)
            crawler.signals = manager
            if listener is not None:
                manager.connect(listener, signal)
            lane.Lane(crawler, self, self.pipeline).pump()  # type: ignore[arg-type]
            for _ in range(500):
                await asyncio.sleep(0)
            assert not self.in_progress

        crawler: Any = SimpleNamespace(engine=self, spider=None)
        asyncio.run(play())
        assert self.slot.active_size == 0
        assert self.downloader.active == set()
        return self.told


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lane looks whether ours are the only ones; here these are ours."""
    monkeypatch.setattr(lane, "ScopeSpiderMiddleware", Scope)
    monkeypatch.setattr(lane, "GraphPipeline", Pipeline)


def asked(path: str, told: list[str] | None = None, error: Exception | None = None) -> Request:
    """A request whose callbacks say so, or raise `error`."""
    said = [] if told is None else told

    def parse(response: Response) -> list[str]:
        said.append("parse")
        if error is not None:
            raise error
        return ["page"]

    def failed(failure: Failure) -> list[str]:
        said.append(f"failed {failure.value} at {failure.request.url}")  # type: ignore[attr-defined]
        return ["error page"]

    return Request(f"http://a.it/{path}", callback=parse, errback=failed, meta={"lease": path})


def test_a_page_is_fetched_parsed_judged_and_recorded_and_then_the_engine_looks() -> None:
    engine = Engine()
    engine.requests = [asked("x", engine.told)]
    assert engine.run() == [
        "download http://a.it/x",
        "parse",
        "judge page",
        "record page",
        "abandon x",  # nothing, for its lease has ended
        "look",
    ]


def test_a_failure_goes_to_the_errback_and_its_page_is_not_judged() -> None:
    engine = Engine()
    engine.requests = [asked("broken", engine.told)]
    assert engine.run()[1:3] == ["failed reset at http://a.it/broken", "record error page"]


def test_a_callback_that_fails_is_told_of_and_its_lease_is_given_up() -> None:
    engine = Engine()
    engine.requests = [asked("x", engine.told, ValueError("my own mistake"))]
    assert engine.run()[1:] == ["parse", "error my own mistake", "abandon x", "look"]


def test_a_frontier_that_fails_is_told_of_by_itself_alone(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine()
    engine.requests = [asked("x", engine.told, FrontierError("torn"))]
    assert engine.run()[1:] == ["parse", "abandon x", "look"]
    assert caplog.messages == []


def test_a_request_of_a_middleware_goes_to_the_engine() -> None:
    engine = Engine(asked("elsewhere"))
    assert engine.run()[1:] == ["crawl http://b.it/", "abandon elsewhere", "look"]


def test_with_a_spider_middleware_of_the_users_pages_take_scrapys_way() -> None:
    engine = Engine(asked("x"), own_middleware=True)
    assert "Scrapy's scraper" in engine.run()
    assert "record page" not in engine.told


@pytest.mark.parametrize("most", [1, 3])
def test_as_many_pages_at_once_as_the_engine_allows(most: int) -> None:
    engine = Engine(*(asked(str(number)) for number in range(7)), most=most)
    told = engine.run()
    assert engine.most_at_once == most
    assert told.count("record page") == 7


def test_nothing_starts_while_the_engine_is_paused() -> None:
    engine = Engine(asked("x"))
    engine.paused = True
    assert engine.run() == []


def test_a_body_counts_as_held_until_its_page_is_recorded() -> None:
    held: list[int] = []
    engine = Engine(
        Request(
            "http://a.it/x",
            callback=lambda response: held.append(engine.slot.active_size) or [],
            meta={"lease": "x"},
        )
    )
    engine.run()
    assert held == [5]


@pytest.mark.parametrize("signal", [signals.response_received, signals.item_scraped])
def test_a_signal_is_sent_to_those_who_listen(signal: object) -> None:
    sent: list[object] = []

    def listener(response: Response) -> None:
        sent.append(response.url)

    Engine(asked("x")).run(listener, signal)
    assert sent == ["http://a.it/x"]

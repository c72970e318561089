"""What users add to a Scrapy project works here too; what their components lose, the crawl does not.

The crawl runs with a settings module of the user's, which takes ours and adds to it; or with -s; or with an add-on.
Each component writes what it saw to a file.
"""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import PROJECT, differences, finish, start_crawl
from tests.crawl.observing import stats
from tests.crawl.shard_reader import read_crawl
from webgraph_it.simweb import SimWeb

COMPONENTS = '''
import json
from pathlib import Path

from scrapy import Request, signals
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.http import HtmlResponse



SEEN = Path(__file__).with_name("seen.jsonl").open("a", buffering=1)


def saw(what, url=""):
    SEEN.write(json.dumps([what, url]) + "\\n")


class Downloads:
    def process_request(self, request):
        saw("request", request.url)
        request.headers["X-Utente"] = "ciao"

    def process_response(self, request, response):
        saw("response", request.url)
        return response

    async def process_exception(self, request, exception):
        saw("exception", request.url)


class Refuses:
    """Like a filter of the user's: some pages are not to be asked for."""

    def process_request(self, request):
        if "robots_txt" not in request.meta and request.url.endswith("7.html"):
            raise IgnoreRequest("not today")


class Stumbles:
    """A middleware with a mistake in it."""

    def process_request(self, request):
        if request.url.endswith("7.html"):
            raise KeyError("my own mistake")


class ReturnsNonsense:
    def process_request(self, request):
        return 42 if request.url.endswith("7.html") else None


class AnswersRobots:
    """Like a cache or a filter that knows nothing of robots.txt."""

    def process_request(self, request):
        saw("request", request.url)
        if request.url.endswith("/robots.txt"):
            return HtmlResponse(request.url, status=404, request=request)

    def process_exception(self, request, exception):
        saw("exception", request.url)
        if request.url.endswith("/robots.txt"):
            return HtmlResponse(request.url, status=404, request=request)


class AsksAgain:
    """Like a retry of the user's: every first answer is thrown away."""

    def process_response(self, request, response):
        if request.meta.get("again") or "robots_txt" in request.meta:
            return response
        return request.replace(meta={**request.meta, "again": True})


class Answers:
    """Like an HTTP cache: nothing is fetched."""

    def process_request(self, request):
        if "robots_txt" not in request.meta:
            return HtmlResponse(request.url, body=b"<a href=/dalla-memoria.html>x</a>", request=request)


class Elsewhere:
    """Like a redirect of the user's: sends the request to another host."""

    def process_request(self, request):
        if request.url.endswith("7.html"):
            return request.replace(url=OTHER + "/altrove")


class Fetches:
    """Like a pipeline for images: fetches by itself."""

    @classmethod
    def from_crawler(cls, crawler):
        self = cls()
        self.crawler = crawler
        return self

    async def process_item(self, item):
        try:
            await self.crawler.engine.download_async(Request(OTHER + "/immagine.html"))
        except IgnoreRequest as error:
            saw("refused", str(error))
        return item


class Disguise:
    def process_request(self, request):
        request.headers["User-Agent"] = "Mozilla/5.0"


class Handler:
    lazy = False

    @classmethod
    def from_crawler(cls, crawler):
        saw("handler")
        return cls()

    async def download_request(self, request):
        raise NotImplementedError

    async def close(self):
        saw("handler closed")


class Addon:
    """Adds one of each kind, as Scrapy's documentation of add-ons shows."""

    def update_settings(self, settings):
        for name, parts in ALL.items():
            for part, order in parts.items():
                settings[name].set(part, order, "addon")


class Output:
    async def process_spider_output(self, response, result):
        async for item in result:
            saw("output", response.url)
            yield item


class Swallows:
    async def process_spider_output(self, response, result):
        async for item in result:
            if not losing(item):
                yield item


class Items:
    async def process_item(self, item):
        saw("item", item.url)
        return item


TIMES = {}


def losing(page):
    """The first attempt at every page of /, for ever at some."""
    TIMES[page.key] = TIMES.get(page.key, 0) + 1
    return page.key.endswith(")/") and TIMES[page.key] == 1 or "7.html" in page.key


class Drops:
    def process_item(self, item):
        if losing(item):
            raise DropItem("no")
        return item


class Fails:
    def process_item(self, item):
        if losing(item):
            raise ValueError("oh")
        return item


class Forgets:
    def process_item(self, item):
        if losing(item):
            return None
        return item


class Late:
    """After ours: the page is in the graph already."""

    def process_item(self, item):
        raise DropItem("too late")


class Signals:
    @classmethod
    def from_crawler(cls, crawler):
        self = cls()
        for name in NAMES:
            crawler.signals.connect(getattr(self, name), getattr(signals, name))
        return self

    def spider_opened(self):
        saw("spider_opened")

    def spider_closed(self, reason):
        saw("spider_closed", reason)

    def request_reached_downloader(self, request):
        saw("request_reached_downloader", request.url)

    def response_downloaded(self, response, request):
        saw("response_downloaded", request.url)

    def request_left_downloader(self, request):
        saw("request_left_downloader", request.url)

    def response_received(self, response, request):
        saw("response_received", request.url)

    async def item_scraped(self, item, response):
        saw("item_scraped", item.url)


ALL = {
    "DOWNLOADER_MIDDLEWARES": {"parts.Downloads": 50, "parts.Disguise": 900},
    "SPIDER_MIDDLEWARES": {"parts.Output": 50},
    "ITEM_PIPELINES": {"parts.Items": 900},
    "EXTENSIONS": {"parts.Signals": 50},
    "DOWNLOAD_HANDLERS": {"gopher": "parts.Handler"},
}
OTHER = Path(__file__).with_name("other.txt").read_text()
NAMES = [name for name in vars(Signals) if not name.startswith("_") and name != "from_crawler"]
'''


def crawl(web: SimWeb, tmp_path: Path, changes: str, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> str:
    """A crawl with the user's components; `changes` is what the user's settings add to ours."""
    (tmp_path / "parts.py").write_text(COMPONENTS)
    (tmp_path / "other.txt").write_text(Path(web.settings["SEEDS"]).read_text().split()[-1].rstrip("/"))
    (tmp_path / "my_settings.py").write_text(f"from webgraph_it.settings import *\n\n{changes}\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{PROJECT}")
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "my_settings")
    process = start_crawl(web, tmp_path / "crawl", **settings)
    output = finish(process)
    assert process.returncode == 0, output[-4000:]
    return output


def seen(tmp_path: Path) -> Counter[str]:
    return Counter(json.loads(line)[0] for line in (tmp_path / "seen.jsonl").read_text().splitlines())


@pytest.fixture(params=[True, False], ids=["lean", "engine"])
def lean(request: pytest.FixtureRequest) -> bool:
    """Pages go their own way, or through Scrapy's engine."""
    return request.param


@pytest.fixture
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=6, pages=90, seed=3, only=["plain"]) as web:
        yield web


PAGES, ROBOTS = 90, 6
DOWNLOAD_SIGNALS = (
    "request_reached_downloader",
    "response_downloaded",
    "request_left_downloader",
    "response_received",
)


def test_signals_of_the_user_are_sent(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lean: bool
) -> None:
    crawl(web, tmp_path, 'EXTENSIONS |= {"parts.Signals": 500}', monkeypatch, LEAN_ENGINE=lean)
    counts = seen(tmp_path)
    assert {name: counts[name] for name in DOWNLOAD_SIGNALS} == dict.fromkeys(
        DOWNLOAD_SIGNALS, PAGES + ROBOTS
    )
    assert counts["item_scraped"] == PAGES
    assert counts["spider_opened"] == counts["spider_closed"] == 1


def test_middlewares_and_pipelines_of_the_user_run(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lean: bool
) -> None:
    crawl(
        web,
        tmp_path,
        """
DOWNLOADER_MIDDLEWARES |= {"parts.Downloads": 350}
SPIDER_MIDDLEWARES |= {"parts.Output": 600}
ITEM_PIPELINES |= {"parts.Items": 300, "parts.Late": 900}
""",
        monkeypatch,
        LEAN_ENGINE=lean,
    )
    assert differences(web, tmp_path / "crawl") == []
    counts = seen(tmp_path)
    assert counts["request"] == counts["response"] == PAGES, "and no robots.txt"
    assert counts["output"] == counts["item"] == PAGES


def test_another_request_for_the_same_page_is_sent(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lean: bool
) -> None:
    crawl(web, tmp_path, 'DOWNLOADER_MIDDLEWARES |= {"parts.AsksAgain": 350}', monkeypatch, LEAN_ENGINE=lean)
    assert differences(web, tmp_path / "crawl") == []
    asked = [hit for hit in web.hits() if hit["event"] == "request" and hit["path"] != "/robots.txt"]
    assert len(asked) == 2 * PAGES


def test_a_page_that_a_user_refuses_is_an_error_on_the_record(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(web, tmp_path, 'DOWNLOADER_MIDDLEWARES |= {"parts.Refuses": 350}', monkeypatch)
    crawled = read_crawl(tmp_path / "crawl")
    refused = [key for key in crawled.urls if key.endswith("7.html")]
    assert refused
    assert {(crawled.state(key), crawled.pages[key][0]["reason"]) for key in refused} == {
        ("error", "ignored")
    }


@pytest.mark.parametrize(
    ("part", "words"), [("Stumbles", "my own mistake"), ("ReturnsNonsense", "returned int; expected: None")]
)
def test_a_mistake_in_a_users_middleware_is_in_the_log_and_on_the_record(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, words: str
) -> None:
    output = crawl(web, tmp_path, f'DOWNLOADER_MIDDLEWARES |= {{"parts.{part}": 350}}', monkeypatch)
    assert "A downloader middleware failed at http" in output
    assert words in output
    crawled = read_crawl(tmp_path / "crawl")
    pages = [key for key in crawled.urls if key.endswith("7.html")]
    assert pages
    assert {(crawled.state(key), crawled.pages[key][0]["reason"]) for key in pages} == {
        ("error", "component")
    }


def test_no_middleware_of_a_users_decides_about_robots_txt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither about one that is there nor about one that cannot be reached."""
    with SimWeb(hosts=20, pages=120, seed=3, only=["robots-disallow", "robots-unreachable"]) as web:
        crawl(web, tmp_path, 'DOWNLOADER_MIDDLEWARES |= {"parts.AnswersRobots": 50}', monkeypatch)
        assert differences(web, tmp_path / "crawl") == []
    lines = (tmp_path / "seen.jsonl").read_text().splitlines()
    assert lines
    assert not [line for line in lines if "/robots.txt" in line]


def test_a_users_cache_may_answer(web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = crawl(web, tmp_path, 'DOWNLOADER_MIDDLEWARES |= {"parts.Answers": 350}', monkeypatch)
    assert "Traceback" not in output, output[-4000:]
    crawled = read_crawl(tmp_path / "crawl")
    assert {crawled.state(key) for key in crawled.urls} == {"fetched"}
    assert any(child.endswith(")/dalla-memoria.html") for _, child in crawled.arcs)


@pytest.mark.parametrize(
    "changes",
    [
        'ITEM_PIPELINES |= {"parts.Drops": 300}',
        'ITEM_PIPELINES |= {"parts.Fails": 300}',
        'ITEM_PIPELINES |= {"parts.Forgets": 300}',
        'SPIDER_MIDDLEWARES |= {"parts.Swallows": 600}',
    ],
    ids=["drops", "raises", "forgets", "swallows"],
)
def test_a_page_that_is_lost_once_is_fetched_again_and_the_crawl_ends(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: str, lean: bool
) -> None:
    """Pages that are lost for ever are given up in words, and stay nodes; all others are as if nothing had been."""
    output = crawl(web, tmp_path, changes, monkeypatch, RETRY_TIMES=1, LEAN_ENGINE=lean)
    crawled = read_crawl(tmp_path / "crawl")
    lost = {key for key in web.truth.nodes if "7.html" in key}
    found = set(crawled.parents)
    assert lost
    assert crawled.faults == []
    assert lost & found == set()
    assert {key for key in web.truth.nodes if key.endswith(")/")} <= found
    given_up = output.count("its page could not be recorded")
    assert given_up == len(lost & crawled.urls.keys()) > 0
    assert stats(output)["webgraph/queued"] == 0


# -- what is added takes nothing away -----------------------------------------------------------------------------

ALL = {
    "DOWNLOADER_MIDDLEWARES": {"parts.Downloads": 50, "parts.Disguise": 900},
    "SPIDER_MIDDLEWARES": {"parts.Output": 50},
    "ITEM_PIPELINES": {"parts.Items": 900},
    "EXTENSIONS": {"parts.Signals": 50},
    "DOWNLOAD_HANDLERS": {"gopher": "parts.Handler"},
}
"""As users write it: assigned, not added. Orders below, above and between ours."""


@pytest.fixture(scope="module")
def strict_web() -> Iterator[SimWeb]:
    """A web in which robots.txt matters."""
    with SimWeb(hosts=8, pages=80, seed=3, only=["robots-disallow"]) as web:
        assert "robots-denied" in set(web.truth.nodes.values())
        yield web


WAYS = {
    "command line": ("", ALL),
    "settings module": ("\n".join(f"{name} = {parts!r}" for name, parts in ALL.items()), {}),
    "add-on": ("", {"ADDONS": {"parts.Addon": 500}}),
}


@pytest.mark.parametrize("way", WAYS)
def test_one_of_each_kind_adds_to_ours(
    strict_web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    changes, settings = WAYS[way]
    before = len(strict_web.hits())
    output = crawl(
        strict_web, tmp_path, changes, monkeypatch, BANDWIDTH_SCHEDULE=[["*", "50 MB/s"]], **settings
    )
    assert differences(strict_web, tmp_path / "crawl") == []
    found = stats(output)
    assert found["robots/denied/rule"] > 0
    assert "Bandwidth: 50000 KB/s from now on" in output
    assert found["bandwidth/bytes"] > 0
    counts = seen(tmp_path)
    assert counts["request"] > found["webgraph/pages"] - found["robots/denied/rule"] > 0
    assert counts["output"] > 0
    assert counts["item"] == counts["item_scraped"] == found["webgraph/pages"]
    assert counts["handler"] == counts["handler closed"] == 1
    agents = {hit["agent"] for hit in strict_web.hits()[before:] if hit.get("agent")}
    assert len(agents) == 1
    assert agents.pop().startswith("webgraph_it/")


def test_requests_of_a_users_component_pass_by_no_delay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for another host, not without a lease; a repeated one waits for its host."""
    with SimWeb(hosts=4, pages=24, seed=3, only=["plain"]) as web:
        parts = """
DOWNLOADER_MIDDLEWARES = {"parts.AsksAgain": 900, "parts.Elsewhere": 350}
ITEM_PIPELINES = {"parts.Fetches": 300}
"""
        crawl(web, tmp_path, parts, monkeypatch, HOST_DELAY=0.2, RETRY_TIMES=0)
        asked = [hit for hit in web.hits() if hit["event"] == "request"]
    assert seen(tmp_path)["refused"] > 0
    assert [hit["path"] for hit in asked if hit["path"] in ("/altrove", "/immagine.html")] == []
    times: dict[str, list[float]] = {}
    for hit in asked:
        times.setdefault(hit["host"].removeprefix("www."), []).append(hit["time"])
    gaps = [later - earlier for moments in times.values() for earlier, later in pairwise(moments)]
    assert len(gaps) > 3
    assert min(gaps) >= 0.2

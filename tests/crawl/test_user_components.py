"""What users add to a Scrapy project works here too; what their components lose, the crawl does not.

The crawl runs with a settings module of the user's, which takes ours and adds to it. Each component writes what it
saw to a file.
"""

import json
from collections import Counter
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

from scrapy import signals
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


NAMES = [name for name in vars(Signals) if not name.startswith("_") and name != "from_crawler"]
'''


def crawl(web: SimWeb, tmp_path: Path, changes: str, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> str:
    """A crawl with the user's components; `changes` is what the user's settings add to ours."""
    (tmp_path / "parts.py").write_text(COMPONENTS)
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
def lean(request):
    """Pages go their own way, or through Scrapy's engine."""
    return request.param


@pytest.fixture
def web():
    with SimWeb(hosts=6, pages=90, seed=3, only=["plain"]) as web:
        yield web


PAGES, ROBOTS = 90, 6
DOWNLOAD_SIGNALS = (
    "request_reached_downloader",
    "response_downloaded",
    "request_left_downloader",
    "response_received",
)


def test_signals_of_the_user_are_sent(web, tmp_path, monkeypatch, lean):
    crawl(web, tmp_path, 'EXTENSIONS |= {"parts.Signals": 500}', monkeypatch, LEAN_ENGINE=lean)
    counts = seen(tmp_path)
    assert {name: counts[name] for name in DOWNLOAD_SIGNALS} == dict.fromkeys(
        DOWNLOAD_SIGNALS, PAGES + ROBOTS
    )
    assert counts["item_scraped"] == PAGES
    assert counts["spider_opened"] == counts["spider_closed"] == 1


def test_middlewares_and_pipelines_of_the_user_run(web, tmp_path, monkeypatch, lean):
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
    assert counts["request"] == counts["response"] == PAGES + ROBOTS
    assert counts["output"] == counts["item"] == PAGES


def test_another_request_for_the_same_page_is_sent(web, tmp_path, monkeypatch, lean):
    crawl(web, tmp_path, 'DOWNLOADER_MIDDLEWARES |= {"parts.AsksAgain": 350}', monkeypatch, LEAN_ENGINE=lean)
    assert differences(web, tmp_path / "crawl") == []
    asked = [hit for hit in web.hits() if hit["event"] == "request" and hit["path"] != "/robots.txt"]
    assert len(asked) == 2 * PAGES


def test_a_page_that_a_user_refuses_is_an_error_on_the_record(web, tmp_path, monkeypatch):
    crawl(web, tmp_path, 'DOWNLOADER_MIDDLEWARES |= {"parts.Refuses": 350}', monkeypatch)
    crawled = read_crawl(tmp_path / "crawl")
    refused = [key for key in crawled.urls if key.endswith("7.html")]
    assert refused
    assert {(crawled.state(key), crawled.pages[key][0]["reason"]) for key in refused} == {
        ("error", "refused")
    }


def test_a_users_cache_may_answer(web, tmp_path, monkeypatch):
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
    web, tmp_path, monkeypatch, changes, lean
):
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

"""One of each part for a crawl, whoever asks first."""

from pathlib import Path

from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from tests.defaults import typed
from tests.fetch.servers import run
from webgraph_it.engine.bandwidth_middleware import BandwidthMiddleware
from webgraph_it.engine.connection_middlewares import ConnectionCapMiddleware
from webgraph_it.engine.handler import WebgraphDownloadHandler
from webgraph_it.engine.parts import parts_of
from webgraph_it.engine.robots_middleware import RobotsMiddleware

ROOMS = Path(__file__).parents[2] / "webgraph_it"


def crawler() -> Crawler:
    crawler = get_crawler(settings_dict=typed())
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler


def test_a_crawl_has_one_of_each_and_two_crawls_share_none() -> None:
    async def play() -> None:
        one, other = crawler(), crawler()
        assert parts_of(one) is parts_of(one)
        assert parts_of(one) is not parts_of(other)
        assert parts_of(one).robots is not parts_of(other).robots
        await parts_of(one).fetcher.close()
        await parts_of(other).fetcher.close()

    run(play())


def test_scrapys_components_reach_the_same_parts() -> None:
    async def play() -> None:
        one = crawler()
        parts = parts_of(one)
        assert WebgraphDownloadHandler.from_crawler(one)._fetcher is parts.fetcher
        assert ConnectionCapMiddleware.from_crawler(one)._fetcher is parts.fetcher
        assert BandwidthMiddleware.from_crawler(one)._shaper is parts.shaper
        assert RobotsMiddleware.from_crawler(one)._policy is parts.robots
        assert parts.fetcher.shaper is parts.shaper
        await parts.fetcher.close()

    run(play())


def test_no_other_table_finds_parts_by_their_crawler() -> None:
    assert [path for path in ROOMS.rglob("*.py") if "WeakKeyDictionary" in path.read_text()] == []

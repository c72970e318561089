from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from tests.defaults import typed
from webgraph_it.engine.robots_middleware import RobotsDenied, RobotsMiddleware, unexpired
from webgraph_it.robots.policy import RobotsPolicy
from webgraph_it.robots.record import RobotsRecord

NOW = 1_790_000_000.0
POLICY = RobotsPolicy(retry_seconds=60.0)


class Site:
    """A crawl whose frontier knows the robots.txt of some origins."""

    def __init__(self) -> None:
        self.now = NOW
        self.crawler = get_crawler(settings_dict=typed())
        self.crawler.stats = MemoryStatsCollector(self.crawler)
        self.known: dict[str, RobotsRecord] = {}
        self.middleware = RobotsMiddleware(
            POLICY, lambda site: unexpired(self.known.get(site), self.now), self.crawler.stats
        )

    def learn(self, origin: str, status: int, body: bytes) -> RobotsRecord:
        record = POLICY.judge(status, body, None, 0, NOW)
        self.known[origin] = record
        return record

    def stats(self) -> dict[str, object]:
        assert self.crawler.stats is not None
        return {key: value for key, value in self.crawler.stats.get_stats().items() if "robots" in key}


def test_rules_are_those_of_the_pages_own_origin() -> None:
    site = Site()
    site.learn("http://sito.it", 200, b"User-agent: *\nDisallow: /a\n")
    site.learn("https://sito.it", 404, b"")
    site.middleware.process_request(Request("https://sito.it/a"))
    site.middleware.process_request(Request("http://sito.it/b"))
    with pytest.raises(RobotsDenied, match=r"http://sito.it/a is denied by robots.txt \(rule\)"):
        site.middleware.process_request(Request("http://sito.it/a"))
    assert site.stats() == {"robots/denied/rule": 1}


def test_unreachable_and_unknown_are_denied_by_name() -> None:
    site = Site()
    site.learn("http://sito.it", 503, b"")
    for url, reason in (("http://sito.it/", "status-503"), ("http://altro.it/", "unknown")):
        with pytest.raises(RobotsDenied) as caught:
            site.middleware.process_request(Request(url))
        assert caught.value.reason == reason
    assert site.stats() == {"robots/denied/status-503": 1, "robots/denied/unknown": 1}


def test_rules_that_have_expired_are_unknown() -> None:
    site = Site()
    record = site.learn("http://sito.it", 404, b"")
    site.now = record.expires_at - 1
    site.middleware.process_request(Request("http://sito.it/"))
    site.now = record.expires_at
    with pytest.raises(RobotsDenied, match="unknown"):
        site.middleware.process_request(Request("http://sito.it/"))


def test_requests_for_robots_txt_pass() -> None:
    site = Site()
    site.middleware.process_request(Request("http://altrove.it/r.txt", meta={"robots_txt": True}))
    assert site.stats() == {"robots/requests": 1}


def test_a_denial_is_an_ignored_request() -> None:
    assert issubclass(RobotsDenied, IgnoreRequest)


def test_a_record_that_came_with_a_page_of_another_origin_does_not_count() -> None:
    """A middleware of a user's may send a leased request elsewhere."""
    site = Site()
    allowing = site.learn("http://sito.it", 404, b"")
    meta = {"lease": SimpleNamespace(url="http://sito.it/a"), "robots": allowing}
    site.middleware.process_request(Request("http://sito.it/a", meta=meta))
    site.middleware.process_request(Request("http://sito.it/b", meta=meta))
    with pytest.raises(RobotsDenied, match="unknown"):
        site.middleware.process_request(Request("http://altro.it/a", meta=meta))

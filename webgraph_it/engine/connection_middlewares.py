"""Downloader middlewares: who we are, and how many connections are allowed.

The decisions are in fetch/identity.py and fetch/connections.py. The fetcher enforces the cap itself for every request
of the crawl, with or without these middlewares.
"""

from collections.abc import Coroutine
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler

from webgraph_it.engine.parts import parts_of
from webgraph_it.fetch.client import Fetcher
from webgraph_it.fetch.identity import StartRefused, refusal_to_start


class IdentityMiddleware:
    """Refuses to crawl public addresses without a way to contact us. Adds no work per request: the handler writes
    User-Agent and From."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        refusal = refusal_to_start(
            settings["CONTACT_URL"], settings["FROM_EMAIL"], settings["ALLOWED_PRIVATE_NETWORKS"]
        )
        if refusal is not None:
            raise StartRefused(refusal)
        return cls()


class ConnectionCapMiddleware:
    """Holds requests back while the queue for a connection is as long as MAX_TCP_CONNECTIONS, and writes the
    socket figures to the stats at the end."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(parts_of(crawler).fetcher)
        stats = crawler.stats
        assert stats is not None

        def report() -> None:
            stats.set_value("connections/peak", middleware._fetcher.governor.peak)

        crawler.signals.connect(report, signals.spider_closed, weak=False)
        return middleware

    def process_request(self, request: Request) -> Coroutine[None, None, None] | None:
        """None if the request may proceed at once; otherwise a coroutine to await."""
        return self._fetcher.room() if self._fetcher.crowded else None

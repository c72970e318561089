"""Downloader middlewares of the engine: who we are, and how many connections there may be. Thin.

The decisions are in identity.py and connections.py; the cap itself is kept by the fetcher, for every request
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
    """Refuses to start a crawl of public addresses that nobody could ask us to stop. Costs no request anything:
    the handler writes User-Agent and From."""

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
    """Holds requests back while the queue for a connection is as long as MAX_TCP_CONNECTIONS, and puts the
    sockets' figures into the stats at the end."""

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
        """None, at once, for a request that may go on; else something to wait for."""
        return self._fetcher.room() if self._fetcher.crowded else None

"""Downloader middleware: no page is fetched that its host's robots.txt forbids. Thin; the policy is robots.py.

The frontier keeps the records and asks for robots.txt before it hands out a page, so here everything is known
and nothing waits. A page whose robots.txt is not known after all is refused: better a page too few.
"""

from collections.abc import Callable
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector

from webgraph_it.engine.parts import parts_of, scheduler_of
from webgraph_it.robots.policy import RobotsPolicy, RobotsRecord, Verdict, origin

Lookup = Callable[[str], RobotsRecord | None]


class RobotsDenied(IgnoreRequest):
    """robots.txt forbids this URL. `reason` says how: rule, unknown, or the record's own (status-503 …)."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} is denied by robots.txt ({reason})")
        self.reason = reason


class RobotsMiddleware:
    """Raises RobotsDenied; requests with `robots_txt` in their meta are for robots.txt itself and pass."""

    def __init__(self, policy: RobotsPolicy, lookup: Lookup, stats: StatsCollector) -> None:
        self._policy = policy
        self._lookup = lookup
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        def lookup(site: str) -> RobotsRecord | None:
            known = scheduler_of(crawler).frontier.robots(site)
            return None if known is None else RobotsRecord.from_bytes(known.text)

        assert crawler.stats is not None
        return cls(parts_of(crawler).robots, lookup, crawler.stats)

    def process_request(self, request: Request) -> None:
        if request.meta.get("robots_txt"):
            self._stats.inc_value("robots/requests")
            return
        known = request.meta.get("robots")
        if known is not None and not self._is_for(request):  # somebody's middleware sends it elsewhere
            known = None
        record = self._lookup(origin(request.url)) if known is None else RobotsRecord.from_bytes(known.text)
        if record is None or not self._policy.allowed(record, request.url):
            reason = "unknown" if record is None else _reason(record)
            self._stats.inc_value(f"robots/denied/{reason}")
            raise RobotsDenied(request.url, reason)

    @staticmethod
    def _is_for(request: Request) -> bool:
        """Whether the record in the request's meta is that of its own origin."""
        lease = request.meta.get("lease")
        return lease is not None and (lease.url == request.url or origin(lease.url) == origin(request.url))


def _reason(record: RobotsRecord) -> str:
    return "rule" if record.verdict is Verdict.RULES else record.reason

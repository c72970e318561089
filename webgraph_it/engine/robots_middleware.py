"""Downloader middleware: no page is fetched that its origin's robots.txt forbids. The policy is robots/policy.py.

The frontier keeps the records and asks for robots.txt before it hands out a page, so here everything is known
and nothing waits. If a page's robots.txt is unknown nevertheless, the page is refused: we prefer to miss it.
"""

from collections.abc import Callable
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector

from webgraph_it.crawl.steering import OPERATOR_BLOCK
from webgraph_it.engine.parts import parts_of, scheduler_of
from webgraph_it.robots.expiry import Need, need
from webgraph_it.robots.policy import RobotsPolicy, origin
from webgraph_it.robots.record import RobotsRecord, Verdict

Lookup = Callable[[str], RobotsRecord | None]


class RobotsDenied(IgnoreRequest):
    """robots.txt forbids this URL. `reason` says how: rule, unknown, or the record's own (status-503 …)."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} is denied by robots.txt ({reason})")
        self.reason = reason


def unexpired(known: RobotsRecord | None, now: float) -> RobotsRecord | None:
    """The record, or None if it has expired."""
    return None if need(known, now) is Need.REQUEST else known


class RobotsMiddleware:
    """Raises RobotsDenied; requests with `robots_txt` in their meta are for robots.txt itself and pass."""

    def __init__(
        self,
        policy: RobotsPolicy,
        lookup: Lookup,
        stats: StatsCollector,
        is_blocked: Callable[[str], bool] = lambda url: False,
    ) -> None:
        self._is_blocked = is_blocked
        self._policy = policy
        self._lookup = lookup
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        def lookup(site: str) -> RobotsRecord | None:
            scheduler = scheduler_of(crawler)
            return unexpired(scheduler.frontier.robots(site), scheduler.now())

        assert crawler.stats is not None

        def is_blocked(url: str) -> bool:
            return scheduler_of(crawler).blocks(url)

        return cls(parts_of(crawler).robots, lookup, crawler.stats, is_blocked)

    def process_request(self, request: Request) -> None:
        if request.meta.get("robots_txt"):
            if self._is_blocked(request.url):  # robots.txt redirects to a host that an operator has blocked
                raise RobotsDenied(request.url, OPERATOR_BLOCK)
            self._stats.inc_value("robots/requests")
            return
        record: RobotsRecord | None = request.meta.get("robots")
        if record is None or not self._is_for(request):  # a user's middleware sends it to another origin
            record = self._lookup(origin(request.url))
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

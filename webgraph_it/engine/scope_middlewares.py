"""The scope in Scrapy: links of pages are judged on the way out, requests on the way in.

Spider side: each Page loses its links that are out of scope, and says what the others are (`in_graph`, `traps`,
`fetch_only`). Downloader side: a request that is out of scope is refused, even a seed's. Requests for robots.txt
(meta `robots_txt`) are not judged. Stats: `scope/dropped/<reason>` and `scope/trap/<reason>` count
links, `scope/refused/<reason>` requests.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from webgraph_it.crawl.scoping import judge
from webgraph_it.items import NOTHING, Link, Page, State
from webgraph_it.urls.names import Refusal, key
from webgraph_it.urls.scope import Scope
from webgraph_it.urls.seeds import read_seeds

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector


class OutOfScope(IgnoreRequest):
    """The scope forbids to fetch this request."""

    def __init__(self, url: str, reason: str, state: State) -> None:
        super().__init__(f"{url} is not to be fetched: {reason}")
        self.reason = reason
        self.state = state


LINKS_AT_ONCE = 2_000
"""Links that are judged without a pause: this takes a few milliseconds."""
MAX_KNOWN = 37_000
"""Number of nodes remembered as in scope: 3 MB. A page whose links are all known saves 12 µs (8 links) or 30 µs
(30 links). In a crawl with many more nodes than this, few pages are."""


class ScopeSpiderMiddleware:
    """Drops the links that are out of scope from every Page."""

    def __init__(self, scope: Scope, stats: "StatsCollector") -> None:
        self.scope = scope
        self.stats = stats
        self._known_in: set[bytes] = set()

    def _remember(self, judged: Page) -> None:
        """Most links of a page are on other pages too, and a node once in scope stays in scope."""
        if len(self._known_in) > MAX_KNOWN:
            self._known_in.clear()
        if judged.in_graph:
            self._known_in.add(judged.digest)
        exceptions = judged.fetch_only.union(judged.traps)
        self._known_in.update([link.digest for link in judged.links if link.digest not in exceptions])

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        assert crawler.stats
        return cls(scope_of(crawler), crawler.stats)

    async def process_spider_output(
        self, response: "Response | None", result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for item in result:
            yield await self.judged_in_slices(item) if isinstance(item, Page) else item

    async def judged_in_slices(self, page: Page) -> Page:
        """As `judged`, but a page with very many links does not keep others waiting."""
        if len(page.links) <= LINKS_AT_ONCE:
            return self.judged(page)
        links: list[Link] = []
        traps: dict[bytes, str] = {}
        fetch_only: set[bytes] = set()
        in_graph = True
        for first in range(0, len(page.links), LINKS_AT_ONCE):
            part = self.judged(replace(page, links=page.links[first : first + LINKS_AT_ONCE]))
            links += part.links
            traps.update(part.traps)
            fetch_only |= part.fetch_only
            in_graph = part.in_graph
            await asyncio.sleep(0)
        return replace(
            page,
            links=tuple(links),
            in_graph=in_graph,
            traps=traps or NOTHING,
            fetch_only=frozenset(fetch_only),
        )

    def judged(self, page: Page) -> Page:
        """The page as the frontier and the graph will see it."""
        known = self._known_in
        if page.digest in known and known.issuperset([link.digest for link in page.links]):
            return page
        judged, refusals = judge(page, self.scope, known)
        self._remember(judged)
        for path, count in refusals.items():
            self.stats.inc_value(path, count)
        return judged


class ScopeDownloaderMiddleware:
    """Refuses requests that are out of scope, wherever they come from."""

    def __init__(self, scope: Scope, stats: "StatsCollector") -> None:
        self.scope = scope
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        assert crawler.stats
        return cls(scope_of(crawler), crawler.stats)

    def process_request(self, request: Request) -> None:
        if request.meta.get("robots_txt"):
            return
        lease = request.meta.get("lease")
        surt = lease.key if lease is not None and lease.url == request.url else key(request.url)
        if isinstance(surt, Refusal):
            self._refuse(request.url, surt.value, State.ERROR)
        elif not (verdict := self.scope.verdict(surt, request.url)).fetchable:
            self._refuse(request.url, verdict.reason, State.TRAP_CUT if verdict.is_trap else State.ERROR)

    def _refuse(self, url: str, reason: str, state: State) -> None:
        self.stats.inc_value(f"scope/refused/{reason}")
        raise OutOfScope(url, reason, state)


def scope_of(crawler: "Crawler") -> Scope:
    """The scope that the settings and the seed file describe; SeedsError or SurtError if they are wrong."""
    settings = crawler.settings
    surts = tuple(settings["SCOPE_SURTS"])
    return Scope.from_settings(settings, read_seeds(settings["SEEDS"], surts, may_be_empty=True))

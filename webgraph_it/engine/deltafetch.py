"""scrapy-deltafetch on our frontier: a crawl that fetches only what an earlier crawl did not have.

    -s DELTAFETCH_ENABLED=True -s DELTAFETCH_DIR=<JOBDIR of the earlier crawl>

The package's middleware decides by Requests and keeps a dbm. Here a page's links are not Requests, and the `db` is
the visit rows of the earlier frontier (crawl/known_pages.py). A known link stays an arc. Only its fetch is skipped,
and the page log says so (quota-cut, reason `deltafetch`). Seeds are fetched, as in the package. A Request with
`deltafetch_enabled` False in its meta, such as a planned re-visit, is never skipped. `deltafetch/skipped` counts
links to known pages, `deltafetch/stored` pages. DELTAFETCH_RESET forgets what is known; the earlier crawl is never
changed."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy_deltafetch import DeltaFetch  # type: ignore[import-untyped]

from webgraph_it.crawl.known_pages import DELTAFETCH, KnownPages, NoPages
from webgraph_it.items import PARENTS, Page
from webgraph_it.shards.directory import CRAWL_FILE
from webgraph_it.urls.names import Refusal, digest, key

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Response


class NodeDeltaFetch(DeltaFetch):  # type: ignore[misc]
    """SPIDER_MIDDLEWARES entry. In a folder that is no crawl directory it is the package's own middleware."""

    db: Any

    def spider_opened(self, spider: "Spider") -> None:
        if not (Path(self.dir) / CRAWL_FILE).is_file():
            super().spider_opened(spider)
            return
        forgets = self.reset or getattr(spider, "deltafetch_reset", False)
        self.db = NoPages() if forgets else KnownPages(Path(self.dir))

    async def process_spider_output_async(
        self, response: "Response", result: AsyncIterator[Any], spider: "Spider | None" = None
    ) -> AsyncIterator[Any]:
        async for each in result:
            if isinstance(each, Page):
                yield self._judged(each)
            elif not isinstance(each, Request):
                self._store(response)
                yield each
            elif self._get_key(each) in self.db and each.meta.get("deltafetch_enabled", True):
                self.stats.inc_value("deltafetch/skipped")
            else:
                yield each

    def _judged(self, page: Page) -> Page:
        """The page, with its known links marked as not to be fetched."""
        if page.state in PARENTS:
            self.stats.inc_value("deltafetch/stored")
        known = self.db.among([link.digest for link in page.links])
        if not known:
            return page
        self.stats.inc_value("deltafetch/skipped", len(known))
        return replace(page, traps={**dict.fromkeys(known, DELTAFETCH), **page.traps})

    def _store(self, response: "Response") -> None:
        """An item of the user's, as in the package."""
        assert response.request is not None
        self.db[self._get_key(response.request)] = ""
        self.stats.inc_value("deltafetch/stored")

    def _get_key(self, request: Request) -> bytes:
        """The node's digest. The user's own `deltafetch_key` comes first, as in the package."""
        surt = key(request.url)
        on_nodes = isinstance(getattr(self, "db", None), KnownPages)
        if isinstance(surt, Refusal) or "deltafetch_key" in request.meta or not on_nodes:
            return bytes(super()._get_key(request))
        return digest(surt)

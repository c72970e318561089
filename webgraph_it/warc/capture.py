"""Capture: one exchange with a server, and what the crawl made of it. Pure data."""

from typing import NamedTuple

from webgraph_it.items import Exchange, Link, Page
from webgraph_it.urls.sitemaps import is_sitemap


class Finding(NamedTuple):
    """What the page log says about the reply. It becomes a metadata record."""

    depth: int
    via: str
    """Key of the page where the URL was first found; empty for a seed."""
    seconds: float
    links: tuple[Link, ...]
    """All of them, also those out of scope."""
    is_sitemap: bool = False
    """It was fetched for what it lists, and is not a page."""


class Capture(NamedTuple):
    exchange: Exchange
    finding: Finding | None
    """None if the reply is not in the page log: robots.txt, or a reply after which the URL is fetched again."""

    @property
    def size_bytes(self) -> int:
        """Memory that it holds, about. Links are shared with others."""
        exchange = self.exchange
        size = _OTHER_BYTES + len(exchange.request) + len(exchange.head) + len(exchange.body)
        return size if exchange.entity is exchange.body else size + len(exchange.entity)


_OTHER_BYTES = 500


def capture_of(exchange: Exchange, page: Page | None = None) -> Capture:
    """`page`: the line of the page log that the exchange led to."""
    if page is None:
        return Capture(exchange, None)
    return Capture(exchange, Finding(page.depth, page.via, page.seconds, page.outlinks, is_sitemap(page.key)))

"""`scrapy parse URL`: what a crawl would find on one page, its links named."""

from argparse import Namespace
from typing import Any

from scrapy.commands import parse

from webgraph_it.engine.by_hand import ByHand
from webgraph_it.items import Page

SPIDER = "web"
"""Unless another is named."""


class Command(ByHand, parse.Command):
    """Scrapy's, without a crawl around it; with the spider web unless another is named."""

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(args, opts)
        opts.spider = opts.spider or SPIDER

    def add_items(self, lvl: int, new_items: list[Any]) -> None:
        super().add_items(lvl, [_shown(item) if isinstance(item, Page) else item for item in new_items])


def _shown(page: Page) -> dict[str, Any]:
    """What a reader wants to see of a page."""
    return {
        "url": page.url,
        "key": page.key,
        "state": str(page.state),
        "status": page.status,
        "type": page.media_type,
        "reason": page.reason,
        "links": [{"kind": link.kind, "url": link.url, "key": link.key} for link in page.links],
    }

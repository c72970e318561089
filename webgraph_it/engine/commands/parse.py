"""`scrapy parse URL`: what a crawl would find on one page, with the URLs of its links."""

from argparse import Namespace
from typing import Any

from scrapy.commands import parse

from webgraph_it.engine.by_hand import ByHand
from webgraph_it.items import Page

SPIDER = "italy"
"""The default spider."""


class Command(ByHand, parse.Command):
    """Scrapy's command, without a crawl. The default spider is italy."""

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(args, opts)
        opts.spider = opts.spider or SPIDER

    def add_items(self, lvl: int, new_items: list[Any]) -> None:
        super().add_items(lvl, [_shown(item) if isinstance(item, Page) else item for item in new_items])


def _shown(page: Page) -> dict[str, Any]:
    """The fields of a page that a person wants to see."""
    return {
        "url": page.url,
        "key": page.key,
        "state": str(page.state),
        "status": page.status,
        "type": page.media_type,
        "reason": page.reason,
        "links": [{"kind": link.kind, "url": link.url, "key": link.key} for link in page.links],
    }

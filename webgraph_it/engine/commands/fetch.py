"""`scrapy fetch URL`: the bytes of one page."""

from scrapy.commands import fetch

from webgraph_it.engine.by_hand import ByHand


class Command(ByHand, fetch.Command):
    """Scrapy's command, without a crawl."""

"""`scrapy view URL`: one page in a browser."""

from scrapy.commands import view

from webgraph_it.engine.by_hand import ByHand


class Command(ByHand, view.Command):
    """Scrapy's command, without a crawl."""

"""`scrapy shell URL`: one page in a Python console."""

from scrapy.commands import shell

from webgraph_it.engine.by_hand import ByHand


class Command(ByHand, shell.Command):
    """Scrapy's command, without a crawl."""

"""Any web without code: `scrapy crawl web -a scope=fr, -a seeds=mine.txt -a name=francia`."""

from webgraph_it.spiders.national import NationalSpider


class WebSpider(NationalSpider):
    """What its arguments say. It has neither a scope nor seeds of its own."""

    name = "web"

"""Italy: `scrapy crawl italy`."""

from webgraph_it.spiders.national import NationalSpider


class ItalySpider(NationalSpider):
    """The hosts under .it, from public bodies, companies, newspapers and universities."""

    name = "italy"
    scope = ("it,",)
    seeds = "seeds/italy.txt"
    languages = "it,en;q=0.5"
    time_zone = "Europe/Rome"

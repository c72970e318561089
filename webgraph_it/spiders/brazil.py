"""Brazil: `scrapy crawl brazil`, in the order of UFMG's crawl of 2016: wide coverage first, 30 s between two visits."""

from typing import Any, ClassVar

from webgraph_it.spiders.national import NationalSpider


class BrazilSpider(NationalSpider):
    """The hosts under .br."""

    name = "brazil"
    scope = ("br,",)
    seeds = "seeds/brazil.txt"
    languages = "pt-BR,pt;q=0.8,en;q=0.5"
    time_zone = "America/Sao_Paulo"
    defaults: ClassVar[dict[str, Any]] = {"FRONTIER_ORDER": "level", "HOST_DELAY": 30.0}

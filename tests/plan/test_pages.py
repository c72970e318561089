"""The plan as a page: the same figures as the text, in two charts, with nothing to be loaded from elsewhere."""

import re
from html import unescape
from xml.etree import ElementTree

from webgraph_it.plan.capacity import Crawl, crawl_disk, days, graph_disk
from webgraph_it.plan.pages import chart_page
from webgraph_it.plan.pending import peak
from webgraph_it.plan.words import size

CRAWL = Crawl(pages=5e6, pages_per_second=50)
PAGE = chart_page(CRAWL, 1e9, 200)


def test_the_words_are_those_of_the_plan() -> None:
    crawled, waiting = peak(1e9, 200)
    for words in (
        f"5.0 million pages at 50.0 pages/s: {days(CRAWL):.2f} days.",
        f"{waiting / 1e6:,.1f} million, when {crawled / 1e6:,.2f} million pages are crawled",
        f"The crawl directory fills {size(sum(crawl_disk(CRAWL).values()))}",
        f"the compact graph {size(sum(graph_disk(CRAWL).values()))}.",
    ):
        assert words in unescape(PAGE)


def test_every_part_of_the_disk_has_its_bar() -> None:
    for name in (*crawl_disk(CRAWL), *graph_disk(CRAWL)):
        assert name in unescape(PAGE)


def test_both_charts_are_well_formed_and_nothing_is_loaded() -> None:
    charts = re.findall(r"<svg.*?</svg>", PAGE, re.DOTALL)
    assert len(charts) == 2
    for chart in charts:
        ElementTree.fromstring(chart)
    assert not re.search(r"""(?:src|href)=["']?(?!#)|url\(|@import""", PAGE)

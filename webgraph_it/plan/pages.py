"""The plan as an HTML page: the growth of the pending list, and the use of the disk."""

from webgraph_it.plan.capacity import GIB, Crawl, crawl_disk, days, graph_disk, speed
from webgraph_it.plan.pending import curve, peak
from webgraph_it.plan.words import size
from webgraph_it.report.charts import Bar, Line, bars, legend, line_chart
from webgraph_it.report.style import document
from webgraph_it.report.svg import Markup, element


def chart_page(crawl: Crawl, growth_pages: float, growth_links: float) -> str:
    """One self-contained page."""
    title = "Plan of a crawl"
    heading = element(
        "header",
        element("h1", title),
        element(
            "p",
            f"{crawl.pages / 1e6:,.1f} million pages at {speed(crawl):,.1f} pages/s: {days(crawl):.2f} days.",
            class_="lead",
        ),
    )
    cards = element("div", _growth(growth_pages, growth_links), _disk(crawl), class_="cards")
    return document(title, heading, element("main", cards))


def _growth(pages: float, links: float) -> Markup:
    points = curve(pages, links)
    crawled, waiting = peak(pages, links)
    million = [at / 1e6 for at, _ in points]
    line = Line("pending, millions:", [value / 1e6 for _, value in points], "series-1", filled=True)
    chart = line_chart(
        "Growth of the pending list", million, [line], "million pages crawled", "million URLs pending"
    )
    words = (
        f"A web of {pages / 1e6:,.0f} million pages with {links:g} links each. The list is longest, "
        f"{waiting / 1e6:,.1f} million, when {crawled / 1e6:,.2f} million pages are crawled."
    )
    return element("div", element("h3", "Pending URLs"), element("p", words), chart, class_="card")


def _disk(crawl: Crawl) -> Markup:
    crawled, compact = crawl_disk(crawl), graph_disk(crawl)
    rows = [Bar(name, count / GIB, "series-1") for name, count in crawled.items()]
    rows += [Bar(name, count / GIB, "series-3") for name, count in compact.items()]
    whole, small = size(sum(crawled.values())), size(sum(compact.values()))
    words = f"The crawl directory fills {whole}, the compact graph {small}."
    keys = legend([("crawl directory", "series-1"), ("compact graph", "series-3")])
    return element(
        "div", element("h3", "Disk, GiB"), element("p", words), bars("Disk", rows, "GiB"), keys, class_="card"
    )

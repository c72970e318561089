"""`webgraph-it plan`: the time, disk and memory that a crawl needs. With --chart also as an HTML page."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from webgraph_it.cli.shell.mistakes import Mistake, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import positive
from webgraph_it.cli.shell.verb import Verb

if TYPE_CHECKING:
    from webgraph_it.plan.capacity import Crawl


def add_options(parser: Parser) -> None:
    from webgraph_it.plan.capacity import KIB, Crawl

    default = Crawl()

    def add(name: str, value: float | None, text: str) -> None:
        parser.add_argument(name, type=positive, default=value, metavar="N", help=text)

    add("--pages", default.pages, "pages to crawl (%(default)g)")
    add("--links", default.links_per_page, "links per page (%(default)s)")
    add("--url-bytes", default.url_bytes, "bytes of a URL (%(default)s)")
    add("--page-kb", default.page_bytes / KIB, "KB (1024 bytes) of a page (%(default)g)")
    add("--pages-per-second", None, "the crawler's maximum speed (90, if no bandwidth is given)")
    parser.add_argument("--rate", help='bandwidth, such as "3.4 MB/s"')
    schedule = '\'[["mon-fri 08:00-19:00", "1500 KB/s"], ["*", "4 MB/s"]]\''
    parser.add_argument("--schedule", metavar="JSON", help=f"BANDWIDTH_SCHEDULE, such as {schedule}")
    add("--fetch-seconds", default.fetch_seconds, "duration of a fetch in seconds (%(default)s)")
    add("--host-delay", default.host_delay_seconds, "HOST_DELAY in seconds (%(default)s)")
    parser.add_argument("--warc", action="store_true", help="keep the pages, too (WARC=True)")
    parser.add_argument(
        "--growth", nargs=2, type=positive, metavar=("N", "S"), default=(1e9, 200.0),
        help="pages of the web and links per page for the pending list (1e9 200)",
    )  # fmt: skip
    chart = "draw the growth of the pending list and the use of the disk"
    parser.add_argument("--chart", type=Path, metavar="FILE.html", help=chart)


def run(options: Namespace) -> int:
    from webgraph_it.plan.pages import chart_page
    from webgraph_it.plan.words import plan_text

    crawl = _crawl_of(options)
    pages, links = options.growth
    print(plan_text(crawl, pages, links))
    if options.chart:
        options.chart.write_text(chart_page(crawl, pages, links), encoding="utf-8")
        print(f"\nchart: {options.chart}")
    return 0


def _crawl_of(options: Namespace) -> "Crawl":
    """The crawl that these options describe."""
    from webgraph_it.plan.capacity import KIB, Crawl
    from webgraph_it.plan.schedule import mean_rate

    if options.rate and options.schedule:
        raise Mistake("--rate and --schedule were both given: give one of them.")
    page_bytes, speed = options.page_kb * KIB, options.pages_per_second
    plan = [["*", options.rate]] if options.rate else options.schedule
    option = "--rate" if options.rate else "--schedule"
    with mistakes(ValueError):
        bandwidth = mean_rate(plan, speed * page_bytes if speed else None, option) if plan else None
    if speed is None and bandwidth is None:
        speed = Crawl().pages_per_second
    return Crawl(
        options.pages, options.links, options.url_bytes, page_bytes, speed, bandwidth,
        options.fetch_seconds, options.host_delay, options.warc,
    )  # fmt: skip


VERB = Verb(
    name="plan",
    summary="Estimate the time, disk and memory that a crawl needs. Defaults: the thesis' estimate of .it.",
    examples=('webgraph-it plan --pages 1e6 --links 30 --rate "2 MB/s"',),
    add_options=add_options,
    run=run,
)

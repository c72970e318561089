"""python -m webgraph_it.plan: print the plan of a crawl; with --chart also draw it as an HTML page."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from webgraph_it import __version__
from webgraph_it.plan.capacity import KIB, Crawl
from webgraph_it.plan.pages import chart_page
from webgraph_it.plan.schedule import mean_rate
from webgraph_it.plan.words import plan_text


def parser() -> argparse.ArgumentParser:
    default = Crawl()
    result = argparse.ArgumentParser(
        prog="python -m webgraph_it.plan",
        description="How long a crawl takes and what it fills. Defaults: the estimate of .it of the thesis.",
    )
    add = result.add_argument
    add("--version", action="version", version=f"webgraph_it {__version__}")
    add("--pages", type=positive, default=default.pages, help="pages to crawl (%(default)g)")
    add("--links", type=positive, default=default.links_per_page, help="links per page (%(default)s)")
    add("--url-bytes", type=positive, default=default.url_bytes, help="bytes of a URL (%(default)s)")
    add(
        "--page-kb",
        type=positive,
        default=default.page_bytes / KIB,
        help="KB (1024 bytes) of a page (%(default)g)",
    )
    add("--pages-per-second", type=positive, help="what the crawler can do (90, if no bandwidth is given)")
    add("--rate", help='bandwidth, such as "3.4 MB/s"')
    add(
        "--schedule",
        help='BANDWIDTH_SCHEDULE, such as \'[["mon-fri 08:00-19:00", "1500 KB/s"], ["*", "4 MB/s"]]\'',
    )
    add(
        "--fetch-seconds",
        type=positive,
        default=default.fetch_seconds,
        help="seconds of a fetch (%(default)s)",
    )
    add(
        "--host-delay",
        type=positive,
        default=default.host_delay_seconds,
        help="HOST_DELAY in s (%(default)s)",
    )
    add("--growth", nargs=2, type=positive, metavar=("N", "S"), default=(1e9, 200.0),
        help="pages of the web and links per page for the pending list (1e9 200)")  # fmt: skip
    add("--chart", type=Path, metavar="FILE.html", help="draw the growth of the pending list and the disk")
    return result


def positive(words: str) -> float:
    value = float(words.replace(",", "").replace("_", ""))
    if not 0 < value < 1e18:
        raise ValueError(words)
    return value


def crawl_of(options: argparse.Namespace) -> Crawl:
    """The crawl these options describe."""
    if options.rate and options.schedule:
        raise ValueError("--rate and --schedule were both given: give one of them")
    page_bytes, speed = options.page_kb * KIB, options.pages_per_second
    plan = [["*", options.rate]] if options.rate else options.schedule
    option = "--rate" if options.rate else "--schedule"
    bandwidth = mean_rate(plan, speed * page_bytes if speed else None, option) if plan else None
    if speed is None and bandwidth is None:
        speed = Crawl().pages_per_second
    return Crawl(
        options.pages, options.links, options.url_bytes, page_bytes, speed, bandwidth,
        options.fetch_seconds, options.host_delay,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        crawl = crawl_of(options)
    except ValueError as problem:
        print(f"plan: {problem}", file=sys.stderr)
        return 2
    pages, links = options.growth
    print(plan_text(crawl, pages, links))
    if options.chart:
        options.chart.write_text(chart_page(crawl, pages, links), encoding="utf-8")
        print(f"\nchart: {options.chart}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

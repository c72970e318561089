"""Does the crawl stay as fast as it began? Many pages, many hosts waiting, and growth with links per page.

    python -m tests.benchmarks.long_crawl [--scale 1] [--part long,waiting,growth]

long      200,000 pages on 20,000 hosts: pages/s and CPU a page in the last tenth against the second tenth, and memory
          over time. All hosts are of one size, so that all tenths are alike: of a web with a few huge hosts the last
          tenth would be on those alone, one connection each, and on pages with several times as many links (40
          against 9 with sizes by rank ** -0.5). Hosts and links by tenth are printed to show it. Hosts of ten pages
          have few links a page; growth has the cost of more.

waiting   politeness on, hosts with latencies of 50 to 500 ms; pages/s against the ideal, which is the sum over the
          hosts of 1 ÷ (delay + the host's latency), or against what the CPU allows, if that is less. Two rows: delay
          1 s on 5,000 hosts, whose ideal of 4,200 pages/s is more than two cores give to crawler and web together (so
          the same web is first crawled with delay 0: that is the CPU's limit); delay 10 s, where the CPU is idle.
          Latency is what the web was told to wait, not what the crawl measured: a crawl that is slow to take its
          answers cannot lower its own aim. The other delays (address, factor) are 0.
          Judged is the time in which all hosts have work: all hosts are of one size, all first pages are seeds, and
          the window is from the first page of the last host to the last page of the first that ends. In it each host
          has a rate, fetches less one ÷ time from first to last; their sum is the crawl's. (Hosts that started
          together are asked together: counting pages in a window would be off by up to one page a host.)

growth    10, 50 and 200 links a page, pages equally long: CPU of a page = a constant part + a part per link.
          The part per link from 10 to 50 and from 50 to 200 should be the same. Links are counted as the page log
          does: once a page each (the web repeats none).

--scale 0.1 is a tenth of the hosts and pages, for a first look. The graph is compared with the truth in every crawl; a
difference fails the benchmark. "Disturbed" before a line: other programs ran meanwhile, and its wall times say little.
"""

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from tests.benchmarks.crawl.contenders import WrongGraph, check, page_log
from tests.benchmarks.crawl.watch import Watched, succeed
from tests.crawl.crawling import crawl_command
from webgraph_it.simweb import SimWeb

LONG_PAGES, LONG_HOSTS = 200_000, 20_000
WAITING_HOSTS = 5000
GROWTH_HOSTS, GROWTH_PAGES_PER_HOST = 20, 500
GROWTH_DEGREES = (10, 50, 200)
EQUALLY_LARGE = 0.0
DISTURBED_CORES = 0.2
"""A crawl beside which other programs use more than this is reported as disturbed."""


class Page(NamedTuple):
    """What a benchmark needs of a line of the page log."""

    host: str
    asked_at: float
    seconds: float
    links: int
    size_bytes: int


def pages_of(folder: Path) -> list[Page]:
    """Every page, in the order in which they were asked for."""
    found = [
        Page(_host(line["url"]), line["time"], line["seconds"], line["links"], line["bytes"])
        for line in page_log(folder)
    ]
    return sorted(found, key=lambda page: page.asked_at)


def _host(url: str) -> str:
    return url.split("/", 3)[2].removeprefix("www.")


def crawl(web: SimWeb, folder: Path, **settings: Any) -> Watched:
    """A whole crawl, compared with the truth."""
    watched = succeed(crawl_command(web, folder, **settings), partners=[web.process_id])
    check(web, folder)
    if watched.others_cores > DISTURBED_CORES:
        print(f"(disturbed: other programs used {watched.others_cores:.2f} cores meanwhile)")
    return watched


# -- long ----------------------------------------------------------------------------------------------------


def long(scale: float) -> None:
    hosts = round(LONG_HOSTS * scale)
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(
            hosts, round(LONG_PAGES * scale), seed=7, only=["plain"], size_exponent=EQUALLY_LARGE, hits=False
        ) as web,
    ):
        folder = Path(scratch) / "crawl"
        watched = crawl(web, folder)
        pages = pages_of(folder)
        progress = [json.loads(line) for line in (folder / "reports/progress.jsonl").open()]
    rates, costs = by_tenth([page.asked_at for page in pages], watched)
    memory = [moment["rss_bytes"] / 1e6 for moment in progress]
    print(
        f"{len(pages):,} pages with {mean(page.links for page in pages):.1f} links on {hosts:,} hosts in "
        f"{watched.seconds:.0f} s, {len(pages) / watched.seconds:.0f} pages/s, "
        f"{1e3 * watched.cpu_seconds / len(pages):.2f} ms CPU a page"
    )
    print("pages/s by tenth:      ", " ".join(f"{rate:6.0f}" for rate in rates))
    print("CPU ms a page by tenth:", " ".join(f"{cost:6.3f}" for cost in costs))
    print(
        "links a page by tenth: ", " ".join(f"{mean(p.links for p in part):6.1f}" for part in tenths(pages))
    )
    print("hosts asked by tenth:  ", " ".join(f"{len({p.host for p in part}):6}" for part in tenths(pages)))
    print(
        f"last tenth / second tenth: {rates[9] / rates[1]:.2f} in pages/s, {costs[9] / costs[1]:.2f} in CPU a page"
    )
    print("RSS in MB over time:", " ".join(f"{mb:.0f}" for mb in memory[:: max(1, len(memory) // 10)]))
    print(
        f"peak of the crawl process {watched.peak_mb:.0f} MB, of its workers {watched.children_peak_mb:.0f} MB"
    )


def tenths(pages: list[Page]) -> list[list[Page]]:
    size = len(pages) // 10
    return [pages[i * size : (i + 1) * size] for i in range(10)]


def by_tenth(times: list[float], watched: Watched) -> tuple[list[float], list[float]]:
    """Pages per second, and CPU milliseconds a page (all processes), in each tenth of the pages."""
    tenth = len(times) // 10
    ends = [times[min(i * tenth, len(times) - 1)] for i in range(11)]
    spans = list(pairwise(ends))
    rates = [tenth / max(1e-9, end - start) for start, end in spans]
    costs = [1e3 * (watched.cpu_until(end) - watched.cpu_until(start)) / tenth for start, end in spans]
    return rates, costs


# -- waiting -------------------------------------------------------------------------------------------------


def waiting(scale: float) -> None:
    hosts = round(WAITING_HOSTS * scale)
    cpu_limit = polite_row(hosts, pages_per_host=20, delays=(0.0, 1.0), cpu_limit=None)
    polite_row(hosts, pages_per_host=8, delays=(10.0,), cpu_limit=cpu_limit)


def polite_row(
    hosts: int, pages_per_host: int, delays: Iterable[float], cpu_limit: float | None
) -> float | None:
    """Crawl one web with each delay and print a line each; returns the rate with delay 0, if it was asked for."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(
            hosts,
            hosts * pages_per_host,
            seed=7,
            only=["latency"],
            shares={"latency": 1.0},
            latency_seconds=0.16,
            latency_spread=0.5,
            size_exponent=EQUALLY_LARGE,
            hits=False,
        ) as web,
    ):
        seeds = Path(scratch) / "seeds.txt"
        seeds.write_text("".join(f"{host.origin}/\n" for host in web.world.hosts))
        latencies = [host.latency_seconds for host in web.world.hosts]
        for delay in delays:
            folder = Path(scratch) / f"delay-{delay}"
            watched = crawl(web, folder, HOST_DELAY=delay, SEEDS=str(seeds))
            pages = pages_of(folder)
            rate, window_seconds = rate_with_work(pages)
            busy = watched.cpu_seconds / watched.seconds
            fetch_ms = 1e3 * mean(page.seconds for page in pages)
            print(
                f"{hosts:,} hosts, {pages_per_host} pages each, delay {delay:g} s, latency {1e3 * mean(latencies):.0f} "
                f"ms, mean fetch {fetch_ms:.0f} ms: {rate:.0f} pages/s in {window_seconds:.0f} s, {busy:.2f} cores busy"
            )
            ideal = sum(1 / (delay + latency) for latency in latencies)
            if not delay:
                cpu_limit = rate
                print(f"  this is taken as the CPU's limit (without a CPU's limit: {ideal:.0f})")
                continue
            limits = [f"{rate / ideal:.2f} of the ideal {ideal:.0f}"]
            if cpu_limit is not None:
                limits.append(f"{rate / cpu_limit:.2f} of the CPU's limit {cpu_limit:.0f}")
            lower = min(ideal, cpu_limit or ideal)
            print(f"  {', '.join(limits)}; of the lower of the two: {rate / lower:.2f} (aim: 0.90)")
    return cpu_limit


def rate_with_work(pages: list[Page]) -> tuple[float, float]:
    """Pages per second while every host had work, as the sum of the hosts' own rates; and how long that was."""
    times: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        times[page.host].append(page.asked_at)
    start = max(min(asked) for asked in times.values())
    end = min(max(asked) for asked in times.values())
    rates = []
    for asked in times.values():
        within = sorted(moment for moment in asked if start <= moment <= end)
        if len(within) < 2:
            raise SystemExit(
                f"All hosts had work for {end - start:.1f} s only, too short to tell a rate: give them more pages."
            )
        rates.append((len(within) - 1) / (within[-1] - within[0]))
    return sum(rates), end - start


# -- growth --------------------------------------------------------------------------------------------------


class Cost(NamedTuple):
    links: float
    """A page."""
    cpu_ms: float
    """A page."""


def growth(scale: float) -> None:
    hosts = max(4, round(GROWTH_HOSTS * scale))
    costs = [cost_of(degree, hosts) for degree in GROWTH_DEGREES]
    first, second = (link_cost_us(*pair) for pair in pairwise(costs))
    constant = costs[0].cpu_ms - first * costs[0].links / 1e3
    print(
        f"a link costs {first:.1f} µs of CPU from {GROWTH_DEGREES[0]} to {GROWTH_DEGREES[1]}, {second:.1f} µs from "
        f"{GROWTH_DEGREES[1]} to {GROWTH_DEGREES[2]}: ratio {second / first:.2f}; the rest of a page {constant:.2f} ms "
        "(fetch, and the crawl's start)"
    )


def link_cost_us(fewer: Cost, more: Cost) -> float:
    """CPU microseconds of one further link."""
    return 1e3 * (more.cpu_ms - fewer.cpu_ms) / (more.links - fewer.links)


def cost_of(degree: int, hosts: int) -> Cost:
    """Crawl a web with so many links a page and print a line."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(
            hosts,
            hosts * GROWTH_PAGES_PER_HOST,
            seed=7,
            only=["plain"],
            degree=degree,
            page_bytes=80_000,
            size_exponent=EQUALLY_LARGE,
            hits=False,
        ) as web,
    ):
        folder = Path(scratch) / "crawl"
        watched = crawl(web, folder)
        pages = pages_of(folder)
    links = mean(page.links for page in pages)
    cost = Cost(links, 1e3 * watched.cpu_seconds / len(pages))
    print(
        f"{links:6.1f} links on pages of {mean(page.size_bytes for page in pages) / 1000:.1f} KB: "
        f"{len(pages) / watched.seconds:6.0f} pages/s, {cost.cpu_ms:.2f} ms CPU a page, "
        f"{1e3 * cost.cpu_ms / links:.1f} µs CPU a link in all",
        flush=True,
    )
    return cost


# ------------------------------------------------------------------------------------------------------------

PARTS = {"long": long, "waiting": waiting, "growth": growth}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--part", default=",".join(PARTS))
    options = parser.parse_args(arguments)
    unknown = [part for part in options.part.split(",") if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    failed = False
    for part in options.part.split(","):
        print(f"-- {part}", flush=True)
        try:
            PARTS[part](options.scale)
            print("graph: equals the truth", flush=True)
        except WrongGraph as error:
            print(error, flush=True)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

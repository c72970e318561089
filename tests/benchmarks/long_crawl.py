"""Does the crawl stay as fast as it began? Many pages, many hosts waiting, and growth with links per page.

    python -m tests.benchmarks.long_crawl [--scale 1] [--part long,waiting,growth]

long      200,000 pages on 20,000 hosts: pages/s and CPU a page in the last tenth against the second tenth, and memory.
          All hosts are of one size, so that all tenths are alike: of a web with a few huge hosts the last
          tenth would be on those alone, one connection each, and on pages with several times as many links (40
          against 9 with sizes by rank ** -0.5). Hosts and links by tenth are printed to show it. Hosts of ten pages
          have few links a page; growth has the cost of more. Memory is that of the crawl process (progress.jsonl), the
          mean of each tenth of the pages; it is flat if the last is at most FLAT times the second. The last against the
          fifth is what twice as many pages cost: no cache may fill up so late.

waiting   politeness on, 5,000 hosts with latencies of 50 to 500 ms, delays of 1 s and of 10 s: pages/s against the
          lowest of three limits. Politeness: the sum over the hosts of 1 ÷ (delay + the host's latency). Connections:
          as many as may be open ÷ the mean latency. CPU: the rate of the same web without latency, crawled without
          delay, so that nothing is waited for; with a delay of 1 s politeness would allow 4,200 pages/s, more than two
          cores give to crawler and web together, and with 10 s the CPU is idle. What the CPU gives changes on a shared
          machine from minute to minute: limit and crawl alternate, and medians of WAITING_ROUNDS rounds are judged.
          Latency is what the web was told to wait, not what the crawl measured: a crawl that is slow to take its
          answers cannot lower its own aim. The other delays (address, factor) are 0.
          Judged is the time in which all hosts have work: all hosts are of one size, all first pages are seeds, and
          the window is from the first page of the last host (its robots.txt and those of all others come before) to
          the last page of the first that ends. In it each host has a rate, fetches less one ÷ time from first to last;
          their sum is the crawl's. (Hosts that started together are asked together: counting pages in a window would
          be off by up to one page a host.) The limit is measured in the same way.

growth    10, 50 and 200 links a page, pages equally long: CPU of a page = a constant part + a part per link.
          The part per link from 50 to 200 should be that from 10 to 50, at most CONSTANT times. Links are counted as
          the page log does: once a page each (the web repeats none). GROWTH_ROUNDS rounds in alternation; judged are
          the medians, because the part of 40 links is small beside that of a page; the rounds alone show how it varies.
          Extraction alone, in one process, says the same of that part without the machine's ups and downs.

--scale 0.1 is a tenth of the hosts and pages, for a first look. The graph is compared with the truth in every crawl; a
difference fails the benchmark. "Disturbed" before a line: other programs ran meanwhile, and its wall times say little.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np
import psutil

from tests.benchmarks.crawl.contenders import WrongGraph, check, page_log
from tests.benchmarks.crawl.watch import Watched, succeed
from tests.benchmarks.extract import ROUNDS as EXTRACTION_ROUNDS
from tests.benchmarks.extract import as_the_crawl_asks, documents, timed
from tests.crawl.crawling import crawl_command
from webgraph_it import settings
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.plan import Plan

LONG_PAGES, LONG_HOSTS = 200_000, 20_000
WAITING_HOSTS = 5000
GROWTH_HOSTS, GROWTH_PAGES_PER_HOST = 30, 500
GROWTH_PAGE_BYTES = 40_000
GROWTH_DEGREES = (10, 50, 200)
GROWTH_ROUNDS = 5
GROWTH_SAMPLE = 200
EQUALLY_LARGE = 0.0
DISTURBED_CORES = 0.2
"""A crawl beside which other programs use more than this is reported as disturbed."""


FLAT = 1.1
"""Memory that grows by no more than this, from the second tenth of a crawl to the last, is called flat."""
LOOKS_A_TENTH = 20
CONSTANT = 1.1
"""A link that costs no more than this on pages with many links, of what it costs on others, costs the same."""


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


def crawl(web: SimWeb, folder: Path, **changed: Any) -> Watched:
    """A whole crawl, compared with the truth."""
    watched = succeed(crawl_command(web, folder, **changed), partners=[web.process_id])
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
    memory = memory_by_tenth(progress)
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
    print("RSS in MB by tenth:    ", " ".join(f"{mb:6.0f}" for mb in memory))
    print(
        f"RSS of the last tenth / that of the second: {memory[9] / memory[1]:.2f} (flat: at most {FLAT}), "
        f"/ that of the fifth, half as many pages: {memory[9] / memory[4]:.2f}"
    )
    print(
        f"peak of the crawl process {watched.peak_mb:.0f} MB, of its workers {watched.children_peak_mb:.0f} MB"
    )


def tenths(pages: list[Page]) -> list[list[Page]]:
    size = len(pages) // 10
    return [pages[i * size : (i + 1) * size] for i in range(10)]


def memory_by_tenth(progress: Sequence[Mapping[str, Any]]) -> list[float]:
    """Mean resident MB of the crawl process in each tenth of the pages, by the crawl's own progress.jsonl."""
    pages = [moment["pages"] for moment in progress]
    resident_mb = [moment["rss_bytes"] / 1e6 for moment in progress]
    moments = np.linspace(0, pages[-1], 10 * LOOKS_A_TENTH + 1)[1:]
    looks = np.interp(moments, pages, resident_mb).reshape(10, LOOKS_A_TENTH)
    return [float(tenth) for tenth in looks.mean(axis=1)]


def by_tenth(times: list[float], watched: Watched) -> tuple[list[float], list[float]]:
    """Pages per second, and CPU milliseconds a page (all processes), in each tenth of the pages."""
    tenth = len(times) // 10
    ends = [times[min(i * tenth, len(times) - 1)] for i in range(11)]
    spans = list(pairwise(ends))
    rates = [tenth / max(1e-9, end - start) for start, end in spans]
    costs = [1e3 * (watched.cpu_until(end) - watched.cpu_until(start)) / tenth for start, end in spans]
    return rates, costs


# -- waiting -------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """One crawl of the web of waiting hosts."""

    delay_seconds: float
    pages_per_host: int
    """So many that the crawl takes a minute or two."""
    rounds: int = 1


WAITING_ROUNDS = 3
WAITING_ROWS = (Row(1.0, 12, WAITING_ROUNDS), Row(10.0, 8))
NO_LATENCY_SECONDS = 1e-4
"""As good as none; the habit stays on, so that the pages are the same."""
EXCEEDED = 1.05
"""A crawl so much faster than a limit shows that it was none."""


def waiting(scale: float) -> None:
    hosts = round(WAITING_HOSTS * scale)
    for row in WAITING_ROWS:
        cpu_limits, rates = [], []
        for _ in range(row.rounds):
            cpu_limits.append(cpu_limit_of(hosts, row.pages_per_host))
            rate, latencies = polite_rate(hosts, row)
            rates.append(rate)
        judge_row(latencies, row, median(cpu_limits), median(rates))


def waiting_web(hosts: int, pages_per_host: int, latency_seconds: float, spread: float) -> SimWeb:
    return SimWeb(
        hosts,
        hosts * pages_per_host,
        seed=7,
        only=["latency"],
        shares={"latency": 1.0},
        latency_seconds=latency_seconds,
        latency_spread=spread,
        size_exponent=EQUALLY_LARGE,
        hits=False,
    )


def cpu_limit_of(hosts: int, pages_per_host: int) -> float:
    """Pages per second when nothing has to be waited for."""
    with waiting_web(hosts, pages_per_host, NO_LATENCY_SECONDS, 0.0) as web:
        rate, words = crawl_waiting(web, 0.0)
    print(f"{hosts:,} hosts, {pages_per_host} pages each, no delay, no latency: {words}")
    print(f"  the CPU's limit: {rate:.0f} pages/s", flush=True)
    return rate


def polite_rate(hosts: int, row: Row) -> tuple[float, list[float]]:
    """Pages per second with the row's delay, and the hosts' latencies in seconds."""
    with waiting_web(hosts, row.pages_per_host, 0.16, 0.5) as web:
        latencies = sorted(host.latency_seconds for host in web.world.hosts)
        rate, words = crawl_waiting(web, row.delay_seconds)
    low, high = latencies[len(latencies) // 100], latencies[-len(latencies) // 100]
    print(
        f"{hosts:,} hosts, {row.pages_per_host} pages each, delay {row.delay_seconds:g} s, latency "
        f"{1e3 * mean(latencies):.0f} ms, 98 % of {1e3 * low:.0f} to {1e3 * high:.0f}: {words}",
        flush=True,
    )
    return rate, latencies


def judge_row(latencies: Sequence[float], row: Row, cpu_limit: float, rate: float) -> None:
    limits = limits_of(latencies, row.delay_seconds, cpu_limit)
    lowest = min(limits, key=lambda name: limits[name])
    print("  limits in pages/s:", ", ".join(f"{name} {limit:.0f}" for name, limit in limits.items()))
    print(
        f"  {rate:.0f} pages/s is {rate / limits[lowest]:.2f} of the lowest, {lowest} (aim: 0.90)", flush=True
    )
    if rate > EXCEEDED * limits[lowest]:
        print(
            "  which is more than a limit allows: it was measured beside other programs, or is none",
            flush=True,
        )


def limits_of(latencies: Sequence[float], delay_seconds: float, cpu_limit: float) -> dict[str, float]:
    """What bounds the pages per second of a crawl of hosts with these latencies, by name."""
    sockets = min(settings.MAX_TCP_CONNECTIONS, settings.CONCURRENT_REQUESTS)
    return {
        "politeness": sum(1 / (delay_seconds + latency) for latency in latencies),
        "connections": sockets / mean(latencies),
        "CPU": cpu_limit,
    }


def crawl_waiting(web: SimWeb, delay_seconds: float) -> tuple[float, str]:
    """Crawl with all first pages as seeds: pages per second while every host had work, and how that was."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, seeds = Path(scratch) / "crawl", Path(scratch) / "seeds.txt"
        seeds.write_text("".join(f"{host.origin}/\n" for host in web.world.hosts))
        server = psutil.Process(web.process_id)
        before = sum(server.cpu_times()[:2])
        watched = crawl(web, folder, HOST_DELAY=delay_seconds, SEEDS=str(seeds))
        web_cores = (sum(server.cpu_times()[:2]) - before) / watched.seconds
        pages = pages_of(folder)
    rate, window = rate_with_work(pages)
    ramp = window.start - pages[0].asked_at
    return rate, (
        f"{rate:.0f} pages/s in the {window.seconds:.0f} s of {watched.seconds:.0f} in which all hosts had work "
        f"(left out: {ramp:.0f} s until all had begun, and the end), fetch {1e3 * mean(p.seconds for p in pages):.0f} "
        f"ms, cores busy: crawl {watched.cpu_seconds / watched.seconds:.2f}, web {web_cores:.2f} of {os.cpu_count()}"
    )


class Window(NamedTuple):
    start: float
    seconds: float


def rate_with_work(pages: list[Page]) -> tuple[float, Window]:
    """Pages per second while every host had work, as the sum of the hosts' own rates; and when that was."""
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
    return sum(rates), Window(start, end - start)


# -- growth --------------------------------------------------------------------------------------------------


class Cost(NamedTuple):
    links: float
    """A page."""
    cpu_ms: float
    """A page."""


def growth(scale: float) -> None:
    hosts = max(4, round(GROWTH_HOSTS * scale))
    rounds = [[cost_of(degree, hosts) for degree in GROWTH_DEGREES] for _ in range(GROWTH_ROUNDS)]
    costs = [Cost(some[0].links, median(each.cpu_ms for each in some)) for some in zip(*rounds, strict=True)]
    per_link, constant = np.polyfit([cost.links for cost in costs], [cost.cpu_ms for cost in costs], 1)
    print(f"CPU of a page by the line through the three: {constant:.2f} ms + {1e3 * per_link:.1f} µs a link")
    print(further_link(costs), f"(constant: at most {CONSTANT})")
    print("ratios of the rounds alone:", " ".join(f"{growth_ratio(some):.2f}" for some in rounds))
    print(
        "extraction with names alone:", further_link([extraction_cost(degree) for degree in GROWTH_DEGREES])
    )


def further_link(costs: Sequence[Cost]) -> str:
    first, second = (link_cost_us(*pair) for pair in pairwise(costs))
    fewest, some, most = GROWTH_DEGREES
    return (
        f"a further link {first:.1f} µs from {fewest} to {some} links, {second:.1f} µs from {some} to {most}: "
        f"ratio {growth_ratio(costs):.2f}"
    )


def growth_ratio(costs: Sequence[Cost]) -> float:
    """What a link costs on pages with many, of what it costs on pages with few."""
    return link_cost_us(*costs[1:]) / link_cost_us(*costs[:2])


def link_cost_us(fewer: Cost, more: Cost) -> float:
    """CPU microseconds of one further link."""
    return 1e3 * (more.cpu_ms - fewer.cpu_ms) / (more.links - fewer.links)


def extraction_cost(degree: int) -> Cost:
    """In this process, with nothing beside it; of each page the best round counts."""
    plan = Plan(
        hosts=GROWTH_HOSTS,
        pages=GROWTH_HOSTS * GROWTH_PAGES_PER_HOST,
        degree=degree,
        page_bytes=GROWTH_PAGE_BYTES,
        size_exponent=EQUALLY_LARGE,
        seed=7,
    )
    pages = documents(plan, GROWTH_SAMPLE)
    best = [min(timed(as_the_crawl_asks, page) for _ in range(EXTRACTION_ROUNDS)) for page in pages]
    return Cost(mean(map(as_the_crawl_asks, pages)), 1e3 * mean(best))


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
            page_bytes=GROWTH_PAGE_BYTES,
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

"""Pages per second from bytes to named links, beside Scrapy's LinkExtractor.

Ours: `extract` (parse, resolve, refuse, normal form, key and digest of each link). Theirs: LinkExtractor on an
HtmlResponse, which gives absolute URLs and no names; and the same with what Scrapy does to tell pages apart, the
request fingerprint of each link. Same pages (a uniform sample of simweb's ordinary pages, 15 KB with 30 links and
80 KB with 60, on average), by turns, in one process; CPU time, of each page the best round counts. Then the same pages
through worker processes, wall time; and the share of extraction in the CPU time of a whole crawl of such pages.

    python -m tests.benchmarks.extract [pages]
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from time import perf_counter, process_time

from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.request import fingerprint

from tests.benchmarks.crawl.__main__ import run_ours
from tests.defaults import link_policy, worker_pool
from webgraph_it.extract import Document, extract
from webgraph_it.extract.extraction import extract_and_digest
from webgraph_it.extract.html import links as html_links
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.world import World

ROUNDS = 5
SAMPLE_SEED = 7
SETS = {"15 KB, 30 links": Plan(hosts=1000, pages=20_000, degree=30, page_bytes=15_000, seed=7)}
SETS["80 KB, 60 links"] = Plan(hosts=1000, pages=20_000, degree=71, page_bytes=80_000, seed=7)
"""The hosts and pages of the crawl benchmark. Many hosts have fewer pages than a page of the second set has links:
simweb would stay below a degree of 60, hence 71."""
POLICY = link_policy()
EXTRACTOR = LinkExtractor()
AS_THE_CRAWL_ASKS = "ours, with names and body's MD5"
CRAWL_HOSTS, CRAWL_PAGES = 500, 10_000
"""Of the crawl whose CPU time extraction takes a share of."""


def documents(plan: Plan, count: int) -> list[Document]:
    """A uniform sample of the ordinary pages of a plain small internet."""
    world = World(plan)
    places = [world.neighbour(host, index) for host in world.hosts for index in range(host.page_count)]
    return [document(world, place) for place in Random(SAMPLE_SEED).sample(places, count)]


def document(world: World, place: Place) -> Document:
    page = world.page(place)
    assert page is not None
    return Document(page.body(), world.url(place), "text/html", "utf-8")


def ours(document: Document) -> int:
    return len(extract(document, POLICY).links)


def as_the_crawl_asks(document: Document) -> int:
    return len(extract_and_digest(document, POLICY).links)


def parse_only(document: Document) -> int:
    return len(list(html_links(document.body, document.url, document.charset, POLICY.wanted).links))


def link_extractor(document: Document) -> int:
    response = HtmlResponse(document.url, body=document.body, encoding="utf-8")
    return len(EXTRACTOR.extract_links(response))


def link_extractor_and_fingerprints(document: Document) -> int:
    response = HtmlResponse(document.url, body=document.body, encoding="utf-8")
    return len({fingerprint(Request(link.url)) for link in EXTRACTOR.extract_links(response)})


WAYS: dict[str, Callable[[Document], int]] = {
    "ours, with names": ours,
    AS_THE_CRAWL_ASKS: as_the_crawl_asks,
    "ours, before naming": parse_only,
    "Scrapy LinkExtractor": link_extractor,
    "Scrapy LinkExtractor + fingerprints": link_extractor_and_fingerprints,
}


def best_seconds(pages: Sequence[Document]) -> dict[str, float]:
    """CPU seconds a page of each way: the mean over the pages of the least that each took.

    Not the best of whole rounds: a slow way's round is long, and on a busy machine none of them would be quiet.
    """
    return {way: fmean(map(min, *rounds)) for way, rounds in _timed_by_turns(pages).items()}


def _timed_by_turns(pages: Sequence[Document]) -> dict[str, list[list[float]]]:
    """Per way and round, the CPU seconds of each page."""
    seconds: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    for _ in range(ROUNDS):
        for way, work in WAYS.items():
            seconds[way].append([timed(work, page) for page in pages])
    return seconds


def timed(work: Callable[[Document], int], page: Document) -> float:
    """CPU seconds."""
    start = process_time()
    work(page)
    return process_time() - start


async def through_workers(pages: Sequence[Document], workers: int) -> tuple[float, float]:
    """Pages a second, and CPU seconds that the crawl process spends on a page."""
    async with worker_pool(POLICY, workers) as pool:
        await asyncio.gather(*(pool.extract(page) for page in pages))
        wall, cpu = perf_counter(), process_time()
        await asyncio.gather(*(pool.extract(page) for page in pages))
        return len(pages) / (perf_counter() - wall), (process_time() - cpu) / len(pages)


def crawl_seconds(plan: Plan) -> float:
    """CPU seconds a page of a whole crawl, its start and end included."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(
            CRAWL_HOSTS,
            CRAWL_PAGES,
            plan.seed,
            only=["plain"],
            page_bytes=plan.page_bytes,
            degree=plan.degree,
            hits=False,
        ) as web,
    ):
        run = run_ours(web, Path(scratch) / "crawl")
    return run.cpu_seconds / run.pages


def report(title: str, plan: Plan, pages: Sequence[Document]) -> None:
    links = sum(map(ours, pages)) / len(pages)
    mean = sum(len(page.body) for page in pages) / len(pages)
    print(f"\n{title}: {len(pages)} pages, {mean / 1000:.1f} KB and {links:.0f} distinct links on average")
    best = best_seconds(pages)
    for way, seconds in best.items():
        ratio = seconds / best["ours, with names"]
        print(f"  {way:36} {1 / seconds:8.0f} pages/s  {seconds * 1e3:6.3f} ms  {ratio:5.1f} × ours")
    for workers in (1, 2):
        rate, cpu = asyncio.run(through_workers(pages, workers))
        print(f"  {workers} worker(s): {rate:22.0f} pages/s  {cpu * 1e3:6.3f} ms CPU in the crawl process")
    crawl, share = crawl_seconds(plan), best[AS_THE_CRAWL_ASKS]
    print(
        f"  a crawl takes {crawl * 1e3:.3f} ms CPU a page, workers included; extraction is {share / crawl:.0%} of it"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for title, plan in SETS.items():
        report(title, plan, documents(plan, count))


if __name__ == "__main__":
    main()

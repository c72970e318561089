"""Pages per second from bytes to named links, beside Scrapy's LinkExtractor.

Ours: `extract` (parse, resolve, refuse, normal form, key and digest of each link). Theirs: LinkExtractor on an
HtmlResponse, which gives absolute URLs and no names; and the same with what Scrapy does to tell pages apart, the
request fingerprint of each link. Same pages (simweb's, 15 KB with 30 links and 80 KB with 60), by turns, in one
process; CPU time, the best round of each counts. Then the same pages through worker processes, wall time.

    python -m tests.benchmarks.extract [pages]
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from time import perf_counter, process_time

from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.request import fingerprint

from webgraph_it.extract import Document, LinkPolicy, extract
from webgraph_it.extract.html import links as html_links
from webgraph_it.extract.workers import WorkerPool
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.world import World

ROUNDS = 5
SETS = {"15 KB, 30 links": Plan(hosts=1000, pages=20_000, degree=30, page_bytes=15_000, seed=7)}
SETS["80 KB, 60 links"] = Plan(hosts=1000, pages=20_000, degree=60, page_bytes=80_000, seed=7)
POLICY = LinkPolicy()
EXTRACTOR = LinkExtractor()
CRAWL_PAGES_A_SECOND = 1000
"""For the last line: which share of a core extraction takes in a crawl at this speed."""


def documents(plan: Plan, count: int) -> list[Document]:
    """The first pages of a plain small internet."""
    world = World(plan)
    queue, seen, found = list(world.seed_places), set(), []
    while queue and len(found) < count:
        place = queue.pop()
        page = world.page(place) if place not in seen else None
        seen.add(place)
        if page is not None:
            queue.extend(page.children)
            found.append(Document(page.body(), world.url(place), "text/html", "utf-8"))
    return found


def ours(document: Document) -> int:
    return len(extract(document, POLICY).links)


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
    "ours, before naming": parse_only,
    "Scrapy LinkExtractor": link_extractor,
    "Scrapy LinkExtractor + fingerprints": link_extractor_and_fingerprints,
}


def best_seconds(pages: Sequence[Document]) -> dict[str, float]:
    """CPU seconds a page of each way."""
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(ROUNDS):
        for way, work in WAYS.items():
            start = process_time()
            for page in pages:
                work(page)
            best[way] = min(best[way], (process_time() - start) / len(pages))
    return best


async def through_workers(pages: Sequence[Document], workers: int) -> tuple[float, float]:
    """Pages a second, and CPU seconds that the crawl process spends on a page."""
    async with WorkerPool(POLICY, workers) as pool:
        await asyncio.gather(*(pool.extract(page) for page in pages))
        wall, cpu = perf_counter(), process_time()
        await asyncio.gather(*(pool.extract(page) for page in pages))
        return len(pages) / (perf_counter() - wall), (process_time() - cpu) / len(pages)


def report(title: str, pages: Sequence[Document]) -> None:
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
    share = best["ours, with names"] * CRAWL_PAGES_A_SECOND
    print(f"  a crawl at {CRAWL_PAGES_A_SECOND} pages/s spends {share:.0%} of a core on extraction")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for title, plan in SETS.items():
        report(title, documents(plan, count))


if __name__ == "__main__":
    main()

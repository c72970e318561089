"""Crawlee for Python with its Parsel crawler, as its documentation shows, robots on.

python -m tests.benchmarks.crawl.peer_crawlee HOSTS SEEDS
"""

import asyncio
import json
import logging
import sys
from pathlib import Path

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.http_clients import HttpxHttpClient
from crawlee.storage_clients import MemoryStorageClient

from tests.benchmarks.crawl.peer_hosts import use_hosts


async def main(seeds: list[str]) -> None:
    pages = links = 0
    crawler = ParselCrawler(
        http_client=HttpxHttpClient(),
        storage_client=MemoryStorageClient(),
        respect_robots_txt_file=True,
        max_request_retries=0,
        max_requests_per_crawl=None,
        concurrency_settings=ConcurrencySettings(desired_concurrency=100, max_concurrency=200),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        nonlocal pages, links
        pages += 1
        found = await context.extract_links(strategy="all")
        links += len(found)
        await context.add_requests(found)

    await crawler.run(seeds)
    print(json.dumps({"pages": pages, "links": links}))


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    use_hosts(sys.argv[1])
    asyncio.run(main(Path(sys.argv[2]).read_text().split()))

"""Plain Scrapy, as its documentation's page on broad crawls advises: LinkExtractor, one Request per link, robots on.

python -m tests.benchmarks.crawl.peer_scrapy HOSTS SEEDS [JOBDIR]
"""

import json
import sys
from pathlib import Path
from typing import Any

from tests.benchmarks.crawl.peer_hosts import use_hosts

use_hosts(sys.argv[1])  # before Twisted takes hold of getaddrinfo

import scrapy  # noqa: E402
from scrapy.crawler import CrawlerProcess  # noqa: E402
from scrapy.linkextractors import LinkExtractor  # noqa: E402

BROAD_CRAWL = {
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
    "CONCURRENT_REQUESTS": 100,
    "REACTOR_THREADPOOL_MAXSIZE": 20,
    "LOG_LEVEL": "WARNING",
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 15,
    "REDIRECT_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "DOWNLOAD_MAXSIZE": 4_000_000,
}


class PlainSpider(scrapy.Spider):
    name = "plain"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.extractor = LinkExtractor(allow=r"^https?://[^/]*\.it(:\d+)?/")
        self.seeds = Path(sys.argv[2]).read_text().split()
        self.pages = self.links = 0

    async def start(self) -> Any:
        """As the default, but the seeds too are remembered as seen: no page is fetched twice."""
        for url in self.seeds:
            yield scrapy.Request(url)

    def parse(self, response: Any) -> Any:
        self.pages += 1
        for link in self.extractor.extract_links(response):
            self.links += 1
            yield scrapy.Request(link.url)

    def closed(self, reason: str) -> None:
        print(json.dumps({"pages": self.pages, "links": self.links}))


if __name__ == "__main__":
    jobdir = {"JOBDIR": sys.argv[3]} if len(sys.argv) > 3 else {}
    process = CrawlerProcess({**BROAD_CRAWL, **jobdir})
    process.crawl(PlainSpider)
    process.start()

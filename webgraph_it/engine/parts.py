"""The parts of a crawl that Scrapy made, by their real types. Each is there once the engine is open."""

from typing import TYPE_CHECKING

from webgraph_it.engine.scheduler import FrontierScheduler

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def scheduler_of(crawler: "Crawler") -> FrontierScheduler:
    scheduler = crawler.engine.scheduler
    assert isinstance(scheduler, FrontierScheduler), "SCHEDULER must be FrontierScheduler"
    return scheduler

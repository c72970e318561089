"""A request whose address is busy goes back to the frontier: it is no failure of the host."""

import asyncio
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from webgraph_it.engine.downloader import FetchCalledOff, LeanDownloader
from webgraph_it.fetch.address_gate import AddressBusy


class Scheduler:
    def __init__(self) -> None:
        self.put_offs: list[tuple[Request, str]] = []

    @property
    def scheduler(self) -> "Scheduler":
        return self

    def put_off(self, request: Request, address: str) -> None:
        self.put_offs.append((request, address))


class BusyHandler:
    async def download_request(self, request: Request) -> None:
        raise AddressBusy("192.0.2.1")


def test_a_request_whose_address_is_busy_is_put_off() -> None:
    crawler: Any = get_crawler(Spider)
    crawler.stats = MemoryStatsCollector(crawler)
    crawler.spider = Spider("any")
    crawler.engine = engine = Scheduler()
    downloader = LeanDownloader(crawler)
    downloader._handler_of = lambda scheme: BusyHandler()  # type: ignore[assignment, return-value]
    request = Request("http://sito.it/")
    with pytest.raises(FetchCalledOff, match=r"192\.0\.2\.1 may not be asked now"):
        asyncio.run(downloader.download(request))
    assert engine.put_offs == [(request, "192.0.2.1")]
    assert FetchCalledOff.reason == "called-off"

"""The handler inside Scrapy: responses, exceptions, stats, and the crawl that must not start."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from tests.defaults import typed
from tests.fetch import scrapy_crawl
from webgraph_it.engine.parts import parts_of


@pytest.fixture(scope="module")
def crawl() -> dict[str, Any]:
    """One crawl of every kind of answer, in a process of its own (a reactor starts once)."""
    command = [sys.executable, "-W", "error", "-m", "tests.fetch.scrapy_crawl"]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr[-3000:]
    result: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return result


def test_a_page_comes_with_all_that_the_spider_needs(crawl: dict[str, Any]) -> None:
    page = crawl["answers"]["/ok"]
    assert page["class"] == "Response"
    assert (page["status"], page["body"], page["flags"]) == (200, "<html>ciao</html>", [])
    assert page["type"] == "text/html"
    assert page["cookies"] == ["a=1", "b=2"]
    assert page["address"] == "127.1.0.1"
    assert page["protocol"] == "HTTP/1.1"
    assert page["times_in_order"]
    assert page["latency"] >= 0


def test_the_server_saw_who_we_are(crawl: dict[str, Any]) -> None:
    request = crawl["requests"]["/ok"]
    assert "User-Agent: webgraph_it/" in request
    assert "(+https://esempio.it/crawl)" in request
    assert "From: noi@esempio.it" in request
    assert "Host: sito.it\r\n" in request, "PORT_MAP leaves the URL unchanged"


def test_headers_of_a_request_are_sent(crawl: dict[str, Any]) -> None:
    assert "If-None-Match: x" in crawl["requests"]["/given"]


def test_a_coded_body_is_decoded(crawl: dict[str, Any]) -> None:
    page = crawl["answers"]["/gzip"]
    assert page["body"] == "<html>ciao</html>"
    assert page["encoding"] is None


def test_a_long_body_is_cut_and_flagged(crawl: dict[str, Any]) -> None:
    page = crawl["answers"]["/long"]
    assert (len(page["body"]), page["flags"]) == (scrapy_crawl.MAX_BODY_BYTES, ["truncated"])
    assert crawl["stats"]["fetch/cut/truncated"] == 1


def test_an_early_end_is_an_error_unless_the_request_says_otherwise(crawl: dict[str, Any]) -> None:
    assert crawl["failures"]["/short"].startswith("ResponseDataLossError")
    assert crawl["answers"]["/short-accepted"]["flags"] == ["dataloss"]


FAILURES = {
    "/slow": ("DownloadTimeoutError", "fetch/error/silence"),
    "/patience": ("DownloadTimeoutError", "fetch/error/timeout"),
    "/nothing": ("DownloadFailedError", "fetch/error/no-response"),
    "/noise": ("DownloadFailedError", "fetch/error/not-http"),
    "/refused": ("DownloadConnectionRefusedError", "fetch/error/refused"),
    "/absent": ("CannotResolveHostError", "fetch/error/dns-nxdomain"),
    "/forbidden": ("ForbiddenAddressError", "fetch/error/forbidden/loopback"),
}


@pytest.mark.parametrize(("path", "exception", "stat"), [(path, *rest) for path, rest in FAILURES.items()])
def test_every_failure_has_scrapys_exception_and_a_stat(
    crawl: dict[str, Any], path: str, exception: str, stat: str
) -> None:
    assert crawl["failures"][path].startswith(exception + ": http://")
    assert crawl["stats"][stat] == 1


def test_both_schemes_share_one_fetcher(crawl: dict[str, Any]) -> None:
    assert (crawl["handlers"], crawl["fetchers"]) == (2, 1)


def test_the_peak_of_the_sockets_is_in_the_stats(crawl: dict[str, Any]) -> None:
    assert 1 <= crawl["stats"]["connections/peak"] <= scrapy_crawl.MAX_TCP_CONNECTIONS


def test_a_crawl_of_public_addresses_without_a_contact_does_not_start(crawl: dict[str, Any]) -> None:
    assert crawl["refused"].startswith("StartRefused: CONTACT_URL is not set: expected ")


@pytest.mark.parametrize(("contact", "public"), [("", False), ("https://esempio.it/crawl", True)])
def test_without_a_contact_the_fetcher_knows_no_public_address(contact: str, public: bool) -> None:
    crawler = get_crawler(settings_dict=typed(ALLOWED_PRIVATE_NETWORKS=["127.0.0.0/8"], CONTACT_URL=contact))
    crawler.stats = MemoryStatsCollector(crawler)

    async def look() -> bool:
        fetcher = parts_of(crawler).fetcher
        await fetcher.close()
        return fetcher._resolver._guard.public

    assert asyncio.run(look()) is public

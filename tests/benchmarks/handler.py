"""Our download handler beside Scrapy's Twisted and aiohttp handlers, in the same lean crawl.

One process crawls static 15 KB pages from many loopback addresses served by another; only DOWNLOAD_HANDLERS
differs between the runs, each in a fresh interpreter, because a Twisted reactor cannot be started twice.
"lean": uvloop, CONCURRENT_ITEMS=1, no middlewares, a scheduler that is a list, no log line per response. The
time that a response's head takes in our parser and in httptools is printed too.

    python -m tests.benchmarks.handler [pages]
"""

import asyncio
import json
import multiprocessing
import socket
import subprocess
import sys
import time
from typing import Any

HOSTS = 100
ROUNDS = 3
PAGE = b"<!doctype html><title>Pagina</title>" + b"<p>Una riga di testo, come tante.</p>" * 405
HEAD = (
    b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 16 Nov 2026 10:00:00 GMT\r\n"
    b"Content-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\nLast-Modified: Mon, 16 Nov 2026 09:00:00 GMT\r\n"
    b'Connection: keep-alive\r\nETag: "65f0-3a98"\r\nAccept-Ranges: bytes\r\n\r\n' % len(PAGE)
)
HANDLERS = {
    "twisted": "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler",
    "aiohttp": "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler",
    "ours": "webgraph_it.engine.handler.WebgraphDownloadHandler",
}


class _PageServer(asyncio.Protocol):
    """Answers every request with the same page."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        while b"\r\n\r\n" in self.received:
            self.received = self.received.partition(b"\r\n\r\n")[2]
            self.transport.write(HEAD + PAGE)


def _serve(port: int, ready: Any) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        for host in range(HOSTS):
            await loop.create_server(_PageServer, f"127.1.0.{host + 1}", port)
        ready.set()
        await asyncio.sleep(3600)

    import uvloop

    uvloop.run(run())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def crawl(handler: str, port: int, pages: int) -> dict[str, float]:
    """One lean crawl in this process: pages per second, and CPU seconds per page."""
    from scrapy import Request, Spider
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.logformatter import LogFormatter

    class ListScheduler:
        """URLs, ready from the beginning."""

        def __init__(self, crawler: Any) -> None:
            self.crawler = crawler
            self.left = pages

        @classmethod
        def from_crawler(cls, crawler: Any) -> "ListScheduler":
            return cls(crawler)

        def open(self, spider: Spider) -> None: ...
        def close(self, reason: str) -> None: ...
        def enqueue_request(self, request: Request) -> bool:
            return True

        def has_pending_requests(self) -> bool:
            return self.left > 0

        def next_request(self) -> Request | None:
            if not self.left:
                return None
            self.left -= 1
            host = self.left % HOSTS + 1
            return Request(
                f"http://127.1.0.{host}:{port}/{self.left}.html",
                callback=self.crawler.spider.parse,
                dont_filter=True,
            )

    class Silent(LogFormatter):
        def crawled(self, *args: Any) -> None:  # type: ignore[override]
            return None

    class Lean(Spider):
        name = "lean"
        bodies = 0
        began = 0.0
        ended = 0.0

        async def start(self) -> Any:
            self.began = time.perf_counter()
            Lean.began = self.began
            return
            yield

        def parse(self, response: Any) -> None:
            assert response.body == PAGE
            Lean.bodies += 1
            Lean.ended = time.perf_counter()

    settings = {
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        "DOWNLOAD_HANDLERS": {
            "http": HANDLERS[handler],
            "https": None,
            "file": None,
            "data": None,
            "s3": None,
            "ftp": None,
        },
        "SCHEDULER": ListScheduler,
        "LOG_FORMATTER": Silent,
        "LOG_LEVEL": "ERROR",
        "CONCURRENT_ITEMS": 1,
        "CONCURRENT_REQUESTS": 100,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "ALLOWED_PRIVATE_NETWORKS": ["127.0.0.0/8"],
        "DNS_SERVERS": ["127.0.0.1:1"],
    }
    process = AsyncCrawlerProcess(settings)
    process.crawl(Lean)
    cpu = time.process_time()
    process.start()
    cpu = time.process_time() - cpu
    assert Lean.bodies == pages, f"{Lean.bodies} of {pages} pages came"
    return {"pages_per_second": pages / (Lean.ended - Lean.began), "cpu_ms_per_page": cpu / pages * 1000}


def parser_microseconds() -> dict[str, float]:
    """One whole response through our parser, and through httptools with the callbacks that a client needs."""
    import httptools

    from tests.defaults import response_limits
    from webgraph_it.fetch.response_parser import ResponseParser

    limits, message, rounds = response_limits(), HEAD + PAGE, 5000

    class Callbacks:
        def __init__(self) -> None:
            self.headers: dict[bytes, list[bytes]] = {}
            self.pieces: list[bytes] = []

        def on_header(self, name: bytes, value: bytes) -> None:
            self.headers.setdefault(name.title(), []).append(value)

        def on_body(self, piece: bytes) -> None:
            self.pieces.append(piece)

        def on_message_complete(self) -> None: ...

    def ours() -> None:
        parser = ResponseParser(limits)
        assert parser.feed(message)
        assert parser.body

    def theirs() -> None:
        callbacks = Callbacks()
        parser = httptools.HttpResponseParser(callbacks)
        parser.feed_data(message)
        assert parser.get_status_code() == 200
        assert b"".join(callbacks.pieces)

    result = {}
    for name, function in (("ours", ours), ("httptools", theirs)):
        began = time.perf_counter()
        for _ in range(rounds):
            function()
        result[name] = (time.perf_counter() - began) / rounds * 1e6
    return result


def main(pages: int = 5000) -> dict[str, dict[str, float]]:
    """Run all three, in turn and repeatedly, and print their best figures and ratios."""
    port = _free_port()
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    server = context.Process(target=_serve, args=(port, ready), daemon=True)
    server.start()
    ready.wait(20)
    results: dict[str, dict[str, float]] = {}
    try:
        for name in [*HANDLERS] * ROUNDS:
            result = _crawl_in_fresh_process(name, port, pages)
            if name not in results or result["pages_per_second"] > results[name]["pages_per_second"]:
                results[name] = result
    finally:
        server.terminate()
        server.join()
    _print(results, pages)
    return results


def _crawl_in_fresh_process(name: str, port: int, pages: int) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.handler", "--crawl", name, str(port), str(pages)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, float] = json.loads(output.splitlines()[-1])
    return result


def _print(results: dict[str, dict[str, float]], pages: int) -> None:
    base = results["twisted"]
    print(
        f"{pages} pages of {len(PAGE)} bytes from {HOSTS} addresses, one process, lean crawl, best of {ROUNDS}"
    )
    for name, result in results.items():
        rate, cpu = result["pages_per_second"], result["cpu_ms_per_page"]
        ratio, cpu_ratio = rate / base["pages_per_second"], base["cpu_ms_per_page"] / cpu
        print(
            f"  {name:8} {rate:6.0f} pages/s = {ratio:.2f} × twisted   {cpu:.3f} ms CPU a page: {cpu_ratio:.2f} ×"
        )
    parsers = parser_microseconds()
    print(f"  one response parsed: ours {parsers['ours']:.1f} µs, httptools {parsers['httptools']:.1f} µs")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--crawl"]:
        print(json.dumps(crawl(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        main(*map(int, sys.argv[1:2]))

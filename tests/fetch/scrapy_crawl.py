"""A Scrapy crawl with our handler of a server on loopback that answers in every way; prints what came, as JSON."""

import asyncio
import gzip
import json
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess

from tests.defaults import typed
from tests.fetch.servers import DnsServer, HttpServer

MAX_BODY_BYTES = 5000
MAX_TCP_CONNECTIONS = 4
PAGE = b"<html>ciao</html>"
ANSWERS = {
    "/ok": b"HTTP/1.1 200 OK\r\nContent-type: text/html\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n"
    b"Content-Length: %d\r\n\r\n" % len(PAGE) + PAGE,
    "/given": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    "/gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzip.compress(PAGE),
    "/long": b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + b"x" * 10_000,
    "/short": b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + PAGE,
    "/short-accepted": b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + PAGE,
    "/nothing": b"",
    "/noise": b"noise\r\n" * 1000,
}
CLOSING = ("/gzip", "/short", "/short-accepted", "/nothing", "/noise")
result: dict[str, Any] = {"answers": {}, "failures": {}, "requests": {}}


async def answer(request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    path = request.split()[1].decode()
    result["requests"][path] = request.decode()
    if path == "/slow":
        await asyncio.sleep(3)
    elif path == "/patience":
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(30):
            writer.write(b"x")
            await asyncio.sleep(0.1)
    else:
        writer.write(ANSWERS[path])
        if path in CLOSING:
            writer.close()


class Asker(Spider):
    name = "asker"
    hosts = {"/refused": "chiuso.it", "/absent": "assente.it", "/forbidden": "vietato.it"}  # noqa: RUF012

    async def start(self) -> Any:
        self._count_fetchers()
        for path in (*ANSWERS, *self.hosts, "/slow", "/patience"):
            yield Request(
                f"http://{self.hosts.get(path, 'sito.it')}{path}",
                headers={"If-None-Match": "x"} if path == "/given" else None,
                errback=self.failed,
                cb_kwargs={"path": path},
                meta={
                    "handle_httpstatus_all": True,
                    **({"download_fail_on_dataloss": False} if path == "/short-accepted" else {}),
                    **({"download_timeout": 0.8} if path == "/patience" else {}),
                },
            )

    def parse(self, response: Any, path: str) -> None:
        times = response.meta["fetch_times"]
        result["answers"][path] = {
            "class": type(response).__name__,
            "status": response.status,
            "body": response.body.decode("latin-1"),
            "flags": response.flags,
            "type": (response.headers.get("Content-Type") or b"").decode(),
            "encoding": response.headers.get("content-encoding"),
            "cookies": [value.decode() for value in response.headers.getlist("Set-Cookie")],
            "address": str(response.ip_address),
            "protocol": response.protocol,
            "times_in_order": times.start <= times.first_byte <= times.end,
            "latency": response.meta["download_latency"],
        }

    def failed(self, failure: Any) -> None:
        result["failures"][failure.request.cb_kwargs["path"]] = f"{failure.type.__name__}: {failure.value}"

    def _count_fetchers(self) -> None:
        from webgraph_it.engine.parts import parts_of

        handlers: Any = self.crawler.engine.downloader.handlers  # type: ignore[union-attr]
        fetchers = [handlers._handlers[scheme]._fetcher for scheme in ("http", "https")]
        result["handlers"] = len(fetchers)
        result["fetchers"] = len({parts_of(self.crawler).fetcher, *fetchers})


async def crawl(process: AsyncCrawlerProcess) -> None:
    server = await HttpServer(answer).start("127.1.0.1")
    table = {"sito.it": "127.1.0.1", "chiuso.it": "127.1.0.9", "vietato.it": "127.66.0.1"}
    dns = await DnsServer({name: [(address, 60)] for name, address in table.items()}).start()
    settings = {
        "PORT_MAP": {"80": server.port},
        "DNS_SERVERS": [dns.address],
        "ALLOWED_PRIVATE_NETWORKS": ["127.1.0.0/16"],
        "CONTACT_URL": "https://esempio.it/crawl",
        "FROM_EMAIL": "noi@esempio.it",
    }
    crawler = process.create_crawler(type("Asker", (Asker,), {"name": "asker", "custom_settings": settings}))
    await process.crawl(crawler)
    result["stats"] = {
        name: value for name, value in crawler.stats.get_stats().items() if isinstance(value, int)
    }  # type: ignore[union-attr]
    try:
        await process.crawl(type("Nobody", (Asker,), {"name": "nobody"}))
    except Exception as error:
        result["refused"] = f"{type(error).__name__}: {error}"


def main() -> None:
    process = AsyncCrawlerProcess(
        {
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
            "DOWNLOAD_HANDLERS": dict.fromkeys(
                ("http", "https"), "webgraph_it.engine.handler.WebgraphDownloadHandler"
            ),
            "DOWNLOADER_MIDDLEWARES_BASE": {},
            "DOWNLOADER_MIDDLEWARES": {
                "webgraph_it.engine.connection_middlewares.IdentityMiddleware": 100,
                "webgraph_it.engine.connection_middlewares.ConnectionCapMiddleware": 200,
            },
            **typed(
                MAX_TCP_CONNECTIONS=MAX_TCP_CONNECTIONS,
                MAX_BODY_BYTES=MAX_BODY_BYTES,
                DOWNLOAD_TIMEOUT=5,
                DOWNLOAD_SILENCE_TIMEOUT=1.0,
            ),
            "CONCURRENT_REQUESTS_PER_DOMAIN": 20,
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    from twisted.internet import reactor

    async def run_all() -> None:
        try:
            await crawl(process)
        finally:
            reactor.stop()  # type: ignore[attr-defined]

    asyncio.get_event_loop().create_task(run_all())
    reactor.run()  # type: ignore[attr-defined]
    print(json.dumps(result))


if __name__ == "__main__":
    main()

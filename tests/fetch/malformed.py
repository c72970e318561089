"""Malformed but common responses, and a crawl that asks for each of them with our handler and with Twisted's.

Run as a module it prints, as one JSON object, what each handler made of each response:
`{"ours": {name: [status, body] or [0, exception]}, "twisted": {…}}`.
"""

import asyncio
import json
from typing import Any, NamedTuple

from tests.defaults import typed

BODY = b"<html><a href=/p>p</a></html>"
SIZE = b"Content-Length: %d\r\n" % len(BODY)


class Malformed(NamedTuple):
    response: bytes
    closes: bool = True
    """Whether the server closes after it; else it waits for the next request."""
    pieces: int = 1
    """In how many pieces it is sent."""


CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)

RESPONSES: dict[str, Malformed] = {
    "well formed": Malformed(b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "well formed, kept open": Malformed(b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY, closes=False),
    "byte by byte": Malformed(b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY, pieces=1000),
    "bare LF everywhere": Malformed(b"HTTP/1.1 200 OK\nContent-Length: %d\n\n" % len(BODY) + BODY),
    "bare LF after the headers": Malformed(b"HTTP/1.1 200 OK\r\n" + SIZE + b"\n" + BODY),
    "bare LF after the status line": Malformed(b"HTTP/1.1 200 OK\n" + SIZE + b"\r\n" + BODY),
    "bare LF between chunks": Malformed(
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n%x\n%s\n0\n\n" % (len(BODY), BODY)
    ),
    "no reason": Malformed(b"HTTP/1.1 200\r\n" + SIZE + b"\r\n" + BODY),
    "no reason but a space": Malformed(b"HTTP/1.1 200 \r\n" + SIZE + b"\r\n" + BODY),
    "a Latin-1 reason": Malformed(b"HTTP/1.1 200 Perch\xe9 no\r\n" + SIZE + b"\r\n" + BODY),
    "several spaces in the status line": Malformed(b"HTTP/1.1  200  OK\r\n" + SIZE + b"\r\n" + BODY),
    "a tab in the status line": Malformed(b"HTTP/1.1\t200\tOK\r\n" + SIZE + b"\r\n" + BODY),
    "lower-case version": Malformed(b"http/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "HTTP/1.0": Malformed(b"HTTP/1.0 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "HTTP/1.2": Malformed(b"HTTP/1.2 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "HTTP/2.0 in clear": Malformed(b"HTTP/2.0 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "HTTP/1": Malformed(b"HTTP/1 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "no version": Malformed(b"HTTP 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "status 299": Malformed(b"HTTP/1.1 299 Strange\r\n" + SIZE + b"\r\n" + BODY),
    "status 999": Malformed(b"HTTP/1.1 999 Denied\r\n" + SIZE + b"\r\n" + BODY),
    "status 600": Malformed(b"HTTP/1.1 600 Odd\r\n" + SIZE + b"\r\n" + BODY),
    "Latin-1 header value": Malformed(b"HTTP/1.1 200 OK\r\nX-Citt\xe0: Forl\xec\r\n" + SIZE + b"\r\n" + BODY),
    "UTF-8 header value": Malformed("HTTP/1.1 200 OK\r\nX-Città: Forlì\r\n".encode() + SIZE + b"\r\n" + BODY),
    "a Location in Latin-1": Malformed(
        b"HTTP/1.1 302 Found\r\nLocation: /citt\xe0\r\nContent-Length: 0\r\n\r\n"
    ),
    "no headers": Malformed(b"HTTP/1.1 200 OK\r\n\r\n" + BODY),
    "no length, closed": Malformed(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + BODY),
    "a header without a colon": Malformed(b"HTTP/1.1 200 OK\r\nnonsense\r\n" + SIZE + b"\r\n" + BODY),
    "a header without a name": Malformed(b"HTTP/1.1 200 OK\r\n: nameless\r\n" + SIZE + b"\r\n" + BODY),
    "an empty header value": Malformed(b"HTTP/1.1 200 OK\r\nX-Empty:\r\n" + SIZE + b"\r\n" + BODY),
    "a space before the colon": Malformed(
        b"HTTP/1.1 200 OK\r\nContent-Length : %d\r\n\r\n" % len(BODY) + BODY
    ),
    "a space in a header name": Malformed(b"HTTP/1.1 200 OK\r\nX Header: 1\r\n" + SIZE + b"\r\n" + BODY),
    "no space after the colon": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length:%d\r\n\r\n" % len(BODY) + BODY),
    "a folded header": Malformed(
        b"HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\n\tthree\r\n" + SIZE + b"\r\n" + BODY
    ),
    "a folded first header": Malformed(b"HTTP/1.1 200 OK\r\n folded\r\n" + SIZE + b"\r\n" + BODY),
    "a NUL in a header": Malformed(b"HTTP/1.1 200 OK\r\nX-Nul: a\x00b\r\n" + SIZE + b"\r\n" + BODY),
    "a bare CR in a header": Malformed(b"HTTP/1.1 200 OK\r\nX-Cr: a\rb\r\n" + SIZE + b"\r\n" + BODY),
    "control characters in a header": Malformed(
        b"HTTP/1.1 200 OK\r\nX-C: \x01\x02\r\n" + SIZE + b"\r\n" + BODY
    ),
    "a header of 12 KB": Malformed(
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 12_000 + b"\r\n" + SIZE + b"\r\n" + BODY
    ),
    "150 headers": Malformed(
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(150)) + SIZE + b"\r\n" + BODY
    ),
    "the same length twice": Malformed(b"HTTP/1.1 200 OK\r\n" + SIZE + SIZE + b"\r\n" + BODY),
    "the same length twice in one": Malformed(
        b"HTTP/1.1 200 OK\r\nContent-Length: %d, %d\r\n\r\n" % (len(BODY), len(BODY)) + BODY
    ),
    "two different lengths": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + SIZE + b"\r\n" + BODY),
    "a length that is not a number": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" + BODY),
    "an empty length": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n" + BODY),
    "a negative length": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + BODY),
    "a length with a plus": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: +%d\r\n\r\n" % len(BODY) + BODY),
    "a length with zeros": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: 000%d\r\n\r\n" % len(BODY) + BODY),
    "a length too short": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n" + BODY),
    "a length too long, closed early": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + BODY),
    "length zero with a body": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + BODY),
    "chunked": Malformed(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n" + CHUNKS),
    "chunked, byte by byte": Malformed(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n" + CHUNKS, pieces=1000),
    "chunked and a length": Malformed(b"HTTP/1.1 200 OK\r\n" + CHUNKED + SIZE + b"\r\n" + CHUNKS),
    "chunked in capitals": Malformed(b"HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\n" + CHUNKS),
    "chunked with HTTP/1.0": Malformed(b"HTTP/1.0 200 OK\r\n" + CHUNKED + b"\r\n" + CHUNKS),
    "chunk extensions": Malformed(
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b'\r\n%x;a="b"\r\n%s\r\n0;end\r\n\r\n' % (len(BODY), BODY)
    ),
    "spaces after a chunk's size": Malformed(
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n%x  \r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
    ),
    "zeros before a chunk's size": Malformed(
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n0000%x\r\n%s\r\n000\r\n\r\n" % (len(BODY), BODY)
    ),
    "chunk trailers": Malformed(
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n%x\r\n%s\r\n0\r\nX-Sum: 1\r\n\r\n" % (len(BODY), BODY)
    ),
    "no last chunk": Malformed(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n%x\r\n%s\r\n" % (len(BODY), BODY)),
    "no line after the last chunk": Malformed(
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n%x\r\n%s\r\n0\r\n" % (len(BODY), BODY)
    ),
    "closed within a chunk": Malformed(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\nfff\r\n" + BODY),
    "said to be chunked, but not": Malformed(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n" + BODY),
    "identity transfer coding": Malformed(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n" + SIZE + b"\r\n" + BODY
    ),
    "unknown transfer coding": Malformed(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: wonderful\r\n" + SIZE + b"\r\n" + BODY
    ),
    "100 before the response": Malformed(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY
    ),
    "103 with headers before": Malformed(
        b"HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY
    ),
    "three interim responses": Malformed(
        b"HTTP/1.1 102 Processing\r\n\r\n" * 3 + b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY
    ),
    "an empty line before": Malformed(b"\r\nHTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "junk before the status line": Malformed(b"Warning: junk\r\nHTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "a space before the status line": Malformed(b" HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY),
    "204 with a body": Malformed(b"HTTP/1.1 204 No Content\r\n" + SIZE + b"\r\n" + BODY),
    "304 with a length": Malformed(b"HTTP/1.1 304 Not Modified\r\n" + SIZE + b"\r\n"),
    "204 kept open": Malformed(b"HTTP/1.1 204 No Content\r\n\r\n", closes=False),
    "a redirect without a body or length": Malformed(b"HTTP/1.1 301 Moved\r\nLocation: /p\r\n\r\n"),
    "bytes after the body": Malformed(b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY + b"\r\n\r\nmore"),
    "a second response after the first": Malformed(
        (b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n" + BODY) * 2, closes=False
    ),
    "keep-alive but closed": Malformed(
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n" + SIZE + b"\r\n" + BODY
    ),
    "two Connection headers": Malformed(
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\n" + SIZE + b"\r\n" + BODY
    ),
    "an Upgrade offer": Malformed(
        b"HTTP/1.1 200 OK\r\nUpgrade: h2,h2c\r\nConnection: Upgrade\r\n" + SIZE + b"\r\n" + BODY
    ),
    "plain text said to be gzip": Malformed(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n" + SIZE + b"\r\n" + BODY
    ),
    "an unknown content coding": Malformed(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: utf-8\r\n" + SIZE + b"\r\n" + BODY
    ),
    "a length with a unit": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: 5s\r\n\r\n" + BODY),
    "a length in hexadecimal": Malformed(b"HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\n" + BODY),
    "a bad chunk after good ones": Malformed(
        b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n%x\r\n%s\r\nzzz\r\n" % (len(BODY), BODY)
    ),
    "a redirect without the empty line": Malformed(b"HTTP/1.1 301 Moved\r\nLocation: /p\r\n"),
    "a page without the empty line": Malformed(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"),
    "closed without a byte": Malformed(b""),
    "closed in the headers": Malformed(b"HTTP/1.1 200 OK\r\nContent-Type: te"),
    "only a body": Malformed(BODY),
    "another protocol": Malformed(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "a status that is not a number": Malformed(b"HTTP/1.1 OK 200\r\n" + SIZE + b"\r\n" + BODY),
    "silence after the headers": Malformed(b"HTTP/1.1 200 OK\r\n" + SIZE + b"\r\n", closes=False),
}


async def serve_malformed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer `GET /<number>` with that response; go on with the next request if it says so."""
    try:
        while await _answer(await reader.readuntil(b"\r\n\r\n"), writer):
            pass
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def _answer(request: bytes, writer: asyncio.StreamWriter) -> bool:
    case = list(RESPONSES.values())[int(request.split()[1].strip(b"/"))]
    step = max(1, len(case.response) // case.pieces)
    for start in range(0, len(case.response), step):
        writer.write(case.response[start : start + step])
        if case.pieces > 1:
            await asyncio.sleep(0.0005)
    return not case.closes


def crawl_with_both() -> dict[str, dict[str, Any]]:
    """One process, one server, two crawls side by side."""
    from scrapy import Request, Spider, signals
    from scrapy.crawler import AsyncCrawlerProcess

    results: dict[str, dict[str, Any]] = {"ours": {}, "twisted": {}}
    handlers = {
        "ours": "webgraph_it.engine.handler.WebgraphDownloadHandler",
        "twisted": "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler",
    }

    class Asker(Spider):
        name = "asker"
        handler = ""

        async def start(self) -> Any:
            server = await asyncio.start_server(serve_malformed, "127.1.0.1", 0)
            self.crawler.signals.connect(lambda: server.close(), signals.spider_closed, weak=False)
            port = server.sockets[0].getsockname()[1]
            for number, case in enumerate(RESPONSES):
                yield Request(
                    f"http://127.1.0.1:{port}/{number}",
                    cb_kwargs={"case": case},
                    errback=self.failed,
                    meta={"handle_httpstatus_all": True},
                )

        def parse(self, response: Any, case: str) -> None:
            results[self.handler][case] = [response.status, response.body.decode("latin-1")]

        def failed(self, failure: Any) -> None:
            case = failure.request.cb_kwargs["case"]
            results[self.handler][case] = [0, f"{failure.type.__name__}: {failure.value}"]

    process = AsyncCrawlerProcess(
        {
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "RETRY_ENABLED": False,
            "REDIRECT_ENABLED": False,
            **typed(
                DOWNLOAD_TIMEOUT=3, ALLOWED_PRIVATE_NETWORKS=["127.1.0.0/16"], DNS_SERVERS=["127.0.0.1:1"]
            ),
        }
    )
    for name, path in handlers.items():
        spider = type(
            name, (Asker,), {"handler": name, "custom_settings": {"DOWNLOAD_HANDLERS": {"http": path}}}
        )
        process.crawl(spider)
    process.start()
    return results


if __name__ == "__main__":
    print(json.dumps(crawl_with_both()))

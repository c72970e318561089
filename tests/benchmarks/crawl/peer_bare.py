"""What Python can do at all: asyncio, a C parser for HTTP and one for HTML, a set. No robots, nothing on disk.

python -m tests.benchmarks.crawl.peer_bare HOSTS SEEDS
"""

import asyncio
import json
import sys
from collections import defaultdict, deque
from pathlib import Path

import httptools
import uvloop
from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser

from tests.benchmarks.crawl.peer_hosts import use_hosts

CONNECTIONS = 200


class Answer:
    """Collects one response; httptools calls it."""

    def __init__(self) -> None:
        self.body: list[bytes] = []
        self.complete = False

    def on_body(self, body: bytes) -> None:
        self.body.append(body)

    def on_message_complete(self) -> None:
        self.complete = True


class BareCrawl:
    """One queue a host, one connection a host at a time, a set of what was seen."""

    def __init__(self, addresses: dict[str, str], seeds: list[str]) -> None:
        self.addresses = addresses
        self.seen: set[str] = set()
        self.queues: dict[str, deque[str]] = defaultdict(deque)
        self.ready: asyncio.Queue[str] = asyncio.Queue()
        self.pages = self.links = self.pending = 0
        for seed in seeds:
            self.add(seed)

    def add(self, url: str) -> None:
        if url in self.seen:
            return
        self.seen.add(url)
        host = url.split("/", 3)[2]
        if not host.endswith(".it"):
            return
        if not self.queues[host]:
            self.ready.put_nowait(host)
        self.queues[host].append(url)
        self.pending += 1

    async def work(self) -> None:
        while True:
            host = await self.ready.get()
            await self.drain(host)

    async def drain(self, host: str) -> None:
        """All that is queued for one host, over one connection."""
        reader, writer = await asyncio.open_connection(self.addresses[host], 80, limit=1 << 20)
        queue = self.queues[host]
        while queue:
            url = queue[0]
            path = "/" + url.split("/", 3)[3]
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: identity\r\n\r\n".encode())
            answer = Answer()
            parser = httptools.HttpResponseParser(answer)
            while not answer.complete:
                received = await reader.read(1 << 18)
                if not received:
                    raise ConnectionError(f"the server closed the connection inside {url}")
                parser.feed_data(received)
            self.page(url, b"".join(answer.body))
            queue.popleft()
            self.pending -= 1
            if not self.pending:
                self.finished.set_result(None)
        writer.close()

    def page(self, url: str, body: bytes) -> None:
        self.pages += 1
        for anchor in LexborHTMLParser(body).css("a[href]"):
            self.links += 1
            href = join_url(url, anchor.attributes["href"] or "")
            self.add(href.partition("#")[0])

    async def run(self) -> None:
        self.finished = asyncio.get_running_loop().create_future()
        workers = [asyncio.create_task(self.work()) for _ in range(CONNECTIONS)]
        done, _ = await asyncio.wait([self.finished, *workers], return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()  # a worker ends only by an error, which must not be lost
        for worker in workers:
            worker.cancel()


if __name__ == "__main__":
    crawl = BareCrawl(use_hosts(sys.argv[1]), Path(sys.argv[2]).read_text().split())
    uvloop.run(crawl.run())
    print(json.dumps({"pages": crawl.pages, "links": crawl.links}))

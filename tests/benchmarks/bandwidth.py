"""Our bandwidth limit beside one that pauses downloads when the average is exceeded, as Heritrix does.

Both use our own fetcher over real loopback sockets: pages of 15 to 80 KB, 50 to 150 ms after the request,
from a server in another process, which asks its own kernel what has arrived. The limit is 400 KB/s, demand
is far above it. Printed for both: pages per second, the mean on the wire as a part of the limit (of the whole run,
and after the first two seconds), and the fullest second (any window, after the first two) as the crawler read it
and on the wire.

    python -m tests.benchmarks.bandwidth [seconds] [KB/s]
"""

import asyncio
import contextlib
import multiprocessing
import random
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_network
from multiprocessing.connection import Connection
from typing import Protocol

import uvloop

from tests.defaults import dns_settings, fetch_settings
from webgraph_it.fetch.arrivals import Reader
from webgraph_it.fetch.client import Fetcher
from webgraph_it.fetch.dns import Resolver
from webgraph_it.fetch.guard import Guard
from webgraph_it.fetch.request_message import RequestWriter
from webgraph_it.fetch.shaper import Shaper
from webgraph_it.fetch.target import target_of
from webgraph_it.simweb.wire import SAMPLE_SECONDS, Samples, Wire, between, fullest_second, mean_rate

Events = list[tuple[float, int]]
"""(monotonic time, bytes)"""

SLOTS = 200
WARM_UP_SECONDS = 2.0


class Limiter(Protocol):
    """What is compared: who may start, and what happens to bytes as they are read."""

    reads: Events
    may_start: bool

    async def admit(self) -> None: ...

    def finished(self) -> None: ...

    def read_bytes(self, reader: Reader) -> int: ...

    def receive_buffer_bytes(self) -> int: ...

    def begin(self, reader: Reader) -> None: ...

    def received(self, nbytes: int, reader: Reader) -> bool: ...

    def end(self, reader: Reader) -> None: ...

    def forget(self, reader: Reader) -> None: ...


class Shaping:
    """Ours: bytes are shaped as they are read."""

    may_start = False

    def __init__(self, bytes_per_second: float) -> None:
        loop = asyncio.get_running_loop()
        self._shaper = Shaper(loop.time, loop.call_later, bytes_per_second)
        self.reads: Events = []
        self.admit = self._shaper.admit
        self.read_bytes = self._shaper.read_bytes
        self.receive_buffer_bytes = self._shaper.receive_buffer_bytes
        self.begin = self._shaper.begin
        self.end = self._shaper.end
        self.forget = self._shaper.forget
        self.finished = self._shaper.finished

    def received(self, nbytes: int, reader: Reader) -> bool:
        self.reads.append((time.monotonic(), nbytes))
        return self._shaper.received(nbytes, reader)


class Pausing:
    """Theirs: no download starts while the average so far is above the limit; nothing else is slowed."""

    may_start = True

    def __init__(self, bytes_per_second: float) -> None:
        self._rate = bytes_per_second
        self._started = time.monotonic()
        self._bytes = 0
        self.reads: Events = []

    async def admit(self) -> None:
        while (wait := self._started + self._bytes / self._rate - time.monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(wait)

    def finished(self) -> None:
        pass

    def read_bytes(self, reader: Reader) -> int:
        return 64 * 1024

    def receive_buffer_bytes(self) -> int:
        return 0

    def begin(self, reader: Reader) -> None:
        pass

    def received(self, nbytes: int, reader: Reader) -> bool:
        self.reads.append((time.monotonic(), nbytes))
        self._bytes += nbytes
        return False

    def end(self, reader: Reader) -> None:
        pass

    def forget(self, reader: Reader) -> None:
        pass


@dataclass
class Result:
    """One run."""

    started: float
    ended: float
    pages: int = 0
    reads: Events = field(default_factory=list)
    wire: Samples = ()
    """As the server saw it."""

    def on_the_wire(self, warm_up_seconds: float = WARM_UP_SECONDS) -> Samples:
        return between(self.wire, self.started + warm_up_seconds, self.ended)

    def fullest_second_read(self) -> int:
        """The largest sum of any one-second window after the warm-up, as the crawler read it."""
        inside = [e for e in self.reads if self.started + WARM_UP_SECONDS <= e[0] < self.ended]
        fullest = total = first = 0
        for when, nbytes in inside:
            total += nbytes
            while inside[first][0] <= when - 1:
                total -= inside[first][1]
                first += 1
            fullest = max(fullest, total)
        return fullest


# -- the server, in a process of its own ---------------------------------------------------------------------


async def _watch(wire: Wire, samples: list[tuple[float, int]]) -> None:
    while True:
        sample = wire.sample(time.monotonic)
        if sample is not None:
            samples.append(sample)
        await asyncio.sleep(SAMPLE_SECONDS)


async def _answer(connection: socket.socket, wire: Wire, chance: random.Random) -> None:
    loop = asyncio.get_running_loop()
    with connection, contextlib.suppress(OSError), contextlib.ExitStack() as ending:
        ending.callback(wire.remove, wire.add(connection.fileno()))
        while await loop.sock_recv(connection, 4096):
            await asyncio.sleep(chance.uniform(0.05, 0.15))
            size = chance.randint(15_000, 80_000)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % size
            await loop.sock_sendall(connection, head + b"x" * size)


def _serve(pipe: Connection) -> None:
    async def run() -> None:
        listener = socket.create_server(("127.1.0.1", 0), backlog=1024)
        listener.setblocking(False)
        pipe.send(listener.getsockname()[1])
        loop = asyncio.get_running_loop()
        chance, wire = random.Random(7), Wire()
        samples: list[tuple[float, int]] = []
        tasks = {loop.create_task(_watch(wire, samples))}
        stop = loop.create_task(asyncio.to_thread(pipe.recv))
        while not stop.done():
            accept = loop.create_task(loop.sock_accept(listener))
            await asyncio.wait((accept, stop), return_when=asyncio.FIRST_COMPLETED)
            if not accept.done():
                accept.cancel()
                break
            connection = accept.result()[0]
            connection.setblocking(False)
            tasks.add(loop.create_task(_answer(connection, wire, chance)))
        pipe.send(samples)

    asyncio.run(run())


# -- the crawler ----------------------------------------------------------------------------------------------


async def _crawl(limiter: Limiter, port: int, seconds: float) -> Result:
    resolver = Resolver(dns_settings(), Guard([ip_network("127.0.0.0/8")]), lambda name: None)
    fetcher = Fetcher(fetch_settings(), resolver, lambda name: None, limiter)
    target = target_of(f"http://127.1.0.1:{port}/")
    message = RequestWriter("webgraph_it").write(target, "GET", {}, b"")
    result = Result(time.monotonic(), time.monotonic() + seconds)

    async def slot() -> None:
        while True:
            await limiter.admit()
            await fetcher.fetch(target, message)
            limiter.finished()
            result.pages += 1

    slots = [asyncio.create_task(slot()) for _ in range(SLOTS)]
    await asyncio.sleep(seconds)
    for task in slots:
        task.cancel()
    await asyncio.gather(*slots, return_exceptions=True)
    await fetcher.close()
    result.reads = limiter.reads
    return result


def run(make_limiter: Callable[[float], Limiter], seconds: float, bytes_per_second: float) -> Result:
    """Crawl a fresh server under a limiter."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()

    async def crawl() -> Result:
        return await _crawl(make_limiter(bytes_per_second), port, seconds)

    result = uvloop.run(crawl())
    ours.send("stop")
    result.wire = ours.recv()
    server.join()
    return result


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    cap = 1000 * float(sys.argv[2]) if len(sys.argv) > 2 else 400e3
    print(f"limit {cap / 1000:g} KB/s, {SLOTS} eager slots, {seconds:g} s each")
    print(f"{'':24}{'pages/s':>9}{'mean':>9}{'after 2 s':>12}{'fullest second':>18}{'on the wire':>13}")
    for name, limiter in (("shaping (ours)", Shaping), ("pausing (as Heritrix)", Pausing)):
        result = run(limiter, seconds, cap)
        whole, later = mean_rate(result.on_the_wire(0.0)) / cap, mean_rate(result.on_the_wire()) / cap
        read, wire = result.fullest_second_read() / cap, fullest_second(result.on_the_wire()) / cap
        print(f"{name:24}{result.pages / seconds:9.1f}{whole:9.3f}{later:12.3f}{read:18.3f}{wire:13.3f}")


if __name__ == "__main__":
    main()

"""All servers of a simulated web in one loop: DNS, HTTP and HTTPS, until told to stop."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from webgraph_it.simweb import hits, sockets, tls
from webgraph_it.simweb.book import book
from webgraph_it.simweb.broken_tls import BROKEN_TLS
from webgraph_it.simweb.dns_server import NameServer, TcpNames, UdpNames
from webgraph_it.simweb.hits import HitLog
from webgraph_it.simweb.hostile import DECOYS
from webgraph_it.simweb.hosts import HTTP_ONLY_ADDRESS, HTTPS_ONLY_ADDRESS, REFUSING_ADDRESS
from webgraph_it.simweb.http_server import Door, HttpConnection
from webgraph_it.simweb.packed_bombs import prepare as prepare_bombs
from webgraph_it.simweb.site import Site
from webgraph_it.simweb.wire import SAMPLE_SECONDS, Wire
from webgraph_it.simweb.world import World

NAME_SERVER_ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class Ports:
    http: int = 8080
    https: int = 8443
    dns: int = 5353


class Doors:
    """The open sockets of a web, before anything is served. Opens all of them, or none and raises PlanError."""

    def __init__(self, world: World, wanted: Ports) -> None:
        addresses = {host.address for host in world.by_name.values()} - {REFUSING_ADDRESS}
        if world.plan.hostile:
            addresses |= set(DECOYS)
        with ExitStack() as opened:
            self.udp, self.tcp = sockets.name_server_sockets(NAME_SERVER_ADDRESS, wanted.dns)
            opened.callback(self.udp.close)
            opened.callback(self.tcp.close)
            self.http = sockets.listen(sorted(addresses - {HTTPS_ONLY_ADDRESS}), wanted.http, "HTTP")
            for one in self.http:
                opened.callback(one.close)
            self.https = sockets.listen(sorted(addresses - {HTTP_ONLY_ADDRESS}), wanted.https, "HTTPS")
            opened.pop_all()
        self.ports = Ports(_port(self.http[0]), _port(self.https[0]), _port(self.tcp))


def _port(one: socket.socket) -> int:
    port: int = one.getsockname()[1]
    return port


class Servers:
    """All servers of a web."""

    def __init__(
        self, world: World, doors: Doors, log: HitLog, wire: Wire | None = None, keep: bool = False
    ) -> None:
        """`wire` watches all connections and reports to the log. `keep`: see Site.kept."""
        self._world = world
        self._doors = doors
        self._log = log
        self._wire = wire
        self._site = Site(world, log, wire=wire, kept={} if keep else None)

    def turn_to(self, day: int) -> None:
        """From now on, serve this day of a changing web."""
        self._site.turn_to(day)

    async def serve(self, on_ready: Callable[[], None]) -> None:
        """Serve until cancelled. `on_ready` is called when all sockets accept connections."""
        loop = asyncio.get_running_loop()
        if self._world.plan.hostile:
            prepare_bombs()
        opened = await self._open(loop)
        on_ready()
        watching = loop.create_task(self._watch(self._wire)) if self._wire is not None else None
        try:
            while True:
                await asyncio.sleep(hits.FLUSH_SECONDS)
                self._log.flush()
        finally:
            if watching is not None:
                watching.cancel()
            for each in opened:
                each.close()
            self._log.flush()

    async def _watch(self, wire: Wire) -> None:
        while True:
            sample = wire.sample(time.time)
            if sample is not None:
                self._log.write("wire", at=sample[0], bytes=sample[1])
            await asyncio.sleep(SAMPLE_SECONDS)

    async def _open(self, loop: asyncio.AbstractEventLoop) -> list[asyncio.Server | asyncio.BaseTransport]:
        names = NameServer(partial(book, self._world), self._log)
        udp, _ = await loop.create_datagram_endpoint(lambda: UdpNames(names), sock=self._doors.udp)
        opened: list[asyncio.Server | asyncio.BaseTransport] = [udp]
        opened.append(await loop.create_server(lambda: TcpNames(names), sock=self._doors.tcp))
        context = tls.server_context()
        opened += [await self._open_web(one, None) for one in self._doors.http]
        opened += [await self._open_web(one, context) for one in self._doors.https]
        return opened

    async def _open_web(self, one: socket.socket, context: ssl.SSLContext | None) -> asyncio.Server:
        door = Door("https" if context else "http", *one.getsockname())
        loop = asyncio.get_running_loop()
        if context and door.address in BROKEN_TLS:
            return await loop.create_server(partial(BROKEN_TLS[door.address], self._site, door), sock=one)
        return await loop.create_server(partial(HttpConnection, self._site, door), sock=one, ssl=context)

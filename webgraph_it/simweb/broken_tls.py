"""Servers on an HTTPS port that do not speak TLS: one answers with garbage, one never answers."""

import asyncio
from functools import partial
from typing import cast

from webgraph_it.simweb.hostile import BROKEN_TLS_GARBAGE_ADDRESS, BROKEN_TLS_SILENT_ADDRESS
from webgraph_it.simweb.http_server import Door
from webgraph_it.simweb.site import Site


class SilentTls(asyncio.Protocol):
    """Reads everything, answers nothing."""

    def __init__(self, site: Site, door: Door) -> None:
        self._log = partial(site.log.write, connection=next(site.serial), address=door.address)
        self._log("open", port=door.port)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._log("close", bytes=0)


class GarbageTls(SilentTls):
    """Answers the ClientHello with something that is neither a handshake nor an alert."""

    def data_received(self, data: bytes) -> None:
        self._transport.write(b"\x16\x03\x03\x40\x00" + bytes(range(256)) * 70)
        self._transport.close()


BROKEN_TLS = {BROKEN_TLS_GARBAGE_ADDRESS: GarbageTls, BROKEN_TLS_SILENT_ADDRESS: SilentTls}

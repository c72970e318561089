"""The console's connections: a few at most, and none that says nothing for long. The crawl needs its descriptors."""

import asyncio
import socket
from typing import Any

from aiohttp import web

MAX_CONNECTIONS = 100
HEAD_SECONDS = 20.0
"""A connection whose first request has not come by then is closed."""


class _Closed(asyncio.Protocol):
    """For a connection too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


class Door:
    """Accepts connections for an aiohttp server."""

    def __init__(
        self, server: web.Server, most: int = MAX_CONNECTIONS, head_seconds: float = HEAD_SECONDS
    ) -> None:
        self._server = server
        self._most = most
        self._head_seconds = head_seconds
        self._silent: dict[object, asyncio.TimerHandle] = {}
        """Connections whose first request has not come."""
        self._listening: asyncio.Server | None = None

    async def open(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(self._accept, sock=listening)

    def close(self) -> None:
        if self._listening is not None:
            self._listening.close()

    def spoke(self, protocol: object) -> None:
        """Its first request was read."""
        if (timer := self._silent.pop(protocol, None)) is not None:
            timer.cancel()

    def _accept(self) -> asyncio.Protocol:
        if len(self._server.connections) >= self._most:
            return _Closed()
        protocol: asyncio.Protocol = self._server()
        loop = asyncio.get_running_loop()
        self._silent[protocol] = loop.call_later(self._head_seconds, self._close_if_silent, protocol)
        return protocol

    def _close_if_silent(self, protocol: Any) -> None:
        if self._silent.pop(protocol, None) is not None and protocol.transport is not None:
            protocol.transport.close()

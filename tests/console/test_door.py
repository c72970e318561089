"""A connection that says nothing is closed."""

import asyncio
import socket
import time

from aiohttp import web

from webgraph_it.console.address import Address
from webgraph_it.console.door import Door


async def seconds_until_closed(head_seconds: float) -> float:
    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response()

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = Address("127.0.0.1", free.getsockname()[1])
    server = web.Server(handler)
    door = Door(server, head_seconds=head_seconds)
    await door.open(address.listening())
    reader, writer = await asyncio.open_connection(*address)
    writer.write(b"GET / HT")
    began = time.monotonic()
    await asyncio.wait_for(reader.read(), 10)
    writer.close()
    door.close()
    await server.shutdown(1)
    return time.monotonic() - began


def test_half_a_request_is_not_waited_for() -> None:
    assert 0.2 <= asyncio.run(seconds_until_closed(0.3)) < 5

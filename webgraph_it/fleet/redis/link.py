"""One connection to the server, used by a thread of its own.

A command that an event loop cancels leaves its answer in the connection, for the next command to read (redis-py #2624).
Here nobody can cancel one that was sent: the thread waits for the answer, at most TIMEOUT_SECONDS, and closes the
connection if there is none. Nothing is retried, because whoever asks knows best when to ask again.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webgraph_it.fleet.shares import fenced_words
from webgraph_it.fleet.transport import Fenced, NoLibraryError, TransportError

if TYPE_CHECKING:
    from redis import Redis
    from redis.commands.core import Script

TIMEOUT_SECONDS = 2.0
PREFIX = "webgraph_it:"
Answer = bytes | int | list["Answer"] | None


class Link:
    """Runs scripts in the server, one after the other."""

    def __init__(self, url: str) -> None:
        self._client = _client(url)
        self.place = place_of(url)
        self._scripts: dict[str, Script] = {}
        self._thread = ThreadPoolExecutor(1, "redis")

    def __repr__(self) -> str:
        return f"<Link to {self.place}>"

    async def run(self, script: str, keys: Sequence[str], arguments: Sequence[str | bytes | float]) -> Answer:
        """The script's answer. Raises TransportError if there is none in time."""
        # A thread cannot be cancelled. asyncio.shield would log an error that comes after a cancellation.
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._run, script, keys, arguments
        )

    async def run_for(
        self, member: int, script: str, keys: Sequence[str], arguments: Sequence[str | bytes | float]
    ) -> Answer:
        """The same on behalf of a member. Raises Fenced if a newer process of it is known."""
        answer = await self.run(script, keys, arguments)
        if answer == b"FENCED":
            raise Fenced(fenced_words(member))
        return answer

    async def close(self) -> None:
        self._thread.submit(self._close)
        self._thread.shutdown(wait=False)

    def _run(self, script: str, keys: Sequence[str], arguments: Sequence[str | bytes | float]) -> Answer:
        from redis.exceptions import RedisError

        try:
            registered = self._scripts.get(script)
            if registered is None:
                registered = self._scripts[script] = self._client.register_script(script)
            answer: Answer = registered([PREFIX + key for key in keys], list(arguments))
            return answer
        except (RedisError, OSError, ValueError, RecursionError) as error:
            self._disconnect()
            raise TransportError(f"{self.place}: {_words(error)}") from None

    def _disconnect(self) -> None:
        """What is left in the connection belongs to nobody."""
        with suppress(Exception):
            self._client.connection_pool.disconnect()

    def _close(self) -> None:
        with suppress(Exception):
            self._client.close()


def _client(url: str) -> "Redis":
    try:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError:
        raise NoLibraryError(
            "FLEET names a Redis server, but the package redis is not installed. "
            "Install it: pip install 'webgraph_it[fleet]'"
        ) from None
    return Redis.from_url(
        url,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        max_connections=1,
        health_check_interval=0,
    )


def place_of(url: str) -> str:
    """The URL without user, password and options, for messages."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _words(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:200] + "…"

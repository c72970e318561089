"""The notice board of a server, for people: `webgraph-it fleet` and `webgraph-it fleet status` show it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Thread

from webgraph_it.fleet.exchange import Status, StatusError, status_of
from webgraph_it.fleet.redis.mailboxes import RedisMailboxes
from webgraph_it.fleet.transport import TransportError

READ_SECONDS = 1.0


def read_board(url: str, size: int) -> dict[int, Status]:
    """The statuses that a server has. One that is none is left out. Raises TransportError."""

    async def read() -> dict[int, Status]:
        mailboxes, found = RedisMailboxes(url, size), {}
        try:
            for member, status in (await mailboxes.board()).statuses.items():
                with suppress(StatusError):
                    found[member] = status_of(status)
        finally:
            await mailboxes.close()
        return found

    return asyncio.run(read())


class WatchedBoard:
    """Reads the board of a server in a thread of its own, because a server that does not answer takes seconds."""

    def __init__(self, url: str, size: int, say: Callable[[str], None]) -> None:
        """`say` prints a sentence: once for each trouble, and from the caller's own thread."""
        self._url, self._size, self._say = url, size, say
        self._statuses: Mapping[int, Status] = {}
        self._trouble = self._said = ""
        Thread(target=self._read_for_ever, name="board", daemon=True).start()

    def __repr__(self) -> str:
        return (
            f"<WatchedBoard {len(self._statuses)} of {self._size} members, {self._trouble or 'no trouble'}>"
        )

    def __call__(self) -> Mapping[int, Status]:
        """What was read last."""
        trouble = self._trouble
        if trouble and trouble != self._said:
            self._say(
                f"The server does not answer, and without it no member fetches: {trouble}. All try again."
            )
        self._said = trouble
        return self._statuses

    def _read_for_ever(self) -> None:
        while True:
            try:
                self._statuses, self._trouble = read_board(self._url, self._size), ""
            except TransportError as error:
                self._trouble = str(error).rstrip(".")
            except ValueError:  # not a URL: every member is refused, with a sentence
                return
            time.sleep(READ_SECONDS)

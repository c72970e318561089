"""The connection cap: how many sockets exist, who may open the next one, and when a closed one is gone.

    free ─► connecting ─► active ◄─► idle
              │             │          │
              └─────────────┴──────────┴─► closing ─► gone (confirmed by the kernel) ─► free

Guarantees: we never have more than `cap` sockets in these states together, as a firewall counts them. Requests that
find no place wait in the order of their arrival. While any request waits, no connection stays idle. A closed socket
keeps its place until the kernel no longer knows it. `Governor` decides (pure); `Watcher` asks the kernel (kernel.py)
while something is closing. Closing a socket does not wait for that.

A socket in TIME_WAIT carries nothing any more and does not count. Ours never reach that state: they are closed with a
reset (see connection.py), which also removes the entry from the firewall's table at once.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

from webgraph_it.fetch.kernel import Flow, Kernel

Connection = TypeVar("Connection")
Ticket = TypeVar("Ticket")
Key = tuple[object, ...]


class Place(NamedTuple, Generic[Connection]):
    """The answer to a request for a place."""

    granted: bool
    """False: the ticket waits in the queue."""
    reuse: Connection | None = None
    """An idle connection to reuse; None: open a new one."""
    close: Connection | None = None
    """An idle connection that the caller must close to make room."""


class Governor(Generic[Connection, Ticket]):
    """Counts sockets and decides who gets the next place. Pure: the caller closes what must be closed."""

    def __init__(self, cap: int, idle_cap: int, may_open: Callable[[], bool] = lambda: True) -> None:
        self.cap = cap
        self.idle_cap = idle_cap
        self._may_open = may_open
        self.open = 0
        """Connecting, active and idle sockets."""
        self.closing: dict[object, None] = {}
        """Closed by us, not yet confirmed as gone."""
        self._idle: OrderedDict[Connection, tuple[Key, float]] = OrderedDict()
        self._idle_by_key: dict[Key, list[Connection]] = {}
        self._queue: deque[tuple[Ticket, Key]] = deque()
        self.peak = 0
        """The maximum number of sockets that existed at once."""

    def __repr__(self) -> str:
        active = self.open - len(self._idle)
        return (
            f"[Sockets: {active} active, {len(self._idle)} idle, {len(self.closing)} closing, "
            f"cap {self.cap} | {len(self._queue)} waiting]"
        )

    @property
    def sockets(self) -> int:
        """All existing sockets, as a firewall counts them."""
        return self.open + len(self.closing)

    @property
    def idle(self) -> int:
        return len(self._idle)

    @property
    def waiting(self) -> int:
        return len(self._queue)

    def ask(self, ticket: Ticket, key: Key) -> Place[Connection]:
        """A place for a request to `key`: an idle connection, a new one, or (not granted) the queue's end."""
        reuse = self.take_idle(key)
        if reuse is not None:
            return Place(True, reuse=reuse)
        if not self._queue and self._open_one():
            return Place(True)
        self._queue.append((ticket, key))
        return Place(False, close=self.oldest_idle())

    def resize(self, cap: int, idle_cap: int) -> tuple[list[Connection], list[Ticket]]:
        """Another cap from now on: the idle connections above it, for the caller to close, and who may open one now.

        Connections that carry a request are not closed; until they end, the old number may still be there.
        """
        self.cap, self.idle_cap = cap, idle_cap
        surplus = max(self.sockets - cap, len(self._idle) - idle_cap, 0)
        return list(self._idle)[:surplus], self._granted()

    def give_up(self, ticket: Ticket) -> None:
        """The request no longer waits."""
        self._queue = deque(entry for entry in self._queue if entry[0] is not ticket)

    def rest(self, connection: Connection, key: Key, now: float) -> bool:
        """A connection has finished its request and could carry another. False: the caller must close it.

        When `idle_cap` is reached, this one is closed, not the oldest: hosts take turns, so the oldest is the next to
        be reused. With more hosts than places, closing the oldest would always close a connection before its reuse.
        """
        if self._queue or len(self._idle) >= self.idle_cap:
            return False
        self._idle[connection] = (key, now)
        self._idle_by_key.setdefault(key, []).append(connection)
        return True

    def oldest_idle(self) -> Connection | None:
        return next(iter(self._idle), None)

    def idle_since(self, moment: float) -> list[Connection]:
        """Connections that have been idle since `moment` or longer; the caller closes them."""
        expired = []
        for connection, (_, since) in self._idle.items():
            if since > moment:
                break
            expired.append(connection)
        return expired

    def closed(self, connection: Connection, name: object) -> None:
        """A socket was closed; it keeps its place, as `name`, until `gone`."""
        self._forget_idle(connection)
        self.open -= 1
        self.closing[name] = None

    def gone(self, names: Iterable[object]) -> list[Ticket]:
        """The kernel no longer knows these sockets. Returns the tickets that may open a connection now."""
        for name in names:
            self.closing.pop(name, None)
        return self._granted()

    def give_back(self) -> list[Ticket]:
        """A granted place was not used. Returns the tickets that may open a connection instead."""
        self.open -= 1
        return self._granted()

    def _granted(self) -> list[Ticket]:
        granted = []
        while self._queue and self._open_one():
            granted.append(self._queue.popleft()[0])
        return granted

    def _open_one(self) -> bool:
        if self.sockets >= self.cap or not self._may_open():
            return False
        self.open += 1
        self.peak = max(self.peak, self.sockets)
        return True

    def take_idle(self, key: Key) -> Connection | None:
        """An idle connection to reuse, if there is one. Then there is no need to `ask` for a place."""
        connections = self._idle_by_key.get(key)
        if not connections:
            return None
        connection = connections[-1]
        self._forget_idle(connection)
        return connection

    def _forget_idle(self, connection: Connection) -> None:
        entry = self._idle.pop(connection, None)
        if entry is None:
            return
        connections = self._idle_by_key[entry[0]]
        connections.remove(connection)
        if not connections:
            del self._idle_by_key[entry[0]]


class Watcher:
    """Asks the kernel whether closed sockets are gone; only while some are closing.

    The pause between two checks is at least `SHARE` times as long as the last check took. So checks never take more
    than a twentieth of the time, however many sockets are closing.
    """

    SHORTEST_SECONDS = 0.002
    LONGEST_SECONDS = 0.25
    SHARE = 20

    def __init__(
        self, closing: Mapping[object, None], gone: Callable[[list[object]], None], kernel: Kernel
    ) -> None:
        self._closing = closing
        self._gone = gone
        self._kernel = kernel
        self._timer: asyncio.TimerHandle | None = None
        self._pause_seconds = self.SHORTEST_SECONDS
        self._stopped = False
        self.looks = 0

    def wake(self) -> None:
        """Something is closing."""
        if self._timer is None and not self._stopped:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._pause_seconds, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        began = time.perf_counter()
        there = self._kernel.existing(name for name in self._closing if isinstance(name, Flow))
        self.looks += 1
        self._gone([name for name in self._closing if name not in there])
        took = time.perf_counter() - began
        self._pause_seconds = min(max(self.SHARE * took, self.SHORTEST_SECONDS), self.LONGEST_SECONDS)
        if self._closing:
            self.wake()

    def stop(self) -> None:
        """Stop checking. Calling it again does nothing."""
        self._stopped = True
        self._kernel.close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

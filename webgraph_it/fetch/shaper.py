"""Lets connections read in turn, as fast as the bandwidth allows, and new downloads start when there is room.

A connection reads at most `read_bytes()` at a time, reports it with `received`, and when told so pauses
reading (the socket's own flow control then slows the server down) until its `resume` is called. Those who
wait are served in the order in which they came, one chunk each: nobody starves, and a large file does not
hold up small pages.

Guarantees those of bandwidth.py. It knows no sockets and no Scrapy; the clock and the timer are arguments,
so that tests run it in simulated time.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Protocol

from webgraph_it.fetch.bandwidth import Meter, StartPace, TokenBucket, receive_buffer_bytes

SETTLE_SECONDS = 0.001
"""After one connection may read on, time to see how much it reads before the next one may."""


class Timer(Protocol):
    """What `loop.call_later` returns."""

    def cancel(self) -> None: ...


CallLater = Callable[[float, Callable[[], None]], Timer]


class Shaper:
    """One per crawl: all connections share it."""

    def __init__(self, clock: Callable[[], float], call_later: CallLater, bytes_per_second: float) -> None:
        self.meter = Meter()
        self._clock = clock
        self._call_later = call_later
        self._bucket = TokenBucket(bytes_per_second, clock())
        self._pace = StartPace()
        # Both lines in order of arrival; dicts, so that whoever gives up leaves at no cost.
        self._readers: dict[Callable[[], None], None] = {}
        self._starters: dict[Callable[[], None], None] = {}
        self._timer: Timer | None = None

    def __repr__(self) -> str:
        return f"<Shaper {self._bucket!r} [{len(self._readers)} reading, {len(self._starters)} to start]>"

    @property
    def bytes_per_second(self) -> float:
        return self._bucket.bytes_per_second

    def set_rate(self, bytes_per_second: float) -> None:
        """A change of the schedule: holds at once, also for those who wait."""
        self._bucket.set_rate(bytes_per_second, self._clock())
        self._pump()

    def read_bytes(self) -> int:
        """The most that the next read of any connection should bring."""
        return self._bucket.read_bytes(self._clock())

    def receive_buffer_bytes(self) -> int:
        """SO_RCVBUF for a socket that is opened now; 0 is the system's own."""
        return 0 if self._bucket.is_unlimited else receive_buffer_bytes(self.bytes_per_second)

    def received(self, nbytes: int, resume: Callable[[], None]) -> bool:
        """Charge what was read. True: pause reading, `resume` will be called. False: read on."""
        now = self._clock()
        self.meter.add(nbytes, now)
        if self._bucket.is_unlimited:
            return False
        self._pace.read(nbytes)
        if self._bucket.take(nbytes, now) == 0.0 and not self._readers:
            return False
        self._readers[resume] = None
        self._set_timer()
        return True

    def finished(self) -> None:
        """A download that `admit` let start has ended, well or badly."""
        self._pace.finish()

    def forget(self, resume: Callable[[], None]) -> None:
        """The connection is closed: it leaves the line."""
        self._readers.pop(resume, None)

    @property
    def may_start(self) -> bool:
        """True when a download may start without asking `admit`: there is no limit now."""
        return self._bucket.is_unlimited

    def when_free(self, start: Callable[[], None]) -> None:
        """`start` is called once, now or later, when a new download may begin."""
        self._starters[start] = None
        self._pump()

    async def admit(self) -> None:
        """Returns when a new download may begin."""
        admitted = asyncio.Event()
        self.when_free(admitted.set)
        try:
            await admitted.wait()
        finally:
            self._starters.pop(admitted.set, None)

    def _pump(self) -> None:
        """Let one reader and whoever may start go on, and come back when the next one may."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._bucket.is_unlimited:
            for line in (self._readers, self._starters):
                while line:
                    self._call_first(line)
            return
        if self._readers and self._bucket.wait(self._clock()) == 0.0:
            self._call_first(self._readers)
        while self._starters and self._start_wait() == 0.0:
            self._pace.start(self.bytes_per_second, len(self._readers), self._clock())
            self._call_first(self._starters)
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            return
        waits = [self._bucket.wait(self._clock())] if self._readers else []
        if self._starters:
            waits.append(self._start_wait())
        if waits and math.isfinite(wait := min(waits)):
            self._timer = self._call_later(max(wait, SETTLE_SECONDS), self._pump)

    def _start_wait(self) -> float:
        return self._pace.wait(self.bytes_per_second, len(self._readers), self._clock())

    @staticmethod
    def _call_first(line: dict[Callable[[], None], None]) -> None:
        first = next(iter(line))
        del line[first]
        first()

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
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from webgraph_it.fetch.bandwidth import MAX_CHUNK_BYTES, Meter, StartPace, TokenBucket, receive_buffer_bytes

SETTLE_SECONDS = 0.001
"""After one connection may read on, time to see how much it reads before the next one may."""


class Timer(Protocol):
    """What `loop.call_later` returns."""

    def cancel(self) -> None: ...


CallLater = Callable[[float, Callable[[], None]], Timer]
Line = OrderedDict[Callable[[], None], None]
"""Who waits, in order of arrival; whoever gives up leaves at no cost."""


class Shaper:
    """One per crawl: all connections share it."""

    def __init__(self, clock: Callable[[], float], call_later: CallLater, bytes_per_second: float) -> None:
        self.meter = Meter()
        self._clock = clock
        self._call_later = call_later
        self._bucket = TokenBucket(bytes_per_second, clock())
        self._pace = StartPace()
        self._readers: Line = OrderedDict()
        self._starters: Line = OrderedDict()
        self._timer: Timer | None = None
        self._due = math.inf

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
        return MAX_CHUNK_BYTES if self._bucket.is_unlimited else self._bucket.read_bytes(self._clock())

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
        if self._bucket.is_unlimited:
            self._pump()
        else:
            self._start_some()
            self._set_timer()

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
        self._stop_timer()
        if self._bucket.is_unlimited:
            for line in (self._readers, self._starters):
                while line:
                    _call_first(line)
            return
        if self._readers and self._bucket.wait(self._clock()) == 0.0:
            _call_first(self._readers)
        self._start_some()
        self._set_timer()

    def _start_some(self) -> None:
        while self._starters and self._start_wait() == 0.0:
            self._pace.start(self.bytes_per_second, len(self._readers), self._clock())
            _call_first(self._starters)

    def _start_wait(self) -> float:
        return self._pace.wait(self.bytes_per_second, len(self._readers), self._clock())

    def _set_timer(self) -> None:
        """Come back for whoever may go on first; a timer that is early enough stays."""
        wait = self._bucket.wait(self._clock()) if self._readers else math.inf
        if self._starters:
            wait = min(wait, self._start_wait())
        due = self._clock() + max(wait, SETTLE_SECONDS)
        if due < self._due:
            self._stop_timer()
            self._due = due
            self._timer = self._call_later(max(wait, SETTLE_SECONDS), self._pump)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due = None, math.inf


def _call_first(line: Line) -> None:
    line.popitem(last=False)[0]()

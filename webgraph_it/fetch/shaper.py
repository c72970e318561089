"""Lets connections read in turn, as fast as the bandwidth allows, and starts new downloads when there is room.

A connection calls `begin` before it sends a request, reads at most `read_bytes()` at a time, and reports each read with
`received`. If that returns True, it pauses reading until its `go_on` is called; TCP's flow control then slows down the
server. Waiting connections are served in the order of their arrival, one chunk each: none starves, and a large file
does not hold up small pages. What is charged is what arrives over the wire, read or not: see arrivals.py.

A member of a fleet may use only a part of the rate, and that only until some time. `set_part` tells both. Every call
first checks the time: a process that was suspended does not use a part that is another's by now.

Its guarantees are those of bandwidth.py. It knows no sockets and no Scrapy. The clock and the timer are arguments, so
tests run it in simulated time.
"""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from webgraph_it.fetch.arrivals import Arrivals, Reader
from webgraph_it.fetch.bandwidth import (
    MAX_CHUNK_BYTES,
    START_DEBT_SECONDS,
    Meter,
    StartPace,
    TokenBucket,
    chunk_bytes,
    receive_buffer_bytes,
)

SETTLE_SECONDS = 0.001
"""The minimum time between two rounds of turns."""
MAX_TURNS = 16
"""Maximum of turns in a round. A turn that frees no buffer space costs no debt, but its bytes must be handled too."""
LOOK_SECONDS = 0.02
"""How often to ask the kernel what has arrived; less often where asking takes more than a twentieth of the time."""
LOOK_SHARE = 20


class Timer(Protocol):
    """What `loop.call_later` returns."""

    def cancel(self) -> None: ...


CallLater = Callable[[float, Callable[[], None]], Timer]
Starter = Callable[[], None]


class Shaper:
    """One per crawl: all connections share it."""

    def __init__(self, clock: Callable[[], float], call_later: CallLater, bytes_per_second: float) -> None:
        self.meter = Meter()
        self._read_clock = clock
        self._call_later = call_later
        self._whole_rate = bytes_per_second
        self._part, self._part_until = 1.0, math.inf
        self._bucket = TokenBucket(bytes_per_second, clock())
        self._pace = StartPace()
        self._arrivals = Arrivals()
        self._read_without_limit = 0
        self._look_due = -math.inf
        self._readers: OrderedDict[Reader, None] = OrderedDict()
        """Readers that wait, in order of arrival. One that gives up leaves at no cost."""
        self._turns: set[Reader] = set()
        """Readers that may read now, because they have waited."""
        self._starters: OrderedDict[Starter, None] = OrderedDict()
        self._timer: Timer | None = None
        self._due = math.inf

    def __repr__(self) -> str:
        return f"<Shaper {self._bucket!r} [{len(self._readers)} reading, {len(self._starters)} to start]>"

    @property
    def bytes_per_second(self) -> float:
        """The whole rate, of which this crawl may have a part."""
        return self._whole_rate

    @property
    def own_bytes_per_second(self) -> float:
        """Its part of the rate."""
        self._clock()
        return self._bucket.bytes_per_second

    def wire_bytes(self) -> int:
        """What has arrived over the wire so far, including headers and TLS: the amount that is limited.

        Without a limit the kernel is not asked, and it is what was read.
        """
        if not self._bucket.is_unlimited:
            self._bucket.take(self._arrivals.look(self._clock()), self._clock())
        return self._read_without_limit + self._arrivals.arrived_bytes

    def set_rate(self, bytes_per_second: float) -> None:
        """Change the rate. It applies at once, also to connections that wait."""
        self._whole_rate = bytes_per_second
        self._apply(self._clock())

    def set_part(self, part: float, until: float) -> None:
        """Use this part of the rate until then, and nothing afterwards. A part of no limit is no limit."""
        self._part, self._part_until = part, until
        self._apply(self._clock())

    def _apply(self, now: float) -> None:
        rate = self._whole_rate * self._part if self._part else 0.0
        if rate == self._bucket.bytes_per_second:
            return
        self._bucket.set_rate(rate, now)
        if self._bucket.is_unlimited:
            self._arrivals.clear()
            self._turns.clear()
        self._pump()

    def _clock(self) -> float:
        """The time. When the part has run out, nothing more is admitted from now on."""
        now = self._read_clock()
        if now >= self._part_until:
            self._part, self._part_until = 0.0, math.inf
            self._bucket.set_rate(0.0, now)
            self._turns.clear()
        return now

    def read_bytes(self, reader: Reader) -> int:
        """The maximum for the next read of a connection."""
        now = self._clock()
        if self._bucket.is_unlimited:
            return MAX_CHUNK_BYTES
        if reader in self._turns:
            return chunk_bytes(self._bucket.bytes_per_second)
        return self._bucket.read_bytes(now)

    def receive_buffer_bytes(self) -> int:
        """SO_RCVBUF for a new socket; 0 means the system's default."""
        return 0 if self._bucket.is_unlimited else receive_buffer_bytes(self._bucket.bytes_per_second)

    def begin(self, reader: Reader) -> None:
        """A response is about to arrive."""
        if self._bucket.is_unlimited:
            return
        first = min(int(self._pace.usual_bytes), self.receive_buffer_bytes())
        self._bucket.take(self._arrivals.begin(reader, first), self._clock())

    def received(self, nbytes: int, reader: Reader) -> bool:
        """`nbytes` were read. True: pause reading until `reader.go_on` is called. False: continue."""
        now = self._clock()
        self.meter.add(nbytes, now)
        if self._bucket.is_unlimited:
            self._read_without_limit += nbytes
            return False
        self._pace.read(nbytes)
        self._turns.discard(reader)
        if reader not in self._arrivals:  # it began when there was no limit
            self._read_without_limit += nbytes
            self._arrivals.begin(reader, 0)
        self._look(now)
        charge = self._arrivals.expect(reader, nbytes, self.receive_buffer_bytes(), now)
        if self._bucket.take(charge, now) == 0.0 and not self._readers:
            return False
        self._readers[reader] = None
        self._set_timer()
        return True

    def end(self, reader: Reader) -> None:
        """The response has ended, successfully or not. Calling it again does nothing."""
        if self._bucket.is_unlimited:
            return
        self._turns.discard(reader)
        self._bucket.take(self._arrivals.end(reader), self._clock())

    def finished(self) -> None:
        """A download that `admit` let start has ended, successfully or not."""
        self._pace.finish()

    def forget(self, reader: Reader) -> None:
        """The connection is about to be closed: it leaves the queue."""
        self.end(reader)
        self._readers.pop(reader, None)

    @property
    def may_start(self) -> bool:
        """True when a download may start without asking `admit`: there is no limit now."""
        self._clock()
        return self._bucket.is_unlimited

    @property
    def waiting(self) -> int:
        """How many downloads may not start, and responses may not be read further, now."""
        return len(self._starters) + len(self._readers)

    def when_free(self, start: Starter) -> None:
        """`start` is called once, now or later, when a new download may begin."""
        self._starters[start] = None
        self._clock()
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
        """Let readers read and downloads start, as far as allowed, and come back when the next one may."""
        self._stop_timer()
        self._clock()
        if self._bucket.is_unlimited:
            while self._readers:
                self._readers.popitem(last=False)[0].go_on()
            while self._starters:
                self._starters.popitem(last=False)[0]()
            return
        self._look(self._clock())
        for _ in range(MAX_TURNS):
            if not self._readers or self._bucket.wait(self._clock()) > 0.0:
                break
            self._let_read(self._readers.popitem(last=False)[0])
        self._start_some()
        self._set_timer()

    def _let_read(self, reader: Reader) -> None:
        """Give a reader its turn. What may fill the space it frees is charged now; otherwise all would get a turn."""
        now = self._clock()
        if reader in self._arrivals:
            self._turns.add(reader)
            room = self.receive_buffer_bytes()
            # The kernel frees space when all was read; what arrived before a limit may be more than a chunk.
            reads_all = reader.unread_bytes() <= chunk_bytes(self._bucket.bytes_per_second)
            self._bucket.take(self._arrivals.expect(reader, room if reads_all else 0, room, now), now)
        reader.go_on()

    def _look(self, now: float) -> None:
        """Charge what has arrived, if the last check was long enough ago."""
        if now < self._look_due:
            return
        began = time.thread_time()
        self._bucket.take(self._arrivals.look(now), now)
        self._look_due = now + max(LOOK_SECONDS, LOOK_SHARE * (time.thread_time() - began))

    def _start_some(self) -> None:
        while self._starters and self._start_wait() == 0.0:
            self._pace.start(self._bucket.bytes_per_second, len(self._readers), self._clock())
            self._starters.popitem(last=False)[0]()

    def _start_wait(self) -> float:
        now = self._clock()
        in_debt = self._bucket.wait(now) - START_DEBT_SECONDS
        return max(in_debt, self._pace.wait(self._bucket.bytes_per_second, len(self._readers), now))

    def _set_timer(self) -> None:
        """Come back for the first that may continue. A timer that is early enough stays."""
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

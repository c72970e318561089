"""How many bytes may arrive now: a token bucket that allows debt, and the pace of new downloads.

Bytes are charged when they are expected or have arrived (see arrivals.py). What is not yet paid is the debt, which is
paid off at the rate. While there is a debt, no connection reads a whole chunk, and unread bytes free no space for more.

Guarantees, for rates from 100 KB/s, if every read takes at most `read_bytes` and waits for `wait` (shaper.py ensures
both):
- in every second at most 1.1 × the rate arrives over the wire, and over a minute at most the rate. In a second it may
  be up to 1.25 × below 400 KB/s during first contact with all hosts, and up to 1.2 × above 1.5 MB/s if all servers take
  most of a second to respond, because we cannot control when first bytes arrive;
- with demand above it, at least 0.95 × the rate;
- a change of the rate applies from the next call on, also to connections that already wait.
Pure: the time is an argument, from any monotonic clock. It does not wait and knows no sockets.
"""

import math

TARGET = 0.985
"""Fraction of the rate that we aim at; the rest is the margin by which a debt can overshoot."""
BURST_SECONDS = 0.05
"""Credit kept from an idle or late moment, so that a busy event loop loses nothing."""
MAX_DEBT_SECONDS = 1.0
"""Maximum debt. More arises only when a limit begins during many downloads, and would delay all of them too long."""
START_DEBT_SECONDS = 0.02
"""No new download starts while the debt is larger: the size of a small response is unknown before it starts."""
CHUNKS_PER_SECOND = 50
MIN_CHUNK_BYTES = 4096
"""At least the size of a receive buffer: the kernel frees no space until a whole packet is read."""
MAX_CHUNK_BYTES = 64 * 1024
PROBE_BYTES = 256
"""Maximum read from a socket that has new data while others wait; then it joins the queue."""
BACKLOG_SECONDS = 1.0
"""Backlog that open connections should have for us, so that slow replies of others do not leave us idle."""
BACKLOG_READERS = 8
"""The same for low rates: the minimum number of connections in the queue."""
FIRST_GUESS_BYTES = 24 * 1024
"""Assumed size of a download before any has ended."""


def chunk_bytes(bytes_per_second: float) -> int:
    """A fair read: small enough that many connections get a turn every second."""
    return int(max(MIN_CHUNK_BYTES, min(MAX_CHUNK_BYTES, bytes_per_second / CHUNKS_PER_SECOND)))


def receive_buffer_bytes(bytes_per_second: float) -> int:
    """SO_RCVBUF of a socket while there is a limit. It is also what a server may send before we read (Linux doubles it
    and announces half). It is small, because servers that reply at the same moment send that much each."""
    return int(max(2048, min(MAX_CHUNK_BYTES, bytes_per_second / 800)))


class TokenBucket:
    """What may be read now, and how long to wait otherwise."""

    def __init__(self, bytes_per_second: float = math.inf, now: float = 0.0) -> None:
        self._rate = bytes_per_second
        self._debt_bytes = 0.0
        self._paid_at = now

    def __repr__(self) -> str:
        return f"<TokenBucket [{self._rate / 1000:g} KB/s, debt {self._debt_bytes:.0f} B]>"

    @property
    def bytes_per_second(self) -> float:
        return self._rate

    @property
    def is_unlimited(self) -> bool:
        return self._rate == math.inf

    def set_rate(self, bytes_per_second: float, now: float) -> None:
        """From now on allow this many bytes per second. 0 means stop; infinity means no limit, and cancels the debt."""
        self._pay(now)
        self._rate = bytes_per_second
        if self.is_unlimited:
            self._debt_bytes = 0.0
        self._forgive()

    def take(self, nbytes: int, now: float) -> float:
        """Charge bytes, or give back (negative) ones. Returns the seconds until all is paid; read again only then."""
        if self._rate == math.inf:
            return 0.0
        self._pay(now)
        self._debt_bytes += nbytes
        self._forgive()
        return self._seconds_in_debt()

    def wait(self, now: float) -> float:
        """Seconds until the debt is paid; infinity while the rate is 0."""
        if self._rate == math.inf:
            return 0.0
        self._pay(now)
        return self._seconds_in_debt()

    def read_bytes(self, now: float) -> int:
        """How many bytes a read may take now."""
        return chunk_bytes(self._rate) if self.wait(now) == 0.0 else PROBE_BYTES

    def _pay(self, now: float) -> None:
        elapsed = max(now - self._paid_at, 0.0)
        self._paid_at = max(now, self._paid_at)
        if 0.0 < self._rate < math.inf:
            aim = TARGET * self._rate
            self._debt_bytes = max(self._debt_bytes - elapsed * aim, -BURST_SECONDS * aim)

    def _forgive(self) -> None:
        if self._rate > 0.0:
            self._debt_bytes = min(self._debt_bytes, MAX_DEBT_SECONDS * self._rate)

    def _seconds_in_debt(self) -> float:
        if self._rate == 0.0:
            return math.inf
        return self._debt_bytes / (TARGET * self._rate) if self._debt_bytes > 0.0 else 0.0


class StartPace:
    """When a new download may start. The pace is that at which downloads of the usual size can be read, 1.5 × that
    while the queue of readers is empty, and less the longer the queue is. So the queue does not run dry and open
    connections do not pile up, however late servers respond. A threshold instead of a
    slope would oscillate between the two."""

    def __init__(self) -> None:
        self._mean_bytes = float(FIRST_GUESS_BYTES)
        self._unattributed_bytes = 0
        self._ends = 0
        self._last_start = -math.inf

    @property
    def usual_bytes(self) -> float:
        """The usual size of a download."""
        return self._mean_bytes

    def read(self, nbytes: int) -> None:
        """Some download brought `nbytes`."""
        self._unattributed_bytes += nbytes

    def finish(self) -> None:
        """A download ended, successfully or not. The usual size is what is read between two ends."""
        self._ends += 1  # the initial guess counts as four: early downloads change it most
        self._mean_bytes += (self._unattributed_bytes - self._mean_bytes) / min(self._ends + 4, 32)
        self._unattributed_bytes = 0

    def wait(self, bytes_per_second: float, readers_in_line: int, now: float) -> float:
        """Seconds until a start should be requested again; 0 means start now."""
        if bytes_per_second == 0.0:
            return math.inf
        backlog = self._backlog(bytes_per_second, readers_in_line)
        too_much_seconds = max(backlog - 3.0, 0.0) * BACKLOG_SECONDS
        return max(too_much_seconds, self._due(bytes_per_second, backlog) - now, 0.0)

    def start(self, bytes_per_second: float, readers_in_line: int, now: float) -> None:
        """A download starts. If it starts slightly late, that does not delay the next."""
        due = self._due(bytes_per_second, self._backlog(bytes_per_second, readers_in_line))
        self._last_start = max(due, now - BURST_SECONDS)

    def _due(self, bytes_per_second: float, backlog: float) -> float:
        speed = max(1.5 - 0.5 * backlog, 0.1)
        return self._last_start + self._mean_bytes / (bytes_per_second * speed)

    def _backlog(self, bytes_per_second: float, readers_in_line: int) -> float:
        """What the queued readers still have to bring (half a download each), as a fraction of the target."""
        should_bytes = max(BACKLOG_SECONDS * bytes_per_second, BACKLOG_READERS / 2 * self._mean_bytes)
        return readers_in_line * self._mean_bytes / 2 / should_bytes


class Meter:
    """Bytes read: in total, in the last whole second, and in the busiest second."""

    def __init__(self) -> None:
        self.total_bytes = 0
        self.peak_bytes = 0
        self._second = 0
        self._bytes = 0
        self._last_bytes = 0

    def add(self, nbytes: int, now: float) -> None:
        self._roll(int(now))
        self._bytes += nbytes
        self.total_bytes += nbytes
        self.peak_bytes = max(self.peak_bytes, self._bytes)

    def last_second_bytes(self, now: float) -> int:
        self._roll(int(now))
        return self._last_bytes

    def _roll(self, second: int) -> None:
        if second != self._second:
            self._last_bytes = self._bytes if second == self._second + 1 else 0
            self._second, self._bytes = second, 0

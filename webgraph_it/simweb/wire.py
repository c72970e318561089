"""The wire, measured at the server: how much clients' kernels have acknowledged, and when.

What a server hands to its own kernel says little, because it waits there until the client has room. Linux counts
per socket what the other side has acknowledged (tcp_info), TLS and headers included. Reading this counter of all
sockets repeatedly gives the bytes that reached the clients between two moments. On loopback, acknowledgements are
immediate.
"""

import os
import socket
import struct
from collections.abc import Callable, Sequence

SAMPLE_SECONDS = 0.02
LONGEST_LOOK_SECONDS = 0.005


class Wire:
    """All connections of a server: `add` them when they are open, `remove` them when they are lost.

    Each connection is read through a second descriptor of its socket, because an event loop may close its own before
    it reports that the connection is lost.
    """

    def __init__(self) -> None:
        self._acknowledged: dict[socket.socket, int] = {}
        self._total_bytes = 0

    def add(self, descriptor: int) -> socket.socket:
        """Watch a socket. Pass the result to `remove`."""
        second = socket.socket(fileno=os.dup(descriptor))
        self._acknowledged[second] = 0
        return second

    def remove(self, second: socket.socket) -> None:
        self._look(second)
        del self._acknowledged[second]
        second.close()

    def sample(self, clock: Callable[[], float]) -> tuple[float, int] | None:
        """The time and `total_bytes`. None if the system interrupted us meanwhile, because then no time is right."""
        began = clock()
        total = self.total_bytes()
        return (began, total) if clock() - began < LONGEST_LOOK_SECONDS else None

    def total_bytes(self) -> int:
        """Total number of bytes that clients have acknowledged so far."""
        for second in self._acknowledged:
            self._look(second)
        return self._total_bytes

    def _look(self, second: socket.socket) -> None:
        info = second.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_ACKED.size)
        (acknowledged,) = _BYTES_ACKED.unpack(info)
        self._total_bytes += acknowledged - self._acknowledged[second]
        self._acknowledged[second] = acknowledged


_BYTES_ACKED = struct.Struct("120xQ")
"""tcpi_bytes_acked in struct tcp_info."""


Samples = Sequence[tuple[float, int]]
"""(time, total bytes until then), in order."""


def between(samples: Samples, start: float, end: float) -> Samples:
    return [sample for sample in samples if start <= sample[0] <= end]


def mean_rate(samples: Samples) -> float:
    """Bytes per second from the first sample to the last."""
    (began, before), (ended, after) = samples[0], samples[-1]
    return (after - before) / (ended - began)


def fullest_second(samples: Samples) -> float:
    """Maximum bytes per second between two samples that are at least a second apart, and as little more as possible."""
    most, first = 0.0, 0
    for when, total in samples:
        while first + 1 < len(samples) and when - samples[first + 1][0] >= 1.0:
            first += 1
        elapsed = when - samples[first][0]
        if elapsed >= 1.0:
            most = max(most, (total - samples[first][1]) / elapsed)
    return most

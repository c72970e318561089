"""What has arrived over the wire, whether or not we have read it: what is charged to bandwidth.py's bucket.

A server sends until our kernel's receive buffer is full, before we read anything and again after every read. So
from its request to the end of its response, a connection is charged what has arrived at its socket (the kernel counts
it) and, in advance, what may arrive at any moment: the start of a response, and as much as was just read. Each is at
most one receive buffer. What did not arrive after a read is given back after PATIENCE_SECONDS, the rest at the end of
the response.

Guarantees: at every `look`, the sum of all charges is what has arrived plus what is expected. After `end`, it is
exactly what has arrived. Pure: it returns the amount to charge (negative: to give back), and the caller charges it.
The time is an argument.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

PATIENCE_SECONDS = 0.2
"""Longer than most servers take to fill the buffer space that a read has freed."""


class Reader(Hashable, Protocol):
    """A connection, as the bandwidth limit sees it."""

    def arrived_bytes(self) -> int:
        """All bytes that have arrived at its socket so far, read or not."""

    def unread_bytes(self) -> int:
        """The bytes that wait to be read."""

    def go_on(self) -> None:
        """Resume reading."""


@dataclass(slots=True)
class _Account:
    arrived_bytes: int
    """At the last look."""
    ahead_bytes: int
    """Charged, but not arrived at the last look."""
    expected_by: float = math.inf
    """For the start of a response the time is not known."""


class Arrivals:
    """The accounts of all connections with a response in progress."""

    def __init__(self) -> None:
        self._accounts: dict[Reader, _Account] = {}
        self.arrived_bytes = 0
        """What has arrived on all of them, as of the last look."""

    def __contains__(self, reader: Reader) -> bool:
        return reader in self._accounts

    def __len__(self) -> int:
        return len(self._accounts)

    def begin(self, reader: Reader, ahead_bytes: int) -> int:
        """A response is about to arrive. What arrived at the socket before is not charged."""
        again = self._accounts.get(reader)
        self._accounts[reader] = _Account(reader.arrived_bytes(), ahead_bytes)
        return ahead_bytes - (again.ahead_bytes if again else 0)

    def expect(self, reader: Reader, nbytes: int, most_bytes: int, now: float) -> int:
        """`nbytes` are being read, and free as much buffer space: at most a receive buffer may arrive unasked.

        It may have arrived already: on loopback it does before the read returns.
        """
        account = self._accounts[reader]
        more = max(min(nbytes, most_bytes - account.ahead_bytes), 0)
        account.ahead_bytes += more
        account.expected_by = now + PATIENCE_SECONDS
        return more + self._settle(reader, account)

    def look(self, now: float) -> int:
        """Ask the kernel about all connections."""
        owed = 0
        for reader, account in self._accounts.items():
            owed += self._settle(reader, account)
            if account.ahead_bytes and now > account.expected_by:
                owed -= account.ahead_bytes
                account.ahead_bytes = 0
        return owed

    def end(self, reader: Reader) -> int:
        """The response has ended, well or badly. Calling it again does nothing."""
        account = self._accounts.pop(reader, None)
        return 0 if account is None else self._settle(reader, account) - account.ahead_bytes

    def clear(self) -> None:
        """There is no limit any more. From now on, bytes count when they are read, even if they arrived before."""
        self.arrived_bytes -= sum(reader.unread_bytes() for reader in self._accounts)
        self._accounts.clear()

    def _settle(self, reader: Reader, account: _Account) -> int:
        arrived = reader.arrived_bytes()
        new, account.arrived_bytes = arrived - account.arrived_bytes, arrived
        self.arrived_bytes += new
        expected = min(new, account.ahead_bytes)
        account.ahead_bytes -= expected
        return new - expected

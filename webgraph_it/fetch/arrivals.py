"""What has come over the wire, whether or not we have read it: the amount that bandwidth.py's bucket is charged.

A server sends until our kernel's receive buffer is full, before we read anything and again after every read. So a
connection costs, from its request to the end of its response, what has arrived at its socket (the kernel counts it)
and, ahead of it, what may arrive at any moment: the start of a response, and as much as was just read. Both are
at most one receive buffer. What did not come after a read is given back after PATIENCE_SECONDS, the rest at the
response's end.

Guarantees: the sum of all charges is at every look what has arrived and what is expected; after `end`, exactly what
has arrived. Pure: what must be charged is returned (below zero: given back), the caller charges it; the time is
an argument.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

PATIENCE_SECONDS = 0.2
"""Longer than most servers take to fill the room that a read has made."""


class Reader(Hashable, Protocol):
    """A connection, as those see it who limit it."""

    def arrived_bytes(self) -> int:
        """All that has come to its socket so far, read or not."""

    def unread_bytes(self) -> int:
        """What of it waits to be read."""

    def go_on(self) -> None:
        """Read again."""


@dataclass(slots=True)
class _Account:
    arrived_bytes: int
    """At the last look."""
    ahead_bytes: int
    """Charged, but not arrived at the last look."""
    expected_by: float = math.inf
    """For the start of a response nobody knows."""


class Arrivals:
    """The accounts of all connections on which a response is under way."""

    def __init__(self) -> None:
        self._accounts: dict[Reader, _Account] = {}
        self.arrived_bytes = 0
        """What has come over the wire on all of them, as far as was looked."""

    def __contains__(self, reader: Reader) -> bool:
        return reader in self._accounts

    def __len__(self) -> int:
        return len(self._accounts)

    def begin(self, reader: Reader, ahead_bytes: int) -> int:
        """A response is about to come; what came to the socket before is not charged."""
        again = self._accounts.get(reader)
        self._accounts[reader] = _Account(reader.arrived_bytes(), ahead_bytes)
        return ahead_bytes - (again.ahead_bytes if again else 0)

    def expect(self, reader: Reader, nbytes: int, most_bytes: int, now: float) -> int:
        """So much is or was read, and leaves room for as much: at most a receive buffer may come unasked.

        It may have come already: on loopback it does before the read returns.
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
        """There is no limit any more: from now on what is read is counted, also if it has come before."""
        self.arrived_bytes -= sum(reader.unread_bytes() for reader in self._accounts)
        self._accounts.clear()

    def _settle(self, reader: Reader, account: _Account) -> int:
        arrived = reader.arrived_bytes()
        new, account.arrived_bytes = arrived - account.arrived_bytes, arrived
        self.arrived_bytes += new
        expected = min(new, account.ahead_bytes)
        account.ahead_bytes -= expected
        return new - expected

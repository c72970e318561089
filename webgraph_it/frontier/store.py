"""What the frontier needs from a store: ordered bytes, read one by one or by range, and changed only by whole
commits.

Guarantees of every Store (tests/frontier/contract.py checks them against each one):
1. `commit` is atomic and durable. Once it has returned, all its changes survive a crash. A crash before that leaves
    all of them or none.
2. `get`, `get_many`, `scan` and `items` see the last finished commit. During a commit they may see either state.
 3. Keys are ordered as bytes. A range is [lower, upper).
4. Any thread may read while one thread commits.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

Changes = Mapping[bytes, bytes | None]
"""Key → new value; None deletes the key."""

Row = tuple[bytes, bytes]


class Store(Protocol):
    """The verbs."""

    def get(self, key: bytes) -> bytes | None:
        """The value, or None."""

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """`get` of each key, in the order given; sorted keys are found faster."""

    def items(self, lower: bytes, upper: bytes) -> Iterator[Row]:
        """The rows of a range, in order."""

    def scan(self, lower: bytes, upper: bytes, limit: int) -> list[Row]:
        """The first `limit` rows of a range."""

    def commit(self, changes: Changes) -> None:
        """Apply all changes or none."""

    def close(self) -> None:
        """No other method may be called afterwards."""


class MemoryStore:
    """The reference implementation, a dict. Its commits outlive a Frontier, but not the process. For tests."""

    def __init__(self) -> None:
        self._rows: dict[bytes, bytes] = {}
        self._keys: list[bytes] = []

    def get(self, key: bytes) -> bytes | None:
        return self._rows.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return [self._rows.get(key) for key in keys]

    def items(self, lower: bytes, upper: bytes) -> Iterator[Row]:
        keys, rows = self._keys, self._rows
        for key in keys[bisect_left(keys, lower) : bisect_left(keys, upper)]:
            yield key, rows[key]

    def scan(self, lower: bytes, upper: bytes, limit: int) -> list[Row]:
        return list(islice(self.items(lower, upper), limit))

    def commit(self, changes: Changes) -> None:
        rows = dict(self._rows)
        for key, value in changes.items():
            if value is None:
                rows.pop(key, None)
            else:
                rows[key] = value
        self._rows, self._keys = rows, sorted(rows)

    def close(self) -> None:
        pass


def after(prefix: bytes) -> bytes:
    """The end of the range of all keys that start with `prefix` (which does not end with 0xff)."""
    return prefix[:-1] + bytes((prefix[-1] + 1,))

"""The first rows of a range, in memory: the source of a queue's head.

Guarantee: every row of the range below `bound` that was not popped is in the window. So its head is the head of the
whole range, although rows are added anywhere in the range and only a few are in memory. Reading from the bound also
skips deleted rows before it, which make RocksDB's iterators slow. The bound moves back when many rows are added at the
front: a row that was popped and is still in the range may then be beyond it.
"""

from bisect import insort
from collections.abc import Collection, Iterable

from .layers import Layers
from .store import Row


class Window:
    """A sorted list of at most 2 × `size` rows."""

    __slots__ = ("_bound", "_prefix", "_rows", "_size")

    def __init__(self, prefix: bytes, size: int, lower: bytes = b"") -> None:
        """The range must have no rows below `lower`."""
        self._prefix = prefix
        self._size = size
        self._rows: list[Row] = []
        self._bound: bytes | None = max(lower, prefix)

    def head(self, layers: Layers, out: Collection[bytes] = ()) -> Row | None:
        """The first row that is not `out`, read from the layers if necessary; None if there is none."""
        while not self._rows and self._bound is not None:
            self._refill(layers, self._bound, out)
        return self._rows[0] if self._rows else None

    def pop(self) -> Row:
        """Remove the head, after `head` returned it."""
        return self._rows.pop(0)

    def offer(self, row: Row) -> None:
        """Announce a row that was just added to the range (again, if it was popped)."""
        if self._bound is not None and row[0] >= self._bound:
            return
        insort(self._rows, row)
        if len(self._rows) > 2 * self._size:
            self._bound = self._rows[self._size][0]
            del self._rows[self._size :]

    def offer_rows(self, rows: Iterable[Row]) -> None:
        """`offer` of each row; the rows must be in order."""
        for row in rows:
            if self._bound is not None and row[0] >= self._bound:
                return
            self.offer(row)

    def discard(self, key: bytes) -> None:
        """Forget a row that was removed from the range."""
        self._rows = [row for row in self._rows if row[0] != key]

    def lower(self) -> bytes:
        """A key below which the range is empty: the start for the next window on it."""
        if self._rows:
            return self._rows[0][0]
        return self._prefix if self._bound is None else self._bound

    def _refill(self, layers: Layers, lower: bytes, out: Collection[bytes]) -> None:
        rows = layers.scan(self._prefix, lower, self._size)
        self._bound = rows[-1][0] + b"\0" if len(rows) == self._size else None
        self._rows = [row for row in rows if row[0] not in out]

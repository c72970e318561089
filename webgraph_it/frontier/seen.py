"""Which digests were seen before: the store knows all, a bounded memory answers most repeats."""

from collections.abc import Iterable, Sequence

from webgraph_it.items import Link, State

from .layers import Layers
from .layout import SEEN, seen_of

REMEMBERED = 75_000
"""Digests in memory, at most; about 90 bytes each. A repeat that they do not answer costs 2 µs more, a look into the
store. Half of them fit a set's table of 1 MB; 2,000 more would take one of 4."""


class Seen:
    """A set that only grows. A digest that was not met lately costs one lookup in the store."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()

    def new(self, links: Iterable[Link]) -> list[Link]:
        """Those that were never met before; from now on they were."""
        young = self._young
        return [link for link in links if link.digest not in young and self._add(link.digest)]

    def known(self, links: Sequence[Link]) -> dict[bytes, bytes | None]:
        """By store key: what is kept of each link, None if it was never met. One look into the store for all."""
        return self._layers.get_many([SEEN + link.digest for link in links])

    def keep(self, digest: bytes, packed: bytes) -> None:
        """From now on it was met, and this is what became of it."""
        self._layers.put(SEEN + digest, packed)

    def _add(self, digest: bytes) -> bool:
        """True if it is new."""
        young = self._young
        if digest in young:
            return False
        young.add(digest)
        if len(young) >= REMEMBERED // 2:
            self._old, self._young = young, set()
        elif digest in self._old:
            return False
        key = SEEN + digest
        if self._layers.get(key) is not None:
            return False
        self._layers.put(key, b"")
        return True

    def mark_queued(self, digest: bytes) -> None:
        """It was cut, and is to be fetched after all."""
        self.keep(digest, b"")

    def is_quota_cut(self, digest: bytes) -> bool:
        """It was met, and a quota keeps it out of the queues: a larger one may let it in."""
        packed = self._layers.get(SEEN + digest)
        return packed is not None and seen_of(packed)[0] is State.QUOTA_CUT

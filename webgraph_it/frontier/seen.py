"""Which digests were seen before: the store knows all, a bounded memory answers most repeats."""

from collections.abc import Iterable

from webgraph_it.items import Link

from .layers import Layers
from .layout import CUT, SEEN

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

    def mark_cut(self, digest: bytes) -> None:
        """It was met, and a quota keeps it out of the queues: a larger one may let it in."""
        self._layers.put(SEEN + digest, CUT)

    def mark_queued(self, digest: bytes) -> None:
        self._layers.put(SEEN + digest, b"")

    def is_cut(self, digest: bytes) -> bool:
        return self._layers.get(SEEN + digest) == CUT

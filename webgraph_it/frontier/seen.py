"""Which digests were seen before. The store knows all; a bounded cache answers most repeats."""

from collections.abc import Iterable, Sequence

from webgraph_it.items import Link, State

from .layers import Layers
from .layout import SEEN, seen_of

REMEMBERED = 75_000
"""Maximum of digests in memory, about 90 bytes each. A repeat that is not among them costs a lookup in the store, 2 µs.
Half of them fit a set's table of 1 MB; 2,000 more would need one of 4 MB."""


class Seen:
    """A set that only grows. A digest that was not seen recently costs one lookup in the store."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()

    def __contains__(self, digest: bytes) -> bool:
        is_recent = digest in self._young or digest in self._old
        return is_recent or self._layers.get(SEEN + digest) is not None

    def new(self, links: Iterable[Link]) -> list[Link]:
        """The links that were never seen before. From now on they count as seen."""
        young = self._young
        return [link for link in links if link.digest not in young and self._add(link.digest)]

    def perhaps_new(self, links: Iterable[Link]) -> list[Link]:
        """All that were never seen before, and few others."""
        young = self._young
        return [link for link in links if link.digest not in young]

    def known(self, links: Sequence[Link]) -> dict[bytes, bytes | None]:
        """What is stored about each link, by store key; None if it was never seen. One lookup in the store for all."""
        return self._layers.get_many([SEEN + link.digest for link in links])

    def keep(self, digest: bytes, packed: bytes) -> None:
        """Store the digest as seen, with its state."""
        self._layers.put(SEEN + digest, packed)

    def _add(self, digest: bytes) -> bool:
        """Mark it as seen. True if it is new."""
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
        """It was cut, and will be fetched after all."""
        self.keep(digest, b"")

    def is_quota_cut(self, digest: bytes) -> bool:
        """Whether a quota cut it: a larger quota may admit it."""
        packed = self._layers.get(SEEN + digest)
        return packed is not None and seen_of(packed)[0] is State.QUOTA_CUT

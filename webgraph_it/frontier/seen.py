"""Which digests were seen before: the store knows all, a bounded memory answers most repeats."""

from .layers import Layers
from .layout import SEEN

REMEMBERED = 200_000
"""Digests in memory, at most; about 100 bytes each."""


class Seen:
    """A set that only grows. `add` costs one lookup in the store for a digest not met lately."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()

    def add(self, digest: bytes) -> bool:
        """True if it is new."""
        if digest in self._young:
            return False
        known = digest in self._old
        if not known:
            key = SEEN + digest
            known = self._layers.get(key) is not None
            if not known:
                self._layers.put(key, b"")
        self._remember(digest)
        return not known

    def _remember(self, digest: bytes) -> None:
        self._young.add(digest)
        if len(self._young) >= REMEMBERED // 2:
            self._old, self._young = self._young, set()

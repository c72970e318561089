"""Which digests were seen before: the store knows all, a bounded memory answers most repeats."""

from .layers import Layers
from .layout import SEEN

REMEMBERED = 1 << 18
"""Digests in memory, at most: 4 MB, taken at once. A set of as many would take 20, and grow for long."""
SIZE = 16
NONE = b"\xff" * SIZE
"""No digest: its first bit is 0."""


class Seen:
    """A set that only grows. `add` costs one lookup in the store for a digest not met lately.

    A digest is remembered in one place, which its own bits name, until another one takes it.
    """

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._lately = bytearray(NONE * REMEMBERED)
        self._places = REMEMBERED

    def add(self, digest: bytes) -> bool:
        """True if it is new."""
        place = int.from_bytes(digest[-4:], "little") % self._places * SIZE
        if self._lately[place : place + SIZE] == digest:
            return False
        self._lately[place : place + SIZE] = digest
        key = SEEN + digest
        if self._layers.get(key) is not None:
            return False
        self._layers.put(key, b"")
        return True

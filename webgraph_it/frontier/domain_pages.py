"""How many URLs of each site were queued: a counter on disk, kept only if there is a limit.

A site is the registrable domain, private suffixes counted, as everywhere in the frontier and in a fleet.
"""

from functools import lru_cache

from webgraph_it.urls.domains import site_of

from .layers import Layers
from .layout import DOMAIN_PAGES, NUMBER

_site = lru_cache(maxsize=20_000)(site_of)


class DomainPages:
    """All hosts of a domain together. `limit` 0: nothing is counted, and no domain is full."""

    def __init__(self, layers: Layers, limit: int) -> None:
        self._layers = layers
        self.limit = limit

    def is_full(self, host: str) -> bool:
        return bool(self.limit) and self._count(self._key(host)) >= self.limit

    def count_page(self, host: str, more: int = 1) -> None:
        """One more URL of this host is queued. -1: one that was counted will be queued again."""
        if self.limit:
            key = self._key(host)
            self._layers.put(key, NUMBER.pack(max(0, self._count(key) + more)))

    def _count(self, key: bytes) -> int:
        stored = self._layers.get(key)
        return 0 if stored is None else int(NUMBER.unpack(stored)[0])

    @staticmethod
    def _key(host: str) -> bytes:
        return DOMAIN_PAGES + _site(host).encode()

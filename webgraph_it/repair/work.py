"""The lookups of a repair, in a store on disk: their memory is bounded."""

from pathlib import Path

from webgraph_it.frontier.layers import Layers
from webgraph_it.frontier.rebuild import MAX_UNCOMMITTED
from webgraph_it.frontier.rocks import RocksStore


class Work:
    """What a repair looks up: the last state of each key in the page log, the seeds, the listed nodes."""

    def __init__(self, path: Path) -> None:
        self._store = RocksStore(path)
        self._layers = Layers(self._store)

    def state(self, digest: bytes) -> bytes | None:
        return self._layers.get(b"p" + digest)

    def set_state(self, digest: bytes, state: bytes) -> None:
        self._put(b"p" + digest, state)

    def add_seed(self, digest: bytes) -> None:
        self._put(b"s" + digest, b"")

    def is_seed(self, digest: bytes) -> bool:
        return self._layers.get(b"s" + digest) is not None

    def add_listed(self, digest: bytes) -> None:
        self._put(b"u" + digest, b"")

    def is_listed(self, digest: bytes) -> bool:
        return self._layers.get(b"u" + digest) is not None

    def close(self) -> None:
        self._store.close()

    def _put(self, key: bytes, value: bytes) -> None:
        self._layers.put(key, value)
        if len(self._layers) > MAX_UNCOMMITTED:
            frozen = self._layers.freeze()
            frozen.write()
            self._layers.forget(frozen)

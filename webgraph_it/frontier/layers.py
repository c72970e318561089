"""One view of the uncommitted changes, which are in memory, over the committed data, which is on disk.

    live      changes since the last freeze; written by the crawl thread only
    frozen    changes of the commit in progress; read-only
    store     the last commit

Guarantees: reads see the changes at once, whatever the commit thread is doing; `freeze` only swaps two
dictionaries; what was frozen stays visible until it is in the store. Memory holds only what changed since
the last commit.

Keys that are read in order live in a named range (all keys with one prefix). Within a range every key is used
once: written, perhaps removed, never written again.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping

from .layout import META
from .store import Row, Store, after


class Layer:
    """A set of changes; the keys that belong to a range are also kept in order."""

    __slots__ = ("ranges", "values")

    def __init__(self) -> None:
        self.values: dict[bytes, bytes | None] = {}
        self.ranges: dict[bytes, bytes | list[bytes]] = {}
        """A key alone in its range, which is the usual case, needs no list."""

    def append(self, prefix: bytes, key: bytes) -> None:
        """Add a key that the range does not have."""
        keys = self.ranges.get(prefix)
        if keys is None:
            self.ranges[prefix] = key
        elif isinstance(keys, bytes):
            self.ranges[prefix] = [keys, key] if key > keys else [key, keys]
        elif key > keys[-1]:
            keys.append(key)
        else:
            insort(keys, key)

    def rows_from(self, prefix: bytes, lower: bytes) -> Iterator[Row]:
        held = self.ranges.get(prefix, [])
        keys = [held] if isinstance(held, bytes) else held
        for index in range(bisect_left(keys, lower), len(keys)):
            value = self.values.get(keys[index])
            if value is not None:
                yield keys[index], value


class Frozen:
    """The changes of one commit, to be written to the store."""

    def __init__(self, layer: Layer, store: Store) -> None:
        self._store = store
        self.layer = layer
        self.written = False

    def write(self, meta: Mapping[str, bytes] | None = None) -> None:
        """Make everything durable at once, with this metadata. After an error it may be called again."""
        self.layer.values.update({META + name.encode(): value for name, value in (meta or {}).items()})
        self._store.commit(self.layer.values)
        self.written = True


_ABSENT = b"absent"  # compared by identity


class Layers:
    """One view of live, frozen and store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._live = Layer()
        self._frozen = Layer()
        self._freezing: Frozen | None = None

    def __len__(self) -> int:
        """Changes that no commit has taken yet."""
        return len(self._live.values)

    def get(self, key: bytes) -> bytes | None:
        value = self._changed(key)
        return self._store.get(key) if value is _ABSENT else value

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes | None]:
        """`get` of each key, with one lookup in the store for all."""
        live, frozen = self._live.values.get, self._frozen.values.get
        found = {key: live(key, _ABSENT) for key in keys}
        found.update({key: frozen(key, _ABSENT) for key, value in found.items() if value is _ABSENT})
        unchanged = sorted([key for key, value in found.items() if value is _ABSENT])
        found.update(zip(unchanged, self._store.get_many(unchanged), strict=True))
        return found

    def put(self, key: bytes, value: bytes) -> None:
        self._live.values[key] = value

    def put_all(self, changes: Mapping[bytes, bytes]) -> None:
        """`put` of each key."""
        self._live.values.update(changes)

    def append(self, prefix: bytes, key: bytes, value: bytes) -> None:
        """Put a new key into the range of its prefix."""
        self._live.values[key] = value
        self._live.append(prefix, key)

    def append_rows(self, prefix: bytes, rows: list[Row]) -> None:
        """`append` of each row."""
        self._live.values.update(rows)
        append = self._live.append
        for key, _ in rows:
            append(prefix, key)

    def start_ranges(self, first_keys: Mapping[bytes, bytes], changes: Mapping[bytes, bytes]) -> None:
        """`put` all changes. `first_keys` has, by prefix, the first key of each new range among them."""
        self._live.ranges.update(first_keys)
        self._live.values.update(changes)

    def remove(self, key: bytes) -> None:
        """Remove a key from its range. A key that no commit has taken leaves no trace."""
        if self._live.values.pop(key, None) is None:
            self._live.values[key] = None

    def scan(self, prefix: bytes, lower: bytes, limit: int) -> list[Row]:
        """The first `limit` rows of a range, from `lower` on."""
        rows = self._stored(prefix, lower, limit)
        if prefix not in self._live.ranges and prefix not in self._frozen.ranges:
            return list(rows.items())[:limit]
        gone = self._live.values
        frozen = self._frozen.rows_from(prefix, lower)
        rows.update(_first(limit, (row for row in frozen if gone.get(row[0], _ABSENT) is not None)))
        rows.update(_first(limit, self._live.rows_from(prefix, lower)))
        return sorted(rows.items())[:limit]

    def items(self, prefix: bytes) -> Iterator[Row]:
        """Every row with a prefix, in order, for reports. Time and memory grow with the uncommitted changes."""
        changed = {
            k for layer in (self._live, self._frozen) for k in list(layer.values) if k.startswith(prefix)
        }
        fresh = iter(sorted(changed))
        next_fresh = next(fresh, None)
        for key, value in self._store.items(prefix, after(prefix)):
            while next_fresh is not None and next_fresh < key:
                yield from self._alive(next_fresh)
                next_fresh = next(fresh, None)
            if key not in changed:
                yield key, value
        while next_fresh is not None:
            yield from self._alive(next_fresh)
            next_fresh = next(fresh, None)

    def freeze(self) -> Frozen:
        """Swap the live changes out. The previous ones must have been written."""
        if self._freezing is not None:
            self.forget(self._freezing)
        self._frozen, self._live = self._live, Layer()
        self._freezing = Frozen(self._frozen, self._store)
        return self._freezing

    def forget(self, frozen: Frozen) -> None:
        """Free the memory of changes that are now in the store."""
        if not frozen.written:
            raise RuntimeError("the previous commit has not been written yet")
        if frozen is self._freezing:
            self._freezing, self._frozen = None, Layer()

    def _changed(self, key: bytes) -> bytes | None:
        value = self._live.values.get(key, _ABSENT)
        return self._frozen.values.get(key, _ABSENT) if value is _ABSENT else value

    def _alive(self, key: bytes) -> Iterator[Row]:
        value = self._changed(key)
        if value is not None and value is not _ABSENT:
            yield key, value

    def _stored(self, prefix: bytes, lower: bytes, limit: int) -> dict[bytes, bytes]:
        """The first rows of the store that were not removed: `limit` or slightly more."""
        live, frozen = self._live.values, self._frozen.values
        upper, kept = after(prefix), dict[bytes, bytes]()
        while True:
            stored = self._store.scan(lower, upper, limit)
            for key, value in stored:
                # Within a range a key is written once, so a change to a stored key is its removal.
                if key not in live and frozen.get(key, value) is not None:
                    kept[key] = value
            if len(stored) < limit or len(kept) >= limit:
                return kept
            lower = stored[-1][0] + b"\0"


def _first(limit: int, rows: Iterable[Row]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for key, value in rows:
        found[key] = value
        if len(found) == limit:
            break
    return found

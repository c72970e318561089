"""The URL map: id → URL and URL → id, without loading it into memory.

Two files. `urls.blocks` holds the nodes in order of key, 32 to a block, each block compressed by itself (zstd
with a common dictionary). `urls.index`, all numbers little-endian u64:

    bytes 0-7     the magic `WGITURL1`
    then          n, URLs per block, D (bytes of the dictionary), H (bytes of the heads)
    D bytes       the zstd dictionary (none: compressed without one), then zeros up to a multiple of 8
    (B+1) × 8     where each block starts in urls.blocks (the last is the length of that file)
    (B+1) × 8     where each head starts among the heads (the last is H)
    H bytes       the heads: the shortest prefix of each block's first key that is greater than the key before

A decompressed block has three parts. First, one spelling byte per node. Then a line per node,
`chr(11 + common) + rest + LF`, where `common` (at most 244) is the number of bytes that its key shares with the
previous key in the block. Last, the URLs of the nodes whose spelling byte is `x`, each with LF. The other spelling
bytes say how the URL follows from the key: `0` http://host, `1` https://host, `2` http://www.host,
`3` https://www.host, and the rest as in the key.

Guarantees: opening reads only the header and the dictionary. A lookup reads one block. Ids are the ranks
of keys in byte order, so that a directory, a host and a domain are ranges. The first search by key (not by id)
loads the compiled searches of urlmap_kernels and checks the tables of the index. A damaged or crafted map is a
GraphError, never a wrong read: the header must agree with the sizes of the files, and a block decompresses to at
most MAX_BLOCK_BYTES and is checked line by line. Not thread-safe.
"""

import mmap
import operator
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import zstandard

from webgraph_it.graph.csr import LAST_ID
from webgraph_it.graph.damage import GraphError, damaged, part_size
from webgraph_it.graph.urlmap_layout import EXPLICIT, HEADER_BYTES, LENGTH_BIAS, MAGIC
from webgraph_it.urls import Refusal, names

MAX_URLS_PER_BLOCK = 1 << 16
MAX_BLOCK_BYTES = 64 << 20
"""Maximum size after decompression. A block of 32 URLs usually takes a few kilobytes."""
SPELLING_BYTES = b"0123x"
SPELLINGS = {ord("0"): "http://", ord("1"): "https://", ord("2"): "http://www.", ord("3"): "https://www."}


class Block(NamedTuple):
    """One block, decompressed and divided into lines."""

    spellings: bytes
    lines: list[bytes]

    @classmethod
    def cut(cls, raw: bytes, nodes: int) -> "Block | None":
        """The lines of a decompressed block of `nodes` nodes. None if it is damaged."""
        spellings, lines = raw[:nodes], raw[nodes:].split(b"\n")
        explicit = spellings.count(EXPLICIT)
        if len(spellings) != nodes or len(lines) != nodes + explicit + 1 or spellings.strip(SPELLING_BYTES):
            return None
        length = 0
        for line in lines[:nodes]:
            if not line or not 0 <= line[0] - LENGTH_BIAS <= length:
                return None
            length = line[0] - LENGTH_BIAS + len(line) - 1
        block = cls(spellings, lines)
        return block if raw.isascii() or block._is_text() else None

    def _is_text(self) -> bool:
        try:
            for text in (*self.keys(), *self.lines[len(self.spellings) :]):
                text.decode()
        except UnicodeDecodeError:
            return False
        return True

    def keys(self) -> Iterator[bytes]:
        """The keys, in order."""
        key = b""
        for line in self.lines[: len(self.spellings)]:
            key = key[: line[0] - LENGTH_BIAS] + line[1:]
            yield key

    def key(self, position: int) -> bytes:
        """One key. Reads backwards from its line until no byte at the front is missing."""
        key, missing = self.lines[position][1:], self.lines[position][0] - LENGTH_BIAS
        while missing:
            position -= 1
            line = self.lines[position]
            common = line[0] - LENGTH_BIAS
            if common < missing:
                key, missing = line[1 : missing - common + 1] + key, common
        return key

    def url(self, position: int, key: bytes) -> str:
        """The URL of the node at `position`, whose key is `key`."""
        spelling = self.spellings[position]
        if spelling != EXPLICIT:
            return spell(key.decode(), SPELLINGS[spelling])
        before = self.spellings[:position].count(EXPLICIT)
        return self.lines[len(self.spellings) + before].decode()


def spell(key: str, start: str) -> str:
    """The URL of a key: `it,unipd)/a` and `https://www.` give `https://www.unipd.it/a`."""
    host, _, rest = key.partition(")")
    return f"{start}{'.'.join(reversed(host.split(',')))}{rest}"


class UrlMap:
    """The names of the nodes 0 … len-1, in order of key."""

    def __init__(self, prefix: str | Path) -> None:
        """`prefix` is the path without the suffixes `.index` and `.blocks`."""
        self._index_path, self._data_path = Path(f"{prefix}.index"), Path(f"{prefix}.blocks")
        self._index, self._data = _mapped(self._index_path), _mapped(self._data_path)
        if self._index[:8] != MAGIC or len(self._index) < HEADER_BYTES:
            raise GraphError(f"{self._index_path} is not a URL map: it does not start with {MAGIC!r}.")
        self._n, self._per_block, dictionary, heads = memoryview(self._index)[8:HEADER_BYTES].cast("Q")
        if self._n > LAST_ID + 1 or not 0 < self._per_block <= MAX_URLS_PER_BLOCK:
            raise damaged(self._index_path, f"says {self._n} URLs in blocks of {self._per_block}")
        blocks = -(-self._n // self._per_block)
        table = HEADER_BYTES + dictionary + -dictionary % 8
        expected = table + 16 * (blocks + 1) + heads
        if len(self._index) != expected:
            raise damaged(self._index_path, f"has {len(self._index)} bytes, not the {expected} of its header")
        self._starts = memoryview(self._index)[table : table + 8 * (blocks + 1)].cast("Q")
        if self._starts[0] != 0 or self._starts[blocks] != len(self._data):
            raise damaged(self._data_path, f"has {len(self._data)} bytes, not {self._starts[blocks]}")
        self._head_starts = np.frombuffer(self._index, "<u8", blocks + 1, table + 8 * (blocks + 1))
        self._heads = np.frombuffer(self._index, np.uint8)[table + 16 * (blocks + 1) :]
        self._heads_checked = False
        self._decompressor = _decompressor(self._index[HEADER_BYTES : HEADER_BYTES + dictionary])
        self._raw = lru_cache(maxsize=256)(self._read)
        self._block = lru_cache(maxsize=256)(self._read_block)

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        size = len(self._index) + len(self._data)
        return f"<UrlMap of {self._n} URLs, {size / max(self._n, 1):.2f} bytes each>"

    def url(self, node: int) -> str:
        """The URL of a node."""
        block, key, position = self._locate(node)
        return block.url(position, key)

    def key(self, node: int) -> str:
        """The key of a node."""
        return self._locate(node)[1].decode()

    def id(self, url: str) -> int:
        """The node of a URL, in any spelling. KeyError if it is not in the map."""
        key = names.key(url)
        node = None if isinstance(key, Refusal) else self.find(key)
        if node is None:
            raise KeyError(url)
        return node

    def find(self, key: str) -> int | None:
        """The node of a key, or None."""
        node, found = self._lower_bound(key.encode())
        return node if found else None

    def __contains__(self, url: object) -> bool:
        key = names.key(url) if isinstance(url, str) else Refusal.INVALID
        return not isinstance(key, Refusal) and self.find(key) is not None

    def __iter__(self) -> Iterator[str]:
        """All URLs, in order of id."""
        return (url for _, url in self.items())

    def keys(self) -> Iterator[str]:
        """All keys, in order of id."""
        for number in range(len(self._starts) - 1):
            yield from map(bytes.decode, self._read_block(number).keys())

    def items(self, start: int = 0) -> Iterator[tuple[str, str]]:
        """(key, URL) of the nodes from `start`, in order."""
        for number in range(start // self._per_block, len(self._starts) - 1):
            block = self._read_block(number)
            for position, key in enumerate(block.keys()):
                if number * self._per_block + position >= start:
                    yield key.decode(), block.url(position, key)

    def prefix(self, prefix: str) -> range:
        """The nodes whose key starts with `prefix`."""
        if not prefix:
            return range(self._n)
        return self.between(prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1))

    def between(self, first: str, beyond: str) -> range:
        """The nodes whose key is at least `first` and less than `beyond`."""
        return range(self._lower_bound(first.encode())[0], self._lower_bound(beyond.encode())[0])

    def host(self, host: str) -> range:
        """The pages of a host, on all its ports: `www.unipd.it` and `unipd.it` are one."""
        return self.prefix(f"{_host_key(host)})")

    def domain(self, domain: str) -> range:
        """The pages of a domain and all its hosts. In a key `)` ends the domain's name and `,` continues it."""
        key = _host_key(domain)
        return self.between(f"{key})", f"{key}-")

    def directory(self, url: str) -> range:
        """The pages whose URL starts with this one."""
        key = names.key(url)
        if isinstance(key, Refusal):
            raise ValueError(f"{url!r} is not the URL of a directory")
        return self.prefix(key)

    def _read(self, number: int) -> bytes:
        start, end = self._starts[number], self._starts[number + 1]
        frame = self._data[start:end] if start <= end <= len(self._data) else b""
        try:
            if not 0 <= zstandard.frame_content_size(frame) <= MAX_BLOCK_BYTES:
                raise self._damaged_block(number)
            return self._decompressor.decompress(frame)
        except (zstandard.ZstdError, MemoryError):
            raise self._damaged_block(number) from None

    def _read_block(self, number: int) -> Block:
        block = Block.cut(self._read(number), self._nodes_in(number))
        if block is None:
            raise self._damaged_block(number)
        return block

    def _damaged_block(self, number: int) -> GraphError:
        return damaged(self._data_path, f"has no valid block {number}")

    def _nodes_in(self, number: int) -> int:
        return min(self._per_block, self._n - number * self._per_block)

    def _locate(self, node: int) -> tuple[Block, bytes, int]:
        try:
            node = operator.index(node)
        except TypeError:
            raise TypeError(
                f"{node!r} is not a node: expected a whole number from 0 to {self._n - 1}"
            ) from None
        if not 0 <= node < self._n:
            raise IndexError(f"node {node} of a map of {self._n} URLs: ids start at 0")
        number, position = divmod(node, self._per_block)
        block = self._block(number)
        return block, block.key(position), position

    def _lower_bound(self, key: bytes) -> tuple[int, bool]:
        """The first node whose key is not less than `key`, and whether it is equal."""
        from webgraph_it.graph import urlmap_kernels as kernels  # here, so that opening does not load numba

        if not self._heads_checked:
            self._check_heads()
        number = kernels.block_of(self._heads, self._head_starts, key)
        if number < 0:
            return 0, False
        position, found = kernels.lower_bound(self._raw(number), self._nodes_in(number), key)
        if position < 0:
            raise self._damaged_block(number)
        return number * self._per_block + position, found

    def _check_heads(self) -> None:
        """Checks once, before the first search, that heads neither run backwards nor leave the file."""
        starts = self._head_starts
        if starts[0] != 0 or starts[-1] != len(self._heads) or (starts[1:] < starts[:-1]).any():
            raise damaged(self._index_path, "has heads that overlap")
        self._heads_checked = True


def _host_key(host: str) -> str:
    key = names.key(f"http://{host}/")
    if isinstance(key, Refusal):
        raise ValueError(f"{host!r} is not the name of a host")
    return key.partition(")")[0]


def _mapped(path: Path) -> mmap.mmap | bytes:
    size = part_size(path)
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""


def _decompressor(dictionary: bytes) -> zstandard.ZstdDecompressor:
    trained = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    return zstandard.ZstdDecompressor(dict_data=trained)

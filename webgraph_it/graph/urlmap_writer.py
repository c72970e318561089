"""Writes the URL map that `urlmap` reads.

Keys and URLs come as Arrow-style string arrays (offsets and bytes), in order of key. Kernels front-code the blocks,
and several threads compress them. The same list gives the same bytes.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import zstandard

from webgraph_it.graph.compiled import compiled, inlined
from webgraph_it.graph.csr import Array
from webgraph_it.graph.urlmap_layout import (
    EXPLICIT,
    HEADER_BYTES,
    LENGTH_BIAS,
    MAGIC,
    MAX_COMMON,
    URLS_PER_BLOCK,
)

DICTIONARY_BYTES = 112 * 1024
SAMPLE_BLOCKS = 4000
FEWEST_SAMPLES = 100
"""With fewer blocks, a dictionary is larger than what it saves."""
LEVEL = 12


class Strings(NamedTuple):
    """Strings as Arrow keeps them: string i is data[offsets[i] : offsets[i+1]]."""

    offsets: Array
    data: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1


Batch = tuple[Strings, Strings]
"""Keys and URLs of a run of nodes. All but the last have a multiple of URLS_PER_BLOCK nodes."""


class FrontCoded(NamedTuple):
    """The blocks of a batch before compression, and their heads for the index."""

    blocks: list[bytes]
    heads: list[bytes]
    last_key: bytes


def write_url_map(
    prefix: Path, batches: Callable[[], Iterator[Batch]], samples: Sequence[Batch], threads: int
) -> int:
    """Write PREFIX.blocks and PREFIX.index. Returns the number of URLs. `samples` train the dictionary."""
    dictionary = _dictionary([block for batch in samples for block in front_code(batch, b"").blocks])
    starts, heads, nodes, last_key = [0], [], 0, b""
    with Path(f"{prefix}.blocks").open("wb") as file, ThreadPoolExecutor(threads) as pool:
        for batch in batches():
            coded = front_code(batch, last_key)
            for block in pool.map(_compress, _pieces(coded.blocks, threads), [dictionary] * threads):
                file.write(b"".join(block))
                starts.extend((starts[-1] + np.cumsum([len(b) for b in block])).tolist())
            heads.extend(coded.heads)
            nodes, last_key = nodes + len(batch[0]), coded.last_key
    Path(f"{prefix}.index").write_bytes(_index(nodes, dictionary, starts, heads))
    return nodes


def front_code(batch: Batch, previous_key: bytes) -> FrontCoded:
    """The blocks of a batch, front-coded. `previous_key` is the key of the node before it."""
    keys, urls = batch
    room = len(keys.data) + len(urls.data) + 3 * len(keys) + 1
    out = np.empty(room, np.uint8)
    block_ends = np.empty(-(-len(keys) // URLS_PER_BLOCK), np.int64)
    common = np.empty(len(block_ends), np.int64)
    _front_code(keys.offsets, keys.data, urls.offsets, urls.data, out, block_ends, common, URLS_PER_BLOCK)
    coded = out[: block_ends[-1] if len(block_ends) else 0].tobytes()
    bounds = [0, *block_ends.tolist()]
    blocks = [coded[a:b] for a, b in pairwise(bounds)]
    firsts = [_string(keys, node) for node in range(0, len(keys), URLS_PER_BLOCK)]
    heads = [first[: length + 1] for first, length in zip(firsts, common.tolist(), strict=True)]
    if firsts:
        heads[0] = _separator(previous_key, firsts[0])
    return FrontCoded(blocks, heads, _string(keys, len(keys) - 1) if firsts else previous_key)


def _string(strings: Strings, position: int) -> bytes:
    start, stop = int(strings.offsets[position]), int(strings.offsets[position + 1])
    return strings.data[start:stop].tobytes()


def _separator(before: bytes, after: bytes) -> bytes:
    common = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    return after[: common + 1]


def _dictionary(samples: list[bytes]) -> zstandard.ZstdCompressionDict | None:
    if len(samples) < FEWEST_SAMPLES:
        return None
    size = min(DICTIONARY_BYTES, max(sum(map(len, samples)) // 20, 1024))
    return zstandard.train_dictionary(size, list(samples), level=LEVEL)


def _pieces(blocks: list[bytes], count: int) -> list[list[bytes]]:
    size = max(-(-len(blocks) // count), 1)
    return [blocks[i : i + size] for i in range(0, len(blocks), size)]


def _compress(blocks: list[bytes], dictionary: zstandard.ZstdCompressionDict | None) -> list[bytes]:
    parameters = zstandard.ZstdCompressionParameters.from_level(
        LEVEL, write_content_size=True, write_checksum=False, write_dict_id=False
    )
    compressor = zstandard.ZstdCompressor(dict_data=dictionary, compression_params=parameters)
    return [compressor.compress(block) for block in blocks]


def _index(
    nodes: int, dictionary: zstandard.ZstdCompressionDict | None, starts: list[int], heads: list[bytes]
) -> bytes:
    trained = b"" if dictionary is None else dictionary.as_bytes()
    padding = b"\0" * (-len(trained) % 8)
    joined = b"".join(heads)
    head_starts = np.concatenate([[0], np.cumsum([len(h) for h in heads])]).astype("<u8")
    header = MAGIC + struct.pack("<4Q", nodes, URLS_PER_BLOCK, len(trained), len(joined))
    assert len(header) == HEADER_BYTES
    return header + trained + padding + np.array(starts, "<u8").tobytes() + head_starts.tobytes() + joined


# -- kernels ------------------------------------------------------------------------------------------------


@compiled
def _front_code(
    key_ends: Array,
    keys: Array,
    url_ends: Array,
    urls: Array,
    out: Array,
    block_ends: Array,
    common: Array,
    per_block: int,
) -> None:
    """Front-code all blocks into `out`. common[b] is how many bytes the first key of b shares with the one before."""
    at = 0
    nodes = len(key_ends) - 1
    for block in range(len(block_ends)):
        first = block * per_block
        beyond = min(first + per_block, nodes)
        spellings = at
        at += beyond - first
        for node in range(first, beyond):
            shared = _shared(keys, key_ends, node) if node > 0 else 0
            if node == first:
                common[block] = shared
                shared = 0
            shared = min(shared, MAX_COMMON)
            out[at] = LENGTH_BIAS + shared
            at += 1
            for i in range(key_ends[node] + shared, key_ends[node + 1]):
                out[at] = keys[i]
                at += 1
            out[at] = 10
            at += 1
            out[spellings + node - first] = _spelling(
                keys[key_ends[node] : key_ends[node + 1]], urls[url_ends[node] : url_ends[node + 1]]
            )
        for node in range(first, beyond):
            if out[spellings + node - first] == EXPLICIT:
                for i in range(url_ends[node], url_ends[node + 1]):
                    out[at] = urls[i]
                    at += 1
                out[at] = 10
                at += 1
        block_ends[block] = at


@inlined
def _shared(keys: Array, ends: Array, node: int) -> int:
    """Number of bytes that a key shares with the one before it."""
    before, this, beyond = ends[node - 1], ends[node], ends[node + 1]
    most = min(this - before, beyond - this)
    for i in range(most):
        if keys[before + i] != keys[this + i]:
            return int(i)
    return int(most)


@inlined
def _spelling(key: Array, url: Array) -> int:
    """The spelling byte of a URL whose key is `key`."""
    if len(url) < 9 or url[0] != 104 or url[3] != 112:
        return EXPLICIT
    secure = 1 if url[4] == 115 else 0
    start = 7 + secure
    plain = _is_spelled(key, url, start)
    if plain:
        return 48 + secure
    www = url[start] == 119 and url[start + 1] == 119 and len(url) > start + 4 and url[start + 3] == 46
    if www and _is_spelled(key, url, start + 4):
        return 50 + secure
    return EXPLICIT


@inlined
def _is_spelled(key: Array, url: Array, start: int) -> bool:
    """Whether url[start:] is the key with its host reversed."""
    host = 0
    while host < len(key) and key[host] != 41:
        host += 1
    if len(url) - start != len(key) - 1:
        return False
    for i in range(host + 1, len(key)):
        if key[i] != url[start + i - 1]:
            return False
    at = start
    end = host
    while end > 0:
        begin = end
        while begin > 0 and key[begin - 1] != 44:
            begin -= 1
        for i in range(begin, end):
            if url[at] != key[i]:
                return False
            at += 1
        if begin > 0:
            if url[at] != 46:
                return False
            at += 1
        end = begin - 1
    return True

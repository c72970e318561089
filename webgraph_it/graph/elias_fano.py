"""`BASE.ef`: the position of each record of a BV graph, in the format of PyPI's `webgraph` (in Rust).

That reader cannot open a graph without it. The file is the memory image of a Rust value, as ε-serde writes it. Numbers
are little-endian u64. Arrays are their length, zeros up to a multiple of 8 bytes of the file, and the words.

    header     `epserde `, u16 2, u16 0 (its version), u8 8 (bytes of a word), TYPE_HASH, LAYOUT_HASH, length and
               TYPE_NAME
    numbers    n = nodes + 1, u = bits of BASE.graph, l, the first and the last position
    low bits   array: the low l bits of each position, one after another from the lowest bit, and a word of zeros;
               l, 2^l - 1, n
    high bits  array: bit (position >> l) + i is set for position i; number of bits
    inventory  array: for each 2048 set bits the place of the first one and 8 words (below); number of high bits
    spill      array: what does not fit into those words

The 8 words hold the distances from the first of the 2048 to every 64th as u16. If the 2048 take more than 2^16 bits,
bit 63 of the place is set, and the words are an index into the spill and 14 u32. The other u32 are in the spill. They
are the distances to every 2^max(0, 6 - log2(span >> 15) - 1)th.

The hashes name the type. They are those of `webgraph` 0.2 on PyPI, whose error message prints them. Versions 0.1
expect others and refuse the file. Later versions may, too. Nothing else reads the file.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from webgraph_it.graph import bv_kernels
from webgraph_it.graph.compiled import compiled
from webgraph_it.graph.csr import Array

TYPE_NAME = (
    b"sux::dict::elias_fano::EliasFano<u64, sux::rank_sel::select_adapt_const::SelectAdaptConst<"
    b"sux::bits::bit_vec::BitVec<alloc::boxed::Box<[usize]>>, alloc::boxed::Box<[usize]>, 11, 3>, "
    b"sux::bits::bit_field_vec::BitFieldVecU<alloc::boxed::Box<[u64]>>>"
)
TYPE_HASH = bytes.fromhex("2104224edfab29a9b7f197f9bc1e1f0893fe9a213877443ffefcdd3047a04395")
LAYOUT_HASH = bytes.fromhex("ffb987f6d9bb2fd34b4936c9086e280208ec2ab94322eb39081763e18788cd18")
WORD = np.dtype("<u8")
GROUP = 2048
"""Set bits per entry of the inventory."""
STEP_16 = 64
"""Set bits per u16 of an entry: 32 of them in 8 words."""
LOCAL_32 = 14
"""u32 in the 7 words that are left after the index into the spill."""
LONG = 1 << 63
LONGEST_SPAN = 1 << 32
POSITIONS_AT_A_TIME = 128 * GROUP
GAMMA_BYTES = 16
"""Maximum number of bits of one code."""


def write_ef(base: Path, nodes: int) -> None:
    """Write BASE.ef from BASE.graph and BASE.offsets. Memory: an eighth of a byte per node, and file pages."""
    count, bits = nodes + 1, 8 * Path(f"{base}.graph").stat().st_size
    low_width = max((bits // count).bit_length() - 1, 0)
    high_length = count + (bits >> low_width) + 1
    index = _Index(high_length)
    with Path(f"{base}.ef").open("w+b") as file:
        file.write(b"epserde \x02\0\0\0\x08" + TYPE_HASH + LAYOUT_HASH + _words(len(TYPE_NAME)) + TYPE_NAME)
        file.write(_words(count, bits, low_width))
        ends = file.tell()
        file.write(_words(0, 0))
        low = _room(file, -(-count * low_width // 64) + 1)
        file.write(_words(low_width, (1 << low_width) - 1, count))
        high = _room(file, -(-high_length // 64))
        file.write(_words(high_length))
        first = 0
        for positions in _positions(Path(f"{base}.offsets"), count):
            own = positions[:POSITIONS_AT_A_TIME]
            _put(own, first, low_width, low, high)
            index.add((positions >> low_width) + np.arange(first, first + len(positions)))
            first += len(own)
        low.flush()
        high.flush()
        for words in (index.inventory(), index.spill):
            _align(file, sum(map(len, words)))
            file.writelines(array.data for array in words)
        file.seek(ends + 8)
        file.write(_words(int(own[-1])))


class _Index:
    """The inventory and the spill, one group of set bits after another."""

    def __init__(self, high_length: int) -> None:
        self.spill: list[Array] = []
        self._entries: list[Array] = []
        self._spilled = 0
        self._high_length = high_length

    def add(self, places: Array) -> None:
        """Index the set bits at these places: whole groups and the place after, or the last of all."""
        beyond = int(places[-1]) if len(places) > POSITIONS_AT_A_TIME else self._high_length
        places = places[:POSITIONS_AT_A_TIME]
        for start in range(0, len(places), GROUP):
            group = places[start : start + GROUP]
            end = int(places[start + GROUP]) if start + GROUP < len(places) else beyond
            self._entries.append(self._entry(group - group[0], int(group[0]), end - int(group[0])))

    def inventory(self) -> list[Array]:
        return [*self._entries, np.array([self._high_length], WORD)]

    def _entry(self, distances: Array, place: int, span: int) -> Array:
        entry = np.zeros(9, WORD)
        entry[0] = place
        if span <= 1 << 16:
            sampled = distances[::STEP_16]
            entry[1:].view("<u2")[: len(sampled)] = sampled
            return entry
        if span > LONGEST_SPAN:
            raise ValueError(f"the records of {GROUP} nodes take {span} units, too many for an .ef file")
        sampled = distances[:: 1 << max(0, 6 - (span >> 15).bit_length())]
        entry[0] |= np.uint64(LONG)
        entry[1] = self._spilled
        entry[2:].view("<u4")[: len(sampled[:LOCAL_32])] = sampled[:LOCAL_32]
        rest = sampled[LOCAL_32:].astype("<u4")
        words = np.concatenate([rest, np.zeros(len(rest) % 2, "<u4")]).view(WORD)
        self.spill.append(words)
        self._spilled += len(words)
        return entry


def _positions(path: Path, count: int) -> Iterator[Array]:
    """The positions in `path`, POSITIONS_AT_A_TIME and the one after them at a time."""
    at, last = 0, 0
    with path.open("rb") as file:
        for first in range(0, count, POSITIONS_AT_A_TIME):
            wanted = min(POSITIONS_AT_A_TIME + 1, count - first)
            codes = np.zeros((wanted + 1) * GAMMA_BYTES, np.uint8)
            file.seek(at // 8)
            file.readinto(codes.data[: wanted * GAMMA_BYTES])
            differences = np.empty(wanted, np.int64)
            own, after = np.split(differences, [POSITIONS_AT_A_TIME])
            begin = at % 8
            end = bv_kernels.get_gammas(codes, begin, own)
            bv_kernels.get_gammas(codes, end, after)
            yield last + np.cumsum(differences)
            last, at = last + int(own.sum()), at + end - begin


def _words(*values: int) -> bytes:
    return np.array(values, WORD).tobytes()


def _align(file: BinaryIO, length: int) -> None:
    file.write(_words(length))
    file.write(b"\0" * (-file.tell() % 8))


def _room(file: BinaryIO, words: int) -> "np.memmap[tuple[int], np.dtype[np.uint64]]":
    """An array of zeros in the file, mapped. The file continues after it."""
    _align(file, words)
    start = file.tell()
    file.truncate(start + 8 * words)
    array = np.memmap(file, WORD, "r+", start, (words,))
    file.seek(start + 8 * words)
    return array


@compiled
def _put(positions: Array, first: int, low_width: int, low: Array, high: Array) -> None:
    """Set the low and high bits of the positions first, first + 1, …"""
    mask = (np.uint64(1) << np.uint64(low_width)) - np.uint64(1)
    for i in range(len(positions)):
        position, number = np.uint64(positions[i]), first + i
        place = np.uint64(position >> np.uint64(low_width)) + np.uint64(number)
        high[place >> np.uint64(6)] |= np.uint64(1) << (place & np.uint64(63))
        value, bit = position & mask, number * low_width
        word, shift = bit >> 6, np.uint64(bit & 63)
        low[word] |= value << shift
        if shift + np.uint64(low_width) > np.uint64(64):
            low[word + 1] |= value >> (np.uint64(64) - shift)

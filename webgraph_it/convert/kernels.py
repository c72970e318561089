"""The inner loops of convert: digests of keys, the digest index, sequences of ids, lists, groups.

Pure functions of arrays. A sequence is what g4 holds: 32-bit ids, FLAG set for a parent, clear for its
children.
"""

from typing import Any

import numpy as np

from webgraph_it.graph.compiled import LANES, compiled, count_smaller, inlined, signed
from webgraph_it.graph.csr import Array

FLAG = 1 << 31
UNKNOWN = 0xFFFFFFFF
"""Not an id: a parent's flag and 2^31-1, which is beyond the last id."""
BATCH = 128
"""Number of digests looked up side by side."""
SHORT = 384
"""Lists up to this length are sorted by counting."""

# -- MD5 of many short keys (hashlib costs a microsecond of interpreter for each) --------------------------

_SHIFTS = np.array(
    [7, 12, 17, 22] * 4 + [5, 9, 14, 20] * 4 + [4, 11, 16, 23] * 4 + [6, 10, 15, 21] * 4, np.uint32
)
_SINES = np.floor(np.abs(np.sin(np.arange(1, 65, dtype=np.float64))) * 2.0**32).astype(np.uint32)


@inlined
def _md5_turn(b: int, sum_: int, left: int) -> int:
    turned = np.uint32(sum_)
    return np.uint32(b + np.uint32((turned << np.uint32(left)) | (turned >> np.uint32(32 - left))))  # type: ignore


@inlined
def _md5_block(state: Array, words: Array) -> None:
    """One block of MD5 (RFC 1321): four times sixteen steps."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    for i in range(16):
        a, b, c, d = d, _md5_turn(b, ((b & c) | (~b & d)) + a + _SINES[i] + words[i], _SHIFTS[i]), b, c
    for i in range(16, 32):
        a, b, c, d = (
            d, _md5_turn(b, ((d & b) | (~d & c)) + a + _SINES[i] + words[(5 * i + 1) & 15], _SHIFTS[i]), b, c
        )  # fmt: skip
    for i in range(32, 48):
        a, b, c, d = d, _md5_turn(b, (b ^ c ^ d) + a + _SINES[i] + words[(3 * i + 5) & 15], _SHIFTS[i]), b, c
    for i in range(48, 64):
        a, b, c, d = d, _md5_turn(b, (c ^ (b | ~d)) + a + _SINES[i] + words[(7 * i) & 15], _SHIFTS[i]), b, c
    state[0] += a
    state[1] += b
    state[2] += c
    state[3] += d


@compiled
def digests(offsets: Array, data: Array, out: Array) -> None:
    """The node digest of each key, as bytes: MD5 with the first bit cleared (urls.names.digest)."""
    block = np.zeros(64, np.uint8)
    words = block.view(np.uint32)
    state = np.empty(4, np.uint32)
    for row in range(len(offsets) - 1):
        start, length = signed(offsets[row]), signed(offsets[row + 1]) - signed(offsets[row])
        state[0], state[1], state[2], state[3] = 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476
        for at in range(0, length + 9, 64):
            for i in range(64):
                position = at + i
                if position < length:
                    block[i] = data[start + position]
                else:
                    block[i] = 0x80 if position == length else 0
            if at + 64 >= length + 9:
                words[14] = (length << 3) & 0xFFFFFFFF
                words[15] = length >> 29
            _md5_block(state, words)
        out[row] = state.view(np.uint8)
        out[row, 0] &= 0x7F


@compiled
def new_hosts(offsets: Array, data: Array, out: Array) -> None:
    """out[i] = length of key i's host, `)` excluded, if the key before it has another host; else 0."""
    for row in range(len(offsets) - 1):
        start, beyond = signed(offsets[row]), signed(offsets[row + 1])
        before = signed(offsets[row - 1]) if row else beyond
        length = 0
        same = row > 0
        while start + length < beyond and data[start + length] != 41:
            same = same and before + length < start and data[before + length] == data[start + length]
            length += 1
        same = same and before + length < start and data[before + length] == 41
        out[row] = 0 if same else length


# -- the digest index ----------------------------------------------------------------------------------------
# A digest is two little-endian words. The top bits of the second choose a bucket. The first, without the
# parent's bit, is compared. Buckets and tags are uniform because MD5 is.

PARENT_BIT_OF_WORD = 0x80


@compiled
def count_buckets(words: Array, shift: int, first: int, ends: Array) -> None:
    """ends[b+1] += digests in bucket first+b."""
    for i in range(len(words)):
        bucket = signed(words[i, 1] >> np.uint64(shift)) - first
        if 0 <= bucket < len(ends) - 1:
            ends[bucket + 1] += np.uint32(1)


@compiled
def fill_buckets(words: Array, base: int, shift: int, first: int, ends: Array, entries: Array) -> None:
    """Put tags and ids in place. ends[b] is the next free place of bucket b, and at the end the start of b+1.

    An entry is three 32-bit numbers side by side, so that a lookup waits for memory once: tag (low, high), id.
    Two rows of `entries` stay free after the last, because a lookup always reads two.
    """
    for i in range(len(words)):
        bucket = signed(words[i, 1] >> np.uint64(shift)) - first
        if 0 <= bucket < len(ends) - 1:
            place = signed(ends[bucket])
            ends[bucket] += np.uint32(1)
            tag = words[i, 0] & ~np.uint64(PARENT_BIT_OF_WORD)
            entries[place, 0] = np.uint32(tag & np.uint64(0xFFFFFFFF))
            entries[place, 1] = np.uint32(tag >> np.uint64(32))
            entries[place, 2] = base + i


@compiled
def twin(starts: Array, entries: Array) -> tuple[int, int]:
    """Two ids whose digests the index cannot tell apart, or (-1, -1)."""
    for bucket in range(len(starts) - 1):
        for i in range(signed(starts[bucket]), signed(starts[bucket + 1])):
            for j in range(i + 1, signed(starts[bucket + 1])):
                if entries[i, 0] == entries[j, 0] and entries[i, 1] == entries[j, 1]:
                    return signed(entries[i, 2]), signed(entries[j, 2])
    return -1, -1


@compiled
def look_up(words: Array, shift: int, first: int, starts: Array, entries: Array, out: Array) -> None:
    """Replace digests by ids, with parents flagged. Digests that are not in this part of the index stay as they are.

    Works in batches and almost without branches, so that the processor waits for many lookups at once. First come
    all buckets of the batch, then the first two entries of each, then the few digests that are further back.
    The second entry may belong to the next bucket. A known digest never matches it. An unknown one matches it with
    a probability of 2^-63.
    """
    bits, below, beyond = np.uint64(shift), np.uint64(first), np.uint64(len(starts) - 1)
    begins = np.empty(BATCH, np.uint32)
    rest, before = np.empty(BATCH, np.uint32), np.empty(BATCH, np.uint32)
    for base in range(0, len(words), BATCH):
        some, found = words[base : base + BATCH], out[base : base + BATCH]
        for i in range(len(some)):
            begins[i] = starts[min(np.uint64(some[i, 1] >> bits) - below, beyond)]  # below 0 wraps round
        left = 0
        for i in range(len(some)):
            tag, place = some[i, 0] & ~np.uint64(PARENT_BIT_OF_WORD), np.uint64(begins[i])
            one = _tag(entries, place) == tag
            two = _tag(entries, place + np.uint64(1)) == tag
            rest[left], before[left] = i, found[i]
            left += signed(not (one | two))
            found[i] = entries[place if one else place + np.uint64(1), 2] | _flag(some[i, 0])
        for again in range(left):
            i = rest[again]
            found[i] = before[again]
            tag, bucket = some[i, 0] & ~np.uint64(PARENT_BIT_OF_WORD), np.uint64(some[i, 1] >> bits) - below
            end = signed(starts[min(bucket, beyond - np.uint64(1)) + np.uint64(1)])
            for further in range(signed(begins[i]) + 2, end):
                if _tag(entries, further) == tag:
                    found[i] = entries[further, 2] | _flag(some[i, 0])
                    break


@inlined
def _tag(entries: Array, place: Any) -> int:
    return np.uint64(entries[place, 0]) | np.uint64(entries[place, 1]) << np.uint64(32)  # type: ignore


@inlined
def _flag(word: int) -> int:
    """Moves the first bit of a digest to the first bit of an id."""
    return np.uint32((word & np.uint64(PARENT_BIT_OF_WORD)) << np.uint64(24))  # type: ignore


# -- sequences -----------------------------------------------------------------------------------------------


@compiled
def partition_sequences(values: Array, width: int, counts: Array, out: Array) -> tuple[int, int]:
    """Group whole sequences by their parent's id // width, in order. counts[g+1] becomes the size of group g.

    Values before the first parent come first: counts[0] is their number. Returns (group of the last parent or -1,
    parents).
    """
    group, parents, begun = -1, 0, 0
    for i in range(len(values)):
        if values[i] & np.uint32(FLAG):
            counts[group + 1] += i - begun
            group, begun, parents = signed(values[i] & np.uint32(FLAG - 1)) // width, i, parents + 1
    counts[group + 1] += len(values) - begun
    places = np.cumsum(counts) - counts
    place = 0
    group = -1
    for value in values:
        if value & np.uint32(FLAG):
            places[group + 1] = place
            group = signed(value & np.uint32(FLAG - 1)) // width
            place = places[group + 1]
        out[place] = value
        place += 1
    return group, parents


@compiled
def select(
    values: Array, low: int, high: int, by_parent: bool, keeping: bool, out: Array
) -> tuple[int, bool]:
    """Copy the sequences of parents low … high-1. Without `by_parent`, copy all parents, and the children in
    that range.

    `keeping` says whether the last parent before these values was kept. Returns (values copied, keeping).
    """
    count = 0
    for value in values:
        flagged = value & np.uint32(FLAG) != 0
        inside = low <= signed(value & np.uint32(FLAG - 1)) < high
        if by_parent:
            keeping = inside if flagged else keeping
        if keeping if by_parent else (flagged or inside):
            out[count] = value
            count += 1
    return count, keeping


@compiled
def rows_of(values: Array, low: int, parents: Array, degrees: Array, out: Array) -> tuple[int, int, int]:
    """The lists of parents low, low+1 … from sequences in any order. Each list is sorted and has each target once.
    The last sequence of a parent counts. Returns (arcs, sequences replaced by a later one, targets repeated
    within a list)."""
    begins, ends = np.full(len(parents), -1, np.int64), np.empty(len(parents), np.int64)
    copy, ranks = np.empty(SHORT + LANES, np.uint32), np.empty(SHORT + LANES, np.uint32)
    replaced, repeated, at, row = 0, 0, 0, -1
    for i in range(len(values)):
        if values[i] & np.uint32(FLAG):
            if row >= 0:
                ends[row] = i
            row = signed(values[i] & np.uint32(FLAG - 1)) - low
            row = row if row < len(parents) else -1
            if row >= 0:
                replaced += 1 if begins[row] >= 0 else 0
                begins[row] = i + 1
    if row >= 0:
        ends[row] = len(values)
    for row in range(len(parents)):
        degrees[row] = 0
        parents[row] = begins[row] >= 0
        if begins[row] >= 0:
            some = values[begins[row] : ends[row]]
            degrees[row] = _sort_unique(some, out[at : at + len(some)], copy, ranks)
            repeated += len(some) - degrees[row]
            at += degrees[row]
    return at, replaced, repeated


@inlined
def _sort_unique(values: Array, out: Array, copy: Array, ranks: Array) -> int:
    """Sort ids into `out` and drop duplicates. Returns how many are left.

    For a short list, the place of each value is the number of smaller ones. The processor compares eight at a time,
    and there is no branch to predict. Equal values get the same place and leave gaps after it.
    """
    count, kept = len(values), 0
    if count > SHORT:
        out[:] = values
        out.sort()
        for i in range(count):
            if i == 0 or out[i] != out[kept - 1]:
                out[kept] = out[i]
                kept += 1
        return kept
    copy[:count] = values
    out[:] = np.uint32(UNKNOWN)
    for first in range(0, count, LANES):
        count_smaller(copy, count, first, ranks)
    for i in range(count):
        out[ranks[i]] = copy[i]
    for i in range(count):
        value = out[i]
        out[kept] = value
        kept += signed(value != np.uint32(UNKNOWN))
    return kept


@compiled
def to_sequences(offsets: Array, targets: Array, first: int, parents: Array, out: Array) -> int:
    """The lists of nodes first, first+1 … as sequences (g4), for parents only. Returns the length."""
    at = 0
    for row in range(len(offsets) - 1):
        if parents[row]:
            out[at] = np.uint32(first + row) | np.uint32(FLAG)
            at += 1
            for arc in range(offsets[row], offsets[row + 1]):
                out[at] = targets[arc]
                at += 1
    return at


@compiled
def split_by_target(
    offsets: Array, targets: Array, first: int, width: int, counts: Array, out: Array
) -> None:
    """Sequences (source, targets) grouped by target // width: the first half of transposing."""
    for arc_pass in range(2):
        places = np.cumsum(counts) - counts
        for row in range(len(offsets) - 1):
            group = -1
            for arc in range(offsets[row], offsets[row + 1]):
                target = targets[arc]
                if signed(target) // width != group:
                    group = signed(target) // width
                    if arc_pass == 0:
                        counts[group] += 1
                    else:
                        out[places[group]] = np.uint32(first + row) | np.uint32(FLAG)
                        places[group] += 1
                if arc_pass == 0:
                    counts[group] += 1
                else:
                    out[places[group]] = target
                    places[group] += 1


@compiled
def turn_round(values: Array, low: int, degrees: Array, out: Array) -> int:
    """The sources of targets low, low+1 … from sequences ordered by source. Returns the number of arcs."""
    for value in values:
        row = signed(value) - low
        if not value & np.uint32(FLAG) and 0 <= row < len(degrees):
            degrees[row] += 1
    places = np.cumsum(degrees) - degrees
    source = np.uint32(0)
    for value in values:
        row = signed(value) - low
        if value & np.uint32(FLAG):
            source = value & np.uint32(FLAG - 1)
        elif 0 <= row < len(degrees):
            out[places[row]] = source
            places[row] += 1
    return signed(places[-1]) if len(places) else 0


# -- groups: hosts and domains are ranges of ids -----------------------------------------------------------


@inlined
def _group_of(node: int, firsts: Array, coarse: Array) -> int:
    """The group of a node. Groups start at `firsts`. coarse[b] is the group of node 256 b."""
    low = signed(coarse[node >> 8])
    high = signed(coarse[(node >> 8) + 1]) if (node >> 8) + 1 < len(coarse) else len(firsts) - 1
    while low < high:
        middle = (low + high + 1) >> 1
        if signed(firsts[middle]) <= node:
            low = middle
        else:
            high = middle - 1
    return low


@compiled
def add_links(
    targets: Array, weights: Array, firsts: Array, coarse: Array, totals: Array, touched: Array, count: int
) -> int:
    """Add the links of one source group: totals[g] += weight (1 without weights). touched[:count] lists the
    groups with a total. Returns the new count."""
    for arc in range(len(targets)):
        group = _group_of(signed(targets[arc]), firsts, coarse)
        if totals[group] == 0:
            touched[count] = group
            count += 1
        totals[group] += np.uint64(weights[arc]) if len(weights) else np.uint64(1)
    return count


@compiled
def take_links(totals: Array, touched: Array, count: int, groups: Array, weights: Array) -> None:
    """Move the totals of one source group out, in order of target group. A weight stops at 2^32-1."""
    touched[:count].sort()
    for i in range(count):
        group = signed(touched[i])
        groups[i] = group
        weights[i] = min(totals[group], np.uint64(0xFFFFFFFF))
        totals[group] = np.uint64(0)

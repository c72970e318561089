"""The bits of the BV format: kernels that choose references, write records and read them (see `bv`).

Pure functions of arrays. Positions are in bits from the start of a buffer, most significant bit first.
Writers OR into a zeroed buffer, so that two of them can share a byte. Readers trust nothing. Beyond the data there
are zeros. A code that is too long, or runs over the end, gives 0 and the position BROKEN. Every further code from
there gives the same. Loops that such a code could keep running check the position.

Longer than 400 lines because the writer and the reader of one format are side by side, code by code.
"""

from typing import Any

import numpy as np

from webgraph_it.graph.compiled import compiled, inlined, leading_zeros, signed
from webgraph_it.graph.csr import Array

BROKEN = 1 << 62
LONGEST_CODE = 55
"""Maximum number of bits after the unary part of a code, so that they fit into one window."""

# -- codes --------------------------------------------------------------------------------------------------


@inlined
def log2(value: int) -> int:
    """floor(log2(value)) of a positive number."""
    return 63 - signed(leading_zeros(np.uint64(value)))


@inlined
def natural(value: int) -> int:
    """0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 …"""
    return 2 * value if value >= 0 else -2 * value - 1


@inlined
def integer(value: int) -> int:
    """The inverse of `natural`."""
    return value >> 1 if value & 1 == 0 else -((value + 1) >> 1)


@inlined
def gamma_bits(value: int) -> int:
    return 2 * log2(value + 1) + 1


@inlined
def zeta_bits(value: int, k: int) -> int:
    h = log2(value + 1) // k
    low = value + 1 - (1 << (h * k))
    return h + 1 + h * k + k - (1 if low < (1 << (h * k)) else 0)


@inlined
def put(buffer: Array, position: int, value: int, bits: int) -> int:
    """Write the low `bits` bits of value (at most 56). Returns the position after them."""
    end = position + bits
    last = (end - 1) >> 3
    shifted = np.uint64(value) << np.uint64((-end) & 7)
    for byte in range(last, (position >> 3) - 1, -1):
        buffer[byte] |= np.uint8(shifted & np.uint64(0xFF))
        shifted >>= np.uint64(8)
    return end


@inlined
def put_gamma(buffer: Array, position: int, value: int) -> int:
    m = log2(value + 1)
    if m < 28:
        return put(buffer, position, value + 1, 2 * m + 1)
    return put(buffer, position + m, value + 1, m + 1)


@inlined
def put_zeta(buffer: Array, position: int, value: int, k: int) -> int:
    v = value + 1
    h = log2(v) // k
    left = 1 << (h * k)
    position = put(buffer, position + h, 1, 1)
    if v - left < left:
        return put(buffer, position, v - left, h * k + k - 1) if h * k + k > 1 else position
    return put(buffer, position, v, h * k + k)


@inlined
def window_at(data: Array, position: int) -> Any:
    """At least 57 bits from `position`, at the top of a 64-bit word. Zeros beyond the data and its padding."""
    byte = position >> 3
    if byte < 0 or byte + 8 > len(data):
        return np.uint64(0)
    word = np.uint64(0)
    for i in range(8):
        word = (word << np.uint64(8)) | np.uint64(data[byte + i])
    return word << np.uint64(position & 7)


@inlined
def get(data: Array, position: int, bits: int) -> int:
    if bits == 0:
        return 0
    return signed(window_at(data, position) >> np.uint64(64 - bits))


@inlined
def get_unary(data: Array, position: int) -> int:
    zeros = 0
    while True:
        run = signed(leading_zeros(window_at(data, position + zeros)))
        if run < 57 or position + zeros > 8 * len(data):
            return zeros + run
        zeros += 57


@inlined
def get_gamma(data: Array, position: int) -> tuple[int, int]:
    """(value, position after it)."""
    m = get_unary(data, position)
    end = position + 2 * m + 1
    if m > LONGEST_CODE or position < 0 or end > 8 * len(data):
        return 0, BROKEN
    return (1 << m) + get(data, position + m + 1, m) - 1, end


@inlined
def get_zeta(data: Array, position: int, k: int) -> tuple[int, int]:
    h = get_unary(data, position)
    bits = h * k + k - 1
    if bits >= LONGEST_CODE or position < 0 or position + h + bits + 2 > 8 * len(data):
        return 0, BROKEN
    position += h + 1
    left = 1 << (h * k)
    value = get(data, position, bits)
    if value < left:
        return value + left - 1, position + bits
    return get(data, position, bits + 1) - 1, position + bits + 1


@compiled
def put_gammas(buffer: Array, position: int, values: Array) -> int:
    """Write values one after another as gamma codes."""
    for value in values:
        position = put_gamma(buffer, position, signed(value))
    return position


@compiled
def put_words(buffer: Array, position: int, values: Array, bits: int) -> int:
    """Write the low bits of the values one after another."""
    for value in values:
        position = put(buffer, position, value, bits)
    return position


@compiled
def get_gammas(data: Array, position: int, out: Array) -> int:
    """Read len(out) gamma codes into `out`. Returns the position after them, BROKEN if they are damaged."""
    for i in range(len(out)):
        out[i], position = get_gamma(data, position)
    return position


# -- writing ------------------------------------------------------------------------------------------------


@inlined
def split_copied(
    targets: Array, a: int, a_end: int, b: int, b_end: int, blocks: Array, extras: Array
) -> tuple[int, int]:
    """Divide targets[a:a_end] into blocks copied from the reference list targets[b:b_end], and extras.

    Returns the number of both. The last block is implicit and not counted. There are no branches, because which of
    the two lists continues cannot be predicted. Values that are not needed are overwritten.
    """
    count, rest, length, copying = 0, 0, 0, 1
    while a < a_end and b < b_end:
        one, other = targets[a], targets[b]
        low, high = signed(one <= other), signed(one >= other)
        both = low & high
        turns = high & (both ^ copying)
        blocks[count], extras[rest] = length, one
        count += turns
        rest += low - both
        length = (length & (turns - 1)) + high
        copying ^= turns
        a += low
        b += high
    if copying and b < b_end:
        blocks[count] = length
        count += 1
    while a < a_end:
        extras[rest] = targets[a]
        rest += 1
        a += 1
    return count, rest


@inlined
def blocks_bits(blocks: Array, count: int) -> int:
    bits = gamma_bits(count)
    for i in range(count):
        bits += gamma_bits(signed(blocks[i]) - (1 if i else 0))
    return bits


@inlined
def run_length(extras: Array, count: int, i: int) -> int:
    """How many consecutive numbers start at extras[i]."""
    j = i + 1
    while j < count and extras[j] == extras[j - 1] + 1:
        j += 1
    return j - i


@inlined
def extras_bits(node: int, extras: Array, count: int, least: int, k: int) -> int:
    """Bits for the intervals of at least `least` (0: no intervals) and the residuals."""
    if count == 0:
        return 0
    bits, intervals, previous, right = 0, 0, -1, -1
    i = 0
    while i < count:
        length = run_length(extras, count, i) if least > 0 else 1
        value = signed(extras[i])
        if least > 0 and length >= least:
            bits += gamma_bits(natural(value - node) if intervals == 0 else value - right - 2)
            bits += gamma_bits(length - least)
            right = value + length - 1
            intervals += 1
            i += length
            continue
        for j in range(i, i + length):
            value = signed(extras[j])
            bits += zeta_bits(natural(value - node) if previous < 0 else value - previous - 1, k)
            previous = value
        i += length
    return bits + (gamma_bits(intervals) if least > 0 else 0)


@compiled
def choose(
    offsets: Array,
    targets: Array,
    base: int,
    first: int,
    beyond: int,
    window: int,
    most_references: int,
    least: int,
    k: int,
    depths: Array,
    references: Array,
    bits: Array,
    repair: bool,
) -> int:
    """Choose the reference of nodes first … beyond-1 and count the bits of their records.

    `offsets`, `targets`, `depths`, `references` and `bits` start with node `base`. The depths of the `window`
    nodes before `first` must be set. With `repair`, the existing choices were made for other depths before `first`.
    Then it stops as soon as `window` depths in a row are unchanged, because all later choices are still right.
    Returns where it stopped.
    """
    room = 0
    for node in range(max(first - window, base), beyond):
        room = max(room, signed(offsets[node - base + 1] - offsets[node - base]))
    blocks, extras = np.empty(room + 1, np.int64), np.empty(room + 1, targets.dtype)
    unchanged = 0
    for node in range(first, beyond):
        here = node - base
        a, a_end = signed(offsets[here]), signed(offsets[here + 1])
        best, choice, depth = gamma_bits(a_end - a), 0, 0
        if a_end > a:
            best = extras_bits(node, targets[a:a_end], a_end - a, least, k) + (1 if window > 0 else 0)
            for reference in range(1, min(window, here) + 1):
                there = here - reference
                b, b_end = signed(offsets[there]), signed(offsets[there + 1])
                if b == b_end or depths[there] >= most_references:
                    continue
                count, rest = split_copied(targets, a, a_end, b, b_end, blocks, extras)
                cost = reference + 1 + blocks_bits(blocks, count)
                if cost < best:
                    cost += extras_bits(node, extras, rest, least, k)
                    if cost < best:
                        best, choice = cost, reference
            best += gamma_bits(a_end - a)
            if choice:
                depth = depths[here - choice] + 1
        unchanged = unchanged + 1 if depth == depths[here] else 0
        depths[here], references[here], bits[here] = depth, choice, best
        if repair and unchanged >= window:
            return node + 1
    return beyond


@inlined
def put_extras(buffer: Array, position: int, node: int, extras: Array, count: int, least: int, k: int) -> int:
    if count == 0:
        return position
    if least > 0:
        position = put_intervals(buffer, position, node, extras, count, least)
    previous = -1
    i = 0
    while i < count:
        length = run_length(extras, count, i) if least > 0 else 1
        if least > 0 and length >= least:
            i += length
            continue
        for j in range(i, i + length):
            value = signed(extras[j])
            position = put_zeta(
                buffer, position, natural(value - node) if previous < 0 else value - previous - 1, k
            )
            previous = value
        i += length
    return position


@inlined
def put_intervals(buffer: Array, position: int, node: int, extras: Array, count: int, least: int) -> int:
    intervals, i = 0, 0
    while i < count:
        length = run_length(extras, count, i)
        intervals += 1 if length >= least else 0
        i += length
    position = put_gamma(buffer, position, intervals)
    right = -1
    i = 0
    while i < count and intervals > 0:
        length = run_length(extras, count, i)
        if length >= least:
            left = signed(extras[i])
            position = put_gamma(buffer, position, natural(left - node) if right < 0 else left - right - 2)
            position = put_gamma(buffer, position, length - least)
            right = left + length - 1
        i += length
    return position


@compiled
def put_records(
    offsets: Array,
    targets: Array,
    base: int,
    first: int,
    beyond: int,
    window: int,
    least: int,
    k: int,
    references: Array,
    buffer: Array,
    position: int,
) -> int:
    """Write the records of nodes first … beyond-1 as chosen. Returns the position after them."""
    room = 0
    for node in range(max(first - window, base), beyond):
        room = max(room, signed(offsets[node - base + 1] - offsets[node - base]))
    blocks, extras = np.empty(room + 1, np.int64), np.empty(room + 1, targets.dtype)
    for node in range(first, beyond):
        here = node - base
        a, a_end = signed(offsets[here]), signed(offsets[here + 1])
        position = put_gamma(buffer, position, a_end - a)
        if a == a_end:
            continue
        reference = signed(references[here])
        if window > 0:
            position = put(buffer, position + reference, 1, 1)
        if reference == 0:
            position = put_extras(buffer, position, node, targets[a:a_end], a_end - a, least, k)
            continue
        b, b_end = signed(offsets[here - reference]), signed(offsets[here - reference + 1])
        count, rest = split_copied(targets, a, a_end, b, b_end, blocks, extras)
        position = put_gamma(buffer, position, count)
        for i in range(count):
            position = put_gamma(buffer, position, blocks[i] - (1 if i else 0))
        position = put_extras(buffer, position, node, extras, rest, least, k)
    return position


# -- reading ------------------------------------------------------------------------------------------------


@compiled
def get_header(data: Array, position: int, window: int) -> tuple[int, int, int]:
    """(outdegree, reference, position after them) of the record at `position`. BROKEN if it is damaged."""
    degree, position = get_gamma(data, position)
    if degree == 0 or window == 0:
        return degree, 0, position
    reference = get_unary(data, position)
    if reference > window or position + reference + 1 > 8 * len(data):
        return 0, 0, BROKEN
    return degree, reference, position + reference + 1


@compiled
def get_list(
    data: Array,
    position: int,
    node: int,
    degree: int,
    copied_from: Array,
    referred: bool,
    least: int,
    k: int,
    nodes: int,
    out: Array,
) -> int:
    """Read what follows the header into out[:degree]. `copied_from` is the reference's list.

    Returns the position after it, or -1 if the record is damaged: it contradicts its outdegree, its successors do
    not increase, or one of them is not a node.
    """
    count = 0
    if referred:
        blocks, position = get_gamma(data, position)
        at, copying = 0, True
        for block in range(blocks):
            length, position = get_gamma(data, position)
            length += 1 if block else 0
            if position == BROKEN or at + length > len(copied_from) or (copying and count + length > degree):
                return -1
            if copying:
                out[count : count + length] = copied_from[at : at + length]
                count += length
            at += length
            copying = not copying
        if copying:
            left = len(copied_from) - at
            if count + left > degree:
                return -1
            out[count : count + left] = copied_from[at:]
            count += left
    copied = count
    if count < degree and least > 0:
        intervals, position = get_gamma(data, position)
        right = 0
        for interval in range(intervals):
            value, position = get_gamma(data, position)
            left = node + integer(value) if interval == 0 else right + value + 2
            length, position = get_gamma(data, position)
            if position == BROKEN or count + length + least > degree or left < 0 or left >= nodes:
                return -1
            for i in range(length + least):
                out[count] = left + i
                count += 1
            right = left + length + least - 1
    residuals = count
    previous = -1
    while count < degree:
        value, position = get_zeta(data, position, k)
        if previous < 0:
            previous = node + integer(value)
        else:
            previous += value + 1
        if position == BROKEN or previous < 0 or previous >= nodes:
            return -1
        out[count] = previous
        count += 1
    merge(out, copied, residuals, degree)
    for i in range(degree):
        if out[i] >= nodes or (i > 0 and out[i] <= out[i - 1]):
            return -1
    return position if position < BROKEN else -1


@inlined
def merge(values: Array, first: int, second: int, end: int) -> None:
    """Merge three increasing runs in place: values[:first], [first:second] and [second:end]."""
    if second > first and end > second:
        merge_two(values, first, second, end)
    if first > 0 and end > first:
        merge_two(values, 0, first, end)


@inlined
def merge_two(values: Array, start: int, middle: int, end: int) -> None:
    if values[middle - 1] < values[middle]:
        return
    right = values[middle:end].copy()
    i, j, at = middle - 1, end - middle - 1, end - 1
    while j >= 0:
        if i >= start and values[i] > right[j]:
            values[at] = values[i]
            i -= 1
        else:
            values[at] = right[j]
            j -= 1
        at -= 1


@compiled
def get_graph(data: Array, window: int, least: int, k: int, offsets: Array, targets: Array) -> int:
    """Read all records in order into CSR arrays of the right size.

    Returns the position after the last, or -1-node at the first node whose record is damaged.
    """
    position = 0
    for node in range(len(offsets) - 1):
        start = signed(offsets[node])
        degree, reference, position = get_header(data, position, window)
        end = start + degree
        if end > len(targets) or reference > node or position == BROKEN:
            return -1 - node
        offsets[node + 1] = end
        if degree > 0:
            a, b = signed(offsets[node - reference]), signed(offsets[node - reference + 1])
            if reference == 0:
                b = a
            position = get_list(
                data, position, node, degree, targets[a:b], reference > 0, least, k,
                len(offsets) - 1, targets[start:end],
            )  # fmt: skip
            if position < 0:
                return -1 - node
    return position

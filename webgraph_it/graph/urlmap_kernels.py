"""The searches behind a lookup in the URL map, as machine code.

They read the map's bytes in place (see urlmap.py). Nothing is cut into strings or copied.
"""

from webgraph_it.graph.compiled import compiled, signed
from webgraph_it.graph.csr import Array
from webgraph_it.graph.urlmap_layout import LENGTH_BIAS

LINE_END = 10


@compiled
def block_of(heads: Array, head_starts: Array, key: bytes) -> int:
    """The last block whose head is not greater than `key`, or -1."""
    low, high = 0, len(head_starts) - 1
    while low < high:
        middle = (low + high) // 2
        start = signed(head_starts[middle])
        length = signed(head_starts[middle + 1]) - start
        most = min(len(key), length)
        same = 0
        while same < most and heads[start + same] == key[same]:
            same += 1
        if key[same] < heads[start + same] if same < most else len(key) < length:
            high = middle
        else:
            low = middle + 1
    return low - 1


@compiled
def lower_bound(block: bytes, nodes: int, key: bytes) -> tuple[int, bool]:
    """The position in a decompressed block of the first key not less than `key`, and whether it is equal.

    The first `same` bytes of `key` are those of the last line compared, which is less. A line that shares more bytes
    than these with the line before it is less for the same reason, and is skipped. The position is -1 if the
    block is damaged: a line has no end, or copies more bytes than there are.
    """
    last = len(block) - 1
    while last >= 0 and block[last] != LINE_END:
        last -= 1
    at, same = nodes, 0
    for position in range(nodes):
        if at >= last:
            return -1, False
        common = signed(block[at]) - LENGTH_BIAS
        at += 1
        if common < 0:
            return -1, False
        if common <= same:
            same = common
            while block[at] != LINE_END and same < len(key) and block[at] == key[same]:
                at, same = at + 1, same + 1
            if block[at] == LINE_END:
                if same == len(key):
                    return position, True
            elif same == len(key) or key[same] < block[at]:
                return position, False
        while block[at] != LINE_END:
            at += 1
        at += 1
    return nodes, False

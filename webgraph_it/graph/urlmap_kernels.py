"""Where a key stands in the URL map: the searches behind a lookup, as machine code.

They read the map's bytes as they lie in the files (see urlmap.py): nothing is cut into strings or copied.
"""

from webgraph_it.graph.compiled import compiled, signed
from webgraph_it.graph.csr import Array
from webgraph_it.graph.urlmap_layout import LENGTH_BIAS

LINE_END = 10


@compiled
def block_of(heads: Array, head_starts: Array, key: bytes) -> int:
    """The last block whose head is not greater than `key`; -1 if there is none."""
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

    `same` bytes of `key` are those of the last line looked at, which is less. A line that has more than these in
    common with the line before it is less for the same reason, and is passed over. The position is -1 if the
    block is damaged: a line without an end, or one that copies more than there is.
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

"""WebGraph's BV format: a writer whose files equal Java WebGraph's byte for byte, and a reader.

`BASE.graph` holds one record per node, bits most significant first, padded with zeros to a byte. Codes:
unary(x): x zeros and a one. gamma(x): unary(m), then the low m bits of x+1, where m = floor(log2(x+1)).
zeta_k(x): v = x+1, h = floor(log2 v) / k, L = 2^hk; unary(h), then v-L in hk+k-1 bits if v-L < L, else v in
hk+k bits. A signed difference d is 2d, or -2d-1 below zero. A record, for successors in increasing order:

1. gamma(outdegree). 0 ends the record.
2. if window > 0: unary(r). The list copies from that of node x-r. 0 means that it copies from none.
3. if r > 0: gamma(number of blocks), gamma(first), gamma(length-1) for the others. Blocks are runs of that list,
   alternately copied and skipped. What follows the last block is copied if the number of blocks is even.
4. the successors not copied: if minintervallength > 0, gamma(number of intervals). An interval is a run of at
   least minintervallength consecutive numbers. The first interval starts with gamma(left end - x, signed), later
   ones with gamma(left end - previous right end - 2). Then comes gamma(length - minintervallength).
5. the rest: zeta_k(first - x, signed), zeta_k(difference - 1).

The writer chooses the reference that takes fewest bits, and the nearest one on ties. It chooses among non-empty lists
whose own chain of references is shorter than maxrefcount. `BASE.offsets`: n+1 gamma codes, differences of the
records' positions in bits, from 0. `BASE.properties`: what Java needs to read both. `BASE.ef` is for another
reader (see elias_fano.py).

Guarantees: the bytes do not depend on the number of threads or on the memory. The reader rejects records that
contradict themselves, whatever their origin. It reads only graphs with the default codes (empty compressionflags),
such as LAW's.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from io import BufferedWriter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webgraph_it.files.received import shown
from webgraph_it.graph import bv_kernels as kernels
from webgraph_it.graph.csr import LAST_ID, OFFSET_TYPE, TARGET_TYPE, Array, CsrFiles
from webgraph_it.graph.damage import GraphError, damaged, part_size
from webgraph_it.graph.elias_fano import write_ef

UNLIMITED = 2**31 - 1
PADDING_BYTES = 16
MAX_ZETA = 16
MAX_PROPERTIES_BYTES = 1 << 20
ARCS_PER_BLOCK = 1 << 23


@dataclass(frozen=True, slots=True)
class Parameters:
    """What the writer may use. The defaults are Java's."""

    window: int = 7
    """How many nodes back a list may copy from. 0 means never."""
    max_references: int = 3
    """Longest chain of references. UNLIMITED compresses best and reads slowest."""
    min_interval: int = 4
    """Shortest run of consecutive ids written as an interval. 0 means no intervals."""
    zeta: int = 3
    """k of the residuals' code."""


class Chunk(NamedTuple):
    """The nodes first … beyond-1 of a block, with their references chosen. Arrays start `lead` nodes earlier."""

    first: int
    beyond: int
    lead: int
    offsets: Array
    targets: Array
    depths: Array
    references: Array
    bits: Array


def write_bv(
    base: Path,
    graph: CsrFiles,
    parameters: Parameters,
    threads: int,
    arcs_per_block: int = ARCS_PER_BLOCK,
    progress: Callable[[int], None] = lambda arcs: None,
) -> None:
    """Write BASE.graph, BASE.offsets, BASE.properties and BASE.ef. `progress` receives the number of arcs written."""
    with BitFile(Path(f"{base}.graph")) as records, BitFile(Path(f"{base}.offsets")) as offsets:
        offsets.gammas(np.zeros(1, np.int64))
        previous: Chunk | None = None
        with ThreadPoolExecutor(threads) as pool:
            for first, beyond in graph.blocks(arcs_per_block):
                chunks = _chunks(graph, first, beyond, parameters.window, threads)
                list(pool.map(lambda chunk: _choose(chunk, parameters), chunks))
                for chunk in chunks:
                    _repair(chunk, previous, parameters)
                    previous = chunk
                records.pieces(chunks, parameters, pool)
                for chunk in chunks:
                    offsets.gammas(chunk.bits[chunk.lead :])
                progress(int(chunks[-1].offsets[-1]))
    Path(f"{base}.properties").write_text(_properties(graph, parameters, records.bits))
    write_ef(base, graph.nodes)


def _chunks(graph: CsrFiles, first: int, beyond: int, window: int, threads: int) -> list[Chunk]:
    """Cut a block into one part per thread, with about the same number of arcs each."""
    offsets = graph.offsets(first, beyond)
    shares = np.linspace(offsets[0], offsets[-1], threads + 1)[1:-1]
    cuts = sorted({first, beyond, *(first + np.searchsorted(offsets, shares)).tolist()})
    return [_chunk(graph, a, b, min(window, a)) for a, b in pairwise(cuts)]


def _chunk(graph: CsrFiles, first: int, beyond: int, lead: int) -> Chunk:
    offsets = graph.offsets(first - lead, beyond)
    targets = graph.targets(int(offsets[0]), int(offsets[-1]))
    nodes = beyond - first + lead
    none = np.zeros(nodes, np.int64)
    return Chunk(
        first, beyond, lead, offsets, targets, none, np.zeros(nodes, np.int32), np.zeros(nodes, np.int64)
    )


def _choose(chunk: Chunk, parameters: Parameters, repair: bool = False) -> int:
    return kernels.choose(
        chunk.offsets - chunk.offsets[0], chunk.targets, chunk.first - chunk.lead, chunk.first, chunk.beyond,
        parameters.window, parameters.max_references, parameters.min_interval, parameters.zeta,
        chunk.depths, chunk.references, chunk.bits, repair,
    )  # fmt: skip


def _repair(chunk: Chunk, previous: Chunk | None, parameters: Parameters) -> None:
    """Choose again at the start of a chunk, now that the depths before it are known.

    They were assumed to be 0. Once `window` depths in a row agree, all later ones do. This usually takes few nodes.
    """
    if previous is None or not chunk.lead:
        return
    known = previous.depths[max(len(previous.depths) - chunk.lead, 0) :]
    chunk.depths[chunk.lead - len(known) : chunk.lead] = known
    if known.any():
        _choose(chunk, parameters, repair=True)


class BitFile:
    """A file written in bits. Bits that do not fill a byte wait for the next piece."""

    def __init__(self, path: Path) -> None:
        self._file: BufferedWriter = path.open("wb")
        self._tail = 0
        self.bits = 0

    def __enter__(self) -> "BitFile":
        return self

    def __exit__(self, *exception: object) -> None:
        if self.bits % 8:
            self._file.write(bytes((self._tail,)))
        self._file.close()

    def gammas(self, values: Array) -> None:
        """Append gamma codes."""
        room = int(2 * np.log2(values.astype(np.float64) + 2).sum()) + 3 * len(values) + 64
        buffer = np.zeros(room // 8 + PADDING_BYTES, np.uint8)
        start = self.bits % 8
        self._append(buffer, kernels.put_gammas(buffer, start, values) - start)

    def words(self, values: Array, bits: int) -> None:
        """Append the low bits of each value, at most 56."""
        buffer = np.zeros((len(values) * bits + 8) // 8 + PADDING_BYTES, np.uint8)
        start = self.bits % 8
        self._append(buffer, kernels.put_words(buffer, start, values, bits) - start)

    def pieces(self, chunks: list[Chunk], parameters: Parameters, pool: ThreadPoolExecutor) -> None:
        """Append the records of the chunks. Each thread has written one into its own buffer."""
        totals = [int(chunk.bits[chunk.lead :].sum()) for chunk in chunks]
        starts = self.bits + np.concatenate([[0], np.cumsum(totals)])
        jobs = [
            pool.submit(_records, c, parameters, int(s) % 8, t)
            for c, s, t in zip(chunks, starts, totals, strict=False)
        ]
        for job, total in zip(jobs, totals, strict=True):
            self._append(job.result(), total)

    def _append(self, buffer: Array, bits: int) -> None:
        """Append `bits` bits of a buffer. They start at the bit where the last byte ended."""
        end = self.bits % 8 + bits
        buffer[0] |= self._tail
        self._file.write(buffer[: end // 8].data)
        self._tail = int(buffer[end // 8])
        self.bits += bits


def _records(chunk: Chunk, parameters: Parameters, start: int, bits: int) -> Array:
    buffer = np.zeros((start + bits) // 8 + PADDING_BYTES, np.uint8)
    end = kernels.put_records(
        chunk.offsets - chunk.offsets[0], chunk.targets, chunk.first - chunk.lead, chunk.first, chunk.beyond,
        parameters.window, parameters.min_interval, parameters.zeta, chunk.references, buffer, start,
    )  # fmt: skip
    if end - start != bits:
        raise AssertionError(
            f"the records of nodes {chunk.first} … {chunk.beyond - 1} took {end - start} bits, not {bits}"
        )
    return buffer


def _properties(graph: CsrFiles, parameters: Parameters, bits: int) -> str:
    values = {
        "graphclass": "it.unimi.dsi.webgraph.BVGraph",
        "version": 0,
        "nodes": graph.nodes,
        "arcs": graph.arcs,
        "windowsize": parameters.window,
        "maxrefcount": parameters.max_references,
        "minintervallength": parameters.min_interval,
        "zetak": parameters.zeta,
        "compressionflags": "",
        "bitsperlink": f"{bits / graph.arcs:.3f}" if graph.arcs else "0",
        "bitspernode": f"{bits / graph.nodes:.3f}" if graph.nodes else "0",
    }
    return "#BVGraph properties\n" + "".join(f"{name}={value}\n" for name, value in values.items())


class BVGraph:
    """A BV graph on disk, ours or LAW's. Read it whole as CSR, or one list at a time."""

    def __init__(self, base: str | Path) -> None:
        self.base = Path(base)
        self.properties = _read_properties(Path(f"{base}.properties"))
        flags = self.properties.get("compressionflags", "")
        if flags:
            raise GraphError(
                f"{base}.properties: compressionflags {shown(flags)} are not supported, only the default codes"
            )
        version, order = self.properties.get("version", "0"), self.properties.get("endianness", "big")
        if version != "0" or order != "big":
            raise GraphError(
                f"{base}.properties: version {shown(version)} with endianness {shown(order)} found, only version 0 "
                "(big) is read. Write the graph again with big-endian codes"
            )
        bits = 8 * part_size(Path(f"{base}.graph"))
        self.nodes = self._number("nodes", min(LAST_ID + 1, bits))
        """At most the number of bits, because every record has at least one."""
        self.arcs = self._number("arcs", self.nodes * self.nodes)
        self._window = self._number("windowsize", UNLIMITED)
        self._least = self._number("minintervallength", UNLIMITED)
        self._zeta = self._number("zetak", MAX_ZETA, "3")
        if not self._zeta:
            raise damaged(Path(f"{base}.properties"), "has '0' as its zetak")

    def _number(self, name: str, most: int, otherwise: str = "") -> int:
        text = self.properties.get(name, otherwise)
        if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= most):
            raise damaged(Path(f"{self.base}.properties"), f"has {shown(text)} as its {name}")
        return int(text)

    def __len__(self) -> int:
        return self.nodes

    def __repr__(self) -> str:
        return f"<BVGraph {self.base}: {self.nodes} nodes, {self.arcs} arcs>"

    def to_csr(self) -> tuple[Array, Array]:
        """(offsets, targets) of the whole graph, in memory."""
        try:
            offsets, targets = np.zeros(self.nodes + 1, np.int64), np.empty(self.arcs, TARGET_TYPE)
        except (MemoryError, ValueError):
            raise GraphError(f"{self.base}: {self.arcs} arcs do not fit into memory.") from None
        end = kernels.get_graph(self._data, self._window, self._least, self._zeta, offsets, targets)
        if end < 0:
            raise self._damaged_record(-1 - end)
        if offsets[-1] != self.arcs:
            raise damaged(Path(f"{self.base}.graph"), f"has {offsets[-1]} arcs, not {self.arcs}")
        return offsets.astype(OFFSET_TYPE), targets

    def successors(self, node: int) -> Array:
        """The list of one node, increasing. Reads the offsets once, and the lists that this one copies from."""
        if not 0 <= node < self.nodes:
            raise IndexError(f"node {node} of a graph of {self.nodes} nodes: ids start at 0")
        chain, reference = [], 1
        while reference:
            degree, reference, position = kernels.get_header(
                self._data, int(self._positions[node]), self._window
            )
            if reference > node or degree > self.nodes or position == kernels.BROKEN:
                raise self._damaged_record(node)
            chain.append((node, degree, reference, position))
            node -= reference
        found = np.empty(0, TARGET_TYPE)
        for node, degree, reference, position in reversed(chain):
            out = np.empty(degree, TARGET_TYPE)
            if degree and kernels.get_list(
                self._data, position, node, degree, found, reference > 0, self._least, self._zeta, self.nodes, out
            ) < 0:  # fmt: skip
                raise self._damaged_record(node)
            found = out
        return found

    def _damaged_record(self, node: int) -> GraphError:
        return damaged(Path(f"{self.base}.graph"), f"has no valid record of node {node}")

    def __iter__(self) -> Iterator[Array]:
        """All lists, in order."""
        offsets, targets = self.to_csr()
        return (targets[int(a) : int(b)] for a, b in pairwise(offsets))

    @cached_property
    def _data(self) -> Array:
        return _padded(Path(f"{self.base}.graph"))

    @cached_property
    def _positions(self) -> Array:
        path, differences = Path(f"{self.base}.offsets"), np.empty(self.nodes + 1, np.int64)
        end = kernels.get_gammas(_padded(path), 0, differences)
        positions = np.cumsum(differences)
        if (
            end == kernels.BROKEN
            or (positions[1:] < positions[:-1]).any()
            or positions[-1] > 8 * len(self._data)
        ):
            raise damaged(path, f"has no position for each of the {self.nodes} nodes")
        return positions


def _padded(path: Path) -> Array:
    data = np.zeros(part_size(path) + PADDING_BYTES, np.uint8)
    with path.open("rb") as file:
        file.readinto(data.data)
    return data


def _read_properties(path: Path) -> dict[str, str]:
    size = part_size(path)
    if size > MAX_PROPERTIES_BYTES:
        raise damaged(path, f"has {size} bytes, more than the properties of a graph take")
    lines = (line.strip() for line in path.read_text(encoding="latin-1").splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}

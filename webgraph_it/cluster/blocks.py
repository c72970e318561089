"""The graph in blocks of nodes, for iterations over it. These functions run in Spark's workers.

Digests are spread evenly, so a block is a range of digests, and a node's block follows from its digest. A block has
four files in the work folder:

    nodes-000007.npz      its digests, sorted
    degrees-000007.npz    their out-degrees
    out-000007.npz        its arcs: the distinct targets, sorted, and for each the sources in this block
    in-000007.npz         for each sending block, where the values for its targets belong in this block

An iteration sends one number per distinct target of each block, without its name: the receiver knows the order. So a
page with a hundred million in-links gets at most one number from each block.

Guarantees: a file appears under its name only when it is complete, and its content does not depend on the order in
which rows arrive. So a task may be repeated.
"""

import io
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import fs

from webgraph_it.cluster import reading
from webgraph_it.cluster.sources import opened
from webgraph_it.convert.mapping import unlisted
from webgraph_it.shards.formats import ShardError

Digests = NDArray[np.uint64]
"""Two columns: high, low."""
Values = NDArray[np.float64]
Ids = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]


class Out(NamedTuple):
    """The arcs that leave a block: arcs starts[t] … starts[t+1]-1 go to target t and come from `sources`."""

    starts: Ids
    sources: NDArray[np.int32]
    bounds: Ids
    """Targets bounds[b] … bounds[b+1]-1 are in block b."""


class Folder:
    """The work folder of a computation, on any file system."""

    def __init__(self, uri: str) -> None:
        self.uri = uri

    def save(self, name: str, **arrays: NDArray[np.generic]) -> None:
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        self.write(name, buffer.getvalue())

    def load(self, name: str) -> Arrays:
        """ShardError if the file is missing or damaged."""
        data = self.read(name)
        try:
            if data is None:
                raise EOFError
            with np.load(io.BytesIO(data), allow_pickle=False) as found:
                return {each: found[each] for each in found.files}
        except (OSError, EOFError, ValueError, KeyError, BadZipFile, zlib.error):
            raise ShardError(
                f"{self.uri}/{name} is {'missing' if data is None else 'damaged'}. Remove the folder {self.uri}, and "
                "give the same command again."
            ) from None

    def has(self, name: str) -> bool:
        system, path = opened(self.uri)
        return bool(system.get_file_info(f"{path}/{name}").type is fs.FileType.File)

    def write(self, name: str, data: bytes) -> None:
        """Whole or not at all."""
        system, path = opened(self.uri)
        system.create_dir(path, recursive=True)
        temporary = f"{path}/.{name}.{np.random.default_rng().integers(1 << 62):x}"
        with system.open_output_stream(temporary) as file:
            file.write(data)
        system.move(temporary, f"{path}/{name}")

    def read(self, name: str) -> bytes | None:
        system, path = opened(self.uri)
        if not self.has(name):
            return None
        with system.open_input_file(f"{path}/{name}") as file:
            data: bytes = file.read()
        return data

    def names(self) -> list[str]:
        system, path = opened(self.uri)
        return [info.base_name for info in system.get_file_info(fs.FileSelector(path, allow_not_found=True))]

    def discard(self, name: str) -> None:
        """Remove a file, if it is there."""
        system, path = opened(self.uri)
        if self.has(name):
            system.delete_file(f"{path}/{name}")

    def remove(self) -> None:
        system, path = opened(self.uri)
        if system.get_file_info(path).type is fs.FileType.Directory:
            system.delete_dir(path)


def block_of(high: NDArray[np.int64], blocks: int) -> Ids:
    """The block of each digest: its first 31 bits as a fraction."""
    return ((high >> 32) * blocks) >> 31


def make_out(folder: Folder, blocks: int, number: int, nodes: pa.Table, sequences: pa.Table) -> pa.Table:
    """Write the nodes and arcs of a block. Returns (block, sender, digests of its targets there) for `make_in`."""
    own = _distinct(_digests(nodes["high"].to_numpy(), nodes["low"].to_numpy()))
    row, high, low = reading.children_of(sequences["children"].combine_chunks())
    keep = reading.distinct(row, high, low)
    parents = places(own, _digests(sequences["high"].to_numpy(), sequences["low"].to_numpy()))
    source = parents[row[keep]]
    children = _digests(high[keep], low[keep])
    order = np.lexsort((source, children[:, 1], children[:, 0]))
    children, source = children[order], source[order]
    first = _first_of_equals(children)
    starts, targets = np.flatnonzero(first), children[first]
    bounds = np.searchsorted(block_of(targets[:, 0].astype(np.int64), blocks), np.arange(blocks + 1))
    degrees = np.bincount(source, minlength=len(own))
    is_parent = np.zeros(len(own), np.uint8)
    is_parent[parents] = 1
    folder.save(f"nodes-{number:06d}.npz", digests=own, parents=is_parent)
    folder.save(f"degrees-{number:06d}.npz", degrees=degrees)
    folder.save(
        f"out-{number:06d}.npz",
        starts=np.append(starts, len(source)),
        sources=source.astype(np.int32),
        bounds=bounds,
    )
    receivers = [block for block in range(blocks) if bounds[block + 1] > bounds[block]]
    blobs = [targets[bounds[block] : bounds[block + 1]].tobytes() for block in receivers]
    return pa.table(
        {
            "block": pa.array(receivers, pa.int32()),
            "sender": pa.array([number] * len(receivers), pa.int32()),
            "targets": pa.array(blobs, pa.binary()),
            "arcs": pa.array([0] * len(receivers), pa.int64()),
        }
    )


def make_in(folder: Folder, number: int, sent: pa.Table) -> None:
    """Write where the values that other blocks send belong in this one."""
    own = load_nodes(folder, number)
    arrays = {}
    for sender, blob in zip(sent["sender"].to_pylist(), sent["targets"].to_pylist(), strict=True):
        targets = np.frombuffer(blob, np.uint64).reshape(-1, 2)
        arrays[f"{sender:06d}"] = places(own, targets).astype(np.int32)
    folder.save(f"in-{number:06d}.npz", **arrays)


def load_nodes(folder: Folder, number: int) -> Digests:
    return folder.load(f"nodes-{number:06d}.npz")["digests"]


def load_degrees(folder: Folder, number: int) -> Ids:
    return folder.load(f"degrees-{number:06d}.npz")["degrees"]


def load_out(folder: Folder, number: int) -> Out:
    found = folder.load(f"out-{number:06d}.npz")
    return Out(*(found[name] for name in Out._fields))


def load_in(folder: Folder, number: int) -> dict[int, NDArray[np.int32]]:
    """Nothing, if the block has no in-links."""
    name = f"in-{number:06d}.npz"
    return {int(sender): where for sender, where in folder.load(name).items()} if folder.has(name) else {}


def sums_by_target(out: Out, values: Values) -> Values:
    """For each distinct target of a block, the sum of the values of its sources."""
    if not len(out.sources):
        return np.empty(0)
    return np.add.reduceat(values[out.sources], out.starts[:-1])


def places(own: Digests, wanted: Digests) -> Ids:
    """Where each digest is in a sorted block. ShardError if it is not there: then a URL list is missing."""
    found = np.searchsorted(own[:, 0], wanted[:, 0])
    inside = np.minimum(found, max(len(own) - 1, 0))
    differ = np.flatnonzero((own[inside] != wanted).any(axis=1)) if len(own) else np.arange(len(wanted))
    for place in differ.tolist():  # equal in their first 64 bits: a few in a billion
        at = int(found[place])
        while at < len(own) and own[at, 0] == wanted[place, 0] and own[at, 1] != wanted[place, 1]:
            at += 1
        if at >= len(own) or own[at, 0] != wanted[place, 0]:
            raise unlisted(len(differ), wanted[place].astype(">u8").tobytes().hex())
        found[place] = at
    return found


def _digests(high: NDArray[np.int64], low: NDArray[np.int64]) -> Digests:
    return np.stack([high.view(np.uint64), low.view(np.uint64)], axis=1)


def _distinct(digests: Digests) -> Digests:
    ordered: Digests = digests[np.lexsort((digests[:, 1], digests[:, 0]))]
    return ordered[_first_of_equals(ordered)]


def _first_of_equals(ordered: Digests) -> NDArray[np.bool_]:
    differs = (ordered[1:] != ordered[:-1]).any(axis=1)
    return np.concatenate([[True], differs]) if len(ordered) else np.empty(0, bool)

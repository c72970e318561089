"""Graphs for tests: lists of successors, as CSR files or arrays; and where the real one lies, if it is here."""

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from webgraph_it.graph.csr import OFFSET_TYPE, TARGET_TYPE, Array, CsrFiles

DATA = Path(os.environ.get("WEBGRAPH_IT_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
CNR = DATA / "cnr-2000" / "cnr-2000"

Lists = Sequence[Sequence[int]]


@st.composite
def graphs(draw: st.DrawFn, most_nodes: int = 40) -> list[list[int]]:
    """Lists of successors, often alike and with runs, as on the web."""
    nodes = draw(st.integers(0, most_nodes))
    if not nodes:
        return []
    node = st.integers(0, nodes - 1)
    lists: list[list[int]] = []
    for _ in range(nodes):
        start = draw(st.sampled_from([[], *lists[-4:]]))
        run = draw(st.one_of(st.just(()), st.tuples(node, node).map(lambda ab: range(min(ab), max(ab) + 1))))
        lists.append(
            sorted({*start, *run, *draw(st.lists(node, max_size=6))} - set(draw(st.lists(node, max_size=3))))
        )
    return lists


def arrays(lists: Lists) -> tuple[Array, Array]:
    offsets = np.cumsum([0, *map(len, lists)]).astype(OFFSET_TYPE)
    return offsets, np.array([target for each in lists for target in each], TARGET_TYPE)


def csr_files(folder: Path, lists: Lists) -> CsrFiles:
    return save(folder, *arrays(lists))


def save(folder: Path, offsets: Array, targets: Array) -> CsrFiles:
    files = CsrFiles.of(folder)
    offsets.tofile(files.offsets_path)
    targets.tofile(files.targets_path)
    return files


def lists_of(offsets: Array, targets: Array) -> list[list[int]]:
    return [targets[int(a) : int(b)].tolist() for a, b in pairwise(offsets)]

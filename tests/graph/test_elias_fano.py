"""BASE.ef as specified, and as PyPI's `webgraph`, the reader it is for, understands it (skipped where it is absent)."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings

from tests.graph import graphs
from tests.graph.graphs import CNR, csr_files
from webgraph_it.graph.bv import BVGraph, Parameters, write_bv
from webgraph_it.graph.elias_fano import GROUP, POSITIONS_AT_A_TIME, TYPE_NAME, write_ef

HUBS = (1000, 150_000, POSITIONS_AT_A_TIME - 1, POSITIONS_AT_A_TIME)


class Parts(NamedTuple):
    """The file, read by its specification."""

    numbers: list[int]
    low: int
    high: int
    inventory: list[int]
    spill: list[int]


def parts(path: Path) -> Parts:
    data, at = path.read_bytes(), 13 + 64  # behind magic, version, size of a word and the two hashes

    def number() -> int:
        nonlocal at
        at += 8
        return int.from_bytes(data[at - 8 : at], "little")

    def array() -> bytes:
        nonlocal at
        length = number()
        at += -at % 8
        at += 8 * length
        return data[at - 8 * length : at]

    length = number()
    assert data[at : at + length] == TYPE_NAME
    at += length
    numbers = [number() for _ in range(5)]
    low = array()
    numbers += [number() for _ in range(3)]
    high = array()
    numbers.append(number())
    inventory, spill = (np.frombuffer(array(), "<u8").tolist() for _ in range(2))
    assert at == len(data)
    return Parts(numbers, int.from_bytes(low, "little"), int.from_bytes(high, "little"), inventory, spill)


def write(folder: Path, lists: graphs.Lists) -> Path:
    base = folder / "g"
    write_bv(base, csr_files(folder, lists), Parameters(), 2)
    return base


def web_with_hubs() -> list[list[int]]:
    """Long enough for two pieces; the hubs make groups that span more than 2^16 bits."""
    nodes, random = POSITIONS_AT_A_TIME + 3000, np.random.default_rng(7)
    lists: list[list[int]] = [[node] if node % 7 == 0 else [] for node in range(nodes)]
    for hub in HUBS:
        lists[hub] = np.unique(random.integers(0, nodes, 120_000)).tolist()
    return lists


@given(graphs.graphs(most_nodes=120))
@example([])
@example([[]])
@settings(deadline=None, max_examples=30)
def test_every_position_is_there(lists: list[list[int]]) -> None:
    with TemporaryDirectory() as folder:
        base = write(Path(folder), lists)
        positions = BVGraph(base)._positions.tolist()
        found = parts(Path(f"{base}.ef"))
    count, bits, width, first, last, width_again, mask, count_again, high_length = found.numbers
    assert (count, first, last) == (len(lists) + 1, 0, positions[-1])
    assert (width_again, mask, count_again) == (width, 2**width - 1, count)
    assert high_length == count + (bits >> width) + 1
    ones = [place for place in range(high_length) if found.high >> place & 1]
    assert [
        (place - i << width) | (found.low >> (i * width) & mask) for i, place in enumerate(ones)
    ] == positions
    assert found.inventory == [0, *found.inventory[1:9], high_length]
    assert found.spill == []


def test_the_rust_reader_reads_every_list(tmp_path: Path) -> None:
    webgraph = pytest.importorskip("webgraph")
    random = np.random.default_rng(3)
    lists = [np.unique(random.integers(0, 5000, degree)).tolist() for degree in random.integers(0, 30, 5000)]
    graph = webgraph.BvGraph(str(write(tmp_path, lists)))
    assert (graph.num_nodes(), graph.num_arcs()) == (5000, sum(map(len, lists)))
    assert [list(graph.successors(node)) for node in range(5000)] == lists


@pytest.mark.parametrize("lists", [[], [[]], [[0]]])
def test_the_rust_reader_opens_the_smallest_graphs(tmp_path: Path, lists: list[list[int]]) -> None:
    webgraph = pytest.importorskip("webgraph")
    graph = webgraph.BvGraph(str(write(tmp_path, lists)))
    assert [list(graph.successors(node)) for node in range(graph.num_nodes())] == lists


def test_the_rust_reader_finds_lists_behind_hubs(tmp_path: Path) -> None:
    webgraph = pytest.importorskip("webgraph")
    lists = web_with_hubs()
    base = write(tmp_path, lists)
    found = parts(Path(f"{base}.ef"))
    assert sum(entry >> 63 for entry in found.inventory[::9]) >= 3
    assert found.spill
    graph = webgraph.BvGraph(str(base))
    assert graph.outdegrees().tolist() == [len(successors) for successors in lists]
    near = {node for hub in HUBS for node in range(hub - GROUP, hub + GROUP) if 0 <= node < len(lists)}
    assert all(list(graph.successors(node)) == lists[node] for node in near)


@pytest.mark.skipif(not Path(f"{CNR}.graph").exists(), reason=f"needs {CNR}.graph")
def test_the_rust_reader_reads_a_real_web(tmp_path: Path) -> None:
    webgraph = pytest.importorskip("webgraph")
    for suffix in ("graph", "offsets", "properties"):
        (tmp_path / f"cnr.{suffix}").symlink_to(f"{CNR}.{suffix}")
    ours = BVGraph(CNR)
    write_ef(tmp_path / "cnr", len(ours))
    graph = webgraph.BvGraph(str(tmp_path / "cnr"))
    offsets, _ = ours.to_csr()
    assert (graph.outdegrees() == np.diff(offsets)).all()
    assert all(
        list(graph.successors(node)) == ours.successors(node).tolist() for node in range(0, len(ours), 997)
    )

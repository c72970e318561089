from pathlib import Path

import numpy as np
import pytest

from tests.graph.graphs import csr_files
from webgraph_it.graph.csr import LAST_ID, OFFSET_TYPE, TARGET_TYPE, open_array

LISTS = [[1, 2], [], [0, 1, 2, 3], [2], []]


def test_files_are_little_endian_numbers(tmp_path: Path) -> None:
    files = csr_files(tmp_path, LISTS)
    assert files.offsets_path.read_bytes() == b"".join(n.to_bytes(8, "little") for n in (0, 2, 2, 6, 7, 7))
    assert files.targets_path.read_bytes() == b"".join(n.to_bytes(4, "little") for n in (1, 2, 0, 1, 2, 3, 2))
    assert (files.nodes, files.arcs) == (5, 7)


def test_slices_are_those_of_the_lists(tmp_path: Path) -> None:
    files = csr_files(tmp_path, LISTS)
    assert files.offsets(1, 3).tolist() == [2, 2, 6]
    assert files.targets(2, 6).tolist() == LISTS[2]


@pytest.mark.parametrize(("most_arcs", "most_nodes"), [(1, 9), (2, 9), (4, 2), (100, 1), (100, 9)])
def test_blocks_cover_all_nodes_within_the_limits(tmp_path: Path, most_arcs: int, most_nodes: int) -> None:
    files = csr_files(tmp_path, LISTS)
    blocks = list(files.blocks(most_arcs, most_nodes))
    assert [node for first, beyond in blocks for node in range(first, beyond)] == list(range(5))
    for first, beyond in blocks:
        arcs = sum(map(len, LISTS[first:beyond]))
        assert beyond - first == 1 or (arcs <= most_arcs and beyond - first <= most_nodes)


def test_empty_file_is_an_empty_array(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert len(open_array(tmp_path / "a", TARGET_TYPE)) == 0


def test_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"123456789")
    with pytest.raises(ValueError, match="9 bytes, not a multiple of 8"):
        open_array(tmp_path / "a", OFFSET_TYPE)


def test_last_id_leaves_the_first_bit_free() -> None:
    """With the parent's bit set it is still no other number, and not the mark of an unknown digest."""
    from webgraph_it.convert.kernels import FLAG, UNKNOWN

    assert np.uint32(LAST_ID) & np.uint32(FLAG) == 0
    assert LAST_ID | FLAG == UNKNOWN - 1

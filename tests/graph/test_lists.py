"""A list that is handed out is a list of a sound graph: sizes, order and ids are checked first."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from tests.graph.graphs import arrays, csr_files, graphs, save
from webgraph_it.graph.csr import OFFSET_TYPE, TARGET_TYPE
from webgraph_it.graph.damage import GraphError
from webgraph_it.graph.lists import Lists

SOUND = [[1, 2], [], [0]]


def crafted(folder: Path, offsets: list[int], targets: list[int], nodes: int = 3, arcs: int = 3) -> Lists:
    save(folder, np.array(offsets, OFFSET_TYPE), np.array(targets, TARGET_TYPE))
    return Lists(folder, nodes, arcs)


@given(lists=graphs())
def test_every_list_is_as_it_was_written(
    lists: list[list[int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("graph")
    csr_files(folder, lists)
    opened = Lists(folder, len(lists), sum(map(len, lists)))
    assert [opened.of(node).tolist() for node in range(len(lists))] == lists
    for found, written in zip(opened.whole(), arrays(lists), strict=True):
        assert np.array_equal(found, written)


@pytest.mark.parametrize(
    ("offsets", "targets", "words"),
    [
        ([0, 2, 3], [1, 2, 0], "has 24 bytes, not 32"),
        ([0, 2, 2, 3], [1, 2], "has 8 bytes, not 12"),
        ([1, 2, 2, 3], [1, 2, 0], "does not go from 0 to the 3 arcs"),
        ([0, 2, 2, 2], [1, 2, 0], "does not go from 0 to the 3 arcs"),
    ],
    ids=["nodes", "arcs", "start", "end"],
)
def test_files_of_another_size_are_refused_at_the_opening(
    tmp_path: Path, offsets: list[int], targets: list[int], words: str
) -> None:
    with pytest.raises(GraphError, match=words):
        crafted(tmp_path, offsets, targets)


@pytest.mark.parametrize(
    ("offsets", "targets", "node"),
    [
        ([0, 2, 1, 3], [1, 2, 0], 1),  # ends before it starts
        ([0, 9, 2, 3], [1, 2, 0], 0),  # leads out of the file
        ([0, 2, 2, 3], [2, 1, 0], 0),  # decreases
        ([0, 2, 2, 3], [1, 1, 0], 0),  # twice the same
        ([0, 2, 2, 3], [1, 3, 0], 0),  # no node
    ],
)
def test_a_damaged_list_is_refused_alone_and_with_the_whole(
    tmp_path: Path, offsets: list[int], targets: list[int], node: int
) -> None:
    damaged = crafted(tmp_path, offsets, targets)
    with pytest.raises(GraphError, match=f"node {node}"):
        damaged.of(node)
    with pytest.raises(GraphError, match=f"no valid list for node {node}"):
        damaged.whole()


def test_the_fingerprint_is_that_of_the_arcs_in_either_direction(tmp_path: Path) -> None:
    """Successors in one folder, predecessors in another; then the same predecessors with one arc moved."""

    def written(name: str, lists: list[list[int]], transposed: bool) -> int:
        (tmp_path / name).mkdir()
        files = csr_files(tmp_path / name, lists)
        if transposed:
            for path in (files.offsets_path, files.targets_path):
                path.rename(path.with_stem(f"{path.stem}-t"))
        return Lists(tmp_path / name, 3, 3, transposed).fingerprint

    successors = written("graph", SOUND, transposed=False)
    assert written("transposed", [[2], [0], [0]], transposed=True) == successors
    assert written("moved", [[2], [0], [1]], transposed=True) != successors

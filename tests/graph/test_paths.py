import json
from itertools import pairwise
from pathlib import Path

import networkx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graph.graphs import arrays, graphs, save
from webgraph_it.graph import WebGraph
from webgraph_it.graph.paths import TooFarError, shortest_path


def opened(folder: Path, lists: list[list[int]], transposed: bool) -> WebGraph:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    save(folder, *arrays(lists))
    if transposed:
        offsets, targets = arrays([[a for a, row in enumerate(lists) if b in row] for b in range(len(lists))])
        offsets.tofile(folder / "offsets-t.u64")
        targets.tofile(folder / "targets-t.u32")
    summary = {"recipe_version": 1, "nodes": len(lists), "arcs": sum(map(len, lists))}
    (folder / "graph.json").write_text(json.dumps(summary))
    return WebGraph(folder)


@pytest.mark.parametrize("transposed", [True, False])
@given(lists=graphs(), ends=st.data())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_path_is_as_short_as_networkx_finds(
    tmp_path: Path, lists: list[list[int]], ends: st.DataObject, transposed: bool
) -> None:
    if not lists:
        return
    node = st.integers(0, len(lists) - 1)
    source, target = ends.draw(node), ends.draw(node)
    witness = networkx.DiGraph(dict(enumerate(lists)))
    path = shortest_path(opened(tmp_path / "graph", lists, transposed), source, target, 1000)
    if path is None:
        assert not networkx.has_path(witness, source, target)
    else:
        assert (path[0], path[-1]) == (source, target)
        assert all(b in lists[a] for a, b in pairwise(path))
        assert len(path) - 1 == networkx.shortest_path_length(witness, source, target)


@pytest.mark.parametrize("transposed", [True, False])
def test_a_limit_that_is_reached_is_not_no_path(tmp_path: Path, transposed: bool) -> None:
    chain = [[node + 1] for node in range(99)] + [[]]
    graph = opened(tmp_path / "graph", chain, transposed)
    assert shortest_path(graph, 0, 99, 100) == list(range(100))
    with pytest.raises(TooFarError):
        shortest_path(graph, 0, 99, 50)
    assert shortest_path(graph, 99, 0, 50) is None

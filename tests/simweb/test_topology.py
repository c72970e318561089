"""A given graph is served as it is; one that cannot be read is refused in one sentence."""

import gzip
import os
from pathlib import Path

import pytest

from webgraph_it.simweb import Plan, PlanError
from webgraph_it.simweb.names import key
from webgraph_it.simweb.topology import Topology, node_count
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World

GRAPH = "6\n1 2\n0\n2 3 3\n\n5\n4\n"
DATA = Path(os.environ.get("WEBGRAPH_IT_DATA", Path(__file__).parents[3] / "shared/data"))
CNR = DATA / "cnr-2000/cnr-2000.graph-txt.gz"


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.txt"
    path.write_text(GRAPH)
    return path


def test_successors_are_read_once_each(graph: Path) -> None:
    topology = Topology(graph, 6)
    assert [topology.successors(node) for node in range(6)] == [[1, 2], [0], [2, 3], [], [5], [4]]


def test_the_first_nodes_of_a_larger_graph_are_taken(graph: Path) -> None:
    assert node_count(graph) == 6
    assert [Topology(graph, 3).successors(node) for node in range(3)] == [[1, 2], [0], [2]]


def test_all_nodes_are_reached_from_the_roots(graph: Path) -> None:
    assert Topology(graph, 6).roots == [0, 4]
    world = World(Plan(hosts=3, pages=6, topology=graph))
    truth = walk(world)
    assert len(truth.nodes) == 6
    assert len(truth.arcs) == 7
    assert [key(place) for place in world.seed_places] == sorted(
        {key(place) for place in world.seed_places}, key=list(map(key, world.seed_places)).index
    )


def test_a_gzipped_graph_is_the_same(graph: Path) -> None:
    packed = graph.with_suffix(".txt.gz")
    packed.write_bytes(gzip.compress(GRAPH.encode()))
    assert Topology(packed, 6).roots == Topology(graph, 6).roots


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("ciao\n", "line 1 .* 'ciao'; expected the number of nodes"),
        ("2\n1\n", "ends after 1 of 2 nodes"),
        ("2\n1\n7\n", "line 3 .* '7'; expected node numbers from 0 to 1"),
        ("2\n1\nx\n", "line 3 .* 'x'"),
        ("1\n0\n", "pages is 2, more than the 1 nodes"),
    ],
)
def test_a_wrong_graph_is_refused_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "graph.txt"
    path.write_text(text)
    with pytest.raises(PlanError, match=words):
        World(Plan(hosts=1, pages=2, topology=path))


@pytest.mark.parametrize("name", ["niente.txt", "rotto.gz"])
def test_an_unreadable_graph_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "rotto.gz").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(PlanError, match="cannot be read"):
        node_count(tmp_path / name)


@pytest.mark.skipif(not CNR.exists(), reason=f"no real graph at {CNR}")
def test_a_real_graph_is_dressed_whole() -> None:
    truth = walk(World(Plan(hosts=20, pages=5000, topology=CNR)))
    with gzip.open(CNR, "rt") as lines:
        next(lines)
        rows = [{int(n) for n in next(lines).split()} for _ in range(5000)]
    assert len(truth.nodes) == 5000
    assert len(truth.arcs) == sum(target < 5000 for row in rows for target in row)

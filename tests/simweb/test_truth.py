"""The truth is written whole, and says of a crawl's result where it is wrong."""

from pathlib import Path

from webgraph_it.simweb import Plan, Truth
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World


def test_the_files_hold_the_truth(tmp_path: Path) -> None:
    truth = walk(World(Plan(hosts=10, pages=40, shares={"trap-path": 0.1, "error-404": 0.5})))
    truth.write(tmp_path / "truth")
    nodes = [line.split("\t") for line in (tmp_path / "truth/nodes.tsv").read_text().splitlines()]
    arcs = [tuple(line.split("\t")) for line in (tmp_path / "truth/arcs.tsv").read_text().splitlines()]
    bounds = [line.split("\t") for line in (tmp_path / "truth/bounds.tsv").read_text().splitlines()]
    assert {key: state for key, _, state in nodes} == truth.nodes
    assert {key: url for key, url, _ in nodes} == truth.urls
    assert set(arcs) == truth.arcs
    assert arcs == sorted(arcs)
    assert bounds == [["it,trap-path-acqua0)", "2000"]]
    assert {state for _, _, state in nodes} == {"fetched", "error"}


def test_every_arc_joins_two_nodes_and_starts_from_a_parent() -> None:
    truth = walk(
        World(Plan(hosts=30, pages=200, shares={"redirect": 0.2, "error-410": 0.2, "directory": 0.1}))
    )
    assert all(child in truth.nodes for _, child in truth.arcs)
    assert {truth.nodes[parent] for parent, _ in truth.arcs} == {"fetched", "redirect"}
    assert all(node.startswith("it,") for node in truth.nodes)


TRUTH = Truth(
    nodes={"it,a)/": "fetched", "it,a)/x": "error", "it,trappola)/": "fetched"},
    arcs={("it,a)/", "it,a)/x"), ("it,a)/", "it,trappola)/")},
    bounds={"it,trappola)": 2},
)


def test_the_truth_differs_from_itself_in_nothing() -> None:
    assert TRUTH.differences(TRUTH.nodes, TRUTH.arcs) == []


def test_a_trap_may_be_entered_up_to_its_bound() -> None:
    inside = {f"it,trappola)/{n}": "fetched" for n in range(1)}
    arcs = TRUTH.arcs | {("it,trappola)/", node) for node in inside}
    assert TRUTH.differences(TRUTH.nodes | inside, arcs) == []
    cut = {f"it,trappola)/{n}": "trap-cut" for n in range(5, 9)}
    assert TRUTH.differences(TRUTH.nodes | inside | cut, arcs) == []
    deeper = {f"it,trappola)/{n}": "fetched" for n in range(2)}
    assert TRUTH.differences(TRUTH.nodes | deeper, arcs) == ["3 pages of it,trappola), more than 2"]


def test_every_kind_of_difference_is_named() -> None:
    nodes = {"it,a)/": "robots-denied", "it,trappola)/": "fetched", "it,b)/": "fetched"}
    assert TRUTH.differences(nodes, {("it,a)/", "it,trappola)/"), ("it,b)/", "it,a)/")}) == [
        "1 nodes not found: it,a)/x",
        "1 nodes that do not exist: it,b)/",
        "1 nodes in another state: it,a)/: robots-denied, not fetched",
        "1 arcs not found: it,a)/ → it,a)/x",
        "1 arcs that do not exist: it,b)/ → it,a)/",
    ]

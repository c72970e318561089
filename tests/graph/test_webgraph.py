import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import networkx
import numpy as np
import pytest

from tests.convert.crawls import HOME, LINKS, NEWS, SHOP, URLS, expected_arcs, write_crawl
from tests.verbs import convert as main
from webgraph_it.graph import GraphError, WebGraph
from webgraph_it.urls import RECIPE_VERSION

ROWS = expected_arcs(LINKS, list(URLS))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    crawl = write_crawl(tmp_path_factory.mktemp("webgraph") / "crawl")
    assert main([str(crawl)]) == 0
    return crawl / "compact"


@pytest.fixture
def graph(path: Path) -> WebGraph:
    return WebGraph(path)


def test_lists_and_names(graph: WebGraph) -> None:
    assert (len(graph), graph.arcs) == (6, 7)
    assert [graph.successors(node).tolist() for node in graph] == ROWS
    assert [graph.outdegree(node) for node in graph] == [3, 1, 2, 0, 1, 0]
    assert [graph.indegree(node) for node in graph] == [3, 1, 1, 1, 0, 1]
    assert graph.url(graph.id("https://www.esempio.it/")) == URLS[HOME]
    assert repr(graph).endswith("6 nodes, 7 arcs>")


def test_predecessors_are_the_other_ends_of_successors(graph: WebGraph) -> None:
    for node in graph:
        assert graph.predecessors(node).tolist() == [other for other in graph if node in ROWS[other]]


@pytest.mark.parametrize("node", [-1, 6])
def test_unknown_node_is_an_index_error(graph: WebGraph, node: int) -> None:
    with pytest.raises(IndexError, match=f"node {node} of a graph of 6"):
        graph.successors(node)


@pytest.mark.parametrize("node", [1.0, 1.5, "1", None])
def test_only_whole_numbers_are_nodes(graph: WebGraph, node: object) -> None:
    for ask in (
        graph.url,
        graph.successors,
        graph.predecessors,
        graph.outdegree,
        graph.urls.url,
        graph.urls.key,
    ):
        with pytest.raises(TypeError, match=r"is not a node: expected a whole number from 0 to 5"):
            ask(node)  # type: ignore[arg-type]


def test_numpy_integers_are_nodes(graph: WebGraph) -> None:
    for kind in (np.uint32, np.int64, np.uint8):
        assert graph.url(kind(1)) == graph.url(1)  # type: ignore[arg-type]
        assert graph.successors(kind(0)).tolist() == ROWS[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("node", [-1, 6, np.int64(6)])
def test_url_of_an_unknown_node_is_an_index_error(graph: WebGraph, node: int) -> None:
    with pytest.raises(IndexError, match=f"node {node} of a graph of 6 nodes: ids start at 0"):
        graph.url(node)
    with pytest.raises(IndexError, match=f"node {node} of a map of 6 URLs"):
        graph.urls.url(node)


def test_hosts_and_domains_are_found_by_their_names(graph: WebGraph) -> None:
    assert graph.hosts.id("news.esempio.it") == 1
    assert graph.hosts.id("www.Negozio.it") == 2
    assert graph.hosts.id("http://news.esempio.it/") == 1
    assert graph.domains.id("negozio.it") == 1
    for unknown in ("ignoto.it", "", "a b"):
        with pytest.raises(KeyError, match=f"{unknown}/"):
            graph.hosts.id(unknown)
    with pytest.raises(KeyError):
        graph.id("esempio.it")


def test_missing_library_is_named_with_its_remedy(graph: WebGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, adapt in (("networkit", graph.to_networkit), ("networkx", graph.to_networkx)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=f"{name} is not installed: pip install {name}"):
            adapt()


def test_arrays_are_mapped_not_read(graph: WebGraph) -> None:
    assert isinstance(graph.targets, np.memmap)
    assert isinstance(graph.offsets, np.memmap)


def test_scipy_matrix_is_the_adjacency(graph: WebGraph) -> None:
    matrix = graph.to_scipy()
    assert matrix.shape == (6, 6)
    assert {(int(a), int(b)) for a, b in zip(*matrix.nonzero(), strict=True)} == {
        (a, b) for a, row in enumerate(ROWS) for b in row
    }
    assert np.shares_memory(matrix.indices, graph.targets)


def test_networkx_graph_is_the_same(graph: WebGraph) -> None:
    other = graph.to_networkx()
    assert isinstance(other, networkx.DiGraph)
    assert sorted(other.edges) == [(a, b) for a, row in enumerate(ROWS) for b in row]
    assert len(other) == 6
    assert [other.nodes[node]["url"] for node in other] == [URLS[key] for key in sorted(URLS)]


@pytest.mark.skipif(not importlib.util.find_spec("networkit"), reason="networkit is a benchmark's dependency")
def test_networkit_graph_is_the_same(graph: WebGraph) -> None:
    other = graph.to_networkit()
    assert (other.numberOfNodes(), other.isDirected()) == (6, True)
    assert sorted(other.iterEdges()) == [(a, b) for a, row in enumerate(ROWS) for b in row]


def test_hosts_and_domains_are_graphs_with_weights(graph: WebGraph) -> None:
    hosts, domains = graph.hosts, graph.domains
    assert list(hosts.urls) == ["http://esempio.it/", "http://news.esempio.it/", "http://negozio.it/"]
    assert [hosts.successors(node).tolist() for node in hosts] == [[0, 1], [2], [0]]
    assert hosts.weights is not None
    assert hosts.weights.tolist() == [3, 1, 2, 1]  # home → home, about; about → home; then across
    assert [domains.successors(node).tolist() for node in domains] == [[0, 1], [0]]
    assert domains.weights is not None
    assert domains.weights.tolist() == [4, 2, 1]
    assert hosts.to_networkx()[1][2]["weight"] == 2
    assert graph.weights is None


def test_weights_add_up_to_the_links(graph: WebGraph) -> None:
    for level in (graph.hosts, graph.domains):
        assert level.weights is not None
        assert level.weights.sum() == graph.arcs


def test_host_table_says_where_the_pages_are(graph: WebGraph) -> None:
    table = graph.hosts.nodes().to_pydict()
    assert table["name"] == ["esempio.it", "news.esempio.it", "negozio.it"]
    assert (table["first"], table["pages"], table["fetched"]) == ([0, 2, 3], [2, 1, 3], [2, 1, 2])
    assert table["domain"] == [0, 0, 1]
    assert graph.nodes(["host"])["host"].to_pylist() == [0, 0, 1, 2, 2, 2]
    assert graph.urls.host("news.esempio.it") == range(2, 3)
    assert graph.id(URLS[NEWS]) == 2
    assert graph.id(URLS[SHOP]) == 5


def test_unfinished_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="not a finished compact graph"):
        WebGraph(tmp_path)


def test_other_recipe_is_refused(tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_text('{"recipe_version": 99}')
    with pytest.raises(GraphError, match=f"by recipe 99. This program knows recipe {RECIPE_VERSION}"):
        WebGraph(tmp_path)


def test_the_crawl_needs_neither_numpy_nor_numba() -> None:
    code = (
        "import sys, webgraph_it.shards.formats, webgraph_it.shards.writer;"
        "print({'numpy', 'numba', 'pyarrow'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_opening_a_graph_does_not_load_numba(path: Path) -> None:
    code = (
        "import sys; from webgraph_it.graph import WebGraph; g = WebGraph(sys.argv[1]);"
        "g.url(int(g.successors(0)[0])); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("most_arcs", [1, 2, 3, 100])
def test_blocks_of_arcs_are_all_arcs_in_order(graph: WebGraph, most_arcs: int) -> None:
    blocks = list(graph.arc_blocks(most_arcs))
    found = [pair for a, b, _ in blocks for pair in zip(a.tolist(), b.tolist(), strict=True)]
    assert found == [(node, target) for node, row in enumerate(ROWS) for target in row]
    assert all(len(a) <= max(most_arcs, 3) for a, _, _ in blocks)  # the longest list has three
    weights = [weight for *_, block in graph.hosts.arc_blocks(most_arcs) for weight in block.tolist()]
    assert weights == [3, 1, 2, 1]


@pytest.mark.parametrize("nodes_at_a_time", [1, 2, 100])
@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("targets.u32", 0, 6),
        ("targets.u32", 1, 0),
        ("targets.u32", 6, 0xFFFFFFFF),
        ("offsets.u64", 2, 2),
        ("offsets.u64", 2, 2**63),
        ("offsets.u64", 3, 8),
    ],
)
def test_a_damaged_block_is_refused(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    place: int,
    value: int,
    nodes_at_a_time: int,
) -> None:
    monkeypatch.setattr("webgraph_it.graph.lists.NODES_AT_A_TIME", nodes_at_a_time)
    shutil.copytree(path, tmp_path, dirs_exist_ok=True)
    numbers = np.memmap(tmp_path / name, "<u4" if name.endswith("u32") else "<u8", "r+")
    numbers[place] = value
    numbers.flush()
    with pytest.raises(GraphError, match="give no valid list for node"):
        list(WebGraph(tmp_path).arc_blocks(2))

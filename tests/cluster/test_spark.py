"""On a real Spark: local, and on a standalone master with two workers. The witness is convert and analyse.

webgraph_it.cluster.tables, webgraph_it.cluster.groups, webgraph_it.cluster.priorities and webgraph_it.cluster.compact
are what these commands run.
"""

import json
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.analyse.graphs import cnr_2000
from tests.cluster.spark import kill_tree, run_cluster, spark_python, standalone, start_cluster, write_graph
from tests.convert.visited_crawls import Visit, write_visits
from tests.crawl.crawling import finish, run_crawl, start_crawl
from webgraph_it.analyse.csr import csr
from webgraph_it.analyse.pagerank import pagerank
from webgraph_it.cli import main
from webgraph_it.cli.cluster import VERB
from webgraph_it.graph import WebGraph
from webgraph_it.progress import Progress
from webgraph_it.recrawl.planning import make_plan
from webgraph_it.simweb import SimWeb

pytestmark = pytest.mark.slow
SMALL_SPLITS = ("--split", "8192")
LOOPBACK = ("--set", "spark.driver.host=127.0.0.1", "--set", "spark.executor.memory=512m")
VISITS = [
    Visit(1, "it,a)/", "fetched", ("it,b)/", "it,c)/")),
    Visit(1, "it,b)/", "fetched", ("it,a)/",)),
    Visit(1, "it,c)/", "fetched", ("it,a)/", "it,d)/")),
    Visit(2, "it,a)/", "fetched", ("it,b)/", "it,e)/")),
    Visit(2, "it,b)/", "gone"),
    Visit(2, "it,c)/", "gone"),
    Visit(2, "it,e)/", "error"),
]
RETURNS = [
    Visit(3, "it,c)/", "redirect", ("it,b)/",)),
    Visit(3, "it,a)/", "unchanged"),
    Visit(3, "it,b)/", "revisit-failed"),
]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """crawls/italy-1 of all habits, its graph and its ranks."""
    folder = tmp_path_factory.mktemp("cluster")
    with SimWeb(hosts=60, pages=1200, seed=5) as web:
        run_crawl(web, folder / "crawls/italy-1")
    assert main(["convert", str(folder / "crawls/italy-1"), "--out", str(folder / "italy")]) == 0
    assert main(["analyse", str(folder / "italy")]) == 0
    return folder


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of a changing web, stopped early, so that some URLs are untried, then visited again a month later."""
    jobdir, fast = tmp_path_factory.mktemp("changed") / "crawl", {"HOST_DELAY": 0, "ADDRESS_DELAY": 0}
    changing = {"births": 0.01, "deaths": 0.01, "changes": 0.02}
    with SimWeb(hosts=12, pages=400, seed=8, only=["plain"], **changing) as web:
        finish(start_crawl(web, jobdir, CLOSESPIDER_PAGECOUNT=250, **fast))
        assert main(["recrawl", "plan", str(jobdir), "--budget", "150"]) == 0
        web.turn_to(30)
        finish(start_crawl(web, jobdir, days_later=30, CLOSESPIDER_PAGECOUNT=100, RECRAWL_SHARE=0.9, **fast))
    return jobdir


@pytest.fixture(scope="module", params=["local", "standalone"])
def master(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The options that name a Spark with two cores: in one process, and a master with two workers on loopback."""
    python = spark_python()
    if request.param == "local":
        yield ["--master", "local[2]"]
        return
    with standalone(python, tmp_path_factory.mktemp("spark") / "cluster") as cluster:
        for _ in range(2):
            cluster.add_worker()
        yield ["--master", cluster.url, *LOOPBACK]


def arcs_of(graph: WebGraph) -> tuple[list[int], list[int]]:
    sources = np.repeat(np.arange(len(graph)), np.diff(graph.offsets).astype(np.int64))
    return sources.tolist(), graph.targets.tolist()


def distance(found: Path, expected: dict[str, float]) -> float:
    """L1 between two vectors of ranks."""
    table = pq.read_table(found).to_pydict()
    ranks = dict(zip(table["url"], table["pagerank"], strict=True))
    assert ranks.keys() == expected.keys()
    return sum(abs(ranks[url] - expected[url]) for url in expected)


def analysed(crawl: Path) -> dict[str, float]:
    table = pq.read_table(crawl / "italy/analysis/ranks.parquet").to_pydict()
    return dict(zip(table["url"], table["pagerank"], strict=True))


def test_degrees_are_those_of_the_compact_graph(crawl: Path, master: list[str], tmp_path: Path) -> None:
    run_cluster(
        spark_python(),
        "degrees",
        str(crawl / "crawls/italy-1"),
        "--out",
        str(tmp_path),
        *master,
        *SMALL_SPLITS,
    )
    graph = WebGraph(crawl / "italy")
    sources, targets = arcs_of(graph)
    table = pq.read_table(tmp_path / "degrees").to_pydict()
    found = dict(zip(table["url"], zip(table["in_degree"], table["out_degree"], strict=True), strict=True))
    count = len(graph)
    into, out = np.bincount(targets, minlength=count), np.bincount(sources, minlength=count)
    assert found == {url: (into[node], out[node]) for node, url in enumerate(graph.urls)}


def test_hosts_and_domains_are_those_of_convert(crawl: Path, master: list[str], tmp_path: Path) -> None:
    run_cluster(
        spark_python(),
        "domains",
        str(crawl / "crawls/italy-1"),
        "--out",
        str(tmp_path),
        *master,
        *SMALL_SPLITS,
    )
    for level, column in (("hosts", "host"), ("domains", "domain")):
        graph = WebGraph(crawl / "italy" / level)
        nodes = pq.read_table(tmp_path / level / "nodes").to_pydict()
        arcs = pq.read_table(tmp_path / level / "arcs").to_pydict()
        ids = {name: node for node, name in enumerate(nodes[column])}
        expected = graph.nodes(["name", "pages", "fetched"]).to_pydict()
        names = [".".join(reversed(name.split(","))) for name in nodes[column]]
        assert (names, nodes["pages"], nodes["fetched"]) == (
            expected["name"],
            expected["pages"],
            expected["fetched"],
        )
        sources, targets = arcs_of(graph)
        assert graph.weights is not None
        found = (
            [ids[name] for name in arcs["source"]],
            [ids[name] for name in arcs["target"]],
            arcs["links"],
        )
        assert found == (sources, targets, graph.weights.tolist())


def test_compact_is_finished_by_convert_into_the_same_bytes(
    crawl: Path, master: list[str], tmp_path: Path
) -> None:
    out, ours = tmp_path / "ids", tmp_path / "graph"
    run_cluster(
        spark_python(),
        "compact",
        str(crawl / "crawls/italy-1"),
        "--out",
        str(out),
        *master,
        *SMALL_SPLITS,
    )
    assert main(["convert", "--ids", str(out), "--out", str(ours)]) == 0
    expected = crawl / "italy"
    files = [file.relative_to(expected) for file in expected.rglob("*") if file.is_file()]
    compared = [file for file in files if not {".work", "analysis", "graph.json"} & {*file.parts}]
    assert len(compared) > 30
    assert all((ours / file).read_bytes() == (expected / file).read_bytes() for file in compared)
    sources = [json.loads((folder / "graph.json").read_text())["sources"] for folder in (ours, expected)]
    assert sources[0] == sources[1]


def test_a_command_that_fails_leaves_the_earlier_result(tmp_path: Path) -> None:
    crawl, out = write_visits(tmp_path / "crawl", VISITS), tmp_path / "out"
    words = ["degrees", str(crawl), "--out", str(out), "--master", "local[2]"]
    run_cluster(spark_python(), *words)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    shard = crawl / "graph/000001.g16"
    shard.write_bytes(shard.read_bytes()[16:])  # it begins with a child
    run_cluster(spark_python(), *words, code=2)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_the_example_of_the_help_ranks_as_analyse_does(crawl: Path, tmp_path: Path) -> None:
    (example,) = VERB.examples
    words = [str(crawl / word) if word.startswith("crawls/") else word for word in shlex.split(example)[2:]]
    words[words.index("ranks")] = str(tmp_path / "ranks")
    run_cluster(spark_python(), *words)
    assert distance(tmp_path / "ranks/pagerank", analysed(crawl)) < 1e-9
    assert not (tmp_path / "ranks/.work").exists()


def test_a_worker_killed_during_an_iteration_changes_nothing(crawl: Path, tmp_path: Path) -> None:
    python, jobdir = spark_python(), str(crawl / "crawls/italy-1")
    run_cluster(python, "pagerank", jobdir, "--out", str(tmp_path / "calm"), "--master", "local[2]")
    with standalone(python, tmp_path / "cluster") as cluster:
        workers = [cluster.add_worker() for _ in range(2)]
        out = tmp_path / "killed"
        words = ["pagerank", jobdir, "--out", str(out), "--master", cluster.url, *LOOPBACK]
        with start_cluster(python, *words) as process:
            state = out / ".work/state.json"
            deadline = time.monotonic() + 300
            while not (state.exists() and json.loads(state.read_text())["iteration"] >= 10):
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
            kill_tree(workers[0])
            output, _ = process.communicate(timeout=600)
        assert process.returncode == 0, output[-4000:]
    both = [
        pq.read_table(folder / "pagerank").sort_by("url").to_pydict() for folder in (tmp_path / "calm", out)
    ]
    assert both[0] == both[1], "not one bit differs"
    assert distance(out / "pagerank", analysed(crawl)) < 1e-9


def test_the_same_command_goes_on_after_a_kill_of_the_driver(crawl: Path, tmp_path: Path) -> None:
    python, words = (
        spark_python(),
        ["pagerank", str(crawl / "crawls/italy-1"), "--out", str(tmp_path), "--master", "local[2]"],
    )
    with start_cluster(python, *words) as process:
        state = tmp_path / ".work/state.json"
        while not (state.exists() and json.loads(state.read_text())["iteration"] >= 10):
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
        process.communicate()
    before = state.stat().st_mtime_ns
    made = (tmp_path / ".work/nodes-000000.npz").stat().st_mtime_ns
    assert made < before
    assert "Resuming after iteration " in run_cluster(python, *words)
    assert distance(tmp_path / "pagerank", analysed(crawl)) < 1e-9


def test_cnr_2000_has_the_degrees_and_ranks_of_analyse(master: list[str], tmp_path: Path) -> None:
    graph = cnr_2000()
    directory, python, out = write_graph(tmp_path / "crawl", graph), spark_python(), tmp_path / "out"
    for command in ("pagerank", "degrees"):
        run_cluster(python, command, str(directory), "--out", str(out), *master, "--split", "4MiB")
    counts = np.bincount(graph.targets, minlength=graph.nodes)
    sources = np.repeat(np.arange(graph.nodes), np.diff(graph.offsets).astype(np.int64))
    order = np.argsort(graph.targets, kind="stable")
    transposed = csr(np.concatenate([[0], np.cumsum(counts)]), sources[order])
    ranks = pagerank(graph, transposed).ranks
    urls = [f"http://cnr.it/{node:08d}" for node in range(graph.nodes)]
    assert distance(out / "pagerank", dict(zip(urls, ranks.tolist(), strict=True))) < 1e-9
    table = pq.read_table(out / "degrees").sort_by("url").to_pydict()
    assert table["in_degree"] == counts.tolist()
    assert table["out_degree"] == np.diff(graph.offsets).tolist()


def test_pages_that_are_gone_are_those_of_convert(tmp_path: Path) -> None:
    """After re-visits: other links, the same links, gone, back again."""
    crawl = write_visits(tmp_path / "crawl", [*VISITS, *RETURNS])
    assert main(["convert", str(crawl), "--out", str(tmp_path / "ours")]) == 0
    out = tmp_path / "ids"
    run_cluster(spark_python(), "compact", str(crawl), "--out", str(out), "--master", "local[2]")
    assert main(["convert", "--ids", str(out), "--out", str(tmp_path / "theirs")]) == 0
    for name in ("offsets.u64", "targets.u32", "graph.g4", "urls.blocks", "nodes.parquet"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name


@pytest.mark.parametrize("choice", ["smoothed", "smoothed 300", "anansi 50", "adaptive 200", "uniform"])
def test_priorities_are_the_plan_of_recrawl(choice: str, changed: Path, tmp_path: Path) -> None:
    same_plan(choice, changed, tmp_path, ["--master", "local[2]"])


@pytest.mark.parametrize("master", ["standalone"], indirect=True)
def test_two_workers_give_the_plan_of_recrawl(changed: Path, master: list[str], tmp_path: Path) -> None:
    same_plan("smoothed 200", changed, tmp_path, master)


def same_plan(choice: str, changed: Path, tmp_path: Path, master: list[str]) -> None:
    """Of a crawl with re-visits: the same plan, byte for byte."""
    ours, theirs, now = tmp_path / "ours", tmp_path / "theirs", 1_900_000_000.0
    policy, *budget = choice.split()
    for copy in (ours, theirs):
        shutil.copytree(changed, copy)
    lists = tmp_path / "lists"
    options = ["--policy", policy, "--at", str(now), *(["--budget", *budget] if budget else [])]
    words = ["priorities", str(theirs), "--out", str(lists), *master, *SMALL_SPLITS, *options]
    run_cluster(spark_python(), *words)
    assert main(["recrawl", "plan", str(theirs), "--from", str(lists)]) == 0
    made = make_plan(ours, policy, int(budget[0]) if budget else None, now, 1 << 30, 1, Progress())
    assert made.revisits > 40
    for name in ("plan.json", "revisits.tsv", "untried.u18"):
        found = theirs / made.path.relative_to(ours) / name
        assert found.read_bytes() == (made.path / name).read_bytes(), name

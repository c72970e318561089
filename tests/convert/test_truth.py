"""From real crawls of the small Italian internet to a compact graph: the truth, and after crashes the same bytes."""

import signal
from pathlib import Path

from tests.crawl.crawling import finish, run_crawl, start_crawl
from tests.verbs import convert as main
from webgraph_it.graph import WebGraph
from webgraph_it.simweb import SimWeb

POINT = "before-store-commit"
"""The shards are on disk, the store does not know it: what was written since the last commit is cut off again."""
COMPARED = ("offsets.u64", "targets.u32", "graph.g4", "italy.graph", "italy.offsets", "italy-t.graph")


def converted(jobdir: Path) -> WebGraph:
    assert main([str(jobdir)]) == 0
    assert main([str(jobdir), "--check"]) == 0
    return WebGraph(jobdir / "compact")


def test_converted_crawl_of_every_habit_is_the_truth(tmp_path: Path) -> None:
    with SimWeb(hosts=30, pages=300, seed=7) as web:
        run_crawl(web, tmp_path, seconds=180)
        truth, traps = web.truth, tuple(web.truth.bounds)
    graph = converted(tmp_path)
    keys = list(graph.urls.keys())
    states = dict(zip(keys, graph.nodes(["state"])["state"].to_pylist(), strict=True))
    arcs = {(keys[node], keys[target]) for node in graph for target in graph.successors(node).tolist()}

    def free(*names: str) -> bool:
        """Outside the traps, where the truth is a bound and not a set."""
        return not any(name.startswith(traps) for name in names) if traps else True

    assert {k: s for k, s in states.items() if free(k)} == {
        k: str(s) for k, s in truth.nodes.items() if free(k)
    }
    assert {arc for arc in arcs if free(*arc)} == {arc for arc in truth.arcs if free(*arc)}


def test_crashed_and_resumed_crawl_gives_the_same_bytes(tmp_path: Path) -> None:
    fast = {"COMMIT_INTERVAL": 0.2, "GRAPH_BUFFER": 20, "URLS_BUFFER": 20}
    with SimWeb(hosts=20, pages=1000, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path / "whole")
        kills = 0
        for passes in (1, 2):
            crawl = start_crawl(web, tmp_path / "crashed", kill_at=f"{POINT}:{passes}", **fast)
            finish(crawl)
            kills += crawl.returncode == -signal.SIGKILL
        run_crawl(web, tmp_path / "crashed", **fast)
    assert kills
    whole, crashed = converted(tmp_path / "whole"), converted(tmp_path / "crashed")
    for name in COMPARED:
        assert (whole.path / name).read_bytes() == (crashed.path / name).read_bytes(), name
    assert list(whole.urls.keys()) == list(crashed.urls.keys())

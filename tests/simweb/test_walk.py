"""The walker finds exactly the truth: for every habit alone, for all of them together, and for a topology."""

from pathlib import Path

import pytest

from tests.simweb.serving import serving
from tests.simweb.walker import TRAP_PAGES, Walker
from webgraph_it.simweb import Plan, SimWeb, Truth
from webgraph_it.simweb.habits import DEFAULT_SHARES
from webgraph_it.simweb.habits.catalogue import EXTRA_HOSTS, HABITS, HOSTS, LINKS, PAGES, Habit
from webgraph_it.simweb.truth import walk

SHARES = {LINKS: 0.3, PAGES: 0.3, HOSTS: 0.5, EXTRA_HOSTS: 0.5}
SLOW_TO_RECOVER = {"retry-429", "retry-503"}


def walked(seeds: list[str], settings: dict, truth: Truth) -> Walker:
    return Walker(seeds, settings, list(truth.bounds)).walk()


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_the_walker_finds_the_truth_of_each_habit(habit: Habit) -> None:
    shares = {habit.name: SHARES[habit.of]}
    with serving(Plan(hosts=4, pages=16, degree=4, page_bytes=1000, shares=shares)) as (world, settings):
        truth = walk(world)
        walker = walked(world.seeds, settings, truth)
    assert truth.differences(walker.nodes, walker.arcs) == []


def test_the_walker_finds_the_plain_web() -> None:
    with SimWeb(hosts=20, pages=150, only=["plain"], degree=8, page_bytes=2000) as web:
        walker = walked(web.seeds, web.settings, web.truth)
        assert len(walker.nodes) == 150
        assert web.truth.differences(walker.nodes, walker.arcs) == []


def test_the_walker_finds_the_truth_of_all_habits_together() -> None:
    shares = {habit.name: max(habit.share, 0.02) for habit in HABITS if habit.name not in SLOW_TO_RECOVER}
    with SimWeb(hosts=50, pages=300, shares=shares, degree=6, page_bytes=1500, latency_seconds=0.001) as web:
        assert set(web.plan.shares) == set(DEFAULT_SHARES)
        walker = walked(web.seeds, web.settings, web.truth)
        assert web.truth.differences(walker.nodes, walker.arcs) == []
        for trap in web.truth.bounds:
            assert sum(node.startswith(trap) for node in walker.nodes) >= TRAP_PAGES


def test_the_walker_finds_a_given_topology(tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text("5\n1 2\n0\n2 3\n\n4 0\n")
    with serving(Plan(hosts=2, pages=5, topology=tmp_path / "graph.txt")) as (world, settings):
        truth = walk(world)
        walker = walked(world.seeds, settings, truth)
    assert truth.differences(walker.nodes, walker.arcs) == []
    assert (len(walker.nodes), len(walker.arcs)) == (5, 7)

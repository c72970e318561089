"""The walker finds exactly the truth: for every habit alone, and for all of them together."""

import pytest

from tests.simweb.walker import TRAP_PAGES, Walker
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.habits.catalogue import HABITS, LINKS, PAGES

SHARES = {LINKS: 0.3, PAGES: 0.3}
OTHER_SHARE = 0.2


def walked(web: SimWeb) -> Walker:
    return Walker(web.seeds, web.settings, list(web.truth.bounds)).walk()


def test_the_walker_finds_the_plain_web() -> None:
    with SimWeb(hosts=20, pages=150, only=["plain"], degree=8, page_bytes=2000) as web:
        walker = walked(web)
        assert len(walker.nodes) == 150
        assert web.truth.differences(walker.nodes, walker.arcs) == []


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_the_walker_finds_the_truth_of_each_habit(habit) -> None:
    shares = {habit.name: SHARES.get(habit.of, OTHER_SHARE)}
    with SimWeb(hosts=5, pages=20, only=["plain"], shares=shares, degree=4, page_bytes=1000) as web:
        walker = walked(web)
        assert web.truth.differences(walker.nodes, walker.arcs) == []


def test_the_walker_finds_the_truth_of_all_habits_together() -> None:
    with SimWeb(hosts=60, pages=300, degree=6, page_bytes=1500, latency_seconds=0.001) as web:
        walker = walked(web)
        assert web.truth.differences(walker.nodes, walker.arcs) == []
        for trap in web.truth.bounds:
            assert sum(node.startswith(trap) for node in walker.nodes) >= TRAP_PAGES

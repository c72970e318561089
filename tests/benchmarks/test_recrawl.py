"""The benchmark of re-visits, small: what it says of the policies, and that its web is simweb's."""

import pytest

from tests.benchmarks.recrawl import NAMES, Web, measured, picture
from webgraph_it.simweb import Plan
from webgraph_it.simweb.names import Place, key
from webgraph_it.simweb.plain import path_of
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World

PLAN = Plan(hosts=40, pages=1200, degree=15, changes=0.01, deaths=0.0002)


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, float]]:
    figures = measured(PLAN, days=300, every=60, told=lambda text: None)
    assert all(
        f">{name}</text>" in picture({name: each.by_day for name, each in figures.items()}) for name in NAMES
    )
    return {name: each.row() for name, each in figures.items()}


def test_ours_leads_in_arcs_and_in_weighted_freshness(rows: dict[str, dict[str, float]]) -> None:
    ours = rows["ours, smoothed"]
    others = [row for name, row in rows.items() if name != "ours, smoothed"]
    assert len(others) == len(NAMES) - 1 == 3
    for name in ("arcs right", "fresh, weighted"):
        assert ours[name] > max(row[name] for row in others)


def test_oldest_page_of_ours_is_not_older_than_that_of_nutch(rows: dict[str, dict[str, float]]) -> None:
    assert rows["ours, smoothed"]["oldest"] <= rows["Nutch, adaptive"]["oldest"]
    assert rows["round robin"]["oldest"] <= 60


def test_web_of_the_benchmark_is_that_of_simweb_on_each_day() -> None:
    plan = Plan(hosts=5, pages=60, degree=8, changes=0.05, deaths=0.005)
    web, world = Web(plan, 40), World(plan)
    names = [
        key(Place(host.name, path_of(host, index)))
        for host in world.hosts
        for index in range(host.page_count)
    ]
    for day in (0, 13, 40):
        now = [0] * len(web)
        for events in web.events[: day + 1]:
            for page in events:
                now[page] += 1
        arcs = {
            (names[page], names[target])
            for page, editions in enumerate(web.editions)
            for target in editions[now[page]]
        }
        assert arcs == walk(world.on(day)).arcs

"""Every habit does something, has a share, and is documented."""

from pathlib import Path

import pytest

from webgraph_it.simweb import Plan, PlanError
from webgraph_it.simweb.habits import chosen_shares
from webgraph_it.simweb.habits.catalogue import EXTRA_HOSTS, HABITS, HOSTS, Habit
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.plain import path_of
from webgraph_it.simweb.world import World

DOCS = (Path(__file__).parents[3] / "docs/simweb.md").read_text(encoding="utf-8")


def test_names_are_unique() -> None:
    assert len({habit.name for habit in HABITS}) == len(HABITS)


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_every_habit_is_documented_with_its_share_and_meaning(habit: Habit) -> None:
    assert f"| `{habit.name}` | {habit.share:g} | {habit.meaning} |" in DOCS


def everything(world: World) -> list[object]:
    """All that ordinary pages and hosts show."""
    pages = [
        world.page(Place(host.name, path_of(host, index)))
        for host in world.hosts
        for index in range(host.page_count)
    ]
    shown = [(list(page.links), page.media_type, page.delivery) for page in pages if page]
    return [shown, world.hosts, world.extra_hosts]


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_every_habit_changes_the_web(habit: Habit) -> None:
    plain = Plan(hosts=3, pages=12, degree=3)
    share = 0.3 if habit.of in (HOSTS, EXTRA_HOSTS) else 1.0
    changed = Plan(hosts=3, pages=12, degree=3, shares={habit.name: share})
    assert everything(World(plain)) != everything(World(changed))


def test_only_picks_and_shares_override() -> None:
    assert chosen_shares(["plain"], {}) == {}
    assert chosen_shares(["gzip", "br"], {"br": 0.5}) == {"gzip": 0.3, "br": 0.5}
    usual = {habit.name for habit in HABITS if habit.share}
    assert chosen_shares(None, {"gzip": 0}).keys() == usual - {"gzip"}
    assert {habit.name for habit in HABITS} - usual == {"robots-sitemap"}
    with pytest.raises(PlanError, match="unknown habit 'x'; known are: plain, relative"):
        chosen_shares(["x"], {})

"""Traits are dealt by share, at least one host each, and exclude each other within their group."""

import pytest

from webgraph_it.simweb import Plan
from webgraph_it.simweb.habits import DEFAULT_SHARES
from webgraph_it.simweb.habits.catalogue import EXTRA_HOSTS, HABITS, HOSTS, Habit
from webgraph_it.simweb.world import World

WORLD = World(Plan(hosts=200, pages=1000, shares=DEFAULT_SHARES))


@pytest.mark.parametrize(
    "habit", [habit for habit in HABITS if habit.of == HOSTS], ids=lambda habit: habit.name
)
def test_a_trait_has_its_share_of_the_hosts(habit: Habit) -> None:
    count = sum(habit.name in host.traits for host in WORLD.hosts)
    assert count == max(1, round(habit.share * len(WORLD.hosts)))


@pytest.mark.parametrize(
    "habit", [habit for habit in HABITS if habit.of == EXTRA_HOSTS], ids=lambda habit: habit.name
)
def test_extra_hosts_are_as_many_as_asked_for(habit: Habit) -> None:
    count = sum(habit.name in host.traits for host in WORLD.extra_hosts)
    assert count == max(1, round(habit.share * len(WORLD.hosts)))


def test_a_host_has_one_robots_txt_and_one_scheme() -> None:
    for host in WORLD.hosts:
        assert sum(trait.startswith("robots-") for trait in host.traits) <= 1
        assert sum(trait.startswith("http") for trait in host.traits) <= 1
        assert sum(trait.startswith("www") for trait in host.traits) <= 1


def test_names_and_addresses_are_as_they_should_be() -> None:
    assert len(WORLD.by_name) == len(WORLD.hosts) + len(WORLD.extra_hosts)
    assert all(host.address.startswith("127.1.") for host in WORLD.by_name.values())
    assert any(name.startswith("xn--citt-") for name in WORLD.by_name)
    assert len({host.address for host in WORLD.hosts}) < len(WORLD.hosts) / 3


def test_latencies_keep_within_their_spread() -> None:
    plan = Plan(hosts=200, pages=200, shares={"latency": 1.0}, latency_seconds=0.16, latency_spread=0.5)
    latencies = sorted(host.latency_seconds for host in World(plan).hosts)
    assert latencies[100] == pytest.approx(0.16, rel=0.2)
    assert sum(0.05 <= latency <= 0.5 for latency in latencies) >= 190

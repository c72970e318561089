"""The plain web has the shape of a real one, and every page of it can be reached."""

from collections import Counter
from math import log

import pytest

from webgraph_it.simweb import Plan, Truth
from webgraph_it.simweb.hosts import host_sizes
from webgraph_it.simweb.plain import index_of, path_of
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World

PLAN = Plan(hosts=100, pages=1500, degree=20)


@pytest.fixture(scope="module")
def truth() -> Truth:
    return walk(World(PLAN))


def test_every_page_is_reached(truth: Truth) -> None:
    assert len(truth.nodes) == PLAN.pages
    assert set(truth.nodes.values()) == {"fetched"}


def test_the_mean_degree_is_the_one_asked_for(truth: Truth) -> None:
    assert len(truth.arcs) / len(truth.nodes) == pytest.approx(PLAN.degree, rel=0.15)


def test_three_quarters_of_the_links_stay_on_their_host(truth: Truth) -> None:
    staying = sum(a.partition(")")[0] == b.partition(")")[0] for a, b in truth.arcs)
    assert staying / len(truth.arcs) == pytest.approx(0.75, abs=0.05)


def test_in_degrees_follow_a_power_law(truth: Truth) -> None:
    degrees = Counter(child for _, child in truth.arcs).values()
    tail = [degree for degree in degrees if degree >= 30]
    exponent = 1 + len(tail) / sum(log(degree / 29.5) for degree in tail)  # Clauset's estimate
    assert 2 < exponent < 3.5
    assert max(degrees) > 10 * sum(degrees) / len(degrees)


@pytest.mark.parametrize(("hosts", "pages"), [(1, 1), (5, 5), (300, 5000), (7, 1000)])
def test_sizes_fall_and_add_up(hosts: int, pages: int) -> None:
    sizes = host_sizes(hosts, pages, 0.8)
    assert sum(sizes) == pages
    assert len(sizes) == hosts
    assert min(sizes) >= 1
    assert sizes[0] >= sizes[-1]


def test_a_size_exponent_of_zero_makes_hosts_equally_large() -> None:
    assert {host.page_count for host in World(Plan(hosts=40, pages=400, size_exponent=0.0)).hosts} == {10}


def test_a_path_leads_back_to_its_page() -> None:
    for host in World(PLAN).hosts[:6]:
        paths = [path_of(host, index) for index in range(host.page_count)]
        assert len(set(paths)) == host.page_count
        assert [index_of(host, path) for path in paths] == list(range(host.page_count))
        assert index_of(host, path_of(host, host.page_count)) is None
        assert index_of(host, "/altro") is None


def test_two_seeds_are_two_webs() -> None:
    assert walk(World(Plan(10, 50, seed=1))).arcs != walk(World(Plan(10, 50, seed=2))).arcs

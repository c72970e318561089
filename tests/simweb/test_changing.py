"""A changing web: what is born, dies and changes, what validators say, and that the truth of each day is served."""

import time
from http.client import HTTPConnection, HTTPResponse

import pytest

from tests.simweb.test_walk import walked
from webgraph_it.simweb import Plan, PlanError, SimWeb
from webgraph_it.simweb.changing import Calendar
from webgraph_it.simweb.names import Place, key
from webgraph_it.simweb.plain import path_of
from webgraph_it.simweb.truth import Truth, walk
from webgraph_it.simweb.world import World

CHANGING = {"births": 0.01, "deaths": 0.01, "changes": 0.05}
PLAN = Plan(hosts=12, pages=600, degree=8, page_bytes=1000, **CHANGING)
DAYS = (0, 1, 10, 60)


@pytest.fixture(scope="module")
def truths() -> dict[int, Truth]:
    return {day: walk(World(PLAN).on(day)) for day in DAYS}


def fetched(truth: Truth) -> set[str]:
    return {key for key, state in truth.nodes.items() if state == "fetched"}


def test_the_walker_finds_the_truth_of_each_day() -> None:
    sizes = {"hosts": 6, "pages": 80, "degree": 6, "page_bytes": 800}
    with SimWeb(**sizes, only=["plain"], **CHANGING) as web:
        for day in (0, 20):
            web.turn_to(day)
            truth = web.truth_on(day)
            walker = walked(web.seeds, web.settings, truth)
            assert truth.differences(walker.nodes, walker.arcs) == []
        days = {event["day"] for event in web.hits() if event["event"] == "response"}
    assert days == {0, 20}


def test_pages_are_born_and_die_at_their_rates(truths: dict[int, Truth]) -> None:
    first, second = fetched(truths[0]), fetched(truths[10])
    born, dead = second - first, first - second
    assert 0.05 * 600 < len(born) < 0.15 * 600  # ten days of a hundredth, drawn
    assert 0.05 * len(first) < len(dead) < 0.15 * len(first)
    assert {truths[10].nodes.get(name, "error") for name in dead} == {"error"}


def test_every_page_that_exists_is_reached_on_every_day(truths: dict[int, Truth]) -> None:
    world = World(PLAN)
    for day in DAYS:
        calendar = Calendar(PLAN, day)
        exist = {
            key(Place(host.name, path_of(host, index)))
            for host in world.hosts
            for index in range(host.page_count)
            if calendar.exists(host, index)
        }
        assert fetched(truths[day]) == exist


def test_links_change_and_most_stay(truths: dict[int, Truth]) -> None:
    before, now = truths[0].arcs, truths[1].arcs
    assert 0 < len(before - now) < 0.1 * len(before)


def test_hosts_change_at_their_own_rates() -> None:
    calendar = Calendar(PLAN, 0)
    rates = sorted(calendar.rate(host) for host in range(1000))
    assert rates[900] > 5 * rates[100]
    assert sum(rates) / 1000 == pytest.approx(0.05, rel=0.2)


def test_a_web_that_does_not_change_is_the_same_on_every_day() -> None:
    plan = Plan(hosts=3, pages=20, page_bytes=500)
    place = Place(World(plan).hosts[0].name, "/")
    pages = [World(plan).on(day).page(place) for day in (0, 50)]
    assert [page.body() for page in pages if page] == [World(plan).page(place).body()] * 2  # type: ignore[union-attr]


def ask(web: SimWeb, host: str, headers: dict[str, str]) -> HTTPResponse:
    connection = HTTPConnection("127.1.0.1", web.settings["PORT_MAP"]["80"], timeout=10)
    connection.request("GET", "/", headers={"Host": host, **headers})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def conditions(response: HTTPResponse) -> dict[str, str]:
    return {"If-None-Match": response.headers["ETag"]} if response.headers["ETag"] else {}


@pytest.mark.parametrize(
    ("kind", "same_day", "day_with_a_change"),
    [("honest", 304, 200), ("stale", 304, 304), ("fickle", 304, 200)],
)
def test_validators_are_honest_or_lie(kind: str, same_day: int, day_with_a_change: int) -> None:
    with SimWeb(hosts=1, pages=5, page_bytes=500, only=["plain"], changes=0.25, validators=(kind,)) as web:
        host = f"www.{web.world.hosts[0].name}"
        known = conditions(ask(web, host, {}))
        assert known
        assert ask(web, host, known).status == same_day
        web.turn_to(200)
        assert ask(web, host, known).status == day_with_a_change


def test_fickle_etags_change_although_nothing_did() -> None:
    with SimWeb(hosts=1, pages=5, page_bytes=500, only=["plain"], deaths=0.01, validators=("fickle",)) as web:
        host = f"www.{web.world.hosts[0].name}"
        known = conditions(ask(web, host, {}))
        web.turn_to(1)
        assert ask(web, host, known).status == 200


def test_a_host_without_validators_sends_none() -> None:
    with SimWeb(hosts=1, pages=5, page_bytes=500, only=["plain"], changes=0.1, validators=("absent",)) as web:
        response = ask(web, f"www.{web.world.hosts[0].name}", {})
    assert (response.headers["ETag"], response.headers["Last-Modified"]) == (None, None)


def test_days_pass_by_themselves_with_a_fast_clock() -> None:
    with SimWeb(hosts=1, pages=5, page_bytes=500, only=["plain"], changes=0.1, day_seconds=0.05) as web:
        time.sleep(0.5)
        ask(web, web.world.hosts[0].name, {})
        (day,) = [event["day"] for event in web.hits() if event["event"] == "response"]
    assert day >= 5


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"changes": 0.5}, "changes is 0.5"),
        ({"day": -1}, "day is -1"),
        ({"validators": ("odd",)}, "validators is odd"),
    ],
)
def test_a_wrong_plan_is_one_sentence(fields: dict[str, object], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        Plan(**fields)  # type: ignore[arg-type]

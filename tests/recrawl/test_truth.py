"""A crawl, a plan, and a crawl on a later day: the graph of each day is the truth of that day, also after kill -9."""

import random
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from tests.crawl.crawling import finish, run_crawl, start_crawl
from tests.verbs import convert
from webgraph_it.cli import main
from webgraph_it.graph import WebGraph
from webgraph_it.graph.days import date_of
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.names import Place, bare, key
from webgraph_it.simweb.truth import Truth

DAY = 30
PARENTS = ("fetched", "redirect")
FAST = {"HOST_DELAY": 0, "DELAY_FACTOR": 0, "ADDRESS_DELAY": 0}
OFTEN = {"COMMIT_INTERVAL": 0.1, "GRAPH_BUFFER": 20, "URLS_BUFFER": 20}
WEB = {"hosts": 8, "pages": 160, "degree": 5, "page_bytes": 800, "only": ["plain"]}
CHANGING = {"births": 0.008, "deaths": 0.01, "changes": 0.008, "validators": ("honest", "fickle", "absent")}
COMPARED = (
    *("offsets.u64", "targets.u32", "graph.g4", "italy.graph", "italy.offsets", "italy-t.graph"),
    *("hosts/targets.u32", "hosts/weights.u32", "domains/targets.u32"),
)


@pytest.fixture
def web() -> Iterator[SimWeb]:
    with SimWeb(**WEB, **CHANGING) as web:
        yield web


def today() -> date:
    return datetime.now(UTC).date()


def graph_of(truth: Truth, folder: Path) -> WebGraph:
    """The truth as a crawl directory that was written by hand, converted."""
    links: dict[str, list[str]] = {name: [] for name, state in truth.nodes.items() if state in PARENTS}
    for parent, child in sorted(truth.arcs):
        links[parent].append(child)
    write_crawl(folder, links, truth.urls, {name: str(state) for name, state in truth.nodes.items()})
    assert convert([str(folder)]) == 0
    return WebGraph(folder / "compact")


def assert_days_are_the_truth(
    web: SimWeb, days: Mapping[int, date], crawls: list[Path], folder: Path
) -> None:
    for number, day in days.items():
        out = folder / f"as-of-{number}"
        assert convert([*map(str, crawls), "--as-of", str(day), "--out", str(out)]) == 0
        graph, truth = WebGraph(out), graph_of(web.truth_on(number), folder / f"truth-{number}")
        assert list(graph.urls.keys()) == list(truth.urls.keys())
        for name in COMPARED:
            assert (graph.path / name).read_bytes() == (truth.path / name).read_bytes(), name
        assert graph.nodes(["state"]).equals(truth.nodes(["state"]))


def visits_of(web: SimWeb) -> dict[str, set[int]]:
    """Page → the days of simweb on which it was asked for, by simweb's own log."""
    visits: dict[str, set[int]] = defaultdict(set)
    for event in web.hits():
        if event["event"] == "response" and event["path"] != "/robots.txt":
            visits[key(Place(bare(str(event["host"])), str(event["path"])))].add(int(str(event["day"])))
    return visits


def assert_history_agrees_with_the_hits(
    web: SimWeb, days: Mapping[int, date], crawls: list[Path], out: Path
) -> None:
    assert convert([*map(str, crawls), "--history", "--out", str(out)]) == 0
    graph, visits = WebGraph(out), visits_of(web)
    keys, arc_days = list(graph.urls.keys()), graph.arc_days
    truths = {number: web.truth_on(number).arcs for number in days}
    expected = {}
    for arc in set.union(*truths.values()):
        seen = [number for number in sorted(visits[arc[0]]) if arc in truths[number]]
        missed = [number for number in sorted(visits[arc[0]]) if seen and number > seen[-1]]
        if seen:
            expected[arc] = (days[seen[0]], days[seen[-1]], days[missed[0]] if missed else None)
    found = {}
    for node in graph:
        for place, target in enumerate(graph.successors(node).tolist(), int(graph.offsets[node])):
            first, last, ended = (
                int(each[place]) for each in (arc_days.first, arc_days.last, arc_days.ended)
            )
            found[keys[node], keys[target]] = (
                date_of(first),
                date_of(last),
                date_of(ended) if ended else None,
            )
    assert found == expected
    assert {row[2] is None for row in found.values()} == {True, False}
    assert {row[0] for row in found.values()} == set(days.values())


def first_crawl(web: SimWeb, jobdir: Path) -> dict[int, date]:
    """Crawl day 0 and plan all of it; the dates of the days of simweb."""
    begun = today()
    run_crawl(web, jobdir, **FAST)
    assert main(["recrawl", "plan", str(jobdir)]) == 0
    web.turn_to(DAY)
    return {0: begun, DAY: begun + timedelta(days=DAY)}


def second_crawl(web: SimWeb, jobdir: Path) -> None:
    crawl = start_crawl(web, jobdir, days_later=DAY, **FAST)
    output = finish(crawl)
    assert crawl.returncode == 0, output[-3000:]


def test_graph_of_each_day_is_the_truth_of_that_day_after_kills(web: SimWeb, tmp_path: Path) -> None:
    jobdir = tmp_path / "job"
    days = first_crawl(web, jobdir)
    for point in ("plan-import:1", "revisit-gone:1", "revisit-changed:3"):
        crawl = start_crawl(web, jobdir, days_later=DAY, kill_at=point, **FAST, **OFTEN)
        output = finish(crawl)
        assert crawl.returncode == -signal.SIGKILL, f"{point} was not reached: {output[-3000:]}"
    second_crawl(web, jobdir)
    assert_days_are_the_truth(web, days, [jobdir], tmp_path)
    assert_history_agrees_with_the_hits(web, days, [jobdir], tmp_path / "history")


@pytest.mark.slow
def test_graph_of_each_day_is_the_truth_of_that_day_after_kills_at_random(
    web: SimWeb, tmp_path: Path
) -> None:
    jobdir, draw, kills = tmp_path / "job", random.Random(5), 0
    days = first_crawl(web, jobdir)
    slower = {**FAST, "HOST_DELAY": 0.05}
    for _ in range(8):
        crawl = start_crawl(web, jobdir, days_later=DAY, **slower, **OFTEN)
        time.sleep(draw.uniform(0.8, 2.5))
        crawl.kill()
        finish(crawl)
        kills += crawl.returncode == -signal.SIGKILL
    assert kills >= 3
    second_crawl(web, jobdir)
    assert_days_are_the_truth(web, days, [jobdir], tmp_path)
    assert_history_agrees_with_the_hits(web, days, [jobdir], tmp_path / "history")


@pytest.mark.slow
def test_two_crawls_of_two_days_are_one_history(web: SimWeb, tmp_path: Path) -> None:
    """The later crawl starts from the seeds in a directory of its own."""
    crawls = [tmp_path / "later", tmp_path / "earlier"]
    days = first_crawl(web, crawls[1])
    second_crawl(web, crawls[0])
    assert_days_are_the_truth(web, days, crawls, tmp_path)
    assert_history_agrees_with_the_hits(web, days, crawls, tmp_path / "history")

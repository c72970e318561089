"""How the web changed: numbers of a graph through time."""

import json
import math
from pathlib import Path

import pytest

from tests.convert.visited_crawls import Visit, write_visits
from tests.verbs import analyse, convert
from webgraph_it.analyse.changes import ChangingHost, half_life, read_changes
from webgraph_it.graph import WebGraph
from webgraph_it.graph.days import date_of

HOME, NEWS, OLD, NEW = "it,a)/", "it,a)/news", "it,b)/", "it,b)/new"
VISITS = [
    Visit(1000, HOME, "fetched", (NEWS, OLD)),
    Visit(1000, NEWS, "fetched", (HOME,), HOME),
    Visit(1000, OLD, "fetched", (HOME,), HOME),
    Visit(1010, HOME, "fetched", (NEWS, NEW)),
    Visit(1010, NEWS, "unchanged", (), HOME),
    Visit(1020, OLD, "gone", (), HOME),
    Visit(1020, NEWS, "unchanged", (), HOME),
    *(Visit(1021 + n, NEWS, "unchanged", (), HOME) for n in range(3)),
]


@pytest.fixture
def graph(tmp_path: Path) -> WebGraph:
    crawl = write_visits(tmp_path, VISITS)
    assert convert([str(crawl), "--history"]) == 0
    return WebGraph(crawl / "history")


def test_births_and_ends_are_counted_on_their_days(graph: WebGraph) -> None:
    changes = read_changes(graph)
    assert changes
    assert (changes.first_day, changes.last_day) == (date_of(1000), date_of(1023))
    assert (changes.pages_born, changes.pages_gone, changes.pages_changed) == (1, 1, 2)
    assert (changes.links_born, changes.links_gone) == (1, 2)
    assert [(day, n) for day, n in enumerate(changes.born_by_day) if n] == [(10, 1)]
    assert [(day, n) for day, n in enumerate(changes.gone_by_day) if n] == [(10, 1), (20, 1)]


def test_half_life_follows_from_ends_and_days_observed(graph: WebGraph) -> None:
    changes = read_changes(graph)
    assert changes
    links = 10 + 5 + 23 + 10 + 0  # home→news, home→old until the middle, news→home, old→home, home→new
    assert changes.link_half_life_days == pytest.approx(math.log(2) * links / 2)
    pages = 10 + 23 + 20
    assert changes.page_half_life_days == pytest.approx(math.log(2) * pages)
    assert half_life(0, 100.0) is None


def test_hosts_that_change_most_come_first(graph: WebGraph) -> None:
    changes = read_changes(graph)
    assert changes
    assert changes.hosts == [ChangingHost("a.it", 6, 1)], "b.it has too few re-visits"


def test_ordinary_graph_has_no_changes(graph: WebGraph) -> None:
    assert convert([str(graph.path.parent)]) == 0
    assert read_changes(WebGraph(graph.path.parent / "compact")) is None


def test_report_of_a_graph_through_time_says_how_the_web_changed(graph: WebGraph) -> None:
    assert analyse([str(graph.path)]) == 0
    report = (graph.path / "analysis" / "report.html").read_text()
    assert "How the web changed" in report
    assert "Hosts that change most" in report
    changes = json.loads((graph.path / "analysis" / "changes.json").read_text())
    assert (changes["first_day"], changes["links_gone"]) == (str(date_of(1000)), 2)

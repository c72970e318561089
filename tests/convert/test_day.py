"""`convert --as-of`: the graph of a day."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.convert.test_through_time import FIRST_DAY, OTHER, SEED, THIRD, VISITS, any_visits, arcs
from tests.convert.visited_crawls import Visit, graph_on, lists_on, write_visits
from tests.verbs import convert
from webgraph_it.convert import day as day_module
from webgraph_it.graph import WebGraph
from webgraph_it.graph.days import date_of


@settings(max_examples=8, deadline=None)
@given(visits=any_visits(), later=st.integers(0, 20))
def test_graph_of_a_day_is_what_a_crawl_from_the_seeds_would_have_found(
    tmp_path_factory: pytest.TempPathFactory, visits: list[Visit], later: int
) -> None:
    folder, day = tmp_path_factory.mktemp("day"), FIRST_DAY + later
    crawl = write_visits(folder / "crawl", visits)
    out, when = folder / "then", date_of(day).isoformat()
    assert convert([str(crawl), "--as-of", when, "--out", str(out), "--only", "nodes,urls,g4"]) == 0
    graph, want = WebGraph(out), graph_on(visits, day)
    keys = list(graph.urls.keys())
    assert keys == sorted(want)
    assert arcs(graph, graph.offsets, graph.targets) == {
        (a, b) for a, targets in want.items() for b in targets
    }
    parents = lists_on(visits, day).keys()
    states = dict(zip(keys, graph.nodes(["state"])["state"].to_pylist(), strict=True))
    assert {key for key, state in states.items() if state in ("fetched", "redirect")} == parents & set(keys)
    assert graph.summary["as_of"] == when


def test_day_before_the_first_visit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = write_visits(tmp_path, VISITS)
    assert convert([str(crawl), "--as-of", "1999-12-31"]) == 2
    assert "no page was visited until the end of that day" in capsys.readouterr().err


def keys_on(crawl: Path, day: int) -> list[str]:
    when = date_of(day).isoformat()
    assert convert([str(crawl), "--as-of", when, "--only", "urls"]) == 0
    return list(WebGraph(crawl / f"as-of-{when}").urls.keys())


def test_page_found_outside_the_graph_is_a_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory site that is no node still leads to it when the last link from a node has ended."""
    monkeypatch.setattr(day_module, "VISITS_AT_ONCE", 2)
    outside = Visit(FIRST_DAY, THIRD, "fetched", (), "com,directory)/")
    crawl = write_visits(tmp_path, [*VISITS, outside])
    assert keys_on(crawl, FIRST_DAY + 5) == [SEED, OTHER, THIRD, "it,d)/"]


def test_page_that_nothing_links_to_any_more_is_left_out(tmp_path: Path) -> None:
    crawl = write_visits(tmp_path, [*VISITS, Visit(FIRST_DAY, THIRD, "fetched", (), SEED)])
    assert keys_on(crawl, FIRST_DAY + 4) == [SEED, OTHER, THIRD]
    assert keys_on(crawl, FIRST_DAY + 5) == [SEED, OTHER, "it,d)/"]


def test_seed_that_was_added_later_is_not_in_the_graph_of_an_earlier_day(tmp_path: Path) -> None:
    crawl = write_visits(tmp_path, [*VISITS, Visit(FIRST_DAY + 8, "it,late)/", "fetched")])
    assert "it,late)/" not in keys_on(crawl, FIRST_DAY + 7)
    assert "it,late)/" in keys_on(crawl, FIRST_DAY + 8)

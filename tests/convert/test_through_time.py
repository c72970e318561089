"""`convert --history` and `--as-of`, against plain Python on any history."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.convert.visited_crawls import Visit, expected, write_visits
from tests.verbs import convert
from webgraph_it.convert import mapping
from webgraph_it.graph import GraphError, WebGraph
from webgraph_it.graph.days import date_of

SEED, OTHER, THIRD = "it,a)/", "it,b)/", "it,c)/x"
KEYS = (SEED, OTHER, THIRD, "it,d)/", "it,d)/y")
LINKS = st.lists(st.sampled_from(KEYS), max_size=5, unique=True).map(tuple)
FIRST_DAY = 20_000
VISITS = [
    Visit(FIRST_DAY, SEED, "fetched", (OTHER, THIRD)),
    Visit(FIRST_DAY, OTHER, "fetched", (SEED,), SEED),
    Visit(FIRST_DAY + 2, SEED, "unchanged"),
    Visit(FIRST_DAY + 5, SEED, "fetched", (OTHER, "it,d)/")),
    Visit(FIRST_DAY + 6, OTHER, "gone", (), SEED),
]


@st.composite
def any_visits(draw: st.DrawFn) -> list[Visit]:
    """Histories that a crawl can have: only a page that was shown is visited again."""
    visits, shown, day = [Visit(FIRST_DAY, SEED, "fetched", draw(LINKS))], {SEED}, FIRST_DAY
    for _ in range(draw(st.integers(0, 14))):
        day += draw(st.integers(0, 2))
        key = draw(st.sampled_from(KEYS))
        via = "" if key == SEED else SEED
        states = (
            ["fetched", "redirect", "unchanged", "gone", "revisit-failed"]
            if key in shown
            else ["fetched", "error"]
        )
        state = draw(st.sampled_from(states))
        if key not in shown and state == "error":
            visits.append(Visit(day, key, state, (), via, draw(st.sampled_from([404, 500]))))
            continue
        visits.append(Visit(day, key, state, draw(LINKS) if state in ("fetched", "redirect") else (), via))
        shown.add(key)
    return visits


def history(folder: Path, visits: list[Visit]) -> WebGraph:
    crawl = write_visits(folder / "crawl", visits)
    assert (
        convert([str(crawl), "--history", "--out", str(folder / "history"), "--only", "csr,nodes,urls"]) == 0
    )
    return WebGraph(folder / "history")


def arcs(graph: WebGraph, offsets: np.ndarray, targets: np.ndarray) -> set[tuple[str, str]]:
    keys = list(graph.urls.keys())
    sources = np.repeat(np.arange(len(graph)), np.diff(offsets).astype(int))
    return {(keys[a], keys[b]) for a, b in zip(sources.tolist(), targets.tolist(), strict=True)}


@settings(max_examples=8, deadline=None)
@given(visits=any_visits())
def test_history_has_the_days_of_every_arc_and_node(
    tmp_path_factory: pytest.TempPathFactory, visits: list[Visit]
) -> None:
    graph = history(tmp_path_factory.mktemp("history"), visits)
    want, keys = expected(visits), list(graph.urls.keys())
    assert keys == sorted({key for visit in visits for key in (visit.key, *visit.links)})
    days = graph.arc_days
    found = {}
    for node in graph:
        start = int(graph.offsets[node])
        for place, target in enumerate(graph.successors(node).tolist(), start):
            found[keys[node], keys[target]] = tuple(
                int(each[place]) for each in (days.first, days.last, days.ended)
            )
    assert found == {arc: (d.first, d.last, d.ended) for arc, d in want.arcs.items()}
    table = graph.nodes(["visits", "changes", "gone", "first_seen", "last_visit"]).to_pylist()
    for key, row in zip(keys, table, strict=True):
        assert row["visits"] == want.visits.get(key, 0)
        assert row["changes"] == want.changes.get(key, 0)
        assert row["gone"] == want.gone.get(key, False)
        linked = [d.first for (_, target), d in want.arcs.items() if target == key]
        own = [v.day for v in visits if v.key == key and v.state not in ("error", "revisit-failed")]
        seen = [*linked, *own[:1]]
        assert row["first_seen"] == (date_of(min(seen)) if seen else None)
        assert (row["last_visit"].date() if row["last_visit"] else None) == (
            date_of(own[-1]) if own else None
        )


def test_graph_through_time_answers_which_arcs_were_there(tmp_path: Path) -> None:
    graph = history(tmp_path, VISITS)
    day = [date_of(FIRST_DAY + n) for n in range(9)]
    old, new = {(SEED, OTHER), (SEED, THIRD), (OTHER, SEED)}, {(SEED, OTHER), (SEED, "it,d)/")}
    assert arcs(graph, *graph.arcs_between(day[0], day[4])) == old
    assert arcs(graph, *graph.arcs_between(day[6], day[8])) == new
    assert arcs(graph, *graph.arcs_between(day[4], day[5])) == old | new
    assert arcs(graph, *graph.added(day[0], day[8].isoformat())) == new - old
    assert arcs(graph, *graph.removed(day[0], day[8])) == old - new
    assert arcs(graph, *graph.removed(day[0], day[4])) == set()
    assert graph.summary["history"] == [str(day[0]), str(day[6])]


def test_page_that_is_gone_has_no_arcs_and_is_an_error(tmp_path: Path) -> None:
    crawl = write_visits(tmp_path, VISITS)
    assert convert([str(crawl)]) == 0
    assert convert([str(crawl), "--check"]) == 0
    graph = WebGraph(crawl / "compact")
    gone = graph.id("http://b.it/")
    assert graph.outdegree(gone) == 0
    assert graph.nodes(["state"])["state"][gone].as_py() == "error"
    assert graph.outdegree(graph.id("http://a.it/")) == 2
    assert graph.summary["counts"]["gone"] == 1


def test_page_that_came_back_has_its_new_arcs(tmp_path: Path) -> None:
    again = [*VISITS, Visit(FIRST_DAY + 7, OTHER, "fetched", (THIRD,), SEED)]
    crawl = write_visits(tmp_path, again)
    assert convert([str(crawl), "--only", "csr,nodes,urls"]) == 0
    graph = WebGraph(crawl / "compact")
    assert [graph.url(node) for node in graph.successors(graph.id("http://b.it/"))] == ["http://c.it/x"]


@pytest.mark.parametrize("swapped", [False, True])
def test_earlier_and_later_crawl_are_one_history_in_any_order(tmp_path: Path, swapped: bool) -> None:
    earlier = write_visits(tmp_path / "1", [v for v in VISITS if v.day == FIRST_DAY])
    second = [
        Visit(FIRST_DAY + 5, SEED, "fetched", (OTHER, "it,d)/")),
        Visit(FIRST_DAY + 6, OTHER, "error", (), SEED, 410),
    ]
    later = write_visits(tmp_path / "2", second)
    crawls = [str(path) for path in ((later, earlier) if swapped else (earlier, later))]
    assert convert([*crawls, "--history", "--out", str(tmp_path / "out"), "--only", "csr,nodes,urls"]) == 0
    graph = WebGraph(tmp_path / "out")
    whole = expected([v for v in VISITS if v.day == FIRST_DAY] + second)
    assert arcs(graph, *graph.arcs_between("2000-01-01", "2100-01-01")) == set(whole.arcs)
    assert arcs(graph, *graph.arcs_between(date_of(FIRST_DAY + 6), date_of(FIRST_DAY + 6))) == {
        (SEED, OTHER),
        (SEED, "it,d)/"),
    }


def test_page_log_that_does_not_fit_the_shards_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = write_visits(tmp_path, VISITS)
    log = crawl / "pages" / "000001.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[1:]))
    for option in (["--history"], ["--as-of", "2100-01-01"]):
        assert convert([str(crawl), *option]) == 2
        assert "other visits in the page logs than sequences in the shards" in capsys.readouterr().err


def test_graph_without_days_says_what_makes_them(tmp_path: Path) -> None:
    crawl = write_visits(tmp_path, VISITS)
    assert convert([str(crawl), "--only", "csr,nodes,urls"]) == 0
    graph = WebGraph(crawl / "compact")
    assert not graph.has_days
    for asked in (graph.arcs_between, graph.added, graph.removed):
        with pytest.raises(
            GraphError, match=r"does not know the days of its arcs: .* convert JOBDIR --history"
        ):
            asked("2026-01-01", "2026-02-01")


@pytest.mark.parametrize("wrong", ["17.11.2026", "", 20_000, None])
def test_what_is_not_a_day_is_one_sentence(tmp_path: Path, wrong: Any) -> None:
    graph = history(tmp_path, VISITS)
    for days in ((wrong, "2026-02-01"), ("2026-02-01", wrong)):
        with pytest.raises(GraphError, match="is not a day: give a date, or a text such as 2026-11-17"):
            graph.added(*days)


def test_days_before_and_after_all_visits_are_days(tmp_path: Path) -> None:
    graph = history(tmp_path, VISITS)
    assert len(graph.added("1969-01-01", "2300-01-01")[1]) > 0
    assert len(graph.added("1900-01-01", "1969-01-01")[1]) == 0


def test_impossible_days_are_refused(tmp_path: Path) -> None:
    graph = history(tmp_path, VISITS)
    (graph.path / "last.u16").write_bytes(b"\0" * 2 * graph.arcs)
    with pytest.raises(GraphError, match="days are not in order"):
        WebGraph(graph.path).added("2026-01-01", "2026-02-01")


def test_little_memory_gives_the_same_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = history(tmp_path / "much", VISITS)
    monkeypatch.setattr("webgraph_it.convert.job.LEAST_BUDGET", 200)
    monkeypatch.setattr(mapping, "MAX_PARTS", 2)
    little = history(tmp_path / "little", VISITS)
    for name in ("offsets.u64", "targets.u32", "first.u16", "last.u16", "ended.u16"):
        assert (graph.path / name).read_bytes() == (little.path / name).read_bytes()
    assert graph.nodes().equals(little.nodes())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--history", "--as-of", "2026-11-17"], "--history is all days, and --as-of is one day"),
        (["--history", "--check"], "--check compares a graph with all of its crawl"),
        (["--as-of", "17.11.2026"], "'17.11.2026' is not a day; write for instance 2026-11-17"),
        (["--as-of", "2026-11-17", "--only", "csr"], "there is no step 'csr'. The steps are day, g4"),
    ],
)
def test_wrong_options_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    crawl = write_visits(tmp_path, VISITS)
    assert convert([str(crawl), *options]) == 2
    assert words in capsys.readouterr().err


def test_a_day_that_is_refused_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = write_visits(tmp_path, VISITS)
    before = sorted(crawl.iterdir())
    assert convert([str(crawl), "--as-of", "1969-01-01"]) == 2
    assert "no page was visited until the end of that day" in capsys.readouterr().err
    assert sorted(crawl.iterdir()) == before
    kept = crawl / "as-of-1969-01-01" / "notes.txt"
    kept.parent.mkdir()
    kept.touch()
    assert convert([str(crawl), "--as-of", "1969-01-01"]) == 2
    assert list(kept.parent.iterdir()) == [kept]


def test_files_of_the_thesis_have_no_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = write_visits(tmp_path, VISITS)
    files = ["--urls", str(crawl / "urls" / "000001.tsv"), "--graph16", str(crawl / "graph")]
    assert convert([*files, "--out", str(tmp_path / "out"), "--history"]) == 2
    assert "nothing says when its pages were visited" in capsys.readouterr().err


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("option", [["--history"], ["--as-of", "2026-01-01"]])
def test_same_command_again_leaves_a_finished_graph_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    crawl = write_visits(tmp_path / "crawl", VISITS)
    command = [str(crawl), *option, "--out", str(tmp_path / "out"), "--skip", "hosts,domains,transpose"]
    assert convert(command) == 0
    before = content(tmp_path / "out")
    assert convert(command) == 0
    assert "is up to date" in capsys.readouterr().err
    assert content(tmp_path / "out") == before
    assert convert([*command, "--from", "g4"]) == 0
    again = content(tmp_path / "out")
    assert {name: again[name] for name in before if name != "graph.json"} == {
        name: data for name, data in before.items() if name != "graph.json"
    }


def test_another_day_in_the_same_folder_starts_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl, out = write_visits(tmp_path / "crawl", VISITS), tmp_path / "out"
    sizes = []
    for day in (FIRST_DAY, FIRST_DAY + 6):
        assert (
            convert([str(crawl), "--as-of", str(date_of(day)), "--out", str(out), "--only", "day,urls"]) == 0
        )
        sizes.append(WebGraph(out).arcs)
    assert sizes == [3, 2]
    assert "was made from other files: starting again" in capsys.readouterr().err

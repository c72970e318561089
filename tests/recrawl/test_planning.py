"""`webgraph-it recrawl plan`: what it reads from a crawl directory, and which plan it leaves."""

import fcntl
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.convert.crawls import digest
from tests.convert.visited_crawls import DAY, Visit, write_visits
from tests.recrawl.test_policies import NOW, any_pages
from webgraph_it.cli import main
from webgraph_it.convert.visits import ENDED, OTHER, SAME, SEQUENCE, VISIT
from webgraph_it.progress import Progress
from webgraph_it.recrawl import planning
from webgraph_it.recrawl.plan_files import UNTRIED, planned_from, plans, popularity
from webgraph_it.recrawl.planning import Candidates, Degrees, make_plan, of_visits
from webgraph_it.recrawl.policies import DEFAULT_INTERVAL_SECONDS, POLICIES, Array, Visited

HOME, NEWS, OLD, NEW, WANTED = "it,a)/", "it,a,news)/", "it,b)/", "it,c)/new", "it,c)/wanted"
VISITS = [
    Visit(100, HOME, "fetched", (NEWS, OLD, WANTED)),
    Visit(100, NEWS, "fetched", (HOME, NEW, WANTED), HOME),
    Visit(101, OLD, "fetched", (HOME,), HOME),
    Visit(120, NEWS, "fetched", (HOME, WANTED), HOME),
    Visit(121, OLD, "gone", (), HOME),
    Visit(122, HOME, "unchanged"),
]
CHANGES = {3: 1 / 3, 4: 1.0}


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return write_visits(tmp_path / "crawl", VISITS, CHANGES)


def planned(crawl: Path, policy: str = "smoothed", budget: int | None = None) -> list[str]:
    """The keys of a new plan, the most urgent first."""
    make_plan(crawl, policy, budget, 200.0 * DAY, 1 << 30, 2, Progress())
    rows = [row for row, _ in planned_from(plans(crawl)[-1], 0)]
    assert [row.key for row in rows] == sorted(row.key for row in rows)
    return [row.key for row in sorted(rows)]


def test_plan_has_every_page_that_was_fetched_with_its_place(crawl: Path) -> None:
    make_plan(crawl, "uniform", None, 200.0 * DAY, 1 << 30, 1, Progress())
    (plan,) = plans(crawl)
    rows = {row.key: row for row, _ in planned_from(plan, 0)}
    assert rows.keys() == {HOME, NEWS, OLD}
    assert rows[NEWS][2:] == ("http://news.a.it/", 1, 0, HOME)
    assert sorted(rows, key=lambda key: rows[key].priority) == [NEWS, OLD, HOME]
    assert not (crawl / "recrawl" / "planning").exists()


def test_untried_urls_come_by_digest_with_their_in_degree(crawl: Path) -> None:
    planned(crawl)
    found = list(UNTRIED.iter_unpack(plans(crawl)[0].untried.read_bytes()))
    assert found == sorted([(digest(WANTED), popularity(2)), (digest(NEW), popularity(0))])


def test_many_untried_urls_are_in_order_of_digest(tmp_path: Path) -> None:
    many = tuple(f"it,c)/{number}" for number in range(700))
    crawl = write_visits(
        tmp_path, [Visit(1, HOME, "fetched", many), Visit(1, NEWS, "fetched", many[::2], HOME)]
    )
    planned(crawl)
    found = list(UNTRIED.iter_unpack(plans(crawl)[0].untried.read_bytes()))
    links = {key: 1 + (key in many[::2]) for key in many}
    assert found == sorted((digest(key), popularity(count)) for key, count in links.items())


def test_plan_that_was_killed_leaves_nothing_that_disturbs_the_next(crawl: Path) -> None:
    left = crawl / "recrawl" / "planning" / ".work" / "staging"
    left.mkdir(parents=True)
    (left / "runs").write_bytes(b"half")
    assert planned(crawl, "uniform") == [NEWS, OLD, HOME]


def test_two_plans_at_once_are_refused(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work = crawl / "recrawl" / "planning" / ".work"
    work.mkdir(parents=True)
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert main(["recrawl", "plan", str(crawl)]) == 2
    assert f"another plan is being made for {crawl}: wait" in capsys.readouterr().err
    assert plans(crawl) == []


def test_plan_reads_only_what_was_committed(crawl: Path) -> None:
    """A crawl that runs has written more than its last commit counts."""
    committed = {
        folder: {path.name: path.stat().st_size for path in (crawl / folder).iterdir()}
        for folder in ("graph", "urls", "pages")
    }
    (crawl / "committed.json").write_text(json.dumps(committed))
    for path in crawl.glob("*/000001.*"):
        with path.open("ab") as file:
            file.write(b"torn")
    assert planned(crawl, "uniform") == [NEWS, OLD, HOME]


@pytest.mark.parametrize(
    ("policy", "first"), [("uniform", NEWS), ("smoothed", NEWS), ("anansi", NEWS), ("adaptive", NEWS)]
)
def test_budget_takes_what_the_policy_puts_first(crawl: Path, policy: str, first: str) -> None:
    assert planned(crawl, policy, 1) == [first]


def test_budget_of_more_pages_than_there_are_is_no_budget(tmp_path: Path) -> None:
    """The oldest have a fifth of the budget: with 400, the ninth oldest of 40 pages would have a turn of its own."""
    links = [10] * 8 + [0] + [10] * 27 + [1] * 4  # the ninth oldest is the least urgent, then the four newest
    pages = [
        Visit(100 + age, f"it,a)/{age:02d}", "fetched", tuple(f"it,b)/{n}" for n in range(count)))
        for age, count in enumerate(links)
    ]
    crawl = write_visits(tmp_path, pages)
    assert planned(crawl, "smoothed", None)[-1] == "it,a)/08"
    assert planned(crawl, "smoothed", 400) == planned(crawl, "smoothed", None)


def test_plans_are_numbered(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        assert main(["recrawl", "plan", str(crawl), "--budget", "2"]) == 0
        assert f"{crawl}/recrawl/{number:06d}: 2 re-visits, 2 untried URLs." in capsys.readouterr().out


def test_crawl_without_pages_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = write_visits(tmp_path, VISITS)
    (crawl / "pages" / "000001.jsonl").unlink()
    assert main(["recrawl", "plan", str(crawl)]) == 2
    assert "has no page log" in capsys.readouterr().err


def test_memory_without_its_unit_is_refused(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recrawl", "plan", str(crawl), "--memory", "1"]) == 2
    assert "--memory is 1 bytes; expected a size with its unit" in capsys.readouterr().err
    assert plans(crawl) == []


def test_visits_give_what_the_policies_need() -> None:
    records = [
        (0, SEQUENCE, 10.0, 0.0), (0, SAME, 20.0, 0.0), (0, OTHER, 25.0, 0.0), (0, SEQUENCE, 30.0, 0.5),
        (2, OTHER, 5.0, 0.0),
        (3, SEQUENCE, 40.0, 0.0),
        (4, ENDED, 7.0, 0.0),
        (5, SEQUENCE, 1.0, 0.0), (5, ENDED, 9.0, 1.0),
    ]  # fmt: skip
    visits = np.array([(*record, b"") for record in records], VISIT)
    degrees = Degrees(np.arange(6, dtype=np.uint32), np.arange(6, dtype=np.uint32) * 2)
    found = of_visits(visits, degrees, with_due=True)
    assert found.nodes.tolist() == [0, 3, 5], "those that were ever fetched"
    assert found.pages.last_visit.tolist() == [30, 40, 9]
    assert found.pages.revisits.tolist() == [2, 0, 1]
    assert found.pages.changes.tolist() == [0.5, 0, 1]
    assert found.pages.last_change.tolist() == [0.5, 1, 1]
    assert found.pages.indegree.tolist() == [0, 3, 5]
    assert found.pages.due[1] == 40 + DEFAULT_INTERVAL_SECONDS
    assert found.pages.due[2] == 9 + DEFAULT_INTERVAL_SECONDS * 0.8
    assert found.pages.due[0] == pytest.approx(30 + DEFAULT_INTERVAL_SECONDS * 1.4 * 0.8)


@given(any_pages(), st.integers(1, 30), st.integers(1, 25), st.sampled_from(sorted(POLICIES)))
def test_choosing_in_ranges_is_choosing_from_all(
    pages: Visited, budget: int, at_once: int, name: str
) -> None:
    nodes: Array = 10 * np.arange(len(pages))
    whole = Candidates(nodes, pages)
    parts = [
        whole.chosen(np.arange(first, min(first + at_once, len(pages))))
        for first in range(0, max(len(pages), 1), at_once)
    ]
    chosen = planning._choose(iter(parts), POLICIES[name], NOW, budget)
    assert chosen.tolist() == nodes[POLICIES[name](pages, NOW, budget)].tolist()

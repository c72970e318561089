"""A crawl visits pages again: the graph is that of the later day, also after kill -9 anywhere."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from shutil import copytree
from typing import NamedTuple

import pytest

from tests.crawl.crawling import PROJECT, differences, finish, run_crawl, start_crawl
from tests.crawl.recrawling import FAST, differences_now, last_number, log_of, plan_pages
from webgraph_it.crawl.control_socket import ask
from webgraph_it.frontier import RocksStore
from webgraph_it.frontier.visits import VISIT, Visit, visit_of
from webgraph_it.killpoint import REVISIT_POINTS
from webgraph_it.recrawl.plan_files import plans
from webgraph_it.simweb import SimWeb, compare
from webgraph_it.simweb.crawl_files import read_crawl
from webgraph_it.simweb.truth import Truth

DAY = 30
CHANGING = {"births": 0.008, "deaths": 0.01, "changes": 0.008, "validators": ("honest", "fickle", "absent")}
OFTEN = {"COMMIT_INTERVAL": 0.1, "GRAPH_BUFFER": 20, "URLS_BUFFER": 20}


class Crawled(NamedTuple):
    """A web on a later day, and a crawl of its first day."""

    web: SimWeb
    jobdir: Path
    truth: Truth
    """Of DAY."""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    jobdir = tmp_path_factory.mktemp("crawl") / "job"
    with SimWeb(hosts=8, pages=160, degree=5, page_bytes=800, only=["plain"], **CHANGING) as web:
        run_crawl(web, jobdir, **FAST)
        assert differences(web, jobdir) == []
        plan_pages(jobdir)
        web.turn_to(DAY)
        yield Crawled(web, jobdir, web.truth_on(DAY))


def visits(jobdir: Path) -> dict[bytes, Visit]:
    store = RocksStore(jobdir / "frontier")
    found = {key[1:]: visit_of(row) for key, row in store.items(VISIT, b"w")}
    store.close()
    return found


def recrawl(crawled: Crawled, jobdir: Path, **settings: object) -> str:
    crawl = start_crawl(crawled.web, jobdir, days_later=DAY, **FAST, **settings)
    output = finish(crawl)
    assert crawl.returncode == 0, output[-3000:]
    return output


@pytest.fixture(scope="module")
def recrawled(crawled: Crawled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the crawl after a full re-crawl."""
    jobdir = copytree(crawled.jobdir, tmp_path_factory.mktemp("recrawl") / "job")
    recrawl(crawled, jobdir)
    return jobdir


def test_a_full_re_crawl_finds_the_later_day(crawled: Crawled, recrawled: Path) -> None:
    jobdir = recrawled
    before, since = visits(crawled.jobdir), last_number(crawled.jobdir) + 1
    assert differences_now(crawled.truth, jobdir) == []
    assert compare.differences(crawled.truth, read_crawl(jobdir)) == []
    assert plans(jobdir) == []
    lines = [line for line in log_of(jobdir, first=since) if "visit" in line]
    states = Counter((line["state"], line["status"]) for line in lines)
    assert states.keys() == {("fetched", 200), ("unchanged", 200), ("unchanged", 304), ("gone", 404)}
    assert len(lines) == len(before)
    now = visits(jobdir)
    assert all(now[name].visits == 2 and not now[name].is_planned for name in before)
    assert sum(row.is_gone for row in now.values()) == states["gone", 404]
    changes = {line["key"]: line["change"] for line in lines}
    assert all((line["change"] > 0) == (line["state"] != "unchanged") for line in lines)
    assert sum(changes.values()) == pytest.approx(sum(row.changes for row in now.values()), rel=1e-4)


def test_what_did_not_change_costs_no_bytes_where_validators_are_honest(
    crawled: Crawled, recrawled: Path, tmp_path: Path
) -> None:
    """The same day again: nothing changed. The plan is imported by the running crawl at a checkpoint."""
    jobdir = copytree(recrawled, tmp_path / "job")
    since = last_number(jobdir) + 1
    crawl = start_crawl(
        crawled.web, jobdir, days_later=DAY, **FAST, CONTINUOUS="True", RECRAWL_PLAN_INTERVAL=1000
    )
    try:
        wait_for_log(crawl, "were loaded before")
        wait_for(lambda: ask(jobdir, {"action": "status"})["limit"] == "plan", crawl, seconds=20)
        count = plan_pages(jobdir)
        ask_for_checkpoints_until(lambda: len(log_of(jobdir, first=since)) >= count, crawl)
    finally:
        crawl.send_signal(signal.SIGTERM)
        output = finish(crawl)
    assert "A plan was imported" in output
    states = Counter((line["state"], line["status"]) for line in log_of(jobdir, first=since))
    assert states.keys() == {("unchanged", 200), ("unchanged", 304), ("gone", 404)}
    assert states["unchanged", 304] > states["unchanged", 200], "fickle ETags are the same on the same day"
    assert differences_now(crawled.truth, jobdir) == []


def test_a_line_with_the_url_of_another_page_is_not_fetched(crawled: Crawled, tmp_path: Path) -> None:
    """Otherwise the links of the other page would become its arcs. An empty URL would end the crawl."""
    jobdir = copytree(crawled.jobdir, tmp_path / "job")
    since = last_number(jobdir) + 1
    (plan,) = plans(jobdir)
    rows = [line.split("\t") for line in plan.revisits.read_text().splitlines(keepends=True)]
    rows[0][2], rows[1][2] = rows[-1][2], ""
    plan.revisits.write_text("".join("\t".join(row) for row in rows))
    output = recrawl(crawled, jobdir)
    assert "2 lines of " in output
    visited = {line["key"] for line in log_of(jobdir, first=since) if "visit" in line}
    assert visited == {row[1] for row in rows[2:]}


def wait_for_log(crawl: subprocess.Popen[str], words: str) -> None:
    assert crawl.stdout
    for line in crawl.stdout:
        if words in line:
            return
    raise AssertionError(f"the crawl ended without {words!r}")


def ask_for_checkpoints_until(
    holds: Callable[[], bool], crawl: subprocess.Popen[str], seconds: float = 30
) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        assert crawl.poll() is None
        crawl.send_signal(signal.SIGUSR1)
        time.sleep(0.3)


@pytest.mark.slow
def test_pages_of_servers_that_always_answer_304_are_right_at_every_fourth_visit(tmp_path: Path) -> None:
    stale = {"changes": 0.25, "validators": ("stale",)}
    with SimWeb(hosts=3, pages=30, degree=5, page_bytes=800, only=["plain"], **stale) as web:
        run_crawl(web, tmp_path, **FAST)
        right = []
        for day in (20, 40, 60, 80):
            plan_pages(tmp_path)
            web.turn_to(day)
            run_crawl(web, tmp_path, **FAST)
            right.append(differences_now(web.truth_on(day), tmp_path) == [])
    assert right == [False, False, True, False]


@pytest.mark.slow
def test_a_web_with_every_habit_is_found_again_as_it_is_later(tmp_path: Path) -> None:
    """Redirects, robots.txt, documents, spellings, faults; and the plan is the planner's."""
    with SimWeb(hosts=30, pages=400, degree=8, page_bytes=1000, **CHANGING) as web:
        run_crawl(web, tmp_path, **FAST)
        assert differences(web, tmp_path) == []
        command = [sys.executable, "-m", "webgraph_it", "recrawl", "plan", str(tmp_path)]
        subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
        web.turn_to(DAY)
        crawl = start_crawl(web, tmp_path, days_later=DAY, **FAST)
        finish(crawl)
        assert crawl.returncode == 0
        assert compare.differences(web.truth_on(DAY), read_crawl(tmp_path)) == []


def killed(crawled: Crawled, jobdir: Path, kill_at: str) -> None:
    crawl = start_crawl(crawled.web, jobdir, days_later=DAY, kill_at=kill_at, **FAST, **OFTEN)
    finish(crawl)
    assert crawl.returncode == -signal.SIGKILL, f"it did not come to {kill_at}"


def test_a_re_crawl_that_is_killed_at_every_point_finds_the_later_day(
    crawled: Crawled, tmp_path: Path
) -> None:
    jobdir = copytree(crawled.jobdir, tmp_path / "job")
    points = ("plan-import", "revisit-gone", "revisit-unchanged", "revisit-changed")
    assert {*points, "revisit-failed"} == set(REVISIT_POINTS)
    for point in points:
        killed(crawled, jobdir, f"{point}:1")
    recrawl(crawled, jobdir)
    assert differences_now(crawled.truth, jobdir) == []
    assert {row.visits for row in visits(jobdir).values()} == {1, 2}, "nothing was visited twice in one plan"


@pytest.mark.slow
@pytest.mark.parametrize("point", [point for point in REVISIT_POINTS if point != "revisit-failed"])
def test_a_re_crawl_that_is_killed_at_one_point_again_and_again_finds_the_later_day(
    crawled: Crawled, tmp_path: Path, point: str
) -> None:
    jobdir = copytree(crawled.jobdir, tmp_path / "job")
    for passes in (1, 5, 2):
        crawl = start_crawl(crawled.web, jobdir, days_later=DAY, kill_at=f"{point}:{passes}", **FAST, **OFTEN)
        finish(crawl)
    recrawl(crawled, jobdir)
    assert differences_now(crawled.truth, jobdir) == []
    assert {row.visits for row in visits(jobdir).values()} == {1, 2}


@pytest.mark.slow
def test_a_re_crawl_that_is_killed_at_random_finds_the_later_day(crawled: Crawled, tmp_path: Path) -> None:
    draw = random.Random(21)
    kills = 0
    slow = {**FAST, **OFTEN, "HOST_DELAY": 0.05}
    for turn in range(6):
        jobdir = copytree(crawled.jobdir, tmp_path / f"job{turn}")
        for _ in range(4):
            crawl = start_crawl(crawled.web, jobdir, days_later=DAY, **slow)
            time.sleep(draw.uniform(0.8, 2.5))
            crawl.kill()
            finish(crawl)
            kills += crawl.returncode == -signal.SIGKILL
        recrawl(crawled, jobdir)
        assert differences_now(crawled.truth, jobdir) == []
        assert {row.visits for row in visits(jobdir).values()} == {1, 2}
    assert kills >= 10


def tenth_with_most_links(jobdir: Path) -> set[str]:
    """Of each host."""
    hosts: dict[str, list[tuple[int, str]]] = {}
    for line in log_of(jobdir):
        hosts.setdefault(line["key"].partition(")")[0], []).append((line["links"], line["key"]))
    return {key for pages in hosts.values() for _, key in sorted(pages)[-max(1, len(pages) // 10) :]}


@pytest.mark.slow
def test_a_tenth_of_the_pages_leads_to_most_of_what_is_new(tmp_path: Path) -> None:
    """One page in a hundred is new. Pages have as many links as on the Italian web (54)."""
    with SimWeb(hosts=10, pages=1500, degree=54, page_bytes=500, only=["plain"], births=0.008) as web:
        run_crawl(web, tmp_path, **FAST)
        old = {line["key"] for line in log_of(tmp_path)}
        revisits = plan_pages(tmp_path, tenth_with_most_links(tmp_path).__contains__)
        web.turn_to(1)
        since = last_number(tmp_path) + 1
        run_crawl(web, tmp_path, **FAST)
        full = web.truth_on(1).nodes.keys()
    fetched = [line["key"] for line in log_of(tmp_path, first=since)]
    new = full - old
    assert 0.005 * len(old) < len(new) < 0.02 * len(old)
    assert revisits == pytest.approx(len(old) / 10, rel=0.15)
    assert len(new & set(fetched)) >= 0.85 * len(new)
    assert len(fetched) <= 0.12 * len(full)


@pytest.mark.slow
def test_a_continuous_crawl_plans_again_and_follows_the_web(tmp_path: Path) -> None:
    with SimWeb(hosts=4, pages=60, degree=5, page_bytes=800, only=["plain"], **CHANGING) as web:
        crawl = start_crawl(
            web, tmp_path, **FAST, CONTINUOUS="True", RECRAWL_PLAN_INTERVAL=3, COMMIT_INTERVAL=0.2
        )
        try:
            wait_for(lambda: differences_now(web.truth, tmp_path) == [], crawl)
            web.turn_to(DAY)
            later = web.truth_on(DAY)
            wait_for(lambda: differences_now(later, tmp_path) == [], crawl)
        finally:
            crawl.send_signal(signal.SIGTERM)
            output = finish(crawl)
    assert crawl.returncode in (0, 3), output[-3000:]
    assert "A plan was imported" in output
    assert differences_now(later, tmp_path) == []


def wait_for(holds: Callable[[], bool], crawl: subprocess.Popen[str], seconds: float = 60) -> None:
    """The files of a running crawl may end within a record."""
    until = time.monotonic() + seconds
    while True:
        with suppress(AssertionError, ValueError, KeyError, IndexError, StopIteration, OSError):
            if holds():
                return
        assert time.monotonic() < until
        assert crawl.poll() is None
        time.sleep(0.3)

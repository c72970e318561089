"""A crawl visits pages again: the graph is that of the later day, also after kill -9 anywhere."""

import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import NamedTuple

import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from tests.crawl.recrawling import FAST, differences_now, last_number, log_of, plan_pages
from webgraph_it.frontier import RocksStore
from webgraph_it.frontier.visits import VISIT, Visit, visit_of
from webgraph_it.killpoint import REVISIT_POINTS
from webgraph_it.recrawl.plan_files import plans
from webgraph_it.simweb import SimWeb
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


def test_a_full_re_crawl_finds_the_later_day(crawled: Crawled, tmp_path: Path) -> None:
    jobdir = copytree(crawled.jobdir, tmp_path / "job")
    before, since = visits(jobdir), last_number(jobdir) + 1
    recrawl(crawled, jobdir)
    assert differences_now(crawled.truth, jobdir) == []
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
    crawled: Crawled, tmp_path: Path
) -> None:
    """The same day again: nothing changed."""
    jobdir = copytree(crawled.jobdir, tmp_path / "job")
    recrawl(crawled, jobdir)
    plan_pages(jobdir)
    since = last_number(jobdir) + 1
    recrawl(crawled, jobdir)
    states = Counter((line["state"], line["status"]) for line in log_of(jobdir, first=since))
    assert states.keys() == {("unchanged", 200), ("unchanged", 304), ("gone", 404)}
    assert states["unchanged", 304] > states["unchanged", 200], "fickle ETags are the same on the same day"
    assert differences_now(crawled.truth, jobdir) == []


def test_a_plan_is_imported_by_a_running_crawl_at_a_checkpoint(crawled: Crawled, tmp_path: Path) -> None:
    jobdir = copytree(crawled.jobdir, tmp_path / "job")
    recrawl(crawled, jobdir)
    settings = {**FAST, "CONTINUOUS": "True", "RECRAWL_PLAN_INTERVAL": 1000}
    crawl = start_crawl(crawled.web, jobdir, days_later=DAY, **settings)
    try:
        wait_for_log(crawl, "were loaded before")
        count, since = plan_pages(jobdir), last_number(jobdir)
        crawl.send_signal(signal.SIGUSR1)
        wait_until(lambda: len(log_of(jobdir, first=since)) >= count, crawl)
    finally:
        crawl.send_signal(signal.SIGTERM)
        output = finish(crawl)
    assert "A plan was imported" in output
    assert differences_now(crawled.truth, jobdir) == []


def wait_for_log(crawl: subprocess.Popen[str], words: str) -> None:
    assert crawl.stdout
    for line in crawl.stdout:
        if words in line:
            return
    raise AssertionError(f"the crawl ended without {words!r}")


def wait_until(holds: object, crawl: subprocess.Popen[str], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < until
        assert crawl.poll() is None
        crawl.send_signal(signal.SIGUSR1)  # commits
        time.sleep(0.5)


@pytest.mark.parametrize("point", [point for point in REVISIT_POINTS if point != "revisit-failed"])
def test_a_re_crawl_that_is_killed_at_a_point_finds_the_later_day(
    crawled: Crawled, tmp_path: Path, point: str
) -> None:
    jobdir = copytree(crawled.jobdir, tmp_path / "job")
    for passes in (1, 5):
        kill_at = f"{point}:{1 if point == 'plan-import' else passes}"
        crawl = start_crawl(crawled.web, jobdir, days_later=DAY, kill_at=kill_at, **FAST, **OFTEN)
        finish(crawl)
        assert crawl.returncode == -signal.SIGKILL or (point == "plan-import" and passes == 5)
    recrawl(crawled, jobdir)
    assert differences_now(crawled.truth, jobdir) == []
    assert {row.visits for row in visits(jobdir).values()} == {1, 2}, "nothing was visited twice in one plan"


@pytest.mark.slow
def test_a_re_crawl_that_is_killed_at_random_finds_the_later_day(crawled: Crawled, tmp_path: Path) -> None:
    draw = random.Random(21)
    kills = 0
    for turn in range(6):
        jobdir = copytree(crawled.jobdir, tmp_path / f"job{turn}")
        for _ in range(4):
            crawl = start_crawl(
                crawled.web, jobdir, days_later=DAY, HOST_DELAY=0.05, DELAY_FACTOR=0, ADDRESS_DELAY=0, **OFTEN
            )
            time.sleep(draw.uniform(0.8, 2.5))
            crawl.kill()
            finish(crawl)
            kills += crawl.returncode == -signal.SIGKILL
        recrawl(crawled, jobdir)
        assert differences_now(crawled.truth, jobdir) == []
        assert {row.visits for row in visits(jobdir).values()} == {1, 2}
    assert kills >= 10

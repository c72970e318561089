"""Kill the crawl at named points and at random moments: the graph is the truth all the same.

In the manner of RocksDB's crash test: the oracle (simweb's truth and hit log) is outside the process under
test, and the crawl goes on in the same directory after every kill. A random kill waits for a number of answers
of the web, not of seconds: however fast the crawl is, there is always something left. Only kills that really
hit a running crawl are counted.
"""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from webgraph_it.killpoint import POINTS
from webgraph_it.simweb import SimWeb

COMMIT_SECONDS = 0.2
FAST = {
    "COMMIT_INTERVAL": COMMIT_SECONDS,
    "CHECKPOINT_INTERVAL": 0.7,
    "GRAPH_BUFFER": 20,
    "URLS_BUFFER": 20,
}
ARRIVAL_SECONDS = 0.1
"""What a killed crawl had sent is with the web by then, and logged there."""
START_UP_SECONDS = 1.5
"""A crawl needs about so long before its first request."""
FETCHING, STARTING = "while fetching", "while starting"


class Kill(NamedTuple):
    """A crawl that was killed while it ran."""

    where: str
    """A point of POINTS, FETCHING or STARTING."""
    time: float
    committed: frozenset[str]
    """The URLs of the page log, as far as it was committed: none of them may be asked for again."""


class Killer:
    """Crawls of one web in one directory, each killed if it does not end before; `kills` are those that were."""

    def __init__(self, web: SimWeb, jobdir: Path) -> None:
        self._web = web
        self._jobdir = jobdir
        self.kills: list[Kill] = []

    def at_point(self, point: str, passes: int) -> None:
        """The crawl kills itself when it passes the point for the `passes`-th time."""
        crawl = start_crawl(self._web, self._jobdir, kill_at=f"{point}:{passes}", **FAST)
        self._bury(crawl, point)

    def after_answers(self, answers: int, seconds: float, point: str = "", passes: int = 1) -> None:
        """Once the web has given so many answers to this crawl, and then some seconds; or at the point before."""
        with self._web.hits_path.open("rb") as hits:
            hits.seek(0, os.SEEK_END)
            crawl = start_crawl(self._web, self._jobdir, kill_at=f"{point}:{passes}", **FAST)
            while answers > 0 and crawl.poll() is None:
                time.sleep(0.01)
                answers -= hits.read().count(b'"event": "response"')
        where = FETCHING if crawl.poll() is None else point
        time.sleep(seconds)
        crawl.kill()
        self._bury(crawl, where)

    def after_seconds(self, seconds: float) -> None:
        crawl = start_crawl(self._web, self._jobdir, **FAST)
        time.sleep(seconds)
        crawl.kill()
        self._bury(crawl, STARTING)

    def _bury(self, crawl: subprocess.Popen[str], where: str) -> None:
        output = finish(crawl)
        assert crawl.returncode in (0, -signal.SIGKILL), output[-4000:]
        if crawl.returncode:
            time.sleep(ARRIVAL_SECONDS)
            self.kills.append(Kill(where, time.time(), committed_urls(self._jobdir)))

    def finish(self) -> list[str]:
        """Let the crawl end; everything that is wrong then."""
        run_crawl(self._web, self._jobdir, **FAST)
        return differences(self._web, self._jobdir) + too_many_fetches(self._web, self.kills)


def committed_urls(jobdir: Path) -> frozenset[str]:
    """The URLs of the page log up to the lengths in committed.json, which never runs ahead of the commit."""
    committed = jobdir / "committed.json"
    lengths = json.loads(committed.read_text())["pages"] if committed.exists() else {}
    contents = [(jobdir / "pages" / name).read_bytes()[:length] for name, length in lengths.items()]
    pages = [json.loads(line) for content in contents for line in content.splitlines()]
    return frozenset(page["url"] for page in pages if page["state"] != "never-tried")


def too_many_fetches(web: SimWeb, kills: list[Kill]) -> list[str]:
    """URLs asked for after their fetch was committed, or answered with 200 twice in one run.

    So a URL is fetched once and again for each kill before its commit. How long a commit may take is not judged.
    """
    asked: dict[int, tuple[str, float]] = {}
    requests, answered = defaultdict(list), defaultdict(list)
    for hit in web.hits():
        if "/robots" in hit.get("path", ""):
            continue
        if hit["event"] == "request":
            url = f"{hit['scheme']}://{hit['host']}{hit['path']}"
            asked[hit["connection"]] = (url, hit["time"])
            requests[url].append(hit["time"])
        elif hit["event"] == "response" and hit["status"] == 200:
            url, when = asked[hit["connection"]]
            answered[url].append(when)
    complaints = [
        f"{url} asked for {when - kill.time:.1f} s after the kill {kill.where}, though it was committed"
        for kill in kills
        for url in kill.committed
        for when in requests[url]
        if when > kill.time
    ]
    return complaints + [
        f"{url} twice in one run"
        for url, times in answered.items()
        for earlier, later in pairwise(times)
        if not any(earlier < kill.time < later for kill in kills)
    ]


def test_killed_at_every_named_point_the_graph_is_the_truth(tmp_path: Path) -> None:
    with SimWeb(hosts=40, pages=500, seed=11) as web:
        killer = Killer(web, tmp_path)
        for passes in (1, 2):
            for point in POINTS:
                killer.at_point(point, passes)
        assert {kill.where for kill in killer.kills} == set(POINTS)
        assert len(killer.kills) >= 12
        assert killer.kills[-1].committed  # the judge below has something to judge by
        assert killer.finish() == []


def test_killed_at_random_moments_the_graph_is_the_truth(tmp_path: Path) -> None:
    chance = random.Random(5)
    with SimWeb(hosts=40, pages=500, seed=12) as web:
        killer = Killer(web, tmp_path)
        for _ in range(5):
            killer.after_answers(chance.randint(1, 80), chance.uniform(0, COMMIT_SECONDS))
        assert len(killer.kills) == 5
        assert killer.finish() == []


def test_the_judge_knows_a_committed_page_that_is_asked_for_again(tmp_path: Path) -> None:
    """As if all pages had been committed before the crawl began: every one that was fetched is complained of."""
    with SimWeb(hosts=5, pages=50, seed=13, only=["plain"]) as web:
        run_crawl(web, tmp_path, **FAST)
        committed = committed_urls(tmp_path)
        complaints = too_many_fetches(web, [Kill(STARTING, 0.0, committed)])
        assert len(complaints) == len(committed) >= 50
        assert too_many_fetches(web, []) == []


@pytest.mark.slow
def test_two_hundred_kills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each web is killed eight times, half of them at a named point if the crawl comes to it in time."""
    chance = random.Random(6)
    counted: Counter[str] = Counter()
    crawled_webs = 0
    while counted.total() < 200:
        assert crawled_webs < 50, f"only {counted.total()} kills: {counted}"
        with SimWeb(hosts=60, pages=1500, seed=100 + crawled_webs) as web:
            killer = Killer(web, tmp_path / str(crawled_webs))
            for _ in range(4):
                killer.after_answers(300, 0, chance.choice(POINTS), chance.randint(1, 3))
                if chance.random() < 0.1:
                    killer.after_seconds(chance.uniform(0, START_UP_SECONDS))
                else:
                    killer.after_answers(chance.randint(1, 200), chance.uniform(0, COMMIT_SECONDS))
            wrong = killer.finish()
            assert not wrong, f"web {web.plan.seed}, {len(wrong)} faults, the last ones:\n" + "\n".join(
                wrong[-20:]
            )
        counted.update(kill.where for kill in killer.kills)
        crawled_webs += 1
        with capsys.disabled():
            print(f"\n{counted.total()} kills in {crawled_webs} crawls: {dict(counted)}", end="", flush=True)

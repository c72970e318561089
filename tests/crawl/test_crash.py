"""Kill the crawl at named points and at random moments: the graph is the truth all the same.

In the manner of RocksDB's crash test: the oracle (simweb's truth and hit log) is outside the process under
test, and the crawl goes on in the same directory after every kill.
"""

import random
import signal
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from webgraph_it.killpoint import POINTS
from webgraph_it.simweb import SimWeb

FAST = {"COMMIT_INTERVAL": 0.2, "CHECKPOINT_INTERVAL": 0.7, "GRAPH_BUFFER": 20, "URLS_BUFFER": 20}
COMMIT_SLACK_SECONDS = 5.0
"""A commit may take long on a busy machine; what was fetched so long before a kill is surely committed."""


def crawl_until_killed(web: SimWeb, jobdir: Path, point: str) -> float | None:
    """The moment of death, or None if the crawl ended before it came to the point."""
    crawl = start_crawl(web, jobdir, kill_at=point, **FAST)
    output = finish(crawl)
    assert crawl.returncode in (0, -signal.SIGKILL), output[-4000:]
    return time.time() if crawl.returncode else None


def crawl_for(web: SimWeb, jobdir: Path, seconds: float) -> float | None:
    crawl = start_crawl(web, jobdir, **FAST)
    time.sleep(seconds)
    crawl.kill()
    crawl.communicate()
    return time.time() if crawl.returncode == -signal.SIGKILL else None


def too_many_fetches(web: SimWeb, deaths: list[float]) -> list[str]:
    """Plain pages that were fetched twice in one run, or again although their first fetch was committed."""
    fetches = defaultdict(list)
    asked: dict[int, tuple[str, str, str]] = {}
    for hit in web.hits():
        if hit["event"] == "request":
            asked[hit["connection"]] = (hit["scheme"], hit["host"], hit["path"])
        elif hit["event"] == "response" and hit["status"] == 200 and "/robots" not in hit["path"]:
            fetches[asked[hit["connection"]]].append(hit["time"])
    complaints = []
    for url, times in fetches.items():
        for earlier, later in pairwise(times):
            between = [death for death in deaths if earlier < death < later]
            if not between:
                complaints.append(f"{url} twice in one run")
            elif between[0] - earlier > COMMIT_SLACK_SECONDS:
                complaints.append(f"{url} again {later - earlier:.1f} s after it was committed")
    return complaints


def test_killed_at_every_named_point_the_graph_is_the_truth(tmp_path):
    points = [f"{point}:{passes}" for passes in (1, 2) for point in POINTS]
    with SimWeb(hosts=40, pages=500, seed=11) as web:
        deaths = [crawl_until_killed(web, tmp_path, point) for point in points]
        run_crawl(web, tmp_path, **FAST)
        kills = [death for death in deaths if death]
        assert len(kills) >= 12
        assert differences(web, tmp_path) == []
        assert too_many_fetches(web, kills) == []


def test_killed_at_random_moments_the_graph_is_the_truth(tmp_path):
    chance = random.Random(5)
    with SimWeb(hosts=40, pages=500, seed=12) as web:
        deaths = [crawl_for(web, tmp_path, chance.uniform(0.5, 4.0)) for _ in range(5)]
        run_crawl(web, tmp_path, **FAST)
        assert any(deaths)
        assert differences(web, tmp_path) == []
        assert too_many_fetches(web, [death for death in deaths if death]) == []


@pytest.mark.slow
def test_two_hundred_kills(tmp_path):
    chance = random.Random(6)
    kills = 0
    for round_number in range(40):
        jobdir = tmp_path / str(round_number)
        with SimWeb(hosts=60, pages=1500, seed=100 + round_number) as web:
            deaths = [
                crawl_until_killed(web, jobdir, f"{chance.choice(POINTS)}:{chance.randint(1, 4)}"),
                crawl_for(web, jobdir, chance.uniform(0.5, 6.0)),
                crawl_until_killed(web, jobdir, f"{chance.choice(POINTS)}:{chance.randint(1, 4)}"),
                crawl_for(web, jobdir, chance.uniform(0.5, 6.0)),
                crawl_for(web, jobdir, chance.uniform(1.0, 3.0)),
                crawl_for(web, jobdir, chance.uniform(1.0, 3.0)),
            ]
            run_crawl(web, jobdir, **FAST)
            assert differences(web, jobdir) == []
        kills += sum(death is not None for death in deaths)
        if kills >= 200:
            break
    assert kills >= 200

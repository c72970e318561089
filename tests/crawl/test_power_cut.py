"""The power is cut while a crawl runs: it resumes from what its disk still has, and the graph is the truth.

The disk is one that forgets what was not synced (tests/forgetful.py); after each cut the crawl is resumed on it.
"""

import random
from pathlib import Path

import pytest

from tests.crawl.test_crash import COMMIT_SECONDS, START_UP_SECONDS, STARTING, Killer
from tests.forgetful import forgetful_disk
from webgraph_it.simweb import SimWeb

CUTS = 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_after_ten_power_cuts_the_graph_is_the_truth(seed: int, tmp_path: Path) -> None:
    """Every third cut hits a crawl that is starting; the first one of these finds no directory yet."""
    chance = random.Random(seed)
    with forgetful_disk(tmp_path) as disk, SimWeb(hosts=40, pages=500, seed=20 + seed) as web:
        killer = Killer(web, disk.mount / "crawls" / "italy")
        for number in range(CUTS):
            if number % 3 == 0:
                killer.after_seconds(chance.uniform(0.5, START_UP_SECONDS))
            else:
                killer.after_answers(chance.randint(1, 60), chance.uniform(0, 2 * COMMIT_SECONDS))
            disk.cut(chance)
        assert len(killer.kills) == CUTS
        assert {kill.where for kill in killer.kills} > {STARTING}
        assert killer.finish() == []

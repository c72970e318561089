"""A fleet of any size finds the graph of a single crawl, byte for byte, whatever is killed."""

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.crawl.crawling import differences, finish, run_crawl
from tests.fleet.fleets import FAST, Fleet, compact, crawl_a_while
from tests.fleet.redis.servers import TRANSPORTS, transport
from webgraph_it.fleet.local import board_of
from webgraph_it.killpoint import FLEET_POINTS, POINTS
from webgraph_it.simweb import SimWeb


def test_fleets_of_one_two_and_five_have_the_graph_of_a_single_crawl(tmp_path: Path) -> None:
    with SimWeb(hosts=30, pages=150, seed=7) as web:
        run_crawl(web, tmp_path / "single", **FAST)
        graph = compact(tmp_path / "single", tmp_path / "single-graph")
        for size in (1, 2, 5):
            directory = tmp_path / str(size)
            fleet = Fleet(web, directory, size)
            try:
                outputs = fleet.run()
            finally:
                fleet.stop()
            assert differences(web, directory) == [], f"{size} members"
            assert compact(directory, tmp_path / f"{size}-graph") == graph, f"{size} members"
            assert not any("ERROR" in output or "Traceback" in output for output in outputs)
            shipped = [status.log_end for status in board_of(directory).values()]
            assert len(shipped) == size
            assert all(shipped) is (size > 1)


def test_twenty_kills_change_nothing(tmp_path: Path) -> None:
    with SimWeb(hosts=40, pages=500, seed=21) as web:
        fleet = Fleet(web, tmp_path / "fleet", 2)
        try:
            fleet.be_killed(20, random.Random(4))
            fleet.recover()
        finally:
            fleet.stop()
        assert fleet.kills.total() >= 20, fleet.kills
        assert differences(web, tmp_path / "fleet") == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", TRANSPORTS)
def test_two_hundred_kills_change_nothing(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(9)
    counted: Counter[str] = Counter()
    webs = 0
    while counted.total() < 200:
        assert webs < 20, f"only {counted.total()} kills: {counted}"
        size = chance.choice([2, 3, 5])
        with (
            SimWeb(hosts=60, pages=1500, seed=300 + webs) as web,
            transport(kind, tmp_path / f"server-{webs}") as settings,
        ):
            fleet = Fleet(web, tmp_path / str(webs), size, **settings)
            try:
                fleet.be_killed(40, chance)
                fleet.recover()
            finally:
                fleet.stop()
            wrong = differences(web, tmp_path / str(webs))
            assert not wrong, f"web {web.plan.seed}, {size} members, the last faults:\n" + "\n".join(
                wrong[-20:]
            )
        counted.update(fleet.kills)
        webs += 1
        with capsys.disabled():
            print(f"\n{counted.total()} kills in {webs} fleets: {dict(counted)}", end="", flush=True)
    assert set(counted) >= {*POINTS, *FLEET_POINTS}


@pytest.mark.slow
def test_a_member_restored_from_an_old_backup_is_refused(tmp_path: Path) -> None:
    """Each time. And with its newest directory the crawl goes on at once, and is exact."""
    directory = tmp_path / "fleet"
    with SimWeb(hosts=30, pages=400, seed=23) as web:
        crawl_a_while(Fleet(web, directory, 2, HOST_DELAY=0.03), 60)
        shutil.copytree(directory / "member-01", tmp_path / "backup")
        crawl_a_while(Fleet(web, directory, 2, HOST_DELAY=0.03), 270)
        (directory / "member-01").rename(tmp_path / "newest")
        shutil.copytree(tmp_path / "backup", directory / "member-01")
        fleet = Fleet(web, directory, 2)
        for _ in range(3):
            refused = fleet.start(1)
            output = finish(refused)
            assert refused.returncode == 2
            assert "member-01 must not run as member 1: " in output
        shutil.rmtree(directory / "member-01")
        (tmp_path / "newest").rename(directory / "member-01")
        try:
            fleet.run()
        finally:
            fleet.stop()
        assert differences(web, directory) == []

"""A fleet that is stopped gets another number of members: nothing is lost, nothing is fetched again."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, differences
from tests.crawl.test_membership import settings
from tests.fleet.fleets import Fleet, crawl_a_while
from tests.repair.test_stopped import stopped_fleet
from webgraph_it.cli import main
from webgraph_it.crawl.preflight import preflight
from webgraph_it.fleet.exchange import next_epoch
from webgraph_it.fleet.local_broker import LocalBroker
from webgraph_it.fleet.transport import ALL_BANDWIDTH, NOTHING, Amounts, Fenced, Report
from webgraph_it.killpoint import RESIZE_POINTS
from webgraph_it.repair.resize import merged_tallies
from webgraph_it.simweb import SimWeb

SLOWLY = {"HOST_DELAY": 0.03}


def resize(directory: Path, to: int, kill_at: str = "") -> int:
    command = [sys.executable, "-m", "webgraph_it", "fleet", "resize", str(directory), "--to", str(to)]
    ended = subprocess.run(
        command,
        cwd=PROJECT,
        env={**os.environ, "WEBGRAPH_IT_KILL_AT": kill_at},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode


def twice(web: SimWeb) -> list[str]:
    """Pages that were asked for twice."""
    asked = Counter(
        f"{hit['scheme']}://{hit['host']}{hit['path']}"
        for hit in web.hits()
        if hit["event"] == "request" and "robots" not in hit["path"]
    )
    return [url for url, count in asked.items() if count > 1]


@pytest.mark.slow
def test_a_fleet_grows_and_shrinks_while_it_is_stopped(tmp_path: Path) -> None:
    with SimWeb(hosts=40, pages=500, seed=31, only=["plain"]) as web:
        crawl_a_while(Fleet(web, tmp_path, 2, **SLOWLY), 120)
        for point in RESIZE_POINTS:
            if point != "resize-moved":  # nothing moves when a fleet grows
                assert resize(tmp_path, 3, f"{point}:1") == -signal.SIGKILL
        assert resize(tmp_path, 3) == 0
        crawl_a_while(Fleet(web, tmp_path, 3, **SLOWLY), 280)
        for point in RESIZE_POINTS:
            assert resize(tmp_path, 2, f"{point}:1") == -signal.SIGKILL
        assert resize(tmp_path, 2) == 0
        left = sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("broker"))
        assert left == ["member-01", "member-02"]
        fleet = Fleet(web, tmp_path, 2)
        try:
            fleet.run()
        finally:
            fleet.stop()
        assert differences(web, tmp_path) == []
        assert twice(web) == []


def test_a_change_that_is_not_finished_keeps_the_members_from_starting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SimWeb(hosts=10, pages=40, seed=31, only=["plain"]) as web:
        fleet = Fleet(web, tmp_path, 1)
        fleet.run()
        assert resize(tmp_path, 2, "resize-replaced:1") == -signal.SIGKILL
        process = Fleet(web, tmp_path, 2).start(1)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 2
        finish = f"To finish it: webgraph-it fleet resize {tmp_path} --to 2"
        assert finish in output
        for words in (
            ["fleet", "-n", "2", "--jobdir", str(tmp_path)],
            ["fleet", "give-up", str(tmp_path), "1"],
        ):
            assert main(words) == 2
            assert finish in capsys.readouterr().err
        assert resize(tmp_path, 2) == 0
        assert differences(web, tmp_path) == [], "a member that has never run has nothing"
        again = Fleet(web, tmp_path, 2)
        again.run()
        assert differences(web, tmp_path) == []


def test_what_a_crash_left_before_the_change_began_is_no_change(tmp_path: Path) -> None:
    """A kill while the new frontiers are being made: members start, and any size is accepted."""
    paths = {number: member.path for number, member in stopped_fleet(tmp_path).items()}
    fleet = paths[1].parent
    (fleet / "resize.new/member-01/frontier").mkdir(parents=True)
    (fleet / "resize.new/member-03").mkdir()
    preflight(settings(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1"))
    assert main(["fleet", "give-up", str(fleet), "2"]) == 0
    assert main(["fleet", "resize", str(fleet), "--to", "1"]) == 0
    assert sorted(path.name for path in fleet.glob("*-*")) == ["given-up", "member-01"]


@pytest.mark.parametrize("words", [["resize", "--to", "1"], ["give-up", "2"]])
def test_the_broker_of_this_machine_forgets_the_starts(words: list[str], tmp_path: Path) -> None:
    """After 3 → 2 → 3 members, member 3 is new, and its first start is no older one of the member that went away."""
    fleet = next(iter(stopped_fleet(tmp_path).values())).path.parent
    early, late = next_epoch(0, 0), next_epoch(next_epoch(0, 1), 1)

    def grant(epoch: int) -> Amounts:
        broker = LocalBroker(fleet, Amounts(ALL_BANDWIDTH, 60), 0.5)
        return asyncio.run(broker.exchange(Report(2, epoch, 1, NOTHING, Amounts(0, 5)))).amounts

    assert grant(late).connections == 5
    with pytest.raises(Fenced):
        grant(early)
    verb, *options = words
    assert main(["fleet", verb, str(fleet), *options]) == 0
    assert grant(early).connections == 5


def test_a_fleet_that_runs_is_not_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = stopped_fleet(tmp_path)
    fleet = found[1].path.parent
    found[2].open()
    for words in (
        ["resize", str(fleet), "--to", "3"],
        ["give-up", str(fleet), "1"],
        ["give-up", str(fleet), "2"],
    ):
        assert main(["fleet", *words]) == 2
        said = f"Member 2 of {fleet} is in use by process {os.getpid()}: stop the fleet first.\n"
        assert capsys.readouterr().err == said
    found[2].close()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--to", "0"], "is not the directory of a fleet"),
        (["--to", "two"], "is not a whole number"),
        ([], "--to is missing"),
    ],
)
def test_mistakes_are_one_sentence(
    tmp_path: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", "resize", str(tmp_path), *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


def test_tallies_are_added_up() -> None:
    first = {"pages": 3, "seconds": 10.0, "states": {"fetched": 2, "error": 1}}
    second = {"pages": 4, "seconds": 7.0, "states": {"fetched": 4}}
    both = json.loads(merged_tallies([json.dumps(first).encode(), None, json.dumps(second).encode()]))
    assert both == {"pages": 7, "seconds": 10.0, "states": {"fetched": 6, "error": 1}}

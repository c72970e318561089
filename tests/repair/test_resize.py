"""A fleet that is stopped gets another number of members: nothing is lost, nothing is fetched again."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, differences
from tests.fleet.fleets import Fleet, crawl_a_while
from webgraph_it.cli import main
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
        assert sorted(path.name for path in tmp_path.iterdir()) == ["member-01", "member-02"]
        fleet = Fleet(web, tmp_path, 2)
        try:
            fleet.run()
        finally:
            fleet.stop()
        assert differences(web, tmp_path) == []
        assert twice(web) == []


def test_a_change_that_is_not_finished_keeps_the_members_from_starting(tmp_path: Path) -> None:
    with SimWeb(hosts=10, pages=40, seed=31, only=["plain"]) as web:
        fleet = Fleet(web, tmp_path, 1)
        fleet.run()
        assert resize(tmp_path, 2, "resize-replaced:1") == -signal.SIGKILL
        process = Fleet(web, tmp_path, 2).start(1)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 2
        assert "is a fleet that is changing its size" in output
        assert resize(tmp_path, 2) == 0
        again = Fleet(web, tmp_path, 2)
        again.run()
        assert differences(web, tmp_path) == []


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

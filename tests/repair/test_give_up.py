"""A member whose frontier is lost starts again with its URLs: the graph is the truth all the same."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, content, differences
from tests.fleet.fleets import Fleet, crawl_a_while
from tests.repair.test_resize import SLOWLY, resize
from tests.repair.test_stopped import stopped_fleet
from webgraph_it.cli import main
from webgraph_it.crawl.link_log import RUNS
from webgraph_it.fleet.exchange import next_epoch
from webgraph_it.fleet.local import board_of
from webgraph_it.frontier.layout import META
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.killpoint import RESIZE_POINTS
from webgraph_it.repair.stopped_fleet import LEFTOVERS
from webgraph_it.simweb import SimWeb


def give_up(directory: Path, member: int, kill_at: str = "") -> int:
    ended = subprocess.run(
        [sys.executable, "-m", "webgraph_it", "fleet", "give-up", str(directory), str(member)],
        cwd=PROJECT,
        env={**os.environ, "WEBGRAPH_IT_KILL_AT": kill_at},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode


@pytest.mark.parametrize(
    "last_size", [3, pytest.param(2, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]
)
def test_members_are_given_up_after_a_change_of_size(tmp_path: Path, last_size: int) -> None:
    """An old one and a new one, before anybody has logged anything again. Then the size may change once more."""
    with SimWeb(hosts=10, pages=80, seed=33, only=["plain"]) as web:
        crawl_a_while(Fleet(web, tmp_path, 2, **SLOWLY), 30)
        for words in (
            ["resize", str(tmp_path), "--to", "3"],
            ["give-up", str(tmp_path), "1"],
            ["give-up", str(tmp_path), "3"],
            ["resize", str(tmp_path), "--to", str(last_size)],
        ):
            assert main(["fleet", *words]) == 0
        fleet = Fleet(web, tmp_path, last_size)
        try:
            fleet.run()
        finally:
            fleet.stop()
        shutil.rmtree(tmp_path / "given-up")
        assert differences(web, tmp_path) == []


@pytest.mark.slow
def test_a_member_without_a_frontier_starts_again(tmp_path: Path) -> None:
    """Also after a change of size, when its files have pages of others, and others' files have its own."""
    with SimWeb(hosts=30, pages=400, seed=33) as web:
        crawl_a_while(Fleet(web, tmp_path, 2, **SLOWLY), 80)
        assert resize(tmp_path, 3) == 0
        crawl_a_while(Fleet(web, tmp_path, 3, **SLOWLY), 200)
        shutil.rmtree(tmp_path / "member-02/frontier")
        assert main(["repair", str(tmp_path / "member-02")]) == 2
        for point in RESIZE_POINTS:
            assert give_up(tmp_path, 2, f"{point}:1") == -signal.SIGKILL
        assert give_up(tmp_path, 2) == 0
        fleet = Fleet(web, tmp_path, 3)
        try:
            fleet.run()
        finally:
            fleet.stop()
        shutil.rmtree(tmp_path / "given-up")
        assert differences(web, tmp_path) == []


def test_a_member_starts_again_after_all_its_starts(tmp_path: Path) -> None:
    """Also after those whose links nobody has taken in: the broker knows them, and refuses an earlier one."""
    with SimWeb(hosts=12, pages=60, seed=33, only=["plain"]) as web:
        Fleet(web, tmp_path, 2).run()
    last = board_of(tmp_path)[2]
    last = replace(last, epoch=next_epoch(next_epoch(last.epoch, 0), 0))
    (tmp_path / "board/member-02.json").write_bytes(last.to_bytes())
    assert main(["fleet", "give-up", str(tmp_path), "2"]) == 0
    store = RocksStore(tmp_path / "member-02/frontier")
    assert json.loads(store.get(META + RUNS.encode()) or b"") == [[last.epoch, 0]]
    store.close()


def test_urls_that_nobody_has_are_not_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SimWeb(hosts=12, pages=60, seed=33, only=["plain"]) as web:
        Fleet(web, tmp_path, 2).run()
        for path in (tmp_path / "member-02/urls").iterdir():
            path.write_bytes(b"")
        for path in (tmp_path / "member-01/links").iterdir():
            path.write_bytes(b"")
        before = content(tmp_path)
        assert main(["fleet", "give-up", str(tmp_path), "2"]) == 2
        assert "links of other members lead to URLs that only member 2 knew" in capsys.readouterr().err
        assert content(tmp_path) == before
        assert main(["fleet", "give-up", str(tmp_path), "3"]) == 2
        assert "has no member 3" in capsys.readouterr().err


def test_an_interrupted_giving_up_is_finished_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = stopped_fleet(tmp_path)[1].path.parent
    assert give_up(fleet, 2, "resize-moved:1") == -signal.SIGKILL
    for words in (["fleet", "resize", str(fleet), "--to", "3"], ["fleet", "-n", "2", "--jobdir", str(fleet)]):
        assert main(words) == 2
        assert f"To finish it: webgraph-it fleet give-up {fleet} 2.\n" in capsys.readouterr().err
    assert main(["fleet", "give-up", str(fleet), "1"]) == 0
    assert sorted(path.name for path in (fleet / "given-up").iterdir()) == ["member-01", "member-02"]


@pytest.mark.parametrize("point", ["resize-staged", "resize-moved", "resize-finished"])
def test_a_killed_command_that_is_given_again_leaves_nothing_beside_the_members(
    point: str, tmp_path: Path
) -> None:
    fleet = stopped_fleet(tmp_path)[1].path.parent
    assert give_up(fleet, 2, f"{point}:1") == -signal.SIGKILL
    assert any((fleet / name).exists() for name in LEFTOVERS)
    assert main(["fleet", "give-up", str(fleet), "2"]) == 0
    assert not [name for name in LEFTOVERS if (fleet / name).exists()]


def test_a_folder_that_is_no_fleet_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for directory in (tmp_path, tmp_path / "missing"):
        assert main(["fleet", "give-up", str(directory), "1"]) == 2
        said = f"{directory} is not the directory of a fleet; expected: one with member-01/.\n"
        assert capsys.readouterr().err == said

"""The parts of the supervisor that decide nothing by themselves; tests/cli/test_fleet.py runs it."""

import os
import sys
from pathlib import Path

import pytest

from tests.crawl.crawling import content
from webgraph_it.crawl.directory import InUseError, JobDirectory
from webgraph_it.fleet.supervisor import Supervisor, given_settings, scrapy_command, worst


@pytest.mark.parametrize(
    ("codes", "expected"), [([0, 0], 0), ([0, 3], 3), ([3, 1, 0], 1), ([1, 2], 2), ([0, -9], 1)]
)
def test_the_fleet_ends_like_its_worst_member(codes: list[int], expected: int) -> None:
    assert worst(codes) == expected


def test_members_are_told_who_they_are_after_what_the_user_gave(tmp_path: Path) -> None:
    words = scrapy_command(tmp_path, 4, "italy", ["-s", "HOST_DELAY=1"])(3)
    assert words[:7] == [sys.executable, "-m", "scrapy", "crawl", "italy", "-s", "HOST_DELAY=1"]
    assert words[7:] == ["-s", f"JOBDIR={tmp_path}", "-s", "FLEET_SIZE=4", "-s", "FLEET_MEMBER=3"]


def test_settings_are_read_as_scrapy_reads_them() -> None:
    words = ["-s", "A=1", "--set", "B=x=y", "-sC=2", "--set=D=3", "-a", "E=4", "--loglevel=INFO"]
    assert given_settings(words) == {"A": "1", "B": "x=y", "C": "2", "D": "3"}


def test_a_refusal_ends_the_fleet_with_one_sentence(tmp_path: Path) -> None:
    script = "import sys; print('HOST_DELAY is wrong.'); sys.exit(2)"
    said: list[str] = []
    supervisor = Supervisor(
        tmp_path, 3, lambda _: [sys.executable, "-c", script], said.append, lambda _: None
    )
    assert supervisor.run() == 2
    assert supervisor.refusal == "HOST_DELAY is wrong."
    assert said == []


@pytest.mark.parametrize("what", ["", "logs", "board"])
def test_a_first_start_that_is_refused_leaves_nothing_behind(tmp_path: Path, what: str) -> None:
    directory = tmp_path / "fleet"
    if what:
        (directory / what).mkdir(parents=True)
    before = content(tmp_path)
    command = [sys.executable, "-c", "import sys; print('No.'); sys.exit(2)"]
    assert Supervisor(directory, 1, lambda _: command, print, lambda _: None).run() == 2
    if what == "logs":
        assert (directory / "logs/member-01.log").read_text() == "No.\n"
    else:
        assert directory.exists() == bool(what)
        assert content(tmp_path) == before


def test_a_killed_member_is_started_again(tmp_path: Path) -> None:
    """Each member kills itself at its first start and finishes at its second."""
    script = (
        "import os, sys; mark = sys.argv[1] + '.mark'\n"
        "if not os.path.exists(mark):\n    open(mark, 'w'); os.kill(os.getpid(), 9)"
    )
    said: list[str] = []

    def command(member: int) -> list[str]:
        return [sys.executable, "-c", script, str(tmp_path / str(member))]

    assert Supervisor(tmp_path, 2, command, said.append, lambda _: None).run() == 0
    assert sorted(said) == [f"Member {n} was killed by signal 9. It is started again." for n in (1, 2)]


def test_what_an_earlier_run_printed_is_no_reason(tmp_path: Path) -> None:
    log = tmp_path / "logs/member-01.log"
    log.parent.mkdir(mode=0o755)
    log.write_text("2026-11-18 [x] CRITICAL: The crawl stops: an old reason.\n")
    script = "import sys; print('CONTACT_URL is not set.'); sys.exit(2)"
    supervisor = Supervisor(tmp_path, 1, lambda _: [sys.executable, "-c", script], print, lambda _: None)
    assert supervisor.run() == 2
    assert supervisor.refusal == "CONTACT_URL is not set."


def test_nothing_is_started_in_a_directory_that_is_locked(tmp_path: Path) -> None:
    directory = tmp_path / "fleet"
    first = JobDirectory(directory)
    directory.mkdir()
    first.lock()
    before = content(tmp_path)
    second = Supervisor(directory, 1, lambda _: ["false"], print, print, lock=JobDirectory(directory).lock)
    with pytest.raises(InUseError, match=f"is in use by process {os.getpid()}: stop it first"):
        second.run()
    first.unlock()
    assert content(tmp_path) == before

"""`webgraph-it fleet` as a user types it: one command for all members, Ctrl-C, the same command again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, content, differences
from tests.crawl.test_membership import begin
from webgraph_it.cli import main
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.fleet.exchange import Status, next_epoch
from webgraph_it.fleet.local import board_of
from webgraph_it.settings_table import CrawlSettings, SettingsError
from webgraph_it.simweb import SimWeb

SLOWLY = {"COMMIT_INTERVAL": "0.3", "HOST_DELAY": "0.02", "EXTRACT_WORKERS": "0"}


def start(directory: Path, *words: str, web: SimWeb | None = None) -> subprocess.Popen[str]:
    given = {**web.settings, **SLOWLY} if web is not None else {}
    settings = [
        word
        for name, value in given.items()
        for word in ("-s", f"{name}={value if isinstance(value, str) else json.dumps(value)}")
    ]
    return subprocess.Popen(
        [sys.executable, "-m", "webgraph_it", "fleet", "--jobdir", str(directory), *words, "--", *settings],
        cwd=PROJECT,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "webgraph_it.settings"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    stop = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < stop, "it did not come to that"
        time.sleep(0.05)


def pid_of(member: Path) -> int:
    return int((member / "crawl.lock").read_text())


def test_one_command_starts_restarts_stops_and_resumes_a_fleet(tmp_path: Path) -> None:
    directory = tmp_path / "fleet"
    with SimWeb(hosts=30, pages=400, seed=5) as web:
        fleet = start(directory, "-n", "2", web=web)
        try:
            wait_until(lambda: sum(s.facts.get("pages", 0) for s in board_of(directory).values()) > 30)
            first = pid_of(directory / "member-02")
            os.kill(first, signal.SIGKILL)
            wait_until(lambda: pid_of(directory / "member-02") != first)
            fleet.send_signal(signal.SIGINT)
            output, _ = fleet.communicate(timeout=60)
        finally:
            fleet.kill()
        assert fleet.returncode == 3, output
        assert "Member 2 was killed by signal 9. It is started again." in output
        assert f"To resume: webgraph-it fleet -n 2 --jobdir {directory}" in output.splitlines()
        again = start(directory)
        output, _ = again.communicate(timeout=120)
        assert again.returncode == 0, output
        assert differences(web, directory) == []
    assert main(["fleet", "status", str(directory)]) == 0
    assert main(["convert", str(directory), "--out", str(tmp_path / "graph"), "--only", "g4"]) == 0


def test_mistakes_are_one_sentence(tmp_path: Path, capfd: object) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    for words, sentence in (
        (["--jobdir", str(tmp_path / "new")], "-n is missing"),
        (["-n", "0", "--jobdir", str(tmp_path / "new")], "-n is 0; expected: 1 or more"),
        (["-n", "-1", "--jobdir", str(tmp_path / "new")], "-n is -1; expected: 1 or more"),
        (["-n", "0", "--jobdir", str(tmp_path / "fleet")], "-n is 0; expected: 1 or more"),
        (
            ["-n", "2", "--jobdir", str(tmp_path / "new"), "--", "-s", "FLEET_SIZE=5"],
            "FLEET_SIZE=5 is given after --; expected: -n N",
        ),
        (
            ["--jobdir", str(tmp_path / "fleet"), "--", "--set", "FLEET_MEMBER=1"],
            "FLEET_MEMBER=1 is given after --",
        ),
        (["--jobdir", str(tmp_path / "fleet"), "--", "-sJOBDIR=x"], "expected: --jobdir DIR"),
        (["-n", "2", "--jobdir", str(tmp_path / "new"), "--", "-s", "HOST_DELAY=x"], "HOST_DELAY is 'x'"),
        (
            ["-n", "2", "--jobdir", str(tmp_path / "new"), "--", "-s", "FLEET=127.0.0.1:1"],
            "FLEET is '127.0.0.1:1'; expected: local, or a server",
        ),
        (
            ["-n", "2", "--jobdir", "/proc/new"],
            "JOBDIR /proc/new cannot be used (No such file or directory): give a directory that you may write to.",
        ),
        (["-n", "2", "--jobdir", ""], "--jobdir: the name is empty; expected the name of a directory"),
        (["-n", "2", "--jobdir", str(tmp_path)], "has other files (fleet, seeds.txt) and no members"),
        (
            ["--jobdir", str(tmp_path / "fleet/member-01")],
            f"--jobdir {tmp_path}/fleet/member-01 is the directory of one member; expected: that of the fleet",
        ),
        (["nonsense"], "'nonsense' was not expected; expected: -- and then settings"),
        (["-n", "2", "--jobdir", str(tmp_path / "new"), "nonsense"], "'nonsense' was not expected"),
        (["statsu", str(tmp_path)], "There is no verb 'fleet statsu'; did you mean fleet status?"),
    ):
        assert main(["fleet", *words]) == 2
        said = capfd.readouterr().err  # type: ignore[attr-defined]
        assert sentence in said
        progress = [line for line in said.splitlines() if " of 2 running" in line or " of 2 stopping" in line]
        assert said.count("\n") == 1 + len(progress), said
        assert not (tmp_path / "new").exists()
    assert main(["fleet", "status", str(tmp_path)]) == 2


def test_a_second_command_on_the_same_directory_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = tmp_path / "fleet"
    fleet.mkdir()
    first = JobDirectory(fleet)
    first.lock()
    assert main(["fleet", "-n", "2", "--jobdir", str(fleet)]) == 2
    first.unlock()
    assert capsys.readouterr().err == (
        f"{fleet} is in use by process {os.getpid()}: stop it first, or give another JOBDIR.\n"
    )
    assert [each.name for each in fleet.iterdir()] == ["crawl.lock"]


def test_a_member_whose_directory_is_lost_is_not_begun_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    fleet = tmp_path / "fleet"
    (fleet / "board").mkdir()
    put = Status(2, next_epoch(0, 3), False, (), (), {})
    (fleet / "board/member-02.json").write_bytes(put.to_bytes())
    before = content(fleet)
    assert main(["fleet", "--jobdir", str(fleet)]) == 2
    assert capsys.readouterr().err == (
        f"{fleet} is a fleet of 2 members and lacks member-02: copy the directories of all members into it.\n"
    )
    assert content(fleet) == before


@pytest.mark.parametrize(
    "server", ["127.0.0.1:16400", "redis://127.0.0.1:abc/0", "redis://127.0.0.1:16400/x", ""]
)
def test_status_refuses_a_server_as_the_setting_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: str
) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    with pytest.raises(SettingsError) as refused:
        CrawlSettings.FLEET.read(server)
    assert main(["fleet", "status", str(tmp_path / "fleet"), "--fleet", server]) == 2
    assert capsys.readouterr().err == f"{refused.value}\n"


def test_status_takes_the_default_of_the_setting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    assert main(["fleet", "status", str(tmp_path / "fleet"), "--fleet", "local"]) == 0
    said = capsys.readouterr().out
    assert main(["fleet", "status", str(tmp_path / "fleet")]) == 0
    assert capsys.readouterr().out == said


def test_a_machine_is_not_flooded_with_members(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    most = max(16, 4 * (os.cpu_count() or 1))
    assert main(["fleet", "-n", str(most + 1), "--jobdir", str(tmp_path / "fleet")]) == 2
    assert (
        f"expected at most {most} members on a machine with {os.cpu_count()} cores" in capsys.readouterr().err
    )
    assert not (tmp_path / "fleet").exists()

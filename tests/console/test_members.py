"""Two real crawls, side by side as the members of a fleet, on the console of the first."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.analyse.chromium import chromium, find_chromium
from tests.console.test_page import Operator
from tests.console.watched import Watched, watched
from tests.crawl.crawling import PROJECT, start_crawl
from tests.crawl.test_operations import wait_for
from webgraph_it.simweb import SimWeb

SLOW = {"HOST_DELAY": 1.5, "COMMIT_INTERVAL": 60}


class Fleet(NamedTuple):
    folder: Path
    console: Watched
    other: Path


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    folder = tmp_path_factory.mktemp("fleet")
    with (
        SimWeb(hosts=30, pages=1500, seed=7, only=["plain"]) as web,
        watched(web, folder / "member-01", **SLOW) as console,
    ):
        other = start_crawl(web, folder / "member-02", **SLOW)
        try:
            wait_for(folder / "member-02", 20)
            time.sleep(2.1)  # the console looks for new members from time to time
            yield Fleet(folder, console, folder / "member-02")
        finally:
            other.kill()
            other.communicate()


def audit(jobdir: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (jobdir / "reports/actions.jsonl").read_text().splitlines()]


def test_every_member_is_listed_with_totals(fleet: Fleet) -> None:
    found = fleet.console.ask("GET", "/api/members").json
    assert [(each["member"], each["own"], each["state"]) for each in found["members"]] == [
        ("member-01", True, "running"),
        ("member-02", False, "running"),
    ]
    for name in ("pages", "queued", "connections_cap"):
        assert found["totals"][name] == sum(each[name] for each in found["members"]) > 0
    status = fleet.console.status()
    assert status["name"] == "member-01"
    assert status["totals"]["pages"] >= found["totals"]["pages"]


def test_a_verb_is_for_this_crawl_or_for_one_or_for_all(fleet: Fleet) -> None:
    console = fleet.console
    console.do("pause", reason="here")
    assert wait_for(fleet.other)["pauses"] == []
    console.do("pause", reason="there", member="member-02")
    assert wait_for(fleet.other)["pauses"] == ["there"]
    assert console.status()["pauses"] == ["here"]
    answer = console.do("block", surt="assente.it", member="all")
    assert [each["action"] for each in answer["members"].values()] == ["block", "block"]
    for rules in (wait_for(fleet.other)["rules"], console.status()["rules"]):
        assert rules == [{"surt": "it,assente,", "block": True}]
    assert audit(fleet.other)[-1]["who"].endswith("for console operator at 127.0.0.1")
    answer = console.do("unpause", reason="there", member="all")
    assert wait_for(fleet.other)["pauses"] == []
    console.do("unpause", reason="here")
    refused = console.ask("POST", "/api/action", {"action": "pause", "member": "member-09"})
    assert refused.status == 400
    assert refused.json["error"] == "member is 'member-09'; expected: all or one of member-01, member-02"
    assert console.ask("DELETE", "/api/rules/it,assente,?member=all").status == 200
    assert wait_for(fleet.other)["rules"] == []
    assert console.ask("DELETE", "/api/rules/it,assente,?member=all").status == 400


def test_the_shell_asks_every_member_of_a_fleets_directory(fleet: Fleet) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "webgraph_it", "control", str(fleet.folder), "delay", "it,x,", "7"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "[member-01]\naction: delay" in ended.stdout
    assert (
        fleet.console.status()["rules"] == wait_for(fleet.other)["rules"] == [{"surt": "it,x,", "delay": 7}]
    )


def test_the_page_shows_the_members_and_blocks_on_all_of_them(fleet: Fleet) -> None:
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed; Debian's package chromium has it")
    with chromium(program) as browser:
        browser.look(1320, 1000)
        browser.open(f"http://127.0.0.1:{fleet.console.port}/")
        operator = Operator(browser)
        operator.wait("document.querySelectorAll('#members tbody tr').length === 2")
        operator.wait("document.getElementById('tiles').textContent.includes('2 crawls')")
        operator.click("[data-verb=block]")
        operator.fill("surt", "evitato.it")
        operator.agree()
        for rules in (wait_for(fleet.other)["rules"], fleet.console.status()["rules"]):
            assert {"surt": "it,evitato,", "block": True} in rules
        operator.click("#members tbody tr:nth-child(2) [data-member-verb=pause]")
        operator.wait(
            "document.querySelector('#members tbody tr:nth-child(2)').textContent.includes('paused')"
        )
        assert wait_for(fleet.other)["pauses"] == ["operator"]
        assert fleet.console.status()["pauses"] == []
        assert browser.complaints() == []


def test_a_member_that_does_not_answer_says_why(fleet: Fleet) -> None:
    """The last test of this module: it ends the second crawl."""
    fleet.console.do("terminate", member="member-02")
    deadline = time.monotonic() + 30
    while (found := fleet.console.ask("GET", "/api/members").json)["members"][1]["state"] != "stopped":
        assert time.monotonic() < deadline
        time.sleep(0.3)
    assert "no crawl runs in" in found["members"][1]["error"]
    assert found["totals"]["pages"] == found["members"][0]["pages"]
    answer = fleet.console.do("block", surt="piu-tardi.it", member="all")["members"]
    assert (answer["member-01"]["surt"], answer["member-01"]["hosts"]) == ("it,piu-tardi,", 0)
    assert "it is done first when the crawl is resumed" in answer["member-02"]["postponed"]

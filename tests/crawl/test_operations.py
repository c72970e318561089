"""Operators steer real crawls through the control socket: at once, durably, on the record."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.crawl.crawling import PROJECT, differences, finish, resume, run_crawl, start_alone, start_crawl
from webgraph_it.cli.control import VERB
from webgraph_it.crawl.actions import VERBS
from webgraph_it.crawl.control_socket import ControlError, ask
from webgraph_it.crawl.pending import TAKEN_FILE
from webgraph_it.simweb import SimWeb
from webgraph_it.urls.surt import parse

SLOW = {"HOST_DELAY": 0.25, "COMMIT_INTERVAL": 60}
"""The crawl lasts, and no commit but that of an action comes in time."""


def wait_for(jobdir: Path, pages: int = 0) -> dict[str, Any]:
    """Until the crawl answers, and has this many pages."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            status: dict[str, Any] = ask(jobdir, {"action": "status"})
        except ControlError:
            status = {"pages": -1}
        if status["pages"] >= pages:
            return status
        time.sleep(0.05)
    raise AssertionError("the crawl does not answer")


@contextmanager
def running(crawl: "subprocess.Popen[str]") -> Iterator["subprocess.Popen[str]"]:
    try:
        yield crawl
    finally:
        crawl.kill()
        crawl.communicate()


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=12, pages=240, seed=4, only=["plain"]) as web:
        yield web


def audit(jobdir: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (jobdir / "reports" / "actions.jsonl").read_text().splitlines()]


def shown(name: str, value: Any) -> Callable[[Path, dict[str, Any]], bool]:
    """Whether the status of the resumed crawl says so."""
    return lambda jobdir, status: bool(status[name] == value)


def rules(*written: dict[str, Any]) -> Callable[[Path, dict[str, Any]], bool]:
    return shown("rules", list(written))


BLOCKED, SLOWED = {"surt": "it,a,", "block": True}, {"surt": "it,b,", "delay": 9.0}
DURABLE: list[tuple[dict[str, Any], Callable[[Path, dict[str, Any]], bool]]] = [
    ({"action": "pause", "reason": "backup"}, shown("pauses", ["backup"])),
    ({"action": "unpause", "reason": "backup"}, shown("pauses", [])),
    ({"action": "block", "surt": "it,a,"}, rules(BLOCKED)),
    ({"action": "delay", "surt": "it,b,", "seconds": 9}, rules(SLOWED, BLOCKED)),
    ({"action": "unblock", "surt": "it,a,"}, rules(SLOWED)),
    ({"action": "max-pages", "surt": "it,b,", "pages": 7}, rules({**SLOWED, "max_pages": 7})),
    (
        {"action": "priority", "surt": "it,b,", "priority": -5},
        rules({**SLOWED, "max_pages": 7, "priority": -5}),
    ),
    ({"action": "clear", "surt": "it,b,"}, rules()),
    ({"action": "park", "host": "it,c"}, lambda jobdir, status: list(status["parked"]) == ["it,c"]),
    ({"action": "wake", "host": "it,c"}, shown("parked", {})),
    ({"action": "bandwidth", "schedule": [["*", "77 KB/s"]]}, shown("bandwidth_cap", 77_000.0)),
    ({"action": "connections", "cap": 7}, shown("connections_cap", 7)),
    (
        {"action": "add-seeds", "seeds": ["http://nuovo.it/"]},
        lambda jobdir, status: any("http://nuovo.it/" in path.read_text() for path in jobdir.glob("urls/*")),
    ),
    ({"action": "reports"}, lambda jobdir, status: (jobdir / "reports/crawl-report.txt").is_file()),
    ({"action": "checkpoint"}, lambda jobdir, status: len(list(jobdir.glob("pages/*"))) == 17),
    ({"action": "terminate"}, lambda jobdir, status: status["state"] == "running"),
]
"""Action, and whether it is in force after a kill and a resume. A run makes one set of files, a checkpoint one more."""


def test_every_verb_is_in_the_table() -> None:
    assert {said["action"] for said, _ in DURABLE} == {name for name in VERBS if name != "status"}


def test_what_was_answered_survives_a_kill_and_is_audited(web: SimWeb, tmp_path: Path) -> None:
    """Each verb of the table: answered, killed at once, resumed, and in force."""
    crawl = start_crawl(web, tmp_path, **SLOW)
    wait_for(tmp_path, 5)
    for number, (said, is_in_force) in enumerate(DURABLE, 1):
        with running(crawl):
            ask(tmp_path, said)
            crawl.send_signal(signal.SIGKILL)
            crawl.wait()
        lines = audit(tmp_path)
        assert len(lines) == number
        assert {**said, "result": "done"}.items() <= lines[-1].items()
        assert lines[-1]["who"].startswith("user ")
        crawl = start_alone(tmp_path)
        status = wait_for(tmp_path)
        assert is_in_force(tmp_path, status), (said, status)
    with running(crawl):
        pass


def hosts_asked(web: SimWeb, since: float) -> set[str]:
    """By the servers' own log."""
    return {hit["host"] for hit in web.hits() if hit["event"] == "request" and hit["time"] > since}


def test_a_blocked_site_is_left_alone_at_once_and_after_a_kill_and_unblocked_the_graph_is_the_truth(
    tmp_path: Path,
) -> None:
    with SimWeb(hosts=12, pages=400, seed=9, only=["plain"]) as web:
        with running(start_crawl(web, tmp_path, **SLOW)) as crawl:
            wait_for(tmp_path, 40)
            host = busiest_host(web)
            blocked = ask(tmp_path, {"action": "block", "surt": host})
            assert blocked["surt"] == parse(host)
            assert blocked["hosts"] >= 1, "the host, and those below it that were found so far"
            assert blocked["urls_not_fetched"] > 0
            blocked_at = time.time()
            time.sleep(2.0)
            crawl.send_signal(signal.SIGKILL)
            crawl.wait()
        crawl = start_alone(tmp_path)
        wait_for(tmp_path, 80)
        assert host not in hosts_asked(web, blocked_at + 1.0)
        assert len(hosts_asked(web, blocked_at + 1.0)) > 3
        answer = ask(tmp_path, {"action": "unblock", "surt": host})
        assert answer["queued"] > 0
        assert "operator-block" in page_log(tmp_path)
        output = finish(crawl)
        assert crawl.returncode == 0, output[-4000:]
        assert host in hosts_asked(web, blocked_at + 1.0)
        assert differences(web, tmp_path) == []
    changes = [entry["changed"] for entry in json.loads((tmp_path / "crawl.json").read_text())["history"]]
    assert [next(iter(change)) for change in changes] == ["block", "unblock"]
    assert [line["action"] for line in audit(tmp_path)] == ["block", "unblock"]


def page_log(jobdir: Path) -> str:
    return "".join(path.read_text() for path in sorted((jobdir / "pages").iterdir()))


def busiest_host(web: SimWeb) -> str:
    """The one with the most pages, which the crawl asks until its end."""
    hosts = [hit["host"] for hit in web.hits() if hit["event"] == "request"]
    return max(set(hosts), key=hosts.count)


def test_a_pause_stops_requests_and_seeds_can_be_added(web: SimWeb, tmp_path: Path) -> None:
    with running(start_crawl(web, tmp_path, **SLOW)) as crawl:
        wait_for(tmp_path, 20)
        assert ask(tmp_path, {"action": "pause"})["action"] == "pause"
        paused_at = time.time()
        time.sleep(2.0)
        assert hosts_asked(web, paused_at + 1.0) == set()
        assert wait_for(tmp_path)["limit"] == "pause"
        with pytest.raises(ControlError, match="no line is a URL in the scope"):
            ask(tmp_path, {"action": "add-seeds", "seeds": ["http://example.com/"]})
        answer = ask(tmp_path, {"action": "add-seeds", "seeds": ["nuovo-seme.it", "# a comment"]})
        assert (answer["seeds"], answer["new"]) == (1, 1)
        ask(tmp_path, {"action": "unpause"})
        ask(tmp_path, {"action": "terminate"})
        output = finish(crawl)
        assert crawl.returncode == 3, output[-4000:]
    assert "nuovo-seme.it" in (tmp_path / "urls" / "000001.tsv").read_text()


def test_a_longer_delay_holds_from_the_next_fetch_on(tmp_path: Path) -> None:
    with SimWeb(hosts=3, pages=90, seed=2, only=["plain"]) as web:
        with running(start_crawl(web, tmp_path, HOST_DELAY=0.1)):
            wait_for(tmp_path, 10)
            ask(tmp_path, {"action": "delay", "surt": "it,", "seconds": 1.5})
            set_at = time.time()
            time.sleep(5.0)
            times: dict[str, list[float]] = {}
            for hit in web.hits():
                if hit["event"] == "request" and hit["time"] > set_at + 0.5:
                    times.setdefault(hit["host"], []).append(hit["time"])
        gaps = [b - a for each in times.values() for a, b in pairwise(each)]
        assert gaps
        assert min(gaps) >= 1.5


def test_rules_of_a_file_are_in_force_change_with_it_and_a_mistake_keeps_them(tmp_path: Path) -> None:
    rules, jobdir = tmp_path / "rules.toml", tmp_path / "crawl"
    rules.write_text('[[rule]]\nsurt = "it,"\nmatch = "3.html$"\nblock = true\n')
    with SimWeb(hosts=5, pages=200, seed=2, only=["plain"]) as web:
        crawl = start_crawl(web, jobdir, RULES_FILE=str(rules), HOST_DELAY=0.4)
        wait_for(jobdir, 20)
        rules.write_text('[[rule]]\nsurt = "it,"\n')
        time.sleep(2.5)
        ask(jobdir, {"action": "terminate"})
        output = finish(crawl)
        asked = [hit["path"] for hit in web.hits() if hit["event"] == "request"]
    assert len(asked) > 20
    assert not any(path.endswith("3.html") for path in asked)
    assert '3.html", ' in page_log(jobdir)
    assert "operator-block" in page_log(jobdir)
    assert "rule 1: it has no effect; expected: one of block" in output
    assert "The rules in force stay." in output


def test_a_wrong_rules_file_refuses_the_start_in_one_sentence(web: SimWeb, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text("[[rule]\n")
    crawl = start_crawl(web, tmp_path / "crawl", RULES_FILE=str(rules))
    output = finish(crawl)
    assert crawl.returncode == 2
    assert output.startswith("RULES_FILE:")
    assert output.count("\n") == 1


def test_parked_a_host_is_left_alone_and_woken_it_is_asked(tmp_path: Path) -> None:
    with (
        SimWeb(hosts=4, pages=120, seed=2, only=["plain"]) as web,
        running(start_crawl(web, tmp_path, HOST_DELAY=0.2)),
    ):
        wait_for(tmp_path, 12)
        host = busiest_host(web)
        assert ask(tmp_path, {"action": "park", "host": host}) == {
            "action": "park",
            "host": key_of_host(host),
        }
        parked_at = time.time()
        time.sleep(2.5)
        assert host not in hosts_asked(web, parked_at + 1.0)
        status = wait_for(tmp_path)
        assert (status["hosts_parked"], list(status["parked"])) == (1, [key_of_host(host)])
        assert ask(tmp_path, {"action": "wake", "host": host})["woken"]
        assert not ask(tmp_path, {"action": "wake", "host": host})["woken"]
        time.sleep(1.5)
        assert host in hosts_asked(web, parked_at + 1.0)
        nobody = ask(tmp_path, {"action": "park", "host": "nobody.it", "seconds": 0})
        assert wait_for(tmp_path)["parked"] == {}  # it has ended
        assert nobody["note"] == "no URL of this host is known; it is left alone if one is found"


def key_of_host(host: str) -> str:
    return parse(host).rstrip(",")


def test_the_examples_of_the_shell_do_what_they_say(web: SimWeb, tmp_path: Path) -> None:
    with running(start_crawl(web, tmp_path / "crawls" / "italy-1", **SLOW)):
        wait_for(tmp_path / "crawls" / "italy-1", 5)
        for example in VERB.examples:
            words = shlex.split(example)[1:]
            ended = subprocess.run(
                [sys.executable, "-m", "webgraph_it", *words],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": str(PROJECT)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert ended.returncode == 0, ended.stderr
        assert wait_for(tmp_path / "crawls" / "italy-1")["rules"] == [{"surt": "it,esempio,", "block": True}]


def cut_nodes(jobdir: Path) -> int:
    """Nodes whose last line in the page log is a cut."""
    last = {line["key"]: line["state"] for line in map(json.loads, page_log(jobdir).splitlines())}
    return list(last.values()).count("quota-cut")


def test_a_seed_that_a_rule_blocks_is_a_node_and_no_request_is_sent_until_the_rule_is_gone(
    tmp_path: Path,
) -> None:
    """The rule is in force before the first seed, and it is taken out of the file of a crawl that has ended."""
    rules, jobdir = tmp_path / "rules.toml", tmp_path / "crawl"
    with SimWeb(hosts=6, pages=120, seed=3, only=["plain"]) as web:
        host = urlsplit(Path(web.settings["SEEDS"]).read_text().split()[0]).hostname or ""
        rules.write_text(f'[[rule]]\nsurt = "{host}"\nblock = true\n')
        run_crawl(web, jobdir, RULES_FILE=str(rules))
        assert host not in hosts_asked(web, 0.0)
        assert len(hosts_asked(web, 0.0)) > 1
        assert '"quota-cut"' in page_log(jobdir)
        assert "operator-block" in page_log(jobdir)
        rules.write_text("rule = []\n")
        resume(jobdir)
        assert differences(web, jobdir) == []
        assert cut_nodes(jobdir) == 0
    changes = [entry["changed"] for entry in json.loads((jobdir / "crawl.json").read_text())["history"]]
    assert [change["RULES_FILE"][1] for change in changes] == [
        [{"surt": parse(host), "block": True}],
        [],
    ]


def test_what_is_cleared_is_as_if_it_had_never_been_set(tmp_path: Path) -> None:
    with SimWeb(hosts=6, pages=150, seed=5, only=["plain"]) as web:
        with running(start_crawl(web, tmp_path, HOST_DELAY=0.2, COMMIT_INTERVAL=60)) as crawl:
            wait_for(tmp_path, 5)
            ask(tmp_path, {"action": "max-pages", "surt": "it,", "pages": 3})
            ask(tmp_path, {"action": "delay", "surt": "it,", "seconds": 0.3})
            ask(tmp_path, {"action": "priority", "surt": "it,", "priority": 9})
            wait_for(tmp_path, 12)
            assert wait_for(tmp_path)["rules"] == [
                {"surt": "it,", "delay": 0.3, "max_pages": 3, "priority": 9}
            ]
            ask(tmp_path, {"action": "delay", "surt": "it,", "seconds": None})
            assert wait_for(tmp_path)["rules"] == [{"surt": "it,", "max_pages": 3, "priority": 9}]
            answer = ask(tmp_path, {"action": "clear", "surt": "it,"})
            assert answer["queued"] > 0
            with pytest.raises(ControlError, match="nothing is set for it,"):
                ask(tmp_path, {"action": "clear", "surt": "it,"})
            crawl.send_signal(signal.SIGKILL)
            crawl.wait()
        assert "pages-per-host" in page_log(tmp_path)
        resume(tmp_path, HOST_DELAY=0)
        assert differences(web, tmp_path) == []
        assert cut_nodes(tmp_path) == 0


def control(jobdir: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "webgraph_it", "control", str(jobdir), *words]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)


def test_a_crawl_that_has_ended_is_blocked_and_unblocked_when_it_is_resumed(tmp_path: Path) -> None:
    with SimWeb(hosts=6, pages=120, seed=3, only=["plain"]) as web:
        crawl = start_crawl(web, tmp_path, HOST_DELAY=0.2)
        wait_for(tmp_path, 20)
        host = busiest_host(web)
        ask(tmp_path, {"action": "terminate"})
        finish(crawl)
        left_by_a_killed_resume = tmp_path / "reports" / TAKEN_FILE
        left_by_a_killed_resume.write_text(
            '{"who": "user 7", "said": {"action": "delay", "surt": "it,", "seconds": 0}}\n'
        )
        ended = control(tmp_path, "block", host)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "postponed: no crawl runs in" in ended.stdout
        resumed_at = time.time()
        resume(tmp_path, HOST_DELAY=0)
        assert host not in hosts_asked(web, resumed_at)
        assert "operator-block" in page_log(tmp_path)
        assert control(tmp_path, "unblock", host).returncode == 0
        resume(tmp_path)
        assert differences(web, tmp_path) == []
    assert [(line["action"], line["result"]) for line in audit(tmp_path)] == [
        (action, "done") for action in ("terminate", "delay", "block", "unblock")
    ]
    ended = control(tmp_path, "checkpoint")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("no crawl runs in")
    ended = control(tmp_path, "block", "::")
    assert ended.returncode == 2


def test_a_block_cancels_a_fetch_under_way(tmp_path: Path) -> None:
    """A body that drips for ever, and a crawl that would wait two minutes for it."""
    seeds, jobdir = tmp_path / "seeds.txt", tmp_path / "crawl"
    seeds.write_text("http://hostile-drip-body.it/\n")
    patient = {"DOWNLOAD_TIMEOUT": 120, "DOWNLOAD_SILENCE_TIMEOUT": 120}
    with (
        SimWeb(hosts=2, pages=4, seed=3, hostile=True) as web,
        running(start_crawl(web, jobdir, SEEDS=str(seeds), **patient)) as crawl,
    ):
        wait_for(jobdir)
        deadline = time.monotonic() + 60
        while not any(hit["event"] == "request" and hit["path"] == "/" for hit in web.hits()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert ask(jobdir, {"action": "block", "surt": "hostile-drip-body.it"})["hosts"] == 1
        crawl.wait(40)
    (line,) = map(json.loads, page_log(jobdir).splitlines())
    assert (line["state"], line["reason"]) == ("quota-cut", "operator-block")

"""The console of a real crawl: REST, events, rules, and how it begins and ends."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.console.watched import Watched, free_port, watched
from tests.crawl.crawling import finish, start_crawl
from webgraph_it.simweb import SimWeb


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=30, pages=1500, seed=7, only=["plain"]) as found:
        yield found


@pytest.fixture(scope="module")
def crawl(web: SimWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("console")
    with watched(web, folder / "italy", HOST_DELAY=1.5, COMMIT_INTERVAL=1) as found:
        found.wait_for_pages(30)
        yield found


def test_the_status_says_state_and_why(crawl: Watched) -> None:
    status = crawl.status()
    assert (status["state"], status["pauses"], status["limit"]) == ("running", [], "politeness")
    assert (status["name"], status["role"]) == ("italy", "operator")
    assert status["pages"] >= 30


def test_progress_is_one_list_a_column(crawl: Watched) -> None:
    found = crawl.ask("GET", "/api/progress?since=0&points=50").json
    assert len(found["time"]) == len(found["pages_per_second"]) > 1
    assert crawl.ask("GET", f"/api/progress?since={time.time() + 60}").json["time"] == []


def test_hosts_and_one_host(crawl: Watched) -> None:
    found = crawl.ask("GET", "/api/hosts?sort=queue&most=3").json
    queues = [host["queued"] for host in found["hosts"]]
    assert queues == sorted(queues, reverse=True)
    assert len(queues) == 3
    name = found["hosts"][0]["host"]
    host = crawl.ask("GET", f"/api/hosts/{name})").json
    assert host["host"] == name
    assert host["delay"] == 1.5
    assert host["recent"]
    assert host["robots"]
    assert crawl.ask("GET", f"/api/hosts?find={host['name']}").json["hosts"][0]["host"] == name
    assert crawl.ask("GET", "/api/hosts?sort=colour").status == 400
    assert crawl.ask("GET", "/api/hosts/it,nobody").status == 404


def test_the_page_log_is_live(crawl: Watched) -> None:
    pages = crawl.ask("GET", "/api/pages?filter=status:200&most=5").json
    assert len(pages) == 5
    assert {page["status"] for page in pages} == {200}
    assert pages[0]["time"] > time.time() - 30


def test_reports_are_written_when_asked(crawl: Watched) -> None:
    crawl.do("reports")
    assert crawl.ask("GET", "/api/reports/crawl").body.startswith(b"Crawl Name: ")
    assert crawl.ask("GET", "/api/reports/passwords").status == 404


def test_a_rule_is_put_and_deleted(crawl: Watched) -> None:
    assert crawl.ask("PUT", "/api/rules/it,esempio,", {"block": True, "delay": 9}).status == 200
    assert crawl.status()["rules"] == [{"surt": "it,esempio,", "block": True, "delay": 9.0}]
    below = crawl.ask("PUT", "/api/rules/it,esempio,www2)", {"block": False})
    assert "is blocked by it,esempio,;" in below.json["error"]
    assert crawl.ask("DELETE", "/api/rules/it,esempio,?part=block").status == 200
    assert crawl.status()["rules"] == [{"surt": "it,esempio,", "delay": 9.0}]
    assert crawl.ask("PUT", "/api/rules/it,esempio,", {"delay": None, "priority": 3}).status == 200
    assert crawl.status()["rules"] == [{"surt": "it,esempio,", "priority": 3}]
    assert crawl.ask("DELETE", "/api/rules/it,esempio,?part=colour").status == 400
    assert crawl.ask("DELETE", "/api/rules/it,esempio,").status == 200
    assert crawl.status()["rules"] == []
    assert crawl.ask("DELETE", "/api/rules/it,esempio,").json["error"] == "nothing is set for it,esempio,"
    refused = crawl.ask("PUT", "/api/rules/it,esempio,", {"colour": "red"})
    assert (refused.status, "expected: an object with some of block" in refused.json["error"]) == (400, True)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"delay": 10, "block": "x"}, "block is 'x'; expected: true, false or null"),
        ({"delay": 10, "block": 1}, "block is 1; expected: true, false or null"),
        ({"delay": 10, "block": None}, "it,esempio, is not blocked"),
        ({"delay": 10, "block": False}, "it,esempio, is not blocked"),
        ({"delay": 10, "priority": "first"}, "priority is 'first'; expected: a whole number"),
    ],
)
def test_a_rule_is_put_as_a_whole_or_not_at_all(crawl: Watched, said: dict[str, Any], sentence: str) -> None:
    refused = crawl.ask("PUT", "/api/rules/it,esempio,", said)
    assert refused.status == 400
    assert sentence in refused.json["error"]
    assert crawl.status()["rules"] == []


def test_what_is_wrong_with_an_action_is_one_sentence(crawl: Watched) -> None:
    answer = crawl.ask("POST", "/api/action", {"action": "delay", "surt": "it,x,", "seconds": -1})
    assert (answer.status, answer.json) == (400, {"error": "delay is -1; expected: seconds, 0 to 86400"})


def test_actions_say_who(crawl: Watched) -> None:
    crawl.do("pause")
    crawl.do("unpause")
    newest = crawl.ask("GET", "/api/actions?most=2").json
    assert [each["action"] for each in newest] == ["unpause", "pause"]
    assert {each["who"] for each in newest} == {"console operator at 127.0.0.1"}


def test_events_come_by_themselves(crawl: Watched) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", crawl.port, timeout=20)
    connection.request("GET", "/api/events")
    answer = connection.getresponse()
    assert answer.headers["Content-Type"] == "text/event-stream"
    lines = [answer.readline() for _ in range(5)]
    connection.close()
    assert lines[0] == lines[3] == b"event: status\n"
    assert json.loads(lines[1].removeprefix(b"data: "))["state"] == "running"


def test_metrics_and_hosts_are_quick(crawl: Watched) -> None:
    for path, seconds in (("/metrics", 0.05), ("/api/hosts?sort=slow", 0.1)):
        times = []
        for _ in range(10):
            began = time.monotonic()
            assert crawl.ask("GET", path).status == 200
            times.append(time.monotonic() - began)
        assert min(times) < seconds, path


def test_no_more_than_a_hundred_connections(crawl: Watched) -> None:
    held = [socket.create_connection(("127.0.0.1", crawl.port)) for _ in range(100)]
    try:
        time.sleep(0.5)
        with socket.create_connection(("127.0.0.1", crawl.port), timeout=5) as one_more:
            assert one_more.recv(1) == b""
    finally:
        for each in held:
            each.close()
    time.sleep(0.5)
    assert crawl.status()["state"] == "running"


def test_an_address_in_use_is_one_sentence_and_exit_code_2(
    crawl: Watched, web: SimWeb, tmp_path: Path
) -> None:
    second = start_crawl(web, tmp_path / "second", CONSOLE=f"127.0.0.1:{crawl.port}")
    output = finish(second, 60)
    assert second.returncode == 2
    assert output.count("\n") == 1
    assert output.startswith(f"CONSOLE is 127.0.0.1:{crawl.port}, where nobody can listen now")
    assert not (tmp_path / "second").exists()


def test_an_address_for_all_without_tokens_is_refused(web: SimWeb, tmp_path: Path) -> None:
    refused = start_crawl(web, tmp_path / "open", CONSOLE=f"0.0.0.0:{free_port()}")
    output = finish(refused, 60)
    assert (refused.returncode, "there are no tokens" in output) == (2, True)


def test_it_closes_with_the_crawl(crawl: Watched) -> None:
    """The last test of this module. A page that listens does not hold the crawl up."""
    connection = http.client.HTTPConnection("127.0.0.1", crawl.port, timeout=20)
    connection.request("GET", "/api/events")
    answer = connection.getresponse()
    answer.readline()
    crawl.do("terminate")
    began = time.monotonic()
    assert crawl.crawl.wait(30) == 3
    assert time.monotonic() - began < 15
    connection.close()

"""What the caller of a crawl is told by its exit code."""

import json
import socket
from pathlib import Path

import pytest

from tests.crawl.crawling import finish, start_crawl
from webgraph_it.crawl.outcome import exit_code, nobody_answered
from webgraph_it.crawl.tally import Tally
from webgraph_it.simweb import SimWeb


@pytest.mark.parametrize(
    ("reason", "left", "code"),
    [
        ("finished", 0, 0),
        ("finished", 3, 3),
        ("shutdown", 3, 3),
        ("shutdown", 0, 3),
        ("closespider_pagecount", 7, 3),
        ("failed", 3, 1),
        ("failed", 0, 1),
        ("start_error", 0, 1),
    ],
)
def test_an_exit_code_says_how_a_crawl_ended(reason: str, left: int, code: int) -> None:
    assert exit_code(reason, left) == code


@pytest.mark.parametrize(
    ("pages", "statuses", "reasons", "expected"),
    [
        (0, {}, {}, False),
        (2, {"0": 2}, {"refused": 1, "dns-nxdomain": 1}, True),
        (3, {"0": 3}, {"timeout": 1, "host-given-up": 1, "forbidden/loopback": 1}, True),
        (2, {"0": 1, "404": 1}, {"refused": 1}, False),
        (2, {"0": 2}, {"refused": 1, "rule": 1}, False),
        (1, {"0": 1, "200": 0}, {"refused": 1, "rule": 0}, True),
    ],
)
def test_nobody_answered_if_every_fetch_failed(
    pages: int, statuses: dict[str, int], reasons: dict[str, int], expected: bool
) -> None:
    tally = Tally(json.dumps({"pages": pages, "statuses": statuses, "reasons": reasons}).encode())
    assert nobody_answered(tally) is expected


def test_a_crawl_that_nobody_answered_fails_with_one_sentence(tmp_path: Path) -> None:
    with SimWeb(hosts=2, pages=4, seed=5, only=["plain"]) as web, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        crawl = start_crawl(web, tmp_path / "job", PORT_MAP={"80": port, "443": port}, RETRY_TIMES=0)
        output = finish(crawl)
    assert crawl.returncode == 1, output[-4000:]
    assert output.count("The crawl failed: ") == 1
    assert "URLs were tried, and no server answered. Check this machine's network, DNS_SERVERS" in output
    assert "Traceback" not in output

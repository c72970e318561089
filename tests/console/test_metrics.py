"""/metrics: every name that issue and docs promise, and what Prometheus' own tool says about it."""

import json
import re
import shutil
import subprocess
import timeit
from pathlib import Path

import pytest

from webgraph_it.console.metrics import classes, metrics_of
from webgraph_it.console.source import Counters

DEPLOY = Path(__file__).parents[2] / "deploy"
NOW = Counters(
    states={"fetched": 5, "error": 1, "robots-denied": 2, "quota-cut": 9},
    statuses={"200": 4, "204": 1, "0": 1, "404": 3, "other": 1},
    reasons={"dns-timeout": 1, "pages-per-host": 9},
    links=70,
    wire_bytes=1000,
    bandwidth_cap=None,
    connections=3,
    connections_cap=5000,
    queued=1,
    leased=2,
    done=3,
    cut=9,
    hosts_ready=1,
    hosts_waiting=2,
    hosts_parked=3,
    pauses=("disk", 'an "odd"\n reason'),
    commits=4,
    commit_seconds=0.5,
    committed_at=1e9,
    free_disk_bytes=10**9,
    rss_bytes=10**8,
)
TEXT = metrics_of(lambda: NOW)().decode()
NAMES = set(re.findall(r"^# TYPE (\w+)", TEXT, re.MULTILINE))


@pytest.mark.parametrize(
    "line",
    [
        'webgraph_it_pages_total{state="fetched"} 5.0',
        'webgraph_it_responses_total{class="2xx"} 5.0',
        'webgraph_it_responses_total{class="none"} 1.0',
        "webgraph_it_links_total 70.0",
        "webgraph_it_received_bytes_total 1000.0",
        "webgraph_it_bandwidth_limit_bytes_per_second +Inf",
        "webgraph_it_connections 3.0",
        "webgraph_it_connections_limit 5000.0",
        'webgraph_it_frontier_urls{state="cut"} 9.0',
        'webgraph_it_hosts{state="parked"} 3.0',
        "webgraph_it_robots_denied_total 2.0",
        'webgraph_it_errors_total{reason="dns-timeout"} 1.0',
        "webgraph_it_commit_duration_seconds_count 4.0",
        "webgraph_it_commit_duration_seconds_sum 0.5",
        "webgraph_it_last_commit_timestamp_seconds 1e+09",
        'webgraph_it_paused{reason="disk"} 1.0',
        'webgraph_it_paused{reason="operator"} 0.0',
        'webgraph_it_paused{reason="an \\"odd\\"\\n reason"} 1.0',
    ],
)
def test_every_promised_line_is_there(line: str) -> None:
    assert line in TEXT.splitlines()


def test_a_counter_never_counts_what_can_be_taken_back() -> None:
    assert "quota-cut" not in TEXT
    assert "pages-per-host" not in TEXT


def test_classes_are_few_whatever_servers_say() -> None:
    assert classes({"999": 1, "xyz": 2, "0": 3}) == {
        "2xx": 0,
        "3xx": 0,
        "4xx": 0,
        "5xx": 0,
        "none": 3,
        "9xx": 1,
        "other": 2,
    }


def test_it_takes_less_than_five_milliseconds() -> None:
    assert min(timeit.repeat(metrics_of(lambda: NOW), number=1, repeat=20)) < 0.005


def promtool(*arguments: str, text: str = "") -> str:
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed; Debian's package prometheus has it")
    found = subprocess.run(
        [program, *arguments], input=text, capture_output=True, text=True, timeout=60, cwd=DEPLOY
    )
    return found.stdout + found.stderr if found.returncode else ""


def test_promtool_accepts_the_metrics() -> None:
    assert promtool("check", "metrics", text=TEXT) == ""


def test_promtool_accepts_rules_and_scrape_file() -> None:
    assert promtool("check", "rules", "prometheus-rules.yml") == ""
    assert promtool("check", "config", "prometheus.yml") == ""


def test_rules_and_board_use_metrics_that_exist() -> None:
    board = json.loads((DEPLOY / "grafana-board.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked.append((DEPLOY / "prometheus-rules.yml").read_text())
    used = set(re.findall(r"\bwebgraph_it_\w+", " ".join(asked)))
    assert used - NAMES - {f"webgraph_it_commit_duration_seconds_{end}" for end in ("sum", "count")} == set()


def test_promtool_accepts_the_queries_of_the_board(tmp_path: Path) -> None:
    board = json.loads((DEPLOY / "grafana-board.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    rules = [{"record": f"board:{number}", "expr": each} for number, each in enumerate(asked)]
    path = tmp_path / "board.yml"
    path.write_text(json.dumps({"groups": [{"name": "board", "rules": rules}]}))
    assert promtool("check", "rules", str(path)) == ""

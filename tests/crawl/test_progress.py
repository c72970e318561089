"""What people see while it runs: a live line on a terminal, a line in the log elsewhere, JSON for the report."""

import io
import json
import os
import pty
import re
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, run_crawl
from webgraph_it.crawl.progress import LiveLine, Moment, Rates, Run, Snapshot, rates
from webgraph_it.simweb import SimWeb


def snapshot(**facts: Any) -> Snapshot:
    """One of a crawl that has done nothing, but for these facts."""
    return Snapshot(**{field.name: 0 for field in fields(Snapshot)} | facts)


RUN = Run(opened_at=100.0, pages=50, seconds=1_000.0)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (None, Rates(pages=5.0, mean_pages=5.0, wire_bytes=400.0)),
        (Moment(108.0, snapshot(pages=60, wire_bytes=3_000)), Rates(20.0, 5.0, 500.0)),
        (Moment(110.0, snapshot(pages=100, wire_bytes=4_000)), Rates(0.0, 5.0, 0.0)),
    ],
    ids=["first", "later", "at once"],
)
def test_rates_are_since_the_moment_before_and_the_mean_since_the_run_began(
    last: Moment | None, expected: Rates
) -> None:
    assert rates(100, 4_000, 110.0, RUN, last) == expected


def test_the_time_of_earlier_runs_counts() -> None:
    assert RUN.seconds_at(110.0) == 1_010.0


def test_a_live_line_rewrites_itself_within_the_terminal() -> None:
    stream = io.StringIO()
    live = LiveLine(stream, 10)
    live.show("0123456789abc")
    live.show("short")
    live.end()
    assert stream.getvalue() == "\r\x1b[2K012345678\r\x1b[2Kshort\n"


def test_a_terminal_shows_the_rate_of_the_last_second(tmp_path: Path) -> None:
    with SimWeb(hosts=10, pages=100, seed=3, only=["plain"]) as web:
        ours, theirs = pty.openpty()
        command = crawl_command(web, tmp_path, HOST_DELAY=0.1, LOG_LEVEL="WARNING")
        crawl = subprocess.Popen(
            command, cwd=PROJECT, stdout=theirs, stderr=theirs, env={**os.environ, "COLUMNS": "250"}
        )
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        assert crawl.wait(60) == 0
        os.close(ours)
    lines = [line for line in shown.decode().split("\r\x1b[2K") if " pages | " in line]
    rates = [int(re.search(r"\| ([\d,]+)/s \(mean", line)[1].replace(",", "")) for line in lines]
    assert max(rates) > 0
    for words in (
        "KB/s (no cap)",
        "connections (cap ",
        "ready",
        "waiting",
        "parked",
        "frontier",
        "links/page",
        "GB free",
    ):
        assert words in lines[0]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""


def test_progress_has_a_line_a_second_and_adds_up(tmp_path: Path) -> None:
    with SimWeb(hosts=10, pages=100, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path, HOST_DELAY=0.05)
    moments = [json.loads(line) for line in (tmp_path / "reports/progress.jsonl").read_text().splitlines()]
    assert len(moments) >= 3
    assert moments[-1]["pages"] == 100
    assert moments[-1]["queued"] == 0
    assert all(moment["rss_bytes"] > 10_000_000 for moment in moments)


def test_the_mean_rate_is_that_of_this_run(tmp_path: Path) -> None:
    def last_moments() -> tuple[dict[str, float], dict[str, float]]:
        lines = (tmp_path / "reports/progress.jsonl").read_text().splitlines()
        return json.loads(lines[0]), json.loads(lines[-1])

    with SimWeb(hosts=5, pages=100, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path, HOST_DELAY=0.1)
        first, last = last_moments()
        seconds = last["time"] - first["time"]  # the first line is written when the crawl opens
        assert last["mean_pages_per_second"] == pytest.approx(
            (last["pages"] - first["pages"]) / seconds, rel=0.2
        )
        assert seconds > 1
        run_crawl(web, tmp_path, HOST_DELAY=0.1)  # nothing is left to fetch
        assert last_moments()[1]["pages"] == 100
        assert last_moments()[1]["mean_pages_per_second"] == 0

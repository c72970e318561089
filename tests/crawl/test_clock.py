"""The machine's clock may be wrong, be put right, and jump: the crawl neither waits for it nor forgets a delay."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences, finish, run_crawl
from webgraph_it.simweb import SimWeb

SHIFTED = """
import os, time
real = time.time
time.time = lambda: real() + ({shift})
from scrapy.cmdline import execute
execute()
"""
YEAR = "365 * 86400"


@pytest.fixture
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=8, pages=80, seed=5, only=["plain"]) as web:
        yield web


def crawl_under(shift: str, web: SimWeb, jobdir: Path, **settings: Any) -> subprocess.Popen[str]:
    """A crawl whose machine's clock is wrong by `shift`, an expression."""
    words = crawl_command(web, jobdir, **settings)[3:]
    return subprocess.Popen(
        [sys.executable, "-c", SHIFTED.format(shift=shift), *words],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for_commit(jobdir: Path) -> None:
    end = time.time() + 30
    while not (jobdir / "committed.json").exists() and time.time() < end:
        time.sleep(0.05)


@pytest.mark.parametrize("sudden", [True, False])
def test_a_clock_that_was_ahead_and_is_put_right_does_not_stop_the_resume(
    web: SimWeb, tmp_path: Path, sudden: bool
) -> None:
    crawl = crawl_under(YEAR, web, tmp_path, COMMIT_INTERVAL=0.2, HOST_DELAY=0.3)
    wait_for_commit(tmp_path)
    time.sleep(1)
    crawl.send_signal(9 if sudden else 15)
    finish(crawl)
    run_crawl(web, tmp_path, seconds=60)
    assert differences(web, tmp_path) == []


@pytest.mark.parametrize("jump", [f"-{YEAR}", YEAR])
def test_a_clock_that_jumps_changes_neither_end_nor_delays(web: SimWeb, tmp_path: Path, jump: str) -> None:
    now = tmp_path / "now"
    crawl = crawl_under(
        f"({jump}) * os.path.exists({str(now)!r})",
        web,
        tmp_path / "crawl",
        COMMIT_INTERVAL=0.2,
        HOST_DELAY=0.5,
    )
    wait_for_commit(tmp_path / "crawl")
    now.touch()
    assert "Spider closed (finished)" in finish(crawl, 60)
    assert differences(web, tmp_path / "crawl") == []
    last: dict[str, float] = {}
    for hit in web.hits():
        if hit["event"] == "request":
            assert hit["time"] - last.get(hit["host"], 0.0) >= 0.49, hit
            last[hit["host"]] = hit["time"]

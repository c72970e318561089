"""What the crawl does by itself while it runs."""

import asyncio
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences
from tests.crawl.observing import stats
from webgraph_it.crawl.commits import MAX_UNCOMMITTED, MAX_UNCOMMITTED_SEEDS, Commits
from webgraph_it.simweb import SimWeb

WITH_LITTLE_ROOM = """
from scrapy.cmdline import execute
from webgraph_it.crawl import commits
commits.MAX_UNCOMMITTED = 50
execute()
"""


def test_a_crawl_with_many_changes_commits_before_its_time(tmp_path: Path) -> None:
    with SimWeb(hosts=20, pages=200, seed=5, only=["plain"]) as web:
        _, _, _, *words = crawl_command(web, tmp_path, COMMIT_INTERVAL=3600, HOST_DELAY=0.15)
        ran = subprocess.run(
            [sys.executable, "-c", WITH_LITTLE_ROOM, *words],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stderr[-3000:]
        assert stats(ran.stderr)["webgraph/commits"] >= 3
        assert differences(web, tmp_path) == []


@pytest.mark.parametrize(
    ("name", "most"),
    [("commit_if_large", MAX_UNCOMMITTED), ("commit_if_many_seeds", MAX_UNCOMMITTED_SEEDS)],
)
def test_a_commit_is_due_above_the_bound_and_not_at_it(name: str, most: int) -> None:
    asked: list[bool] = []

    async def commit(*, checkpoint: bool) -> None:
        asked.append(checkpoint)

    counts = SimpleNamespace(uncommitted=most)
    tally = SimpleNamespace(seconds=0.0)
    parts: list[Any] = [
        SimpleNamespace(commit=commit),
        SimpleNamespace(counts=lambda: counts),
        tally,
        SimpleNamespace(seconds_at=lambda now: 7.0),
    ]
    commits = Commits(*parts, failed=lambda error: None)
    asyncio.run(getattr(commits, name)())
    assert asked == []
    counts.uncommitted += 1
    asyncio.run(getattr(commits, name)())
    assert asked == [False]
    assert tally.seconds == 7.0


def test_a_commit_that_fails_is_told_and_raised() -> None:
    told: list[Exception] = []

    async def commit(*, checkpoint: bool) -> None:
        raise OSError("no room")

    parts: list[Any] = [
        SimpleNamespace(commit=commit),
        SimpleNamespace(),
        SimpleNamespace(),
        SimpleNamespace(seconds_at=lambda now: 0.0),
    ]
    with pytest.raises(OSError, match="no room"):
        asyncio.run(Commits(*parts, failed=told.append).commit())
    assert [str(error) for error in told] == ["no room"]

"""What the crawl does by itself while it runs."""

import subprocess
import sys
from pathlib import Path

from tests.crawl.crawling import PROJECT, crawl_command, differences
from tests.crawl.observing import stats
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

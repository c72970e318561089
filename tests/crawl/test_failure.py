"""What goes wrong inside the crawl ends it aloud, with exit code 1, and the directory resumes exactly."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences, run_crawl
from webgraph_it.simweb import SimWeb

WITH = """
{patch}
from scrapy.cmdline import execute
execute()
"""

A_WRITER_THAT_RAISES = """
from webgraph_it.shards import writer
class Raises(writer.DoubleBufferedWriter):
    writes = 0
    def write(self, record):
        Raises.writes += 1
        if Raises.writes == 70:
            raise RuntimeError("the pen broke")
        super().write(record)
writer.Raises = Raises
"""
A_FRONTIER_THAT_RAISES = """
from webgraph_it.frontier.frontier import Frontier
done = Frontier.done
def raises(self, lease, outcome, now, times=[]):
    times.append(1)
    if len(times) == 30:
        raise ValueError("the frontier tore")
    return done(self, lease, outcome, now)
Frontier.done = raises
"""
A_FRONTIER_THAT_HANDS_OUT_NOTHING = """
from webgraph_it.frontier.frontier import Frontier
next_one = Frontier.next
def raises(self, now, times=[]):
    times.append(1)
    if len(times) == 60:
        raise ValueError("the queue tore")
    return next_one(self, now)
Frontier.next = raises
"""
A_STORE_THAT_RAISES = """
from webgraph_it.frontier.rocks import RocksStore
commit = RocksStore.commit
def raises(self, changes, times=[]):
    times.append(1)
    if len(times) == 4:
        raise OSError(5, "Input/output error")
    return commit(self, changes)
RocksStore.commit = raises
"""
A_TIMER_THAT_RAISES = """
from webgraph_it.crawl.disk_watch import DiskWatch
def raises(self, free_bytes):
    raise ZeroDivisionError("the watch stopped")
DiskWatch.look = raises
"""
WORKERS_THAT_BREAK = """
from webgraph_it.extract.workers import WorkerPool, WorkersBroken
extract = WorkerPool.extract
async def raises(self, document, times=[]):
    times.append(1)
    if len(times) == 30:
        raise WorkersBroken("extraction workers end with code 1 before they are ready; see stderr")
    return await extract(self, document)
WorkerPool.extract = raises
"""
WORKERS_THAT_DO_NOT_START = """
from webgraph_it.extract.workers import WorkerPool
async def raises(self):
    raise OSError(11, "Resource temporarily unavailable")
WorkerPool.open = raises
"""
AN_EXTENSION_THAT_DOES_NOT_OPEN = """
from webgraph_it.engine import gauges
def raises(crawler):
    raise RuntimeError("no fetcher")
gauges.parts_of = raises
"""


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=10, pages=120, seed=5, only=["plain"]) as web:
        yield web


def crawl_with(patch: str, web: SimWeb, jobdir: Path, seconds: float = 60, **settings: Any) -> str:
    """The output of a crawl in which something is broken; it must end by itself, with exit code 1."""
    words = crawl_command(web, jobdir, COMMIT_INTERVAL=0.3, **{"HOST_DELAY": 0.05, **settings})[3:]
    ran = subprocess.run(
        [sys.executable, "-c", WITH.format(patch=patch), *words],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout[-3000:]
    return ran.stdout


@pytest.mark.parametrize("lean", [True, False])
@pytest.mark.parametrize(
    ("patch", "words", "settings"),
    [
        (A_WRITER_THAT_RAISES, "the pen broke", {"GRAPH_WRITER": "webgraph_it.shards.writer.Raises"}),
        (A_FRONTIER_THAT_RAISES, "the frontier tore", {}),
    ],
)
def test_a_step_that_fails_half_way_is_not_committed(
    web: SimWeb, tmp_path: Path, patch: str, words: str, settings: dict[str, str], lean: bool
) -> None:
    output = crawl_with(patch, web, tmp_path, LEAN_ENGINE=lean, **settings)
    assert "The crawl stops: a step of it could not be finished" in output
    assert words in output
    assert f"resume with: scrapy crawl italy -s JOBDIR={tmp_path}" in output
    assert "Closing spider (failed)" in output
    run_crawl(web, tmp_path, GRAPH_WRITER="webgraph_it.shards.writer.DoubleBufferedWriter")
    assert differences(web, tmp_path) == []


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (A_FRONTIER_THAT_HANDS_OUT_NOTHING, "the queue tore"),
        (A_STORE_THAT_RAISES, "it could not be committed"),
        (A_TIMER_THAT_RAISES, "the watch stopped"),
        (WORKERS_THAT_BREAK, "pages can no longer be read"),
        (WORKERS_THAT_DO_NOT_START, "no extraction worker can be started"),
        (AN_EXTENSION_THAT_DOES_NOT_OPEN, "it could not be opened"),
    ],
)
def test_no_part_of_the_crawl_fails_in_silence(web: SimWeb, tmp_path: Path, patch: str, words: str) -> None:
    output = crawl_with(patch, web, tmp_path)
    assert words in next((line for line in output.splitlines() if "CRITICAL" in line), output)
    run_crawl(web, tmp_path)
    assert differences(web, tmp_path) == []

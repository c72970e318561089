"""Seeds are loaded in slices while the crawl is under way: exactly once, in bounded memory, from where it stopped."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences, finish, run_crawl, start_crawl
from tests.crawl.observing import stats
from tests.crawl.shard_reader import read_crawl
from tests.defaults import default_scope, frontier_limits, politeness
from webgraph_it.crawl.seeding import META, SeedLoader
from webgraph_it.frontier import Frontier, MemoryStore, Order, RocksStore
from webgraph_it.frontier.records import Added
from webgraph_it.items import Link
from webgraph_it.simweb import SimWeb
from webgraph_it.urls.seeds import LINES_AT_ONCE, read_batches

MEGABYTE = 1 << 20


class Loading:
    """A list that is loaded into a frontier by a loop of its own."""

    def __init__(self, path: Path, store: Any) -> None:
        self.frontier = Frontier.open(store, politeness(), Order.BREADTH, frontier_limits(), 0.0)
        self.recorded: list[str] = []
        self.slices = 0
        self.loader = SeedLoader(path, default_scope(), self.frontier, self._record, self._after_slice)

    def _record(self, links: list[Link], fetch_only: frozenset[bytes]) -> Added:
        added = self.frontier.add_seeds(links, time.time())
        self.recorded += [link.key for link in added.new]
        return added

    async def _after_slice(self) -> None:
        self.slices += 1
        await asyncio.sleep(0)

    def commit(self) -> None:
        frozen = self.frontier.freeze()
        frozen.write({})
        self.frontier.forget(frozen)

    def load(self, stop_after: int = 0) -> bool:
        return asyncio.run(self.loader.load(lambda: self.slices == stop_after))


def registry(folder: Path, lines: int) -> Path:
    path = folder / "registro.txt"
    with path.open("w") as file:
        file.writelines(f"dominio-{n}.it\n" for n in range(lines))
    return path


def test_loading_stops_between_slices_and_resumes_where_the_last_commit_was(tmp_path: Path) -> None:
    path, store = registry(tmp_path, 10 * LINES_AT_ONCE), MemoryStore()
    first = Loading(path, store)
    assert not first.load(stop_after=3)
    first.commit()
    first.loader._add(next(iter(loaded_slices(path, 3))))  # after the commit: a crash forgets it
    second = Loading(path, store)
    assert second.load()
    second.commit()
    assert second.recorded[0] == f"it,dominio-{3 * LINES_AT_ONCE})/"
    assert len(second.recorded) == 7 * LINES_AT_ONCE
    assert second.frontier.counts().queued == 10 * LINES_AT_ONCE
    third = Loading(path, store)
    assert third.load()
    assert (third.slices, third.loader.loaded.seeds) == (0, 10 * LINES_AT_ONCE)


def loaded_slices(path: Path, number: int) -> list[Any]:
    return list(read_batches(path))[number : number + 1]


def test_a_list_that_has_grown_is_loaded_again_and_adds_what_is_new(tmp_path: Path) -> None:
    path, store = registry(tmp_path, 300), MemoryStore()
    first = Loading(path, store)
    first.load()
    first.commit()
    registry(tmp_path, 310)
    second = Loading(path, store)
    second.load()
    assert len(second.recorded) == 10
    assert second.frontier.counts().queued == 310


def test_what_is_said_of_single_lines_is_bounded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "semi.txt"
    path.write_text("esempio.it\n" + "due parole\n" * 500 + "foto.it/a.jpg\n" * 500)
    with caplog.at_level(logging.WARNING):
        Loading(path, MemoryStore()).load()
    assert len(caplog.records) == 21
    assert caplog.messages[-1] == f"980 more lines of {path} are not fetched."


# -- memory -----------------------------------------------------------------------------------------------------

LOAD = """
import asyncio, resource, sys
from pathlib import Path
from tests.crawl.test_seeding import Loading
from webgraph_it.crawl.commits import MAX_UNCOMMITTED
from webgraph_it.frontier import RocksStore
class Committing(Loading):
    def _record(self, links, fetch_only): return self.frontier.add_seeds(links, 0.0)
    async def _after_slice(self):
        self.slices += 1
        if self.frontier.counts().uncommitted > MAX_UNCOMMITTED: self.commit()
loading = Committing(Path(sys.argv[1]), RocksStore(sys.argv[2]))
assert loading.load()
loading.frontier.close()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def peak_megabytes(folder: Path, lines: int) -> int:
    command = [sys.executable, "-c", LOAD, str(registry(folder, lines)), str(folder / f"frontier-{lines}")]
    return int(subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, text=True).stdout)


def test_a_longer_list_takes_no_more_memory(tmp_path: Path) -> None:
    assert peak_megabytes(tmp_path, 150_000) - peak_megabytes(tmp_path, 30_000) < 20


@pytest.mark.slow
def test_a_million_seeds_take_at_most_fifty_megabytes_more_than_a_few(tmp_path: Path) -> None:
    """A whole crawl of a registry's list, stopped once it is loaded; its reports are of a million lines, too.

    The few fill what every crawl fills, such as the places of active hosts.
    """
    with SimWeb(hosts=5, pages=20, only=["plain"]) as web:
        few = stopped_after_loading(web, tmp_path / "few", registry(tmp_path, 20_000))
        many = stopped_after_loading(web, tmp_path / "many", registry(tmp_path, 1_000_000))
    assert many - few < 50 * MEGABYTE
    report = tmp_path / "many/reports/seeds-report.txt"
    with report.open() as lines:
        assert sum(1 for _ in lines) == 1_000_001


def stopped_after_loading(web: SimWeb, jobdir: Path, seeds: Path) -> int:
    """The most memory that the crawl had, in bytes. With MAX_DEPTH nothing is fetched before all is loaded."""
    command = crawl_command(web, jobdir, SEEDS=str(seeds), MAX_DEPTH=1)
    crawl = subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.PIPE, text=True)
    assert crawl.stderr is not None
    with crawl.stderr as lines:
        for line in lines:
            if "of them new" in line:
                crawl.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(crawl.pid, 0)
    crawl.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024


# -- whole crawls -------------------------------------------------------------------------------------------------


def spread_seeds(web: SimWeb, path: Path, lines: int) -> Path:
    """The seeds of the web among so many lines that loading takes longer than a commit."""
    comments = lines // len(web.seeds)
    path.write_text("".join(f"{seed}\n" + "# un commento\n" * comments for seed in web.seeds))
    return path


def committed_offset(jobdir: Path) -> int:
    store = RocksStore(jobdir / "frontier")
    try:
        loaded = store.get(b"m" + META.encode())
    finally:
        store.close()
    return int(json.loads(loaded)["offset"]) if loaded else 0


def test_killed_while_loading_seeds_the_graph_is_the_truth(tmp_path: Path) -> None:
    with SimWeb(hosts=30, pages=300, seed=5, only=["plain"]) as web:
        seeds = spread_seeds(web, tmp_path / "seeds.txt", 300_000)
        settings = {"SEEDS": str(seeds), "COMMIT_INTERVAL": 0.1}
        jobdir, offsets = tmp_path / "crawl", []
        for passes in (550, 550):
            crawl = start_crawl(web, jobdir, kill_at=f"between-seeds:{passes}", **settings)
            output = finish(crawl)
            assert crawl.returncode == -signal.SIGKILL, output[-4000:]
            offsets.append(committed_offset(jobdir))
        assert 0 < offsets[0] < offsets[1] < seeds.stat().st_size
        run_crawl(web, jobdir, **settings)
        assert differences(web, jobdir) == []
        assert f"{len(web.seeds)} seeds of {seeds} were loaded before." in run_crawl(web, jobdir, **settings)
        report = (jobdir / "reports/seeds-report.txt").read_text()
        assert report.count("200 CRAWLED") == len(web.seeds)


def test_stopped_while_loading_seeds_the_crawl_resumes(tmp_path: Path) -> None:
    with SimWeb(hosts=30, pages=300, seed=5, only=["plain"]) as web:
        seeds = spread_seeds(web, tmp_path / "seeds.txt", 600_000)
        crawl = start_crawl(web, tmp_path / "crawl", SEEDS=str(seeds), COMMIT_INTERVAL=0.1)
        while not (tmp_path / "crawl/committed.json").exists():
            time.sleep(0.01)
        crawl.send_signal(signal.SIGINT)
        output = finish(crawl)
        assert "Traceback" not in output
        assert "The seeds are loaded up to line" in output
        run_crawl(web, tmp_path / "crawl", SEEDS=str(seeds))
        assert differences(web, tmp_path / "crawl") == []


def test_excluded_hosts_are_neither_asked_nor_in_the_graph(tmp_path: Path) -> None:
    with SimWeb(hosts=12, pages=150, seed=5, only=["plain"]) as web:
        by_setting, by_line = web.world.hosts[3].name, web.world.hosts[4].name
        seeds = tmp_path / "seeds.txt"
        seeds.write_text("\n".join([*web.seeds, f"-{by_line}"]))
        output = run_crawl(web, tmp_path / "crawl", SEEDS=str(seeds), SCOPE_SURTS=["it,", f"-{by_setting}"])
        asked = {hit["host"] for hit in web.hits() if hit["event"] == "request"}
    assert asked
    assert not asked & {by_setting, by_line}
    excluded = tuple(f"it,{name.removesuffix('.it')})" for name in (by_setting, by_line))
    crawled = read_crawl(tmp_path / "crawl")
    assert crawled.faults == []
    assert not [key for key in crawled.urls if key.startswith(excluded)]
    assert stats(output)["scope/dropped/excluded"] > 0


def test_the_default_seeds_are_refused_with_another_scope(tmp_path: Path) -> None:
    with SimWeb(hosts=5, pages=10, only=["plain"]) as web:
        crawl = start_crawl(web, tmp_path / "crawl", SEEDS="seeds/italy.txt", SCOPE_SURTS=["fr,"])
        output = finish(crawl)
    assert crawl.returncode == 2
    (sentence,) = [line for line in output.splitlines() if "in scope" in line]
    assert 'only 0 of the 2,904 seeds in seeds/italy.txt are in scope (SCOPE_SURTS is ["fr,"])' in sentence
    assert "Traceback" not in output
    assert not (tmp_path / "crawl").exists()

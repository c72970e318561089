"""JOBDIR alone resumes the same crawl; what only adds may change; what is broken is one sentence."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.crawling import (
    PROJECT,
    content,
    differences,
    finish,
    resume,
    run_crawl,
    start_crawl,
)
from tests.crawl.test_stop import wait_for
from tests.repair.test_repair import kill_partway, repair
from webgraph_it.simweb import SimWeb


@pytest.fixture
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=20, pages=300, seed=5, only=["plain"]) as web:
        yield web


def record(jobdir: Path) -> dict[str, object]:
    return json.loads((jobdir / "crawl.json").read_text())


def test_jobdir_alone_resumes_with_the_same_seeds_caps_and_delays(web: SimWeb, tmp_path: Path) -> None:
    jobdir, seeds = tmp_path / "crawl", tmp_path / "seeds.txt"
    seeds.write_text(Path(web.settings["SEEDS"]).read_text())
    given = {
        "SEEDS": os.path.relpath(seeds, PROJECT),
        "BANDWIDTH_SCHEDULE": [["*", "400 KB/s"]],
        "HOST_DELAY": 0.05,
        "CONTACT_URL": "https://example.org/crawl",
    }
    crawl = start_crawl(web, jobdir, COMMIT_INTERVAL=0.2, **given)
    wait_for(jobdir / "committed.json")
    crawl.send_signal(signal.SIGINT)
    assert f"To resume: scrapy crawl italy -s JOBDIR={jobdir}" in finish(crawl)
    seeds.unlink()
    resume(jobdir)
    progress = (jobdir / "reports/progress.jsonl").read_text().splitlines()
    assert json.loads(progress[-1])["bandwidth_cap"] == 400_000
    assert differences(web, jobdir) == []
    assert record(jobdir)["settings"]["HOST_DELAY"] == 0.05
    assert record(jobdir)["history"] == []


def test_a_setting_that_is_given_again_counts_and_is_noted_with_its_time(web: SimWeb, tmp_path: Path) -> None:
    run_crawl(web, tmp_path, MAX_DEPTH=1, HOST_DELAY=0.01)
    said = resume(tmp_path, HOST_DELAY="0.02")
    assert "HOST_DELAY was 0.01 and is now 0.02" in said
    (entry,) = record(tmp_path)["history"]
    assert entry["changed"] == {"HOST_DELAY": [0.01, 0.02]}
    assert entry["time"] > "2026"
    resume(tmp_path)
    assert len(record(tmp_path)["history"]) == 1
    assert record(tmp_path)["settings"]["HOST_DELAY"] == 0.02


def test_kinds_that_are_followed_stay_also_in_a_crawl_of_an_earlier_version(
    web: SimWeb, tmp_path: Path
) -> None:
    """They create nodes: with other kinds the graph would be another one."""
    run_crawl(web, tmp_path, MAX_DEPTH=1, LINK_KINDS_FOLLOWED=["form"])
    now = record(tmp_path)
    assert now["LINK_KINDS_FOLLOWED"] == ["form"]
    before = {name: value for name, value in now.items() if name != "LINK_KINDS_FOLLOWED"}
    before["settings"] = {**now["settings"], "LINK_KINDS_FOLLOWED": ["form"]}
    (tmp_path / "crawl.json").write_text(json.dumps(before))  # as an earlier version wrote it
    assert 'LINK_KINDS_FOLLOWED was ["form"] and is now []' in resume(
        tmp_path, code=2, LINK_KINDS_FOLLOWED=[]
    )
    resume(tmp_path)
    assert record(tmp_path) == now
    assert 'LINK_KINDS_FOLLOWED was ["form"] and is now []' in resume(
        tmp_path, code=2, LINK_KINDS_FOLLOWED=[]
    )


def test_a_crawl_that_remembers_a_component_by_its_old_name_resumes(web: SimWeb, tmp_path: Path) -> None:
    """A user who types the old name is refused; the directory was written when that was the name."""
    new, old = "webgraph_it.shards.writer.UnbufferedWriter", "webgraph_it.graph.writer.UnbufferedWriter"
    scope = "webgraph_it.engine.scope_middlewares.ScopeSpiderMiddleware"
    run_crawl(web, tmp_path, MAX_DEPTH=1, GRAPH_WRITER=new, SPIDER_MIDDLEWARES={scope: 400})
    now = record(tmp_path)
    text = (tmp_path / "crawl.json").read_text()
    before = text.replace(new, old).replace(scope, "webgraph_it.urls.middlewares.ScopeSpiderMiddleware")
    assert before.count("webgraph_it.graph") == before.count("webgraph_it.urls") == 1
    (tmp_path / "crawl.json").write_text(before)
    refused = resume(tmp_path, code=2, GRAPH_WRITER=old)
    assert refused == f"GRAPH_WRITER names {old}, which has moved; expected: {new}. Name that instead.\n"
    said = resume(tmp_path)
    assert old not in said
    assert "GRAPH_WRITER was" not in said
    assert record(tmp_path) == now


@pytest.mark.parametrize(("limit", "low"), [("MAX_DEPTH", 1), ("MAX_PAGES_PER_HOST", 2)])
def test_a_limit_that_is_removed_gives_the_graph_of_a_crawl_without_it(
    web: SimWeb, tmp_path: Path, limit: str, low: int
) -> None:
    run_crawl(web, tmp_path, **{limit: low})
    assert differences(web, tmp_path) != []
    said = resume(tmp_path, **{limit: low + 1})
    assert f"{limit} was {low} and is now {low + 1}" in said
    assert "nodes that a lower limit had cut are queued now" in said
    before = content(tmp_path)
    assert "holds another crawl" in resume(tmp_path, code=2, **{limit: low})
    assert content(tmp_path) == before
    resume(tmp_path, **{limit: 0})
    assert differences(web, tmp_path) == []
    assert [entry["changed"] for entry in record(tmp_path)["history"]] == [
        {limit: [low, low + 1]},
        {limit: [low + 1, 0]},
    ]


def test_seeds_may_be_added_and_not_removed(web: SimWeb, tmp_path: Path) -> None:
    jobdir, few, more = tmp_path / "crawl", tmp_path / "few.txt", tmp_path / "more.txt"
    lines = Path(web.settings["SEEDS"]).read_text().splitlines()
    assert len(lines) >= 2
    few.write_text(lines[-1] + "\n")
    more.write_text("# all of them\n" + "\n".join(lines) + "\n")
    run_crawl(web, jobdir, SEEDS=str(few), MAX_DEPTH=1)
    resume(jobdir, SEEDS=str(more))
    assert [entry["changed"].keys() for entry in record(jobdir)["history"]] == [{"SEEDS"}]
    assert "SEEDS was" in resume(jobdir, code=2, SEEDS=str(few))
    resume(jobdir, MAX_DEPTH=0)
    assert differences(web, jobdir) == []


@pytest.mark.parametrize(("jobdir", "words"), [("a-file", "is a file"), ("/proc/crawl", "cannot be used")])
def test_a_jobdir_where_nothing_can_be_kept_is_one_sentence(
    web: SimWeb, tmp_path: Path, jobdir: str, words: str
) -> None:
    (tmp_path / "a-file").write_text("")
    crawl = start_crawl(web, tmp_path / jobdir)
    said = finish(crawl)
    assert crawl.returncode == 2
    assert words in said
    assert "Traceback" not in said


def test_a_changed_byte_in_the_store_is_found_before_the_crawl_resumes_and_is_repaired(
    tmp_path: Path,
) -> None:
    with SimWeb(hosts=20, pages=300, seed=6, only=["plain"]) as web:
        kill_partway(web, tmp_path, 100)
        tables = [path for path in (tmp_path / "frontier").glob("*.sst") if b"http" in path.read_bytes()]
        assert tables
        for table in tables:  # a killed store may leave tables that it no longer reads
            table.write_bytes(table.read_bytes().replace(b"http", b"htTp", 1))
        before = content(tmp_path)
        said = resume(tmp_path, code=2)
        assert f"webgraph-it repair {tmp_path}" in said
        assert "Traceback" not in said
        assert content(tmp_path) == before
        repair(tmp_path)
        resume(tmp_path)
        assert differences(web, tmp_path) == []


READING_FAILS = """
from scrapy.cmdline import execute
from webgraph_it.frontier.frontier import Frontier

open_frontier = Frontier.open

def open_and_fail(store, *policies):
    frontier, read, left = open_frontier(store, *policies), store._get, 500

    def get(key):
        nonlocal left
        left -= 1
        if left < 0:
            raise Exception("Corruption: block checksum mismatch")  # as rocksdict does
        return read(key)

    store._get = get
    return frontier

Frontier.open = open_and_fail
execute()
"""


def test_a_store_that_cannot_be_read_stops_the_crawl_in_one_sentence_and_half_a_change_is_not_kept(
    tmp_path: Path,
) -> None:
    with SimWeb(hosts=20, pages=300, seed=7, only=["plain"]) as web:
        kill_partway(web, tmp_path, 60)
        ran = subprocess.run(
            [sys.executable, "-c", READING_FAILS, "crawl", "italy", "-s", f"JOBDIR={tmp_path}"],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert "The crawl stops: " in ran.stderr, ran.stderr[-3000:]
        assert f"webgraph-it repair {tmp_path}" in ran.stderr
        assert "'finish_reason': 'failed'" in ran.stderr
        assert "Traceback" not in ran.stderr, ran.stderr[-6000:]
        resume(tmp_path)
        assert differences(web, tmp_path) == []

"""A crawl that lost its frontier is refused as it is, repaired, resumed, and its graph is the truth."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, content, differences, finish, resume, run_crawl, start_crawl
from tests.crawl.test_crash import ARRIVAL_SECONDS, FAST, Kill, committed_urls, too_many_fetches
from webgraph_it.frontier import RocksStore
from webgraph_it.frontier.layout import META
from webgraph_it.simweb import SimWeb

LONG_ENOUGH = {"HOST_DELAY": 0.05}
"""Seconds. A fast machine would otherwise finish the crawl before it is killed."""


def kill_partway(web: SimWeb, jobdir: Path, answers: int, **settings: object) -> Kill:
    """A crawl that is killed after this many answers of the web, when a quarter as many pages are committed."""
    enough = len(committed_urls(jobdir)) + answers // 4
    with web.hits_path.open("rb") as hits:
        hits.seek(0, 2)
        crawl = start_crawl(web, jobdir, **{**FAST, **LONG_ENOUGH, **settings})
        while (answers > 0 or len(committed_urls(jobdir)) < enough) and crawl.poll() is None:
            time.sleep(0.01)
            answers -= hits.read().count(b'"event": "response"')
    crawl.kill()
    finish(crawl)
    assert crawl.returncode == -signal.SIGKILL
    time.sleep(ARRIVAL_SECONDS)
    return Kill("while fetching", time.time(), committed_urls(jobdir))


def repair(jobdir: Path, code: int = 0) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", "webgraph_it.repair", str(jobdir)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stdout + ended.stderr


def test_without_its_frontier_a_crawl_is_refused_untouched_and_repaired_exactly(tmp_path: Path) -> None:
    with SimWeb(hosts=40, pages=500, seed=21) as web:
        kills = [kill_partway(web, tmp_path, 250), kill_partway(web, tmp_path, 200)]
        assert len(kills[-1].committed) > 50
        shutil.rmtree(tmp_path / "frontier")
        before = content(tmp_path)
        refusal = resume(tmp_path, code=2)
        assert "no frontier/" in refusal
        assert f"webgraph-it repair {tmp_path}" in refusal
        assert "Traceback" not in refusal
        assert content(tmp_path) == before
        said = repair(tmp_path)
        assert f"To resume: scrapy crawl italy -s JOBDIR={tmp_path}" in said
        assert "needs no repair" in repair(tmp_path)
        resume(tmp_path)
        assert differences(web, tmp_path) + too_many_fetches(web, kills) == []


def test_without_frontier_and_committed_lengths_what_is_whole_and_agrees_counts(tmp_path: Path) -> None:
    with SimWeb(hosts=40, pages=500, seed=22) as web:
        kill_partway(web, tmp_path, 400, CHECKPOINT_INTERVAL=1)
        shutil.rmtree(tmp_path / "frontier")
        (tmp_path / "committed.json").unlink()
        for stream, torn in (("pages", b'{"key": "it,to'), ("urls", b"it,to"), ("graph", b"torn")):
            newest = max((tmp_path / stream).iterdir())
            newest.write_bytes(newest.read_bytes() + torn)
        before = content(tmp_path)
        resume(tmp_path, code=2)
        assert content(tmp_path) == before
        assert "Rebuilt" in repair(tmp_path)
        resume(tmp_path)
        assert differences(web, tmp_path) == []


def test_with_a_frontier_of_an_older_copy_a_crawl_is_refused_untouched_and_repaired(tmp_path: Path) -> None:
    jobdir, copy = tmp_path / "crawl", tmp_path / "copy"
    with SimWeb(hosts=20, pages=300, seed=23) as web:
        kill_partway(web, jobdir, 80)
        shutil.copytree(jobdir / "frontier", copy)
        kill_partway(web, jobdir, 80)
        shutil.rmtree(jobdir / "frontier")
        shutil.copytree(copy, jobdir / "frontier")
        before = content(jobdir)
        assert "is older than the crawl's files" in resume(jobdir, code=2)
        assert content(jobdir) == before
        said = repair(jobdir)
        assert "is older than the crawl's files" in said
        assert "Nothing was changed" not in said
        assert "frontier.old" in said
        resume(jobdir)
        assert differences(web, jobdir) == []


def test_a_finished_crawl_needs_no_more_pages_after_a_repair(tmp_path: Path) -> None:
    """Limits, traps, robots and errors are all in the files: nothing is fetched again, nothing is queued."""
    with SimWeb(hosts=20, pages=200, seed=24) as web:
        run_crawl(web, tmp_path, MAX_PAGES_PER_HOST=12)
        before = content(tmp_path)
        shutil.rmtree(tmp_path / "frontier")
        assert " 0 queued" in repair(tmp_path)
        counted = tally(tmp_path)
        resume(tmp_path)
        after = content(tmp_path)
    shards = [name for name in before if name.startswith(("graph/", "urls/", "pages/"))]
    assert all(after[name] == before[name] for name in shards)
    assert all(not after[name] for name in after if name.startswith("graph/") and name not in before)
    pages = [
        json.loads(line) for name in shards if name.startswith("pages") for line in before[name].splitlines()
    ]
    assert counted["pages"] == sum(
        page["state"] not in ("trap-cut", "quota-cut", "never-tried") for page in pages
    )
    assert counted["states"]["quota-cut"] == sum(page["state"] == "quota-cut" for page in pages)


def tally(jobdir: Path) -> dict[str, object]:
    store = RocksStore(jobdir / "frontier")
    found = store.get(META + b"tally")
    store.close()
    return json.loads(found)


@pytest.mark.parametrize("lost", ["crawl.json", "graph/000001.g16", "urls/000001.tsv", "seeds/000001.txt"])
def test_what_is_missing_is_named_in_one_sentence_and_nothing_is_lost(tmp_path: Path, lost: str) -> None:
    with SimWeb(hosts=5, pages=30, seed=25, only=["plain"]) as web:
        run_crawl(web, tmp_path, MAX_DEPTH=2)
    (tmp_path / lost).unlink()
    before = content(tmp_path)
    said = resume(tmp_path, code=2)
    assert "Traceback" not in said
    assert Path(lost).name in said
    assert content(tmp_path) == before


@pytest.mark.parametrize("stream", ["pages", "graph", "urls"])
def test_committed_lengths_that_disagree_are_refused_and_repaired_without_them(
    tmp_path: Path, stream: str
) -> None:
    with SimWeb(hosts=5, pages=60, seed=26, only=["plain"]) as web:
        run_crawl(web, tmp_path)
        shutil.rmtree(tmp_path / "frontier")
        committed = json.loads((tmp_path / "committed.json").read_text())
        (name, length), *_ = committed[stream].items()
        data = (tmp_path / stream / name).read_bytes()
        half = length // 64 * 32 if stream == "graph" else data.index(b"\n", length // 2) + 1
        committed[stream][name] = half
        (tmp_path / "committed.json").write_text(json.dumps(committed))
        before = content(tmp_path)
        assert "remove it, then repair again. Nothing was changed." in repair(tmp_path, code=2)
        assert content(tmp_path) == before
        (tmp_path / "committed.json").unlink()
        assert "Rebuilt" in repair(tmp_path)
        resume(tmp_path)
        assert differences(web, tmp_path) == []


def test_what_a_resume_would_refuse_is_not_called_sound(tmp_path: Path) -> None:
    with SimWeb(hosts=5, pages=30, seed=27, only=["plain"]) as web:
        run_crawl(web, tmp_path)
    committed = (tmp_path / "committed.json").read_bytes()
    (tmp_path / "committed.json").write_bytes(b"")
    assert "or remove it, then run: webgraph-it repair" in resume(tmp_path, code=2)
    assert "or remove it, then run: webgraph-it repair" in repair(tmp_path, code=2)
    (tmp_path / "committed.json").unlink()
    assert "needs no repair" in repair(tmp_path)
    resume(tmp_path)
    (tmp_path / "committed.json").write_bytes(committed)
    shutil.rmtree(tmp_path / "seeds")
    said = repair(tmp_path, code=2)
    assert "the crawl's copy of its seeds, is missing" in said
    assert "To resume" not in said

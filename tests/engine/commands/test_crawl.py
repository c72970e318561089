"""`scrapy crawl`: what is wrong is one sentence and nothing else; the exit code says how the crawl ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences, finish, run_crawl, start_crawl
from webgraph_it.simweb import SimWeb

ROBOTS = "webgraph_it.engine.robots_middleware.RobotsMiddleware"


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=6, pages=60, seed=5, only=["plain"]) as web:
        yield web


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"JOBDIR": ""}, "JOBDIR is empty"),
        ({"BANDWITH_SCHEDULE": "x"}, "did you mean BANDWIDTH_SCHEDULE?"),
        ({"DOWNLOADER_MIDDLEWARES": {ROBOTS: None}}, f"switches {ROBOTS} off"),
        ({"DOWNLOADER_MIDDLEWARES": "mine.Block"}, "expected: a JSON object"),
        ({"LINK_KINDS_ARCS": ["banana"]}, "LINK_KINDS_ARCS is '[\"banana\"]'; expected"),
        ({"EXTRACT_MEMORY": "1 MB"}, "EXTRACT_MEMORY is 1 MB"),
        ({"CLOSESPIDER_TIMEOUT": "abc"}, "CLOSESPIDER_TIMEOUT is 'abc'; expected: a number."),
        ({"LOG_LEVEL": "FOO"}, "LOG_LEVEL is 'FOO'; expected: one of"),
        ({"DOWNLOADER_MIDDLEWARES": {ROBOTS: "abc"}}, f"'abc' as the order of {ROBOTS}; expected: a number"),
        ({"ADDONS": {"mine.Addon": "abc"}}, "'abc' as the order of mine.Addon; expected: a number"),
    ],
    ids=["jobdir", "name", "component", "json", "value", "memory", "number", "level", "order", "addon"],
)
def test_a_mistake_is_one_sentence_alone_and_exit_code_2(
    web: SimWeb, tmp_path: Path, settings: dict[str, Any], words: str
) -> None:
    jobdir = tmp_path / "crawl"
    ended = subprocess.run(
        crawl_command(web, jobdir, **settings),
        cwd=tmp_path,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "webgraph_it.settings", "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2, ended.stderr
    assert words in ended.stderr
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert ended.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_setting_without_effect_is_a_warning(web: SimWeb, tmp_path: Path) -> None:
    output = run_crawl(web, tmp_path, DOWNLOAD_DELAY=3, MAX_DEPTH=1)
    assert output.count("WARNING: DOWNLOAD_DELAY has no effect here. HOST_DELAY") == 1


def test_a_crawl_that_is_stopped_ends_with_3_and_one_that_is_finished_with_0(
    web: SimWeb, tmp_path: Path
) -> None:
    crawl = start_crawl(web, tmp_path, HOST_DELAY=0.3, CLOSESPIDER_PAGECOUNT=5)
    output = finish(crawl)
    assert crawl.returncode == 3, output[-3000:]
    run_crawl(web, tmp_path)
    assert differences(web, tmp_path) == []


FAILING = """
from scrapy.cmdline import execute
from webgraph_it.crawl.commit import Committer

async def commit(self, *, checkpoint):
    raise OSError("the disk is gone")

Committer.commit = commit
execute()
"""


def test_a_crawl_that_fails_ends_with_1(web: SimWeb, tmp_path: Path) -> None:
    _, _, _, *words = crawl_command(web, tmp_path, COMMIT_INTERVAL=0.1, HOST_DELAY=0.3)
    ended = subprocess.run(
        [sys.executable, "-c", FAILING, *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert "the disk is gone" in ended.stderr
    assert ended.returncode == 1, ended.stderr[-3000:]


def test_a_second_signal_is_no_failure(web: SimWeb, tmp_path: Path) -> None:
    crawl = start_crawl(web, tmp_path, COMMIT_INTERVAL=0.2, HOST_DELAY=0.3)
    end = time.time() + 30
    while not (tmp_path / "committed.json").exists() and time.time() < end:
        time.sleep(0.05)
    crawl.send_signal(signal.SIGTERM)
    time.sleep(0.05)
    crawl.send_signal(signal.SIGTERM)
    output = finish(crawl)
    assert crawl.returncode == 3, output[-3000:]


LATE = """
import atexit, signal
from pathlib import Path

class Late:
    @classmethod
    def update_pre_crawler_settings(cls, settings):
        atexit.register(tell, Path(__file__).parent / "ignored")

def tell(path):
    ignored = [each.name for each in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(each) is signal.SIG_IGN]
    path.write_text(" ".join(ignored))
"""


def test_a_signal_after_the_end_does_not_change_the_exit_code(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the interpreter ends, it takes back every handler: only what is ignored stays ignored."""
    (tmp_path / "addon.py").write_text(LATE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    crawl = start_crawl(web, tmp_path / "job", ADDONS={"addon.Late": 1}, HOST_DELAY=0)
    output = finish(crawl)
    assert crawl.returncode == 0, output[-3000:]
    assert (tmp_path / "ignored").read_text() == "SIGINT SIGTERM"


INTERRUPTING = """
import os, signal

class Interrupting:
    @classmethod
    def update_pre_crawler_settings(cls, settings):
        os.kill(os.getpid(), signal.SIGINT)
"""


def test_ctrl_c_before_the_crawl_begins_is_quiet_and_130(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "addon.py").write_text(INTERRUPTING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    crawl = start_crawl(web, tmp_path / "job", ADDONS={"addon.Interrupting": 1})
    output = finish(crawl)
    assert (crawl.returncode, output) == (130, "")
    assert not (tmp_path / "job").exists()


BROKEN = """
class Broken:
    def __init__(self):
        raise ValueError("no key")

class Synchronous:
    def process_spider_output(self, response, result):
        yield from result
"""


@pytest.mark.parametrize(
    "setting", ["EXTENSIONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES"]
)
@pytest.mark.parametrize("exists", [False, True])
def test_a_component_that_cannot_be_made_is_named_and_no_new_directory_is_left(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, exists: bool
) -> None:
    (tmp_path / "mine.py").write_text(BROKEN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    jobdir = tmp_path / "job"
    if exists:
        jobdir.mkdir(mode=0o700)
    crawl = start_crawl(web, jobdir, **{setting: {"mine.Broken": 900}})
    output = finish(crawl)
    assert crawl.returncode == 2, output[-3000:]
    assert f"mine.Broken cannot be made: ValueError('no key') ({tmp_path / 'mine.py'}, line 4)" in output
    assert "Traceback" not in output
    assert jobdir.exists() is exists


def test_a_spider_middleware_without_asynchronous_output_is_refused_in_one_sentence(
    web: SimWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(BROKEN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    crawl = start_crawl(web, tmp_path / "job", SPIDER_MIDDLEWARES={"mine.Synchronous": 900})
    output = finish(crawl)
    assert crawl.returncode == 2, output[-3000:]
    assert output.startswith("SPIDER_MIDDLEWARES names mine.Synchronous, whose process_spider_output is not")
    assert output.count("\n") == 1
    assert not (tmp_path / "job").exists()

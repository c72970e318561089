"""The parts of a crawl that runs: what closes, and what is told, when something could not be finished."""

import asyncio
import io
import logging
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.failures import Failures
from webgraph_it.engine.running import Running, _kept_seeds, _live_line, _task_failed


class Crawl:
    """A crawl that ends: its files, and what was done to them."""

    def __init__(self, *, is_stopped: bool = False, error: Exception | None = None) -> None:
        self.done: list[str] = []
        self.failures = Failures("scrapy crawl x")
        self.committer = SimpleNamespace(stopped=is_stopped)
        self.recorder = SimpleNamespace(shards=SimpleNamespace(close=lambda: self.done.append("shards")))
        self._error = error
        self.scheduler = SimpleNamespace(
            frontier=SimpleNamespace(close=self._close, abandon=lambda: self.done.append("abandon"))
        )

    def _close(self) -> None:
        self.done.append("close")
        if self._error is not None:
            raise self._error


def closed(crawl: Any) -> Any:
    Running.close_files(crawl)
    return crawl


def test_a_crawl_that_ends_well_closes_its_shards_then_its_frontier() -> None:
    crawl = closed(Crawl())
    assert crawl.done == ["shards", "close"]
    assert not crawl.failures


def test_a_frontier_that_must_not_be_committed_is_left_as_by_a_crash() -> None:
    assert closed(Crawl(is_stopped=True)).done == ["shards", "abandon"]


def test_a_frontier_that_cannot_be_closed_makes_the_crawl_fail_in_a_sentence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    crawl = closed(Crawl(error=OSError("no room")))
    assert crawl.failures
    assert "its frontier could not be closed (no room)" in caplog.text


@pytest.mark.parametrize("is_first", [True, False])
def test_a_task_that_fails_ends_the_crawl_and_only_the_first_has_a_traceback(
    is_first: bool, caplog: pytest.LogCaptureFixture
) -> None:
    failures, told = Failures("scrapy crawl x"), []
    if not is_first:
        failures.note_silently("something else")
    _task_failed(failures, lambda why, **more: told.append(why))(ValueError("the watch stopped"))
    assert told == ["a task of its own failed (ValueError('the watch stopped'))"]
    logged = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert logged == (["A task of the crawl itself failed."] if is_first else [])


def test_a_live_line_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert _live_line() is None
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    assert _live_line() is not None


def test_the_crawls_own_copy_of_the_seeds_is_reported_if_it_is_there(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path)
    directory.crawl_file.write_text('{"SEEDS": {"copy": "seeds/000001.txt"}}')
    assert _kept_seeds(directory) is None
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds/000001.txt").write_text("http://a.it/\n")
    assert _kept_seeds(directory) == tmp_path / "seeds/000001.txt"


@pytest.mark.parametrize(("archivist", "seen"), [(None, 1000), (SimpleNamespace(held_bytes=300), 700)])
def test_what_the_archive_still_has_to_write_counts_as_used_disk(archivist: object, seen: int) -> None:
    looked: list[int] = []
    running: Any = SimpleNamespace(
        _archivist=archivist,
        gauges=SimpleNamespace(free_disk_bytes=1000),
        _disk=SimpleNamespace(look=looked.append),
    )
    asyncio.run(Running._watch_disk(running))
    assert looked == [seen]

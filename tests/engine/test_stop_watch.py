"""Once the crawl is to stop, nothing keeps it: unsent fetches at once, sent ones in time, a full disk for seconds."""

import asyncio
from collections.abc import Container
from types import SimpleNamespace
from typing import Any

import pytest

from webgraph_it.engine import stop_watch
from webgraph_it.engine.downloader import LeanDownloader
from webgraph_it.engine.stop_watch import STOP_DISK_SECONDS, StopWatch

TIMEOUT, SENT = 20.0, ("sent",)


class Downloader(LeanDownloader):
    def __init__(self) -> None:
        self.spared: list[Container[Any]] = []

    def call_off(self, spared: Container[Any] = ()) -> None:
        self.spared.append(spared)


class Crawl:
    """A crawl of which a watch sees what it needs, and the clock."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *, is_stopped: bool = False, disk: bool = False
    ) -> None:
        self.now, self.given_up = 100.0, 0
        self.downloader = Downloader()
        self.scheduler = SimpleNamespace(is_closing=True)
        fetcher = SimpleNamespace(exchanging=SENT, settings=SimpleNamespace(total_seconds=TIMEOUT))
        monkeypatch.setattr(stop_watch, "scheduler_of", lambda crawler: self.scheduler)
        monkeypatch.setattr(stop_watch, "parts_of", lambda crawler: SimpleNamespace(fetcher=fetcher))
        monkeypatch.setattr(stop_watch, "time", SimpleNamespace(monotonic=lambda: self.now))
        crawler: Any = SimpleNamespace(engine=SimpleNamespace(downloader=self.downloader))
        shards: Any = SimpleNamespace(waiting_for_disk=disk, stop_waiting=self.give_up)
        committer: Any = SimpleNamespace(stopped=is_stopped)
        self.watch = StopWatch(crawler, shards, committer)

    def give_up(self) -> None:
        self.given_up += 1

    def look(self, *after: float) -> list[Container[Any]]:
        """Look at these seconds after the stop began; whom each look spared."""
        for seconds in after:
            self.now = 100.0 + seconds
            asyncio.run(self.watch.look())
        return self.downloader.spared


def test_a_crawl_that_goes_on_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Crawl(monkeypatch, disk=True)
    crawl.scheduler.is_closing = False
    assert crawl.look(0.0, 1_000.0) == []
    assert crawl.given_up == 0


def test_what_was_sent_is_spared_until_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Crawl(monkeypatch).look(0.0, TIMEOUT - 0.1, TIMEOUT) == [SENT, SENT, ()]


def test_nothing_is_spared_when_nothing_counts_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Crawl(monkeypatch, is_stopped=True).look(0.0) == [()]


@pytest.mark.parametrize(("disk", "given_up"), [(True, 1), (False, 0)])
def test_a_full_disk_is_waited_for_some_seconds(
    monkeypatch: pytest.MonkeyPatch, disk: bool, given_up: int
) -> None:
    crawl = Crawl(monkeypatch, disk=disk)
    crawl.look(0.0, STOP_DISK_SECONDS - 0.1)
    assert crawl.given_up == 0
    crawl.look(STOP_DISK_SECONDS)
    assert crawl.given_up == given_up

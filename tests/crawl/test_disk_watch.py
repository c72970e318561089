"""A disk without room pauses the crawl, says so once, and lifts nobody else's pause."""

import logging
from pathlib import Path

import pytest

from webgraph_it.crawl.control import Control
from webgraph_it.crawl.disk_watch import DiskWatch

GB = 10**9


@pytest.fixture
def told() -> list[bool]:
    """What the scheduler is told, in order."""
    return []


@pytest.fixture
def control(told: list[bool]) -> Control:
    return Control(told.append)


def test_the_crawl_pauses_below_the_minimum_and_resumes_at_it(
    control: Control, told: list[bool], caplog: pytest.LogCaptureFixture
) -> None:
    watch = DiskWatch(control, 2 * GB, Path("crawls/x"))
    with caplog.at_level(logging.INFO):
        for free in (3 * GB, 2 * GB - 1, GB, 0, 2 * GB):
            watch.look(free)
    assert told == [True, False]
    assert caplog.messages == [
        "Less than 2.0 GB free for crawls/x: the crawl pauses until there is room.",
        "There is room on the disk again: the crawl resumes.",
    ]


@pytest.mark.parametrize("reason", ["failed", "operator"])
def test_room_on_the_disk_lifts_no_other_pause(
    control: Control, told: list[bool], caplog: pytest.LogCaptureFixture, reason: str
) -> None:
    watch = DiskWatch(control, GB, Path("crawls/x"))
    control.pause(reason)
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            watch.look(5 * GB)
    assert (control.reasons, told, caplog.messages) == ((reason,), [True], [])
    watch.look(0)
    watch.look(5 * GB)
    assert (control.reasons, told) == ((reason,), [True])

"""When progress.jsonl gets a line, what is in it, and what happens if it cannot be written."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.crawl.test_progress import snapshot
from webgraph_it.crawl.complaints import Complaints
from webgraph_it.crawl.progress import Moment, Run
from webgraph_it.crawl.progress_log import ProgressLog, is_due
from webgraph_it.crawl.tally import Tally

RUN = Run(opened_at=1_000.0, pages=0, seconds=0.0)


@pytest.mark.parametrize(
    ("now", "last", "due"),
    [
        (1_000.0, None, True),
        (1_001.0, 1_000.0, True),
        (1_119.0, 1_118.0, True),
        (1_120.0, 1_119.0, False),
        (1_129.0, 1_119.0, True),
        (9_000.0, 8_991.0, False),
        (9_000.0, None, True),
    ],
)
def test_a_line_a_second_in_the_first_two_minutes_and_every_ten_after(
    now: float, last: float | None, due: bool
) -> None:
    moment = None if last is None else Moment(last, snapshot())
    assert is_due(now, RUN, moment) is due


def log(folder: Path, stats: dict[str, int]) -> ProgressLog:
    committer: Any = SimpleNamespace(commits=3)
    tally = Tally(b'{"links": 40}')

    def take(last: Moment | None) -> Moment:
        return Moment(1.0, snapshot(pages=last.snapshot.pages + 1 if last else 1))

    return ProgressLog(folder, take, RUN, tally, committer, Complaints(folder), stats.__setitem__)


def test_each_line_is_a_moment_after_the_one_before_and_the_stats_are_the_last(tmp_path: Path) -> None:
    stats: dict[str, int] = {}
    progress = log(tmp_path, stats)
    progress.write()
    progress.write()
    lines = (tmp_path / "progress.jsonl").read_text().splitlines()
    assert [json.loads(line)["pages"] for line in lines] == [1, 2]
    assert (stats["webgraph/pages"], stats["webgraph/links"], stats["webgraph/commits"]) == (2, 40, 3)


def test_a_file_that_cannot_be_written_is_complained_about_once_and_the_stats_are_set(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stats: dict[str, int] = {}
    (tmp_path / "progress.jsonl").mkdir()
    progress = log(tmp_path, stats)
    progress.write()
    progress.write()
    (message,) = caplog.messages
    assert message.startswith(f"progress.jsonl in {tmp_path} could not be written: ")
    assert stats["webgraph/pages"] == 2

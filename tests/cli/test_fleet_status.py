"""`webgraph-it fleet status` of a fleet on one machine says what is known of each member."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crawl.test_membership import begin
from tests.fleet.test_words import status
from webgraph_it.cli import main


@pytest.mark.parametrize(
    ("age", "more", "begun", "state"),
    [
        (0.0, {}, 60.0, "crawling"),
        (20.0, {}, 60.0, "silent for 20 s"),
        (20.0, {}, 1.0, "starting"),
        (0.5, {"ended": 1.0}, 0.1, "starting"),
        (0.5, {"ended": 1.0}, None, "stopped"),
        (0.5, {}, None, "not running"),
    ],
)
def test_a_status_counts_while_it_is_new_and_of_the_process_that_runs(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    age: float,
    more: dict[str, float],
    begun: float | None,
    state: str,
) -> None:
    """`age`: seconds since the status was put; `begun`: since the member's process was started, None if it is dead."""
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    fleet, now = tmp_path / "fleet", time.time()
    (fleet / "board").mkdir()
    put = status(1, 5000, 0)
    put = replace(put, facts={**put.facts, "time": now - age, **more})
    (fleet / "board/member-01.json").write_bytes(put.to_bytes())
    lock = fleet / "member-01/crawl.lock"
    if begun is None:
        lock.unlink()
    else:
        os.utime(lock, (now - begun, now - begun))
    assert main(["fleet", "status", str(fleet)]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(f"1       {state}  ")

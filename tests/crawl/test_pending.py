"""What is asked of a crawl that does not run is done when it is resumed."""

from pathlib import Path

import pytest

from webgraph_it.crawl.actions import VERBS, ActionError
from webgraph_it.crawl.pending import AT_ONCE, TAKEN_FILE, Pending, postpone

PAUSE = {"action": "pause"}
BLOCK = {"action": "block", "surt": "it,a,"}


@pytest.fixture
def jobdir(tmp_path: Path) -> Path:
    (tmp_path / "reports").mkdir()
    (tmp_path / "crawl.json").write_text("{}")
    return tmp_path


def test_it_is_taken_in_order_and_once(jobdir: Path) -> None:
    answer = postpone(jobdir, PAUSE, "user 7")
    assert answer is not None
    assert answer["postponed"].startswith(f"no crawl runs in {jobdir}; ")
    postpone(jobdir, BLOCK, "user 7")
    pending = Pending(jobdir / "reports")
    assert pending.take() == [(PAUSE, "user 7, before a resume"), (BLOCK, "user 7, before a resume")]
    pending.done()
    assert pending.take() == []


def test_after_a_crash_it_is_taken_again_before_what_came_later(jobdir: Path) -> None:
    postpone(jobdir, PAUSE, "user 7")
    Pending(jobdir / "reports").take()
    assert (jobdir / "reports" / TAKEN_FILE).exists()
    postpone(jobdir, BLOCK, "user 7")
    pending = Pending(jobdir / "reports")
    assert [each.said for each in pending.take()] == [PAUSE]
    pending.done()
    assert [each.said for each in pending.take()] == [BLOCK]


def test_verbs_for_a_moment_and_crawls_that_never_were_cannot_wait(jobdir: Path, tmp_path: Path) -> None:
    assert set(AT_ONCE) < set(VERBS)
    assert postpone(jobdir, {"action": "checkpoint"}, "user 7") is None
    assert postpone(tmp_path / "nothing", BLOCK, "user 7") is None
    with pytest.raises(ActionError):
        postpone(jobdir, {"action": "explode"}, "user 7")

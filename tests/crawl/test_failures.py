"""The first failure is told, with how to resume; what follows from it is not."""

from pathlib import Path

import pytest

from webgraph_it.crawl.failures import Failures, of_step
from webgraph_it.frontier.records import FrontierError

PATH = Path("crawls/x")


def test_the_first_failure_is_told_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    failures = Failures(PATH)
    assert not failures
    failures.note("the pen broke")
    failures.note("so did the ink")
    assert failures
    assert caplog.messages == [
        "The crawl stops: the pen broke. Nothing of the last commit is lost; "
        "when the cause is gone, resume with: scrapy crawl italy -s JOBDIR=crawls/x"
    ]


def test_a_failure_that_others_tell_counts_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    failures = Failures(PATH)
    failures.note_silently("it could not be closed")
    failures.note("the pen broke")
    assert failures
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("error", "why", "remedy"),
    [
        (ValueError("torn"), "a step of it could not be finished (ValueError('torn'))", ""),
        (
            FrontierError("The frontier cannot be read"),
            "The frontier cannot be read",
            "to resume, restore frontier/ from a copy made after the last commit, or "
            "rebuild it from the files with: webgraph-it repair crawls/x",
        ),
    ],
)
def test_a_step_that_failed_has_its_reason_and_its_remedy(error: Exception, why: str, remedy: str) -> None:
    assert of_step(error, PATH) == (why, remedy)

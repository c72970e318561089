"""A crawl that ended says what there is, and how to resume if anything is left."""

from pathlib import Path

import pytest

from webgraph_it.crawl.last_words import last_words
from webgraph_it.crawl.seeding import Loaded
from webgraph_it.crawl.tally import Tally

TOTAL = "7 pages, 30 links in crawls/x; reports in crawls/x/reports."
HALF = Loaded("0a", line=12)
RESUME = "To resume: scrapy crawl italy -s JOBDIR=crawls/x"


@pytest.mark.parametrize(
    ("loaded", "left", "failed", "more"),
    [
        (Loaded("0a", finished=True), 0, False, []),
        (None, 0, False, []),
        (Loaded("0a", finished=True), 5, False, [f"5 URLs are left (shutdown). {RESUME}"]),
        (
            HALF,
            0,
            False,
            [
                "The seeds are loaded up to line 12 of the list.",
                f"0 URLs are left (shutdown). {RESUME}",
            ],
        ),
        (HALF, 5, True, ["The seeds are loaded up to line 12 of the list."]),
    ],
)
def test_the_last_words_say_what_is_left(
    loaded: Loaded | None, left: int, failed: bool, more: list[str]
) -> None:
    tally = Tally(b'{"pages": 7, "links": 30}')
    path = Path("crawls/x")
    words = last_words(tally, path, path / "reports", loaded, left, "shutdown", failed=failed)
    assert list(words) == [TOTAL, *more]


def test_the_command_to_resume_is_quoted() -> None:
    path = Path("a b")
    words = last_words(Tally(b"{}"), path, path / "reports", None, 5, "shutdown", failed=False)
    assert list(words)[-1].endswith("-s JOBDIR='a b'")

"""What the caller of a crawl is told by its exit code."""

import pytest

from webgraph_it.crawl.outcome import exit_code


@pytest.mark.parametrize(
    ("reason", "left", "code"),
    [
        ("finished", 0, 0),
        ("finished", 3, 3),
        ("shutdown", 3, 3),
        ("shutdown", 0, 3),
        ("closespider_pagecount", 7, 3),
        ("failed", 3, 1),
        ("failed", 0, 1),
        ("start_error", 0, 1),
    ],
)
def test_an_exit_code_says_how_a_crawl_ended(reason: str, left: int, code: int) -> None:
    assert exit_code(reason, left) == code

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.robots.tag import nofollow


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], False),
        ([""], False),
        (["nofollow"], True),
        (["NoFollow"], True),
        (["none"], True),
        (["noindex"], False),
        (["noindex, nofollow"], True),
        (["noindex", "nofollow"], True),
        (["nofollow-not"], False),
        (["otherbot: nofollow"], False),
        (["otherbot: noindex, nofollow"], False),
        (["webgraph_it: nofollow"], True),
        (["WebGraph_IT: none"], True),
        (["*: nofollow"], True),
        (["robots: nofollow"], True),
        (["otherbot: noindex, webgraph_it: nofollow"], True),
        (["webgraph_it: noindex, otherbot: nofollow"], False),
        (["otherbot: nofollow", "noindex"], False),
        (["otherbot: noindex", "nofollow"], True),
        (["unavailable_after: 25 Jun 2030 15:00:00 GMT, nofollow"], True),
        (["unavailable_after: Sunday, 25-Aug-30 15:00:00 GMT, nofollow"], True),
        (["max-snippet:-1, max-image-preview:large, nofollow"], True),
        (["max-snippet:-1, max-image-preview:large"], False),
        (["index, follow"], False),
        ([",,nofollow,"], True),
    ],
)
def test_nofollow(headers: list[str], expected: bool) -> None:
    assert nofollow(headers, "webgraph_it") is expected


@given(st.lists(st.text()))
def test_any_header_gives_an_answer(headers: list[str]) -> None:
    assert nofollow(headers, "webgraph_it") in (True, False)

"""What follows when a member ends."""

import pytest

from webgraph_it.fleet.restarts import (
    FAILED,
    LONGEST_PAUSE_SECONDS,
    MAX_FAILURES,
    STEADY_SECONDS,
    History,
    Then,
)


@pytest.mark.parametrize(
    ("code", "expected"),
    [(0, Then.FINISHED), (-9, Then.RESTART), (FAILED, Then.RESTART), (2, Then.STOP_ALL), (3, Then.STOP_ALL)],
)
def test_the_exit_code_says_what_follows(code: int, expected: Then) -> None:
    assert History().ended(code, 10.0)[0] is expected


def test_a_member_that_is_killed_is_started_again_after_growing_pauses() -> None:
    history = History()
    pauses = [history.ended(-9, 1.0) for _ in range(20)]
    assert {then for then, _ in pauses} == {Then.RESTART}
    assert [pause for _, pause in pauses[:5]] == [0, 1, 2, 4, 8]
    assert pauses[-1][1] == LONGEST_PAUSE_SECONDS


def test_a_member_that_ran_for_a_while_has_recovered() -> None:
    history = History()
    for _ in range(MAX_FAILURES * 2):
        assert history.ended(FAILED, STEADY_SECONDS) == (Then.RESTART, 0.0)


def test_a_member_that_fails_again_and_again_ends_the_fleet() -> None:
    history = History()
    ends = [history.ended(FAILED, 1.0)[0] for _ in range(MAX_FAILURES)]
    assert ends == [Then.RESTART] * (MAX_FAILURES - 1) + [Then.STOP_ALL]

"""When a robots.txt is requested, when pages wait for it, and when it counts."""

import pytest

from webgraph_it.robots.expiry import MAX_AGE_SECONDS, Expiry, Need, need, of_known_age
from webgraph_it.robots.record import RobotsRecord, Verdict

NOW = 1_790_000_000.0
DAY = 86_400.0


def record(fetched_at: float, expires_at: float, *, waits: bool = False) -> RobotsRecord:
    return RobotsRecord(Verdict.DISALLOW_ALL, "status-503", fetched_at, expires_at, waits=waits)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (None, Need.REQUEST),
        (record(NOW - 60, NOW + 1), Need.KNOWN),
        (record(NOW - 60, NOW), Need.REQUEST),
        (record(NOW - 60, NOW - 1), Need.REQUEST),
        (record(NOW - 60, NOW + 1, waits=True), Need.WAIT),
        (record(NOW - 60, NOW, waits=True), Need.REQUEST),
    ],
)
def test_need(known: RobotsRecord | None, expected: Need) -> None:
    assert need(known, NOW) is expected


@pytest.mark.parametrize(
    ("fetched_at", "expires_at", "corrected_at", "counts_until"),
    [
        (NOW - 60, NOW + 60, 0.0, NOW + 60),
        (NOW, NOW + 10 * DAY, 0.0, 0.0),
        (NOW, NOW + 1.5 * DAY, 0.0, NOW + DAY),
        (NOW - 60, NOW + 60, NOW - 61, NOW + 60),
        (NOW - 60, NOW + 60, NOW - 59, 0.0),
        (NOW + 5 * DAY, NOW + 6 * DAY, 0.0, 0.0),
    ],
    ids=[
        "plain",
        "impossible",
        "24 hours at most",
        "after the clock was put right",
        "before",
        "from the future",
    ],
)
def test_a_record_counts_as_long_as_its_age_is_known(
    fetched_at: float, expires_at: float, corrected_at: float, counts_until: float
) -> None:
    known = record(fetched_at, expires_at)
    assert of_known_age(known, NOW, corrected_at) == known._replace(expires_at=counts_until)


def test_an_answer_counts_for_24_hours_at_most() -> None:
    assert Expiry(10.0).of_answer(NOW) == NOW + MAX_AGE_SECONDS == NOW + DAY
    assert Expiry(10.0, max_age_seconds=60.0).of_answer(NOW) == NOW + 60
    assert Expiry(10.0, max_age_seconds=9e9).of_answer(NOW) == NOW + DAY


@pytest.mark.parametrize(
    ("failures", "retry_after", "seconds", "waits"),
    [
        (1, None, 10.0, True),
        (2, None, 20.0, True),
        (3, None, 40.0, True),
        (4, None, 80.0, False),
        (5, None, 160.0, False),
        (255, None, DAY, False),
        (1, 500.0, 500.0, True),
        (1, 5.0, 10.0, True),
        (1, 1e9, DAY, True),
    ],
)
def test_a_failure_counts_twice_as_long_each_time(
    failures: int, retry_after: float | None, seconds: float, waits: bool
) -> None:
    assert Expiry(10.0, attempts=4).of_failure(failures, NOW, retry_after) == (NOW + seconds, waits)

"""How long a host is left alone: a table for the delay, and what failures do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import politeness
from webgraph_it.frontier import Failure, Outcome
from webgraph_it.frontier.politeness import Clock

from .making import PATIENT

NOW = 1_000.0
POLICY = politeness(
    host_delay_seconds=2,
    delay_factor=5,
    factor_delay_max_seconds=30,
    crawl_delay_max_seconds=60,
    retry_after_max_seconds=86_400,
    back_off_seconds=1,
    back_off_max_seconds=20,
    park_after_failures=7,
    park_seconds=1_800,
    park_times=2,
)

FAILED = Outcome(failure=Failure.NETWORK)


@pytest.mark.parametrize(
    ("outcome", "wait"),
    [
        (Outcome(), 2),
        (Outcome(duration_seconds=0.3), 2),
        (Outcome(duration_seconds=3), 15),
        (Outcome(duration_seconds=60), 30),
        (Outcome(crawl_delay_seconds=1), 2),
        (Outcome(crawl_delay_seconds=10), 10),
        (Outcome(crawl_delay_seconds=86_400), 60),
        (Outcome(crawl_delay_seconds=10, duration_seconds=4), 20),
        (Outcome(failure=Failure.BUSY, retry_after_seconds=120), 120),
        (Outcome(failure=Failure.BUSY, retry_after_seconds=0), 2),
        (Outcome(failure=Failure.BUSY, retry_after_seconds=-5), 2),
        (Outcome(failure=Failure.BUSY, retry_after_seconds=1e9), 86_400),
        (Outcome(retry_after_seconds=120), 120),
    ],
)
def test_the_longest_delay_wins(outcome: Outcome, wait: float) -> None:
    assert POLICY.after(Clock(), outcome, NOW).ready_at == NOW + wait


def test_a_crawl_delay_is_remembered_until_it_is_withdrawn() -> None:
    clock = POLICY.after(Clock(), Outcome(crawl_delay_seconds=10), NOW)
    clock = POLICY.after(clock, Outcome(), NOW)
    assert clock.ready_at == NOW + 10
    assert POLICY.after(clock, Outcome(crawl_delay_seconds=0), NOW).ready_at == NOW + 2


def test_the_last_fetch_counts_not_the_slowest() -> None:
    clock = POLICY.after(Clock(), Outcome(duration_seconds=5), NOW)
    assert POLICY.after(clock, Outcome(duration_seconds=0.1), NOW).ready_at == NOW + 2


def test_what_was_not_fetched_moves_no_clock() -> None:
    clock = POLICY.after(Clock(), FAILED, NOW)
    assert POLICY.after(clock, Outcome(fetched=False), NOW + 50) == clock


def test_failures_back_off_exponentially_up_to_a_maximum() -> None:
    clock, waits = Clock(), []
    for _ in range(6):
        clock = POLICY.after(clock, FAILED, NOW)
        waits.append(clock.ready_at - NOW)
    assert waits == [2, 2, 4, 8, 16, 20]
    assert not clock.parked


def test_a_failing_host_is_parked_then_given_up() -> None:
    clock, story = Clock(), []
    for _ in range(10):
        clock = POLICY.after(clock, FAILED, NOW)
        story.append("given up" if clock.given_up else "parked" if clock.parked else "")
    assert story == [""] * 6 + ["parked", "parked", "given up", "given up"]


def test_a_host_with_broken_pages_backs_off_and_is_never_parked() -> None:
    clock, waits = Clock(), []
    for _ in range(50):
        clock = POLICY.after(clock, Outcome(failure=Failure.SERVER), NOW)
        assert not clock.parked
        assert not clock.given_up
        waits.append(clock.ready_at - NOW)
    assert waits == [2, 2, 4, 8, 16] + [20] * 45


def test_a_parked_host_is_left_alone_for_long() -> None:
    clock = Clock(failures=POLICY.park_after_failures - 1)
    assert POLICY.after(clock, FAILED, NOW).ready_at == NOW + POLICY.park_seconds


def test_one_good_answer_forgets_all_failures() -> None:
    clock = Clock(failures=5, parkings=2, parked=True)
    assert POLICY.after(clock, Outcome(), NOW) == Clock(ready_at=NOW + 2)


def test_retries_are_bounded_and_end_with_the_host() -> None:
    assert [POLICY.may_retry(attempts, given_up=False) for attempts in range(5)] == [True] * 3 + [False] * 2
    assert not POLICY.may_retry(0, given_up=True)


def test_without_delays_nothing_waits() -> None:
    eager = politeness(host_delay_seconds=0, delay_factor=0, back_off_seconds=0)
    assert eager.after(Clock(), Outcome(duration_seconds=9), NOW).ready_at == NOW
    assert eager.after(Clock(), FAILED, NOW).ready_at == NOW


outcomes = st.builds(
    Outcome,
    failure=st.sampled_from(Failure),
    fetched=st.just(True),
    duration_seconds=st.floats(0, 1e6),
    retry_after_seconds=st.none() | st.floats(-1e9, 1e12),
    crawl_delay_seconds=st.none() | st.floats(0, 1e9),
)


@PATIENT
@given(st.lists(outcomes, min_size=1, max_size=20))
def test_no_host_is_ready_before_its_delay_or_never(story: list[Outcome]) -> None:
    clock, now = Clock(), NOW
    for outcome in story:
        clock = POLICY.after(clock, outcome, now)
        assert now + POLICY.host_delay_seconds <= clock.ready_at <= now + POLICY.retry_after_max_seconds
        now = clock.ready_at

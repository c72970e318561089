"""The pure parts: the bucket's debts and the pace of starts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fetch.bandwidth import (
    BURST_SECONDS,
    FIRST_GUESS_BYTES,
    MAX_DEBT_SECONDS,
    PROBE_BYTES,
    TARGET,
    StartPace,
    TokenBucket,
    chunk_bytes,
    receive_buffer_bytes,
)

RATE = 100_000.0
AIM = TARGET * RATE


def test_what_was_read_is_paid_at_the_rate() -> None:
    bucket = TokenBucket(RATE, now=0.0)
    assert bucket.take(10_000, 0.0) == pytest.approx(10_000 / AIM)
    assert bucket.wait(0.05) == pytest.approx(10_000 / AIM - 0.05)
    assert bucket.wait(0.2) == 0.0


def test_without_a_limit_nobody_waits() -> None:
    bucket = TokenBucket()
    assert (bucket.take(10**9, 0.0), bucket.wait(0.0)) == (0.0, 0.0)


def test_an_idle_hour_leaves_credit_for_a_moment_only() -> None:
    bucket = TokenBucket(RATE, now=0.0)
    assert bucket.take(int(BURST_SECONDS * AIM), 3600.0) == 0.0
    assert bucket.take(1000, 3600.0) > 0.0


def test_whole_chunks_are_read_only_without_debt() -> None:
    bucket = TokenBucket(RATE, now=0.0)
    assert bucket.read_bytes(0.0) == chunk_bytes(RATE) == 4096
    bucket.take(2000, 0.0)
    assert bucket.read_bytes(0.0) == PROBE_BYTES


def test_a_change_holds_for_debts_too() -> None:
    bucket = TokenBucket(RATE, now=0.0)
    bucket.take(90_000, 0.0)
    bucket.set_rate(10 * RATE, 0.0)
    assert bucket.wait(0.0) == pytest.approx(0.09 / TARGET)
    bucket.set_rate(0.0, 0.0)
    assert bucket.wait(1e6) == math.inf
    bucket.set_rate(math.inf, 1e6)
    assert bucket.take(10**9, 1e6) == 0.0
    bucket.set_rate(RATE, 1e6)
    assert bucket.wait(1e6) == 0.0


def test_what_did_not_come_is_given_back() -> None:
    bucket = TokenBucket(RATE, now=0.0)
    bucket.take(10_000, 0.0)
    assert bucket.take(-6_000, 0.0) == pytest.approx(4_000 / AIM)


def test_no_debt_holds_up_all_for_longer_than_a_second() -> None:
    """A limit began while much was under way."""
    bucket = TokenBucket(RATE, now=0.0)
    assert bucket.take(10**9, 0.0) == pytest.approx(MAX_DEBT_SECONDS / TARGET)


def test_a_clock_that_goes_back_pays_nothing_and_loses_nothing() -> None:
    bucket = TokenBucket(RATE, now=100.0)
    bucket.take(10_000, 100.0)
    assert bucket.wait(50.0) == pytest.approx(10_000 / AIM)
    assert bucket.wait(100.05) == pytest.approx(10_000 / AIM - 0.05)


@given(st.lists(st.tuples(st.floats(0, 2), st.integers(0, 50_000)), max_size=60))
def test_whoever_waits_as_told_never_reads_more_than_the_rate_and_one_read(
    steps: list[tuple[float, int]],
) -> None:
    bucket = TokenBucket(RATE, now=0.0)
    now, read = 0.0, 0
    for idle, nbytes in steps:
        now += idle
        read += nbytes
        now += bucket.take(nbytes, now)
        assert read <= RATE * (now + BURST_SECONDS)


@pytest.mark.parametrize(
    ("rate", "chunk"), [(1e3, 4096), (400e3, 8000), (1.5e6, 30_000), (1e9, 65_536), (math.inf, 65_536)]
)
def test_chunks(rate: float, chunk: int) -> None:
    assert chunk_bytes(rate) == chunk


@pytest.mark.parametrize(
    ("rate", "size"), [(1e3, 2048), (400e3, 2048), (1.5e6, 2048), (6e6, 7500), (1e9, 65_536)]
)
def test_receive_buffers(rate: float, size: int) -> None:
    assert receive_buffer_bytes(rate) == size


def spacing(pace: StartPace, readers: int) -> float:
    """Seconds between two starts; the first one had waited for long."""
    pace.start(RATE, readers, 0.0)
    return pace.wait(RATE, readers, -BURST_SECONDS)


def test_starts_slow_down_as_the_line_grows_and_stop_when_it_is_long() -> None:
    spacings = [spacing(StartPace(), readers) for readers in range(0, 40, 4)]
    assert spacings == sorted(spacings)
    assert spacings[0] == pytest.approx(FIRST_GUESS_BYTES / RATE / 1.5)
    assert spacing(StartPace(), 8) == pytest.approx(FIRST_GUESS_BYTES / RATE, rel=0.02)
    assert StartPace().wait(RATE, 25, 1e9) > 0.0


def test_starts_learn_the_usual_size() -> None:
    pace = StartPace()
    for _ in range(400):
        pace.read(500)
        pace.finish()
    assert spacing(pace, 0) == pytest.approx(500 / RATE / 1.5, rel=0.01)


def test_the_usual_size_is_what_is_read_between_two_ends() -> None:
    """The guess counts as four."""
    pace = StartPace()
    pace.finish()
    assert pace.usual_bytes == pytest.approx(FIRST_GUESS_BYTES * 4 / 5, abs=0.01)
    pace.finish()
    assert pace.usual_bytes == pytest.approx(FIRST_GUESS_BYTES * 4 / 6, abs=0.01)


def test_the_first_downloads_teach_most() -> None:
    pace = StartPace()
    for _ in range(12):
        pace.read(500)
        pace.finish()
    assert spacing(pace, 0) < spacing(StartPace(), 0) / 3


def test_starts_follow_a_change_of_the_rate_at_once() -> None:
    pace = StartPace()
    slow = spacing(pace, 0)
    assert pace.wait(10 * RATE, 0, -BURST_SECONDS) == pytest.approx(slow / 10)


def test_nothing_starts_while_the_rate_is_zero() -> None:
    assert StartPace().wait(0.0, 0, 0.0) == math.inf

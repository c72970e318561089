from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fetch.retry_after import MAX_SECONDS, retry_after_seconds

NOW = 784_111_777.0  # Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110's examples


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (b"120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("9" * 5000, MAX_SECONDS),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60.0),
        ("Sun Nov  6 08:50:37 1994", 60.0),
        ("Sun, 06 Nov 1994 09:50:37 +0100", 60.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MAX_SECONDS),
        (None, None),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("1e9", None),
        ("inf", None),
        ("\u0663", None),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        (b"\xff\xfe", None),
    ],
)
def test_retry_after(value: str | bytes | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, NOW) == seconds


@given(st.one_of(st.text(), st.binary()), st.floats(0, 4e9))
def test_nothing_raises_and_the_answer_is_bounded(value: str | bytes, now: float) -> None:
    seconds = retry_after_seconds(value, now)
    assert seconds is None or 0 <= seconds <= MAX_SECONDS


@given(st.integers(0, 4_000_000_000), st.integers(0, 1_000_000))
def test_a_date_is_as_many_seconds_as_it_is_away(now: int, wait: int) -> None:
    assert retry_after_seconds(formatdate(now + wait, usegmt=True), now) == wait


def test_nothing_is_longer_than_a_year() -> None:
    assert retry_after_seconds("9" * 50, NOW) == 31_536_000

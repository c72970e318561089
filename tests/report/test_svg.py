"""The parts of a chart: escaping, scales, ticks, numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.report.svg import (
    Scale,
    element,
    even_ticks,
    exact,
    log_ticks,
    markup,
    percent,
    scale_for,
    short,
    tip,
)


@given(st.text())
def test_text_never_becomes_markup(words: str) -> None:
    made = element("a", words, title=words)
    inside = made.removeprefix('<a title="').removesuffix("</a>")
    assert inside.count("<") == 0
    assert inside.count('"') == 1
    assert inside.count(">") == 1


def test_markup_is_not_escaped_twice() -> None:
    assert markup([element("b", "x & y"), " < "]) == "<b>x &amp; y</b> &lt; "


def test_absent_attributes_are_left_out() -> None:
    assert element("p", "", class_=None, data_x=1.50) == '<p data-x="1.5"></p>'


@pytest.mark.parametrize(("value", "expected"), [
    (0, "0"), (999, "999"), (9999, "9,999"), (12_345, "12.3k"), (1.5e6, "1.5M"), (2e9, "2G"),
    (3e12, "3T"), (0.25, "0.25"),
])  # fmt: skip
def test_short_numbers(value: float, expected: str) -> None:
    assert short(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(1234567, "1,234,567"), (1234.56, "1,234.6"), (0.000123456, "0.0001235")]
)
def test_exact_numbers(value: float, expected: str) -> None:
    assert exact(value) == expected


@pytest.mark.parametrize(("part", "whole", "expected"), [
    (0, 10, "0 %"), (1, 0, "0 %"), (1, 10_000, "< 0.1 %"), (1, 3, "33.3 %"), (9_999, 10_000, "99.9 %"),
    (5, 5, "100.0 %"),
])  # fmt: skip
def test_percent_never_rounds_to_all_or_nothing(part: float, whole: float, expected: str) -> None:
    assert percent(part, whole) == expected


@given(st.floats(1e-6, 1e12))
def test_ticks_are_few_and_inside(high: float) -> None:
    ticks = even_ticks(0, high)
    assert 2 <= len(ticks) <= 7
    assert all(0 <= tick <= high * 1.000001 for tick in ticks)


@given(st.integers(0, 5), st.integers(1, 14))
def test_log_ticks_are_powers_of_ten(low: int, span: int) -> None:
    ticks = log_ticks(10.0**low, 10.0 ** (low + span))
    assert ticks[0] == 10.0**low
    assert 2 <= len(ticks) <= 8


def test_scales_go_from_end_to_end() -> None:
    assert Scale(0, 10, 100, 0)(2.5) == 75
    assert Scale(1, 100, 0, 50, True)(10) == pytest.approx(25)
    assert Scale(5, 5, 0, 50)(5) == 0


@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_scale_for_nothing_is_still_a_scale(logarithmic: bool) -> None:
    scale = scale_for([], 0, 100, logarithmic)
    assert scale.high > scale.low
    assert scale.ticks()


@given(st.floats(0, 460), st.floats(0, 260), st.text(min_size=1, max_size=50))
def test_tips_stay_inside_the_drawing(x: float, y: float, words: str) -> None:
    box = tip(x, y, [words])
    left = float(box.partition('x="')[2].partition('"')[0])
    top = float(box.partition('y="')[2].partition('"')[0])
    assert left >= 0
    assert 0 <= top <= 260

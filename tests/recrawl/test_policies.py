"""Policies: what each puts first, and what holds for any pages."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.recrawl.policies import (
    DEFAULT_INTERVAL_SECONDS,
    HALF_YEAR_SECONDS,
    MAX_INTERVAL_SECONDS,
    MIN_INTERVAL_SECONDS,
    OLDEST_EVERY,
    POLICIES,
    Array,
    Visited,
    adaptive,
    anansi,
    next_due,
    priority,
    smoothed,
    uniform,
)

DAY = 86_400.0
NOW = 400 * DAY


def visited(
    ages: Sequence[float],
    changes: Sequence[float] = (),
    revisits: Sequence[int] = (),
    last_change: Sequence[float] = (),
    indegree: Sequence[int] = (),
    due: Sequence[float] = (),
) -> Visited:
    """Pages by their ages in days. What is not given is the same for all."""
    count = len(ages)
    return Visited(
        last_visit=NOW - DAY * np.array(ages, float),
        revisits=np.array(revisits or [0] * count, np.uint32),
        changes=np.array(changes or [0.0] * count),
        last_change=np.array(last_change or [1.0] * count),
        indegree=np.array(indegree or [1] * count, np.uint32),
        outdegree=np.ones(count, np.uint32),
        due=np.array(due or [0.0] * count),
    )


@st.composite
def any_pages(draw: st.DrawFn) -> Visited:
    count = draw(st.integers(0, 60))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    revisits = generator.integers(0, 9, count)
    return Visited(
        last_visit=NOW - DAY * generator.integers(0, 20, count),
        revisits=revisits,
        changes=revisits * generator.random(count),
        last_change=generator.integers(0, 2, count).astype(float),
        indegree=generator.zipf(2.0, count).clip(max=1000),
        outdegree=generator.integers(0, 5, count),
        due=NOW + DAY * generator.integers(-9, 9, count),
    )


@given(any_pages(), st.integers(0, 80), st.sampled_from(sorted(POLICIES)))
def test_policy_returns_each_page_at_most_once_and_fills_the_budget(
    pages: Visited, budget: int, name: str
) -> None:
    chosen = POLICIES[name](pages, NOW, budget).tolist()
    assert len(chosen) == len(set(chosen)) == min(budget, len(pages))
    assert all(0 <= page < len(pages) for page in chosen)


@given(any_pages(), st.integers(1, 60), st.sampled_from(["anansi", "uniform", "adaptive"]))
def test_smaller_budget_is_the_beginning_of_a_larger_one(pages: Visited, budget: int, name: str) -> None:
    policy = POLICIES[name]
    assert policy(pages, NOW, budget).tolist() == policy(pages, NOW, len(pages)).tolist()[:budget]


@given(any_pages(), st.integers(1, 12))
def test_smoothed_gives_a_fifth_to_the_oldest(pages: Visited, count: int) -> None:
    oldest = uniform(pages, NOW, count).tolist()
    assert set(oldest) <= set(smoothed(pages, NOW, OLDEST_EVERY * count).tolist())


@given(any_pages(), st.integers(1, 60))
def test_what_is_chosen_is_at_least_as_urgent_as_what_is_not(pages: Visited, budget: int) -> None:
    value = priority(pages, pages.last_change, NOW)
    chosen = anansi(pages, NOW, budget)
    rest = np.setdiff1d(np.arange(len(pages)), chosen)
    assert not len(rest) or value[chosen].min() >= value[rest].max()


def test_literal_anansi_starves_a_page_that_did_not_change_once() -> None:
    pages = visited([300, 1], changes=[5, 0.1], revisits=[6, 1], last_change=[0, 0.1])
    assert anansi(pages, NOW, 1).tolist() == [1]
    assert smoothed(pages, NOW, 1).tolist() == [0]


def test_priority_is_the_formula() -> None:
    pages = visited([182.5], indegree=[3])
    assert priority(pages, np.array([0.5]), NOW).tolist() == [0.5 * 1 * (3 + 1)]
    assert HALF_YEAR_SECONDS == 182.5 * DAY


def test_page_with_more_links_comes_first() -> None:
    pages = visited([10, 10, 10], indegree=[1, 50, 7])
    assert smoothed(pages, NOW, 3).tolist() == [1, 2, 0]


def test_uniform_is_the_oldest_first_and_adaptive_the_longest_due() -> None:
    pages = visited([3, 9, 5], due=[NOW - 5, NOW + 7, NOW - 9])
    assert uniform(pages, NOW, 3).tolist() == [1, 2, 0]
    assert adaptive(pages, NOW, 3).tolist() == [2, 0, 1]


def due_after(changed: bool, interval_days: float, unchanged_days: float) -> tuple[float, float]:
    """(days to the next visit, new interval in days) of a page visited now."""
    due, interval, _ = next_due(
        *map(np.array, (interval_days * DAY, NOW - unchanged_days * DAY, NOW, changed))
    )
    return float(due - NOW) / DAY, float(interval) / DAY


@pytest.mark.parametrize(
    ("changed", "interval", "unchanged", "to_next", "new_interval"),
    [
        (True, 30, 0, 24, 24),  # 30 × 0.8
        (False, 30, 10, 42 - 3, 42),  # 30 × 1.4, moved by 0.3 of the time since the change
        (False, 30, 100, 100 - 30, 100),  # unchanged for longer than the interval
        (True, 0.0001, 0, MIN_INTERVAL_SECONDS / DAY, MIN_INTERVAL_SECONDS / DAY),
        (False, 360, 0, 365, 365),
    ],
)
def test_adaptive_schedule_is_that_of_nutch(
    changed: bool, interval: float, unchanged: float, to_next: float, new_interval: float
) -> None:
    assert due_after(changed, interval, unchanged) == pytest.approx((to_next, new_interval))


@given(st.lists(st.booleans(), max_size=80))
def test_interval_of_the_adaptive_schedule_stays_within_its_bounds(changes: list[bool]) -> None:
    interval: Array = np.array(DEFAULT_INTERVAL_SECONDS)
    modified, visit = np.array(0.0), np.array(0.0)
    for changed in changes:
        visit, interval, modified = next_due(interval, modified, visit, np.array(changed))
        assert MIN_INTERVAL_SECONDS <= interval <= MAX_INTERVAL_SECONDS

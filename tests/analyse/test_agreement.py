"""Agreement of two orders: known values, and the limits of each statistic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from webgraph_it.analyse.agreement import agreement, rank_biased_overlap, spearman, tau_b

VALUES = st.lists(st.integers(0, 5), min_size=2, max_size=12).map(
    lambda values: np.array(values, dtype=float)
)


def naive_overlap(left: list[float], right: list[float], persistence: float) -> float:
    """Straight from the definition, with sets."""
    depth = len(left)
    total, last = 0.0, 0.0
    for d in range(1, depth + 1):
        first = {i for i, v in enumerate(left) if sum(other > v for other in left) < d}
        second = {i for i, v in enumerate(right) if sum(other > v for other in right) < d}
        last = 2 * len(first & second) / (len(first) + len(second))
        total += persistence ** (d - 1) * last
    return (1 - persistence) * total + persistence**depth * last


@given(VALUES, st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_rank_biased_overlap_is_its_definition(
    left: np.ndarray[tuple[int], np.dtype[np.float64]], random: object
) -> None:
    right = left.copy()
    random.shuffle(right)  # type: ignore[attr-defined]
    expected = naive_overlap(left.tolist(), right.tolist(), 0.9)
    assert rank_biased_overlap(left, right) == pytest.approx(expected)
    assert 0 <= rank_biased_overlap(left, right) <= 1 + 1e-12


def test_the_same_order_agrees_fully() -> None:
    values = np.arange(20.0)
    for estimate in agreement(values, values**3, resamples=20).values():
        assert estimate.value == pytest.approx(1)


def test_the_opposite_order_disagrees() -> None:
    values = np.arange(20.0)
    assert tau_b(values, -values) == pytest.approx(-1)
    assert spearman(values, -values) == pytest.approx(-1)
    assert rank_biased_overlap(values, -values) < 0.35


def test_tau_b_with_ties_by_hand() -> None:
    """Pairs: (1,2) tied left; of the others 2 concordant, none discordant: 2 / √(2·3)."""
    assert tau_b(np.array([1.0, 1, 2]), np.array([1.0, 2, 3])) == pytest.approx(2 / 6**0.5)


def test_spearman_is_scipys() -> None:
    random = np.random.default_rng(2)
    left, right = random.integers(0, 9, 50).astype(float), random.integers(0, 9, 50).astype(float)
    assert spearman(left, right) == pytest.approx(spearmanr(left, right).statistic)


def test_intervals_hold_the_value_and_repeat_exactly() -> None:
    random = np.random.default_rng(1)
    left = random.normal(size=80)
    right = left + random.normal(size=80)
    first, again = agreement(left, right, resamples=200), agreement(left, right, resamples=200)
    assert first == again
    for estimate in first.values():
        assert estimate.low < estimate.high
    assert first["Kendall tau-b"].low < first["Kendall tau-b"].value < first["Kendall tau-b"].high

"""Histograms against a plain count, fits against the powerlaw package, reciprocity against networkx."""

import warnings
from collections import Counter

import networkx as nx
import numpy as np
import pytest

from tests.analyse.graphs import cnr_2000, to_networkx, web_like
from webgraph_it.analyse.csr import Csr, from_arcs, in_degrees, transpose, without_loops
from webgraph_it.analyse.degrees import count_loops, histogram, power_law, reciprocity


def test_on_cnr_2000_degree_counts_equal_a_plain_count() -> None:
    graph = cnr_2000()
    plain_in = Counter(Counter(graph.targets.tolist()).values())
    plain_in[0] = graph.nodes - sum(plain_in.values())
    plain_out = Counter(
        end - start for start, end in zip(graph.offsets.tolist(), graph.offsets.tolist()[1:], strict=False)
    )
    for degrees, plain in ((in_degrees(graph), plain_in), (graph.out_degrees(), plain_out)):
        counted = histogram(degrees)
        assert dict(zip(counted.degrees.tolist(), counted.counts.tolist(), strict=True)) == dict(+plain)


@pytest.mark.parametrize("exponent", [1.8, 2.5])
def test_a_drawn_power_law_is_found_again(exponent: float) -> None:
    drawn = np.random.default_rng(3).zipf(exponent, 100_000)
    fit = power_law(histogram(drawn[drawn < 10**9]))
    assert fit is not None
    assert fit.exponent == pytest.approx(exponent, abs=0.02)
    assert fit.distance < 0.02


def test_equals_the_powerlaw_package() -> None:
    import powerlaw

    degrees = in_degrees(web_like(4000))
    fit = power_law(histogram(degrees))
    assert fit is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = powerlaw.Fit(degrees[degrees > 0], discrete=True, xmin=fit.start, verbose=False).power_law
    assert fit.exponent == pytest.approx(theirs.alpha, abs=1e-3)


@pytest.mark.parametrize("degrees", [[], [0, 0], [3] * 1000, [1, 2, 3]])
def test_too_little_for_a_fit_is_none(degrees: list[int]) -> None:
    assert power_law(histogram(np.array(degrees, dtype=np.int64))) is None


def test_at_least_counts_the_tail() -> None:
    assert list(histogram(np.array([0, 1, 1, 5])).at_least()) == [4, 3, 1]


def test_reciprocity_equals_networkx() -> None:
    graph = without_loops(web_like())
    assert reciprocity(graph, transpose(graph)) == pytest.approx(nx.overall_reciprocity(to_networkx(graph)))


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (from_arcs(2, [(0, 0)]), 0.0),
        (from_arcs(2, [(0, 1), (1, 0), (0, 0)]), 1.0),
        (from_arcs(2, [(0, 1)]), 0.0),
    ],
)
def test_links_to_oneself_are_not_mutual(graph: Csr, expected: float) -> None:
    assert reciprocity(graph, transpose(graph)) == expected


def test_loops_are_counted() -> None:
    assert count_loops(from_arcs(3, [(0, 0), (0, 1), (2, 2)])) == 2


def test_the_ccdf_is_the_share_with_so_many_or_more() -> None:
    assert histogram(np.array([0, 1, 1, 5])).ccdf() == [(0, 1.0), (1, 0.75), (5, 0.25)]


def test_the_fitted_tail_follows_the_data_it_was_drawn_from() -> None:
    drawn = np.random.default_rng(3).zipf(2.3, 100_000)
    fit = power_law(histogram(drawn[drawn < 10**9]))
    assert fit is not None
    assert fit.at_least(fit.start) == 1
    for degree in (fit.start + 1, 3 * fit.start, 10 * fit.start):
        seen = (drawn >= degree).sum() / fit.tail
        assert fit.at_least(degree) == pytest.approx(seen, rel=0.05)

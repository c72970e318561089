"""Measures together: positions, the best, and what counts at each level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analyse.graphs import web_like
from webgraph_it.analyse.csr import csr, from_arcs
from webgraph_it.analyse.measures import measure, positions, summarise, top


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(1, 40))
def test_the_best_are_those_with_the_first_positions(values: list[int], count: int) -> None:
    array = np.array(values, dtype=np.int64)
    places = positions(array)
    assert sorted(places) == list(range(1, len(values) + 1))
    assert top(array, count).tolist() == sorted(range(len(values)), key=lambda node: places[node])[:count]


def test_links_to_oneself_count_on_pages_and_not_on_hosts() -> None:
    page_graph = from_arcs(2, [(0, 0), (0, 1)])
    host_graph = csr(page_graph.offsets, page_graph.targets, np.array([99, 1]))
    assert list(measure(page_graph).out_degree) == [2, 0]
    hosts = measure(host_graph)
    assert list(hosts.out_degree) == [1, 0]
    assert summarise(host_graph, hosts).links == 100
    assert summarise(host_graph, hosts).loops == 1


def test_a_summary_adds_up() -> None:
    graph = web_like()
    measures = measure(graph)
    summary = summarise(graph, measures)
    assert summary.nodes == sum(summary.bow_tie.values()) == summary.in_histogram.counts.sum()
    assert summary.dangling == (graph.out_degrees() == 0).sum()
    assert summary.dangling_pagerank == pytest.approx(measures.pagerank[graph.out_degrees() == 0].sum())
    assert summary.largest_weak >= summary.largest_strong

"""The kernels of a graph through time, against plain Python on many histories."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from webgraph_it.convert.kernels import FLAG
from webgraph_it.convert.time_kernels import find_sequences, histories, lists_at, reach
from webgraph_it.convert.visits import ENDED, OTHER, SAME, SEQUENCE

NODES = 4
Event = tuple[int, int, float, tuple[int, ...]]
"""(node, what, time, links)"""


@st.composite
def any_events(draw: st.DrawFn) -> list[Event]:
    links = st.lists(st.integers(0, 6), max_size=6).map(tuple)
    events: list[Event] = []
    for node in range(NODES):
        for _ in range(draw(st.integers(0, 5))):
            what = draw(st.sampled_from([SEQUENCE, SEQUENCE, SAME, ENDED, OTHER]))
            time = 10.0 * draw(st.integers(1, 6))
            events.append((node, what, time, draw(links) if what == SEQUENCE else ()))
    return events


def arrays(events: list[Event]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(values, nodes, whats, times). Sequences of different nodes are mixed, those of one node stay in order."""
    sequences = [(node | FLAG, *links) for node, what, _, links in events if what == SEQUENCE]
    mixed = sorted(
        enumerate(sequences), key=lambda each: sum(e[0] == each[1][0] for e in sequences[: each[0]])
    )
    values = np.array([value for _, sequence in mixed for value in sequence], np.uint32)
    return (
        values,
        np.array([e[0] for e in events], np.uint32),
        np.array([e[1] for e in events], np.uint8),
        np.array([e[2] for e in events], np.float64),
    )


@settings(deadline=None)
@given(any_events(), st.integers(0, 7))
def test_lists_before_a_time_are_those_of_the_last_visit(events: list[Event], until: int) -> None:
    values, nodes, whats, times = arrays(events)
    parents, degrees = np.zeros(NODES, np.uint8), np.zeros(NODES, np.int64)
    out = np.empty(len(values), np.uint32)
    count, wrong = lists_at(values, 0, nodes, whats, times, 10.0 * until, parents, degrees, out)
    assert wrong == -1
    found = np.split(out[:count], np.cumsum(degrees)[:-1])
    for node in range(NODES):
        now: set[int] | None = None
        for _, what, _, links in sorted(
            (e for e in events if e[0] == node and e[2] < 10 * until), key=lambda e: e[2]
        ):
            now = set(links) if what == SEQUENCE else None if what == ENDED else now
        assert found[node].tolist() == sorted(now or ())
        assert parents[node] == (now is not None)


@settings(deadline=None)
@given(any_events())
def test_days_of_arcs_follow_the_visits(events: list[Event]) -> None:
    values, nodes, whats, times = arrays(events)
    degrees, out = np.zeros(NODES, np.int64), np.empty(len(values), np.uint32)
    days = [np.zeros(len(values), np.uint16) for _ in range(3)]
    counts = np.zeros((NODES, 5), np.int64)
    day = (times / 10).astype(np.uint16)
    count, wrong = histories(values, 0, nodes, whats, times, day, degrees, out, *days, counts)
    assert wrong == -1
    sources = np.repeat(np.arange(NODES), degrees)
    found = {
        (int(a), int(b)): (int(x), int(y), int(z))
        for a, b, x, y, z in zip(sources, out[:count], *(each[:count] for each in days), strict=True)
    }
    expected: dict[tuple[int, int], tuple[int, int, int]] = {}
    for node in range(NODES):
        now: set[int] = set()
        visits = 0
        for _, what, time, links in sorted((e for e in events if e[0] == node), key=lambda e: e[2]):
            if what == OTHER or (what == ENDED and not visits):
                continue
            visits += 1
            shown = set(links) if what == SEQUENCE else now if what == SAME else set()
            for target in shown:
                first = expected.get((node, target), (int(time / 10),))[0]
                expected[node, target] = (first, int(time / 10), 0)
            for target in now - shown:
                expected[node, target] = (*expected[node, target][:2], int(time / 10))
            now = shown
        assert counts[node, 0] == visits
    assert found == expected


def test_sequence_without_a_visit_is_found() -> None:
    values = np.array([0 | FLAG, 1, 2, 2 | FLAG, 0], np.uint32)
    nodes, whats, times = np.array([0], np.uint32), np.array([SEQUENCE], np.uint8), np.array([1.0])
    out = np.empty(5, np.uint32)
    assert (
        lists_at(values, 0, nodes, whats, times, 9.0, np.zeros(3, np.uint8), np.zeros(3, np.int64), out)[1]
        == 2
    )


def test_sequences_of_a_node_are_found_in_order() -> None:
    values = np.array([5 | FLAG, 1, 4 | FLAG, 5 | FLAG, 2, 3], np.uint32)
    places, begins, ends = find_sequences(values, 4, 2)
    assert places.tolist() == [0, 1, 3]
    assert [values[a:b].tolist() for a, b in zip(begins, ends, strict=True)] == [[], [1], [2, 3]]


def test_reach_marks_what_links_lead_to() -> None:
    offsets, targets = np.array([0, 2, 2, 3, 4]), np.array([1, 2, 0, 3], np.uint32)
    reached = np.array([0, 0, 1, 0], np.uint8)
    reach(offsets, targets, reached)
    assert reached.tolist() == [1, 1, 1, 0]

"""Results come in order, however long each takes, and few are made ahead."""

import time

import pytest

from webgraph_it.convert.threads import in_order


def test_results_are_in_the_order_of_items() -> None:
    def slow_first(item: int) -> int:
        time.sleep(0.02 if item == 0 else 0)
        return item * item

    assert list(in_order(slow_first, range(10), 4)) == [item * item for item in range(10)]


def test_only_as_many_are_made_ahead_as_there_are_threads() -> None:
    made: list[int] = []
    results = in_order(made.append, range(100), 3)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(made) <= 4


def test_a_failure_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda item: 1 // item, [1, 0], 2))

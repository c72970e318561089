"""A verb that fails half way is told of, and fails all the same."""

import pytest

from webgraph_it.engine.one_step import one_step


class Verbs:
    def __init__(self) -> None:
        self.failures: list[BaseException] = []

    def fail(self, error: BaseException) -> None:
        self.failures.append(error)

    @one_step
    def divide(self, whole: int, *, by: int) -> int:
        """Of two numbers."""
        return whole // by

    @one_step
    def cancelled(self) -> None:
        raise KeyboardInterrupt


def test_a_verb_that_ends_says_nothing_and_keeps_its_result_and_its_words() -> None:
    verbs = Verbs()
    assert verbs.divide(6, by=3) == 2
    assert verbs.failures == []
    assert Verbs.divide.__doc__ == "Of two numbers."


def test_a_verb_that_fails_is_told_of_and_raises() -> None:
    verbs = Verbs()
    with pytest.raises(ZeroDivisionError) as raised:
        verbs.divide(6, by=0)
    assert verbs.failures == [raised.value]


def test_an_interruption_is_no_failure_of_the_verb() -> None:
    verbs = Verbs()
    with pytest.raises(KeyboardInterrupt):
        verbs.cancelled()
    assert verbs.failures == []

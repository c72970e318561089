"""A change that was left half way ends everything, and is told once."""

from webgraph_it.frontier.leases import Leases


def test_the_first_failure_is_told_and_ends_the_crawl() -> None:
    leases, told = Leases(), list[BaseException]()
    leases.on_failure = told.append
    first = ValueError("first")
    leases.fail(first)
    leases.fail(ValueError("second"))
    assert told == [first]
    assert leases.ended


def test_after_the_last_commit_has_begun_no_failure_is_told() -> None:
    leases, told = Leases(), list[BaseException]()
    leases.on_failure = told.append
    leases.ended = True
    leases.fail(ValueError("late"))
    assert told == []

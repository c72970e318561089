"""A slice of URLs is moved within their hosts' queues; what is being fetched stays."""

from webgraph_it.frontier import MemoryStore, Outcome
from webgraph_it.frontier.reorder import move_untried

from .making import NOW, commit, drain, lease_at, links, open_frontier


def test_a_url_that_is_being_fetched_or_read_is_not_moved() -> None:
    frontier = open_frontier(MemoryStore())
    frontier.add(links("a", 3), 0, "", NOW)
    commit(frontier)
    read = lease_at(frontier, NOW)
    frontier.answered(read, Outcome(), NOW)
    fetched = lease_at(frontier, NOW)
    frontier.move_untried(b"", 100, lambda _: 9)
    frontier.done(read, Outcome(), NOW)
    frontier.done(fetched, Outcome(), NOW)
    assert [lease.url for lease in drain(frontier, NOW)] == ["http://a.it/2"]
    assert frontier.counts().queued == 0


def test_a_slice_that_is_repeated_changes_nothing() -> None:
    frontier = open_frontier(MemoryStore())
    frontier.add(links("a", 3), 0, "", NOW)
    commit(frontier)
    frontier.move_untried(b"", 100, lambda _: 9)
    commit(frontier)
    frontier.move_untried(b"", 100, lambda _: 9)
    assert frontier.counts().uncommitted == 0
    assert move_untried.__module__ == "webgraph_it.frontier.reorder"

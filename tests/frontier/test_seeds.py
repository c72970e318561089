"""Seeds come some at a time, again after a crash, and after pages that link to them."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import frontier_limits
from webgraph_it.frontier import MemoryStore, Outcome, RocksStore
from webgraph_it.items import Link, State
from webgraph_it.urls.names import digest
from webgraph_it.urls.rules import Rule, Rules

from .making import NOW, PATIENT, commit, drain, lease_at, link, links, open_frontier


@PATIENT
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3))), st.integers(1, 5))
def test_slices_of_seeds_leave_what_links_of_no_page_leave(seeds: list[tuple[str, int]], size: int) -> None:
    found = [link(host, f"/{n}") for host, n in seeds]
    ours, theirs = MemoryStore(), MemoryStore()
    by_slices, at_once = open_frontier(ours), open_frontier(theirs)
    new: list[Link] = []
    for first in range(0, len(found), size):
        new += by_slices.add_seeds(found[first : first + size], NOW).new
    assert new == at_once.add(found, 0, "", NOW).new
    assert by_slices.counts()[:-1] == at_once.counts()[:-1]
    commit(by_slices)
    commit(at_once)
    assert list(ours.items(b"", b"\xff")) == list(theirs.items(b"", b"\xff")), "the same rows, byte for byte"
    assert drain(by_slices, NOW) == drain(at_once, NOW)


def test_seeds_that_are_known_change_nothing(tmp_path: Path) -> None:
    frontier = open_frontier(RocksStore(tmp_path))
    seeds = links("abc", 2)
    assert len(frontier.add_seeds(seeds[:4], NOW).new) == 4
    commit(frontier)
    frontier.done(lease_at(frontier, NOW), Outcome(state=State.FETCHED, status=200), NOW)
    assert frontier.add_seeds(seeds, NOW).new == seeds[4:]
    assert len(drain(frontier, NOW)) == 5
    frontier.close()


def test_a_seed_that_was_cut_as_a_link_is_fetched_after_all() -> None:
    store = MemoryStore()
    frontier = open_frontier(store, limits=frontier_limits(max_depth=3))
    (cut,) = frontier.add([link("a", "/lontano")], 4, "it,b)/", NOW).cut
    assert (cut.state, cut.reason) == (State.QUOTA_CUT, "depth")
    commit(frontier)
    again = open_frontier(store, limits=frontier_limits(max_depth=3))
    assert again.add_seeds([link("a", "/lontano")], NOW) == ([], [], (State.QUOTA_CUT,))
    assert (again.counts().seen, again.counts().cut) == (1, 0)
    assert [(lease.key, lease.depth) for lease in drain(again, NOW)] == [("it,a)/lontano", 0)]
    assert again.add_seeds([link("a", "/lontano")], NOW) == ([], [], ())
    assert drain(again, NOW) == []


def test_a_rule_moves_seeds_in_the_queue_of_their_host_as_it_moves_links() -> None:
    late = link("a", "/tardi")
    frontier = open_frontier()
    frontier.set_rules(Rules([Rule(surt="it,a)/tardi", priority=50)]))
    frontier.add_seeds([late], NOW)
    frontier.add_seeds([link("a", "/presto")], NOW)
    assert [lease.key for lease in drain(frontier, NOW)] == ["it,a)/presto", "it,a)/tardi"]


def test_a_seed_that_a_limit_cuts_is_told_once() -> None:
    frontier = open_frontier(limits=frontier_limits(max_pages_per_host=1))
    added = frontier.add_seeds([link("a", "/1"), link("a", "/2"), link("a", "/2")], NOW)
    assert [cut.link.key for cut in added.cut] == ["it,a)/2"]
    assert frontier.add_seeds([link("a", "/2")], NOW) == ([], [], ())


def test_what_became_of_a_url_is_known_after_the_commit(tmp_path: Path) -> None:
    frontier = open_frontier(RocksStore(tmp_path), limits=frontier_limits(max_depth=1))
    frontier.add_seeds([link("a"), link("b"), link("c")], NOW)
    frontier.add([link("d")], 2, "it,a)/", NOW)
    outcomes = {
        "it,a)/": Outcome(state=State.FETCHED, status=200),
        "it,b)/": Outcome(state=State.ERROR, status=0),
    }
    while (lease := frontier.next(NOW)) is not None and lease.key in outcomes:
        frontier.done(lease, outcomes[lease.key], NOW)
    digests = [digest(f"it,{name})/") for name in "abcde"] + [digest("it,a)/")]
    assert {state for state, _ in frontier.committed_states(digests)} == {State.NEVER_TRIED}
    commit(frontier)
    assert frontier.committed_states(digests) == [
        (State.FETCHED, 200),
        (State.ERROR, 0),
        (State.NEVER_TRIED, 0),
        (State.QUOTA_CUT, 0),
        (State.NEVER_TRIED, 0),
        (State.FETCHED, 200),
    ]
    assert [host.host for host in frontier.committed_hosts()] == ["it,a", "it,b", "it,c"]
    frontier.close()

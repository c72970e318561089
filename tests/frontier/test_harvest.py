"""A frontier that is filled from archives, and handed over to a crawl."""

from collections.abc import Sequence

from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.harvest import Harvest
from webgraph_it.frontier.rebuild import NO_DELAYS
from webgraph_it.frontier.records import Limits, Order, Outcome
from webgraph_it.frontier.store import MemoryStore
from webgraph_it.items import Link, State
from webgraph_it.urls import Name, name

NO_LIMITS = Limits(*(0,) * len(Limits._fields))


def link(url: str) -> Link:
    found = name(url)
    assert isinstance(found, Name)
    return Link(*found, "a")


def opened(store: MemoryStore, limits: Limits = NO_LIMITS) -> Harvest:
    return Harvest.open(store, Order.BREADTH, limits, 0.0)


def commit(harvest: Harvest) -> None:
    frozen = harvest.freeze()
    frozen.write({})
    harvest.forget(frozen)


def capture(harvest: Harvest, url: str, links: Sequence[str] = (), when: float = 5.0) -> None:
    node = link(url)
    if harvest.captured(node.digest) is None:
        harvest.add_seeds([node], when)
    lease = harvest.lease(node.digest, node.key)
    harvest.add([link(each) for each in links], lease.depth + 1, lease.key, when, host_depth=lease.host_depth)
    harvest.done(lease, Outcome(state=State.FETCHED, status=200), when)


def test_a_node_remembers_where_it_was_found_and_when_it_was_captured() -> None:
    harvest = opened(MemoryStore())
    capture(harvest, "http://uno.it/", ["http://uno.it/a", "http://due.it/"])
    there, elsewhere = link("http://uno.it/a"), link("http://due.it/")
    assert harvest.captured(link("http://tre.it/").digest) is None
    known = harvest.captured(there.digest)
    assert known is not None
    assert (known.time, known.was_cut) == (0.0, None)
    lease = harvest.lease(there.digest, there.key)
    assert (lease.url, lease.depth, lease.host_depth, lease.via) == ("http://uno.it/a", 1, 1, "it,uno)/")
    assert harvest.lease(elsewhere.digest, elsewhere.key).host_depth == 0
    capture(harvest, "http://uno.it/a", when=7.5)
    known = harvest.captured(there.digest)
    assert known is not None
    assert known.time == 7.5
    assert harvest.counts().done == 2
    capture(harvest, "http://uno.it/a", when=9.0)
    assert harvest.counts().done == 2


def test_a_trap_is_cut_and_may_be_captured_nevertheless() -> None:
    harvest = opened(MemoryStore())
    trap = link("http://uno.it/x/x/x/x")
    harvest.add_seeds([link("http://uno.it/")], 0.0)
    added = harvest.add([trap], 1, "it,uno)/", 0.0, traps={trap.digest: "trap-repetition"})
    assert [(cut.state, cut.reason) for cut in added.cut] == [(State.TRAP_CUT, "trap-repetition")]
    known = harvest.captured(trap.digest)
    assert known is not None
    assert known.was_cut is State.TRAP_CUT
    assert harvest.counts().cut == 1
    capture(harvest, trap.url)
    assert harvest.counts().cut == 0


def test_what_was_never_captured_is_queued_for_a_crawl() -> None:
    store = MemoryStore()
    harvest = opened(store, NO_LIMITS._replace(max_depth=1))
    capture(harvest, "http://uno.it/", ["http://uno.it/a", "http://uno.it/b"])
    capture(harvest, "http://uno.it/b", ["http://uno.it/profondo"])
    commit(harvest)
    cuts = [
        (cut.link.url, cut.reason, depth, via) for some in harvest.hand_over(9.0) for cut, depth, via in some
    ]
    assert cuts == [("http://uno.it/profondo", "depth", 2, "it,uno)/b")]
    commit(harvest)
    assert [each for some in harvest.hand_over(9.0) for each in some] == []
    assert harvest.counts().queued == 1
    harvest.close()
    crawl = Frontier.open(store, NO_DELAYS, Order.BREADTH, NO_LIMITS, 10.0)
    lease = crawl.next(11.0)
    assert lease is not None
    assert (lease.url, lease.depth, lease.via) == ("http://uno.it/a", 1, "it,uno)/")
    assert crawl.next(11.0) is None


def test_the_first_capture_of_a_payload_is_its_origin() -> None:
    harvest = opened(MemoryStore())
    assert harvest.origin(b"x" * 16) is None
    harvest.set_origin(b"x" * 16, 1, 4711)
    harvest.set_origin(b"x" * 16, 2, 1)
    assert harvest.origin(b"x" * 16) == (1, 4711)


def test_what_belongs_to_a_commit_is_put_at_its_moment() -> None:
    store = MemoryStore()
    harvest = opened(store)
    harvest.before_freeze = lambda: harvest.put_meta("quanti", b"3")
    commit(harvest)
    assert opened(store).get_meta("quanti") == b"3"

"""A frontier made anew knows what the one before it knew of its URLs and domains."""

from tests.defaults import frontier_limits
from webgraph_it.frontier import MemoryStore, Order
from webgraph_it.frontier.rebuild import Rebuild
from webgraph_it.items import Link, Page, State
from webgraph_it.urls.names import digest

from .making import NOW, commit, link, open_frontier

LIMITS = frontier_limits(max_hosts_per_domain=2)


def page(of: Link, state: State, status: int, reason: str = "") -> Page:
    return Page(of.url, of.key, of.digest, NOW, state, status, 1, "", reason=reason)


def test_states_and_the_hosts_of_a_domain_are_known_again() -> None:
    store, hosts = MemoryStore(), [link(f"rete,n{n}") for n in range(3)]
    rebuild = Rebuild(store, Order.BREADTH, LIMITS)
    rebuild.finished(page(hosts[0], State.FETCHED, 200))
    rebuild.queue(hosts[1], 1, 0, "it,a)/")
    rebuild.cut(page(link("b"), State.QUOTA_CUT, 0, "depth"))
    rebuild.commit()
    frontier = open_frontier(store, limits=LIMITS)
    assert [cut.reason for cut in frontier.add(hosts, 1, "it,a)/", NOW).cut] == ["hosts-per-domain"]
    assert frontier.committed_states([hosts[0].digest, hosts[1].digest, digest("it,b)/")]) == [
        (State.FETCHED, 200),
        (State.NEVER_TRIED, 0),
        (State.QUOTA_CUT, 0),
    ]
    assert frontier.reconsider(link("b"), 1, 0, "it,a)/", "depth", NOW)


def test_a_raised_depth_brings_no_host_beyond_the_bound_of_its_domain() -> None:
    store = MemoryStore()
    limits = frontier_limits(max_depth=1, max_hosts_per_domain=1)
    before = open_frontier(store, limits=limits)
    hosts = [link("rete,n0"), link("rete,n1")]
    assert len(before.add(hosts, 2, "it,a)/", NOW).cut) == 2
    commit(before)
    after = open_frontier(store, limits=limits._replace(max_depth=2))
    assert [after.reconsider(host, 2, 0, "it,a)/", "depth", NOW) for host in hosts] == [True, False]


def test_a_quota_cut_of_an_earlier_layout_is_reconsidered() -> None:
    store = MemoryStore()
    store.commit({b"s" + digest("it,a)/"): b"c"})
    frontier = open_frontier(store)
    assert frontier.reconsider(link("a"), 1, 0, "it,b)/", "depth", NOW)
    assert not frontier.reconsider(link("a"), 1, 0, "it,b)/", "depth", NOW)

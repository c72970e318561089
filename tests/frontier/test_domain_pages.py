"""MAX_PAGES_PER_DOMAIN: all hosts of a registrable domain share one quota."""

from tests.defaults import frontier_limits
from tests.frontier.making import lease_at, open_frontier
from webgraph_it.frontier import MemoryStore
from webgraph_it.frontier.records import Outcome
from webgraph_it.items import Link, State
from webgraph_it.urls import Name, name


def links(*urls: str) -> list[Link]:
    named = [name(url) for url in urls]
    return [Link(*each, "a") for each in named if isinstance(each, Name)]


def test_the_hosts_of_a_domain_share_its_quota() -> None:
    frontier = open_frontier(MemoryStore(), limits=frontier_limits(max_pages_per_domain=3))
    seeds = frontier.add_seeds(links("http://a.it/", "http://b.a.it/"), 0.0)
    assert seeds.cut == []
    added = frontier.add(
        links("http://c.a.it/", "http://a.it/x", "http://b.a.it/y", "http://d.it/", "http://d.it/z"),
        1,
        "it,d)/",
        0.0,
    )
    assert [(cut.link.key, cut.reason) for cut in added.cut] == [
        ("it,a)/x", "pages-per-domain"),
        ("it,a,b)/y", "pages-per-domain"),
    ]


def test_a_seed_beyond_the_quota_is_cut() -> None:
    frontier = open_frontier(MemoryStore(), limits=frontier_limits(max_pages_per_domain=1))
    added = frontier.add_seeds(links("http://a.it/", "http://b.a.it/"), 0.0)
    assert [(cut.link.key, cut.reason) for cut in added.cut] == [("it,a,b)/", "pages-per-domain")]


def test_a_raised_quota_lets_in_what_it_had_cut() -> None:
    store = MemoryStore()
    frontier = open_frontier(store, limits=frontier_limits(max_pages_per_domain=1))
    cut = frontier.add(links("http://a.it/", "http://b.a.it/"), 1, "it,d)/", 0.0).cut
    frozen = frontier.freeze()
    frozen.write()
    frontier.forget(frozen)
    again = open_frontier(store, limits=frontier_limits(max_pages_per_domain=2))
    assert [again.reconsider(each.link, 1, 0, "it,d)/", each.reason, 0.0) for each in cut] == [True]


def test_without_a_quota_nothing_is_counted() -> None:
    frontier = open_frontier(MemoryStore())
    assert frontier.add(links(*(f"http://h{n}.a.it/" for n in range(50))), 1, "it,d)/", 0.0).cut == []


def test_a_page_that_is_unblocked_counts_once() -> None:
    frontier = open_frontier(MemoryStore(), limits=frontier_limits(max_pages_per_domain=3))
    (blocked,) = frontier.add_seeds(links("http://a.it/"), 0.0).new
    frontier.add(links("http://d.a.it/"), 1, "it,a)/", 0.0)
    frontier.done(lease_at(frontier, 0.0), Outcome(state=State.QUOTA_CUT), 0.0)
    assert frontier.unblock(blocked, 0, 0, "", 0.0)
    assert frontier.counts().hosts == 2
    added = frontier.add(links("http://b.a.it/", "http://c.a.it/"), 1, "it,d)/", 0.0)
    assert [cut.link.key for cut in added.cut] == ["it,a,c)/"]

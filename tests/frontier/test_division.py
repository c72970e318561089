"""Stores are divided anew: every URL is in one queue, and what was seen stays seen."""

from tests.defaults import frontier_limits
from tests.frontier.making import NOW, link, links, open_frontier
from webgraph_it.frontier import MemoryStore, Outcome
from webgraph_it.frontier.division import divide
from webgraph_it.frontier.layout import META
from webgraph_it.frontier.records import Kind
from webgraph_it.items import State
from webgraph_it.robots.record import RobotsRecord, Verdict

HOSTS = [f"h{n}" for n in range(12)]


def owner_of(count: int) -> dict[str, int]:
    return {f"it,{host}": place % count + 1 for place, host in enumerate(HOSTS)}


def begun(number: int, count: int) -> MemoryStore:
    """A crawl that owns some of the hosts: three URLs each, of which one is finished."""
    store = MemoryStore()
    frontier = open_frontier(store)
    own = [host for host, member in zip(HOSTS, owner_of(count).values(), strict=True) if member == number]
    frontier.add(links(own, 3), 1, "it,x)/", NOW)
    frontier.mark_seen(links([host for host in HOSTS if host not in own], 3))
    for _ in own:
        lease = frontier.next(NOW)
        assert lease is not None
        frontier.done(lease, Outcome(Kind.FINISHED, state=State.FETCHED, status=200, fetched=True), NOW)
        frontier.set_robots(
            f"http://{lease.host[3:]}.it", RobotsRecord(Verdict.RULES, "rules", NOW, NOW + 99)
        )
    frontier.close()
    return store


def test_every_url_has_one_owner_after_a_change_of_size() -> None:
    for before, after in ((1, 3), (3, 1), (2, 3), (3, 2)):
        old = {number: begun(number, before) for number in range(1, before + 1)}
        new = {number: MemoryStore() for number in range(1, after + 1)}
        owners = owner_of(after)
        meta = {number: {"who": str(number).encode()} for number in new}
        divide(old, new, lambda host, owners=owners: owners[host], lambda _: [], meta)
        fetched: list[str] = []
        for number, store in new.items():
            frontier = open_frontier(store)
            assert store.get(META + b"who") == str(number).encode()
            assert not frontier.add(links(HOSTS, 3), 1, "it,x)/", NOW).new, "all were seen before"
            while (lease := frontier.next(NOW)) is not None:
                assert owners[lease.host] == number
                assert frontier.robots(f"http://{lease.host[3:]}.it") is not None
                frontier.done(lease, Outcome(Kind.FINISHED, state=State.FETCHED, fetched=True), NOW)
                fetched.append(lease.url)
            counts = frontier.counts()
            assert (counts.queued, counts.leased) == (0, 0)
            assert frontier.add([link("neu")], 1, "it,x)/", NOW).new
        assert sorted(fetched) == sorted(each.url for each in links(HOSTS, 3) if not each.url.endswith("/0"))


def test_nodes_of_others_are_not_reconsidered() -> None:
    """After a change of size a page log names cut nodes that another crawl owns now."""
    store = MemoryStore()
    frontier = open_frontier(store, limits=frontier_limits(max_depth=1))
    frontier.add(links(["a", "b"], 1), 2, "it,x)/", NOW)
    frontier.close()
    frontier = open_frontier(store)
    frontier.own_only(lambda key: key.startswith("it,a)"))
    queued = [frontier.reconsider(each, 2, 0, "it,x)/", "depth", NOW) for each in links(["a", "b"], 1)]
    assert queued == [True, False]

"""Endless sites end, within the stated bounds."""

import pytest

from tests.defaults import frontier_limits
from webgraph_it.frontier import Frontier, Limits, MemoryStore, Outcome, traps
from webgraph_it.items import Link, State
from webgraph_it.urls.names import digest

from .making import NOW, commit, lease_at, link, links, open_frontier

SAME = "00112233445566778899aabbccddeeff"


def crawl(frontier: Frontier, page_links: object, content: str = "") -> tuple[int, list[str]]:
    """Fetch until nothing is left; `page_links(lease)` are the links of a page. Pages and cut reasons."""
    pages, reasons = 0, []
    while (lease := frontier.next(NOW)) is not None:
        pages += 1
        added = frontier.add(
            page_links(lease),  # type: ignore[operator]
            lease.depth + 1,
            lease.key,
            NOW,
            host_depth=lease.host_depth,
            content_digest=content,
        )
        assert all(cut.state is State.TRAP_CUT for cut in added.cut)
        reasons += [cut.reason for cut in added.cut]
        frontier.done(lease, Outcome(), NOW)
    return pages, reasons


def test_an_endless_calendar_ends_at_the_host_depth() -> None:
    frontier = open_frontier(limits=frontier_limits(max_host_depth=20))
    frontier.add([link("a", "/0")], 0, "", NOW)
    pages, reasons = crawl(frontier, lambda lease: [link("a", f"/{lease.depth + 1}")])
    assert (pages, reasons) == (21, ["host-depth"])


def test_leaving_the_host_starts_the_count_again() -> None:
    frontier = open_frontier(limits=frontier_limits(max_host_depth=20, max_depth=0))
    frontier.add([link("h0", "/0")], 0, "", NOW)
    pages, reasons = crawl(
        frontier,
        lambda lease: [link(f"h{(lease.depth + 1) // 5}", f"/{lease.depth + 1}")] if lease.depth < 99 else [],
    )
    assert (pages, reasons) == (100, [])


def test_queries_on_one_path_are_bounded_also_after_a_restart() -> None:
    store = MemoryStore()
    limits = frontier_limits(max_queries_per_path=5)
    frontier = open_frontier(store, limits=limits)
    assert not frontier.add([link("a", f"/s?q={n}") for n in range(4)], 0, "", NOW).cut
    commit(frontier)
    again = open_frontier(store, limits=limits)
    added = again.add([link("a", f"/s?q={n}") for n in range(10)], 0, "", NOW)
    assert [(cut.link.key, cut.reason) for cut in added.cut] == [
        (f"it,a)/s?q={n}", "queries-per-path") for n in range(5, 10)
    ]
    assert not again.add([link("a", "/t?q=1"), link("a", "/s")], 0, "", NOW).cut


def test_copies_of_a_page_stop_giving_links() -> None:
    frontier = open_frontier(limits=frontier_limits(max_same_content=7, max_host_depth=0))
    frontier.add([link("a", "/x")], 0, "", NOW)
    pages, reasons = crawl(frontier, lambda lease: [link("a", lease.key[5:] + "/x")], SAME)
    assert (pages, reasons) == (8, ["same-content"])


def test_the_same_content_on_other_hosts_is_no_trap() -> None:
    frontier = open_frontier(limits=frontier_limits(max_same_content=1))
    for name in "abc":
        assert not frontier.add([link("x", f"/{name}")], 1, f"it,{name})/", NOW, content_digest=SAME).cut


def test_limits_of_zero_are_no_limits() -> None:
    frontier = open_frontier(limits=Limits(0, 0, 0, 0, 0, 0))
    for n in range(300):
        batch = [link("a", f"/{n}?q={m}") for m in range(30)]
        assert not frontier.add(batch, 10**6 + n, "it,a)/", NOW, host_depth=10**6, content_digest=SAME).cut
    assert lease_at(frontier, NOW).depth == 0xFFFF


def test_a_cut_is_told_once() -> None:
    frontier = open_frontier(limits=frontier_limits(max_host_depth=1))
    assert len(frontier.add(links("a", 3), 2, "it,a)/", NOW, host_depth=1).cut) == 3
    assert frontier.add(links("a", 3), 2, "it,a)/", NOW, host_depth=1) == ([], [], ())


def wildcard(first: int, count: int) -> list[Link]:
    """Hosts n7.trap.it."""
    keys = [f"it,trap,n{n})/" for n in range(first, first + count)]
    return [Link(f"http://n{n}.trap.it/", key, digest(key), "a") for n, key in enumerate(keys, first)]


def test_hosts_below_a_domain_are_bounded_also_after_a_restart() -> None:
    store = MemoryStore()
    limits = frontier_limits(max_hosts_per_domain=5)
    frontier = open_frontier(store, limits=limits)
    frontier.add([link("trap")], 0, "", NOW)
    assert not frontier.add(wildcard(0, 4), 1, "it,trap)/", NOW).cut
    commit(frontier)
    again = open_frontier(store, limits=limits)
    added = again.add(wildcard(0, 8), 1, "it,trap)/", NOW)
    assert [(cut.link.key, cut.state, cut.reason) for cut in added.cut] == [
        (f"it,trap,n{n})/", State.TRAP_CUT, "hosts-per-domain") for n in range(5, 8)
    ]
    assert not again.add([link("trap,n0", "/due"), link("altro"), link("trap", "/x")], 1, "", NOW).cut
    assert again.add([link("trap,n7", "/due")], 1, "", NOW).cut, "a host that was cut stays out"


def test_a_wildcard_in_the_dns_ends() -> None:
    frontier = open_frontier(limits=frontier_limits(max_hosts_per_domain=30))
    frontier.add([link("trap")], 0, "", NOW)
    pages, reasons = crawl(frontier, lambda lease: wildcard(lease.depth * 1000, 10))
    assert pages == 1 + 30
    assert set(reasons) == {"hosts-per-domain"}


def test_neighbours_under_a_public_suffix_are_not_counted_together() -> None:
    frontier = open_frontier(limits=frontier_limits(max_hosts_per_domain=2))
    towns = [link(f"padova,comune{n}") for n in range(50)]
    assert not frontier.add([*towns, *(link(f"s{n}") for n in range(50))], 1, "", NOW).cut


def test_seeds_below_a_domain_are_counted_and_not_cut() -> None:
    frontier = open_frontier(limits=frontier_limits(max_hosts_per_domain=5))
    assert not frontier.add_seeds(wildcard(0, 10), NOW).cut
    assert len(frontier.add(wildcard(10, 3), 1, "it,trap)/", NOW).cut) == 3


@pytest.mark.parametrize("limit", [0, 30])
def test_the_suffix_list_is_read_at_the_opening_if_it_is_needed(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """In the middle of a crawl there may be no file descriptor left to read it with."""
    reads: list[None] = []
    monkeypatch.setattr(traps, "load_suffixes", lambda: reads.append(None))
    open_frontier(limits=frontier_limits(max_hosts_per_domain=limit))
    assert len(reads) == bool(limit)

"""What every store, and the frontier on every store, must do. A test module per store runs these suites.

A subclass gives `storage`: a function that opens the same storage again each time it is called, as a new process
would. The store opened before is then not used any more (closed, or left as a crash leaves it).
"""

import threading
from collections.abc import Callable
from math import inf

import pytest

from tests.defaults import frontier_limits
from webgraph_it.frontier import Failure, Kind, Order, Outcome, Store
from webgraph_it.frontier.layout import ROBOTS
from webgraph_it.items import State
from webgraph_it.robots.record import RobotsRecord, Verdict

from .making import CALM, DELAY, NOW, commit, drain, lease_at, link, links, open_frontier

Storage = Callable[[], Store]


class StoreContract:
    """The guarantees in webgraph_it/frontier/store.py."""

    @pytest.fixture
    def storage(self) -> Storage:
        raise NotImplementedError

    def test_an_empty_store_has_nothing(self, storage: Storage) -> None:
        store = storage()
        assert store.get(b"a") is None
        assert store.scan(b"", b"\xff", 10) == []

    def test_committed_values_are_read_back(self, storage: Storage) -> None:
        store = storage()
        store.commit({b"b": b"2", b"a": b"1", b"c": b""})
        assert [store.get(key) for key in (b"a", b"b", b"c", b"d")] == [b"1", b"2", b"", None]

    def test_many_keys_are_read_at_once_in_the_order_given(self, storage: Storage) -> None:
        store = storage()
        store.commit({b"b": b"2", b"a": b"1", b"c": b""})
        assert store.get_many([b"c", b"d", b"a", b"b"]) == [b"", None, b"1", b"2"]
        assert store.get_many([]) == []

    def test_a_later_commit_replaces_and_deletes(self, storage: Storage) -> None:
        store = storage()
        store.commit({b"a": b"1", b"b": b"2"})
        store.commit({b"a": b"3", b"b": None, b"never": None})
        assert list(store.items(b"", b"\xff")) == [(b"a", b"3")]

    def test_ranges_are_ordered_and_half_open(self, storage: Storage) -> None:
        store = storage()
        store.commit({bytes((n,)): b"%d" % n for n in range(0, 250, 7)})
        assert [key[0] for key, _ in store.items(b"\x07", b"\x23")] == [7, 14, 21, 28]
        assert [key[0] for key, _ in store.scan(b"\x08", b"\xff", 2)] == [14, 21]

    def test_an_empty_commit_is_fine(self, storage: Storage) -> None:
        storage().commit({})

    def test_commits_survive_the_store(self, storage: Storage) -> None:
        store = storage()
        store.commit({b"a": b"1"})
        store.commit({b"b": b"2"})
        store.close()
        assert list(storage().items(b"", b"\xff")) == [(b"a", b"1"), (b"b", b"2")]

    def test_many_keys_come_back_in_order(self, storage: Storage) -> None:
        store = storage()
        rows = {(n * 2_654_435_761 % 2**32).to_bytes(4, "big"): b"%d" % n for n in range(60_000)}
        store.commit(rows)
        assert list(store.items(b"", b"\xff" * 5)) == sorted(rows.items())

    def test_reads_go_on_during_a_commit(self, storage: Storage) -> None:
        store = storage()
        store.commit({b"%06d" % n: b"old" for n in range(20_000)})
        writer = threading.Thread(target=store.commit, args=({b"%06d" % n: b"new" for n in range(20_000)},))
        writer.start()
        seen = {store.get(b"%06d" % (n % 20_000)) for n in range(5_000)}
        writer.join()
        assert seen <= {b"old", b"new"}
        assert store.get(b"000000") == b"new"


class FrontierContract:
    """The guarantees in webgraph_it/frontier/__init__.py, on one store."""

    @pytest.fixture
    def storage(self) -> Storage:
        raise NotImplementedError

    def test_a_url_is_new_once(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        first = [link("a", "/1"), link("a", "/2"), link("a", "/1")]
        assert frontier.add(first, 0, "", NOW).new == first[:2]
        commit(frontier)
        assert frontier.add([link("a", "/3"), link("a", "/2")], 1, "it,b)/", NOW).new == [link("a", "/3")]

    def test_a_lease_tells_where_the_url_comes_from(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add([link("a", "/x?y=1")], 3, "it,a)/", NOW, host_depth=1)
        lease = lease_at(frontier, NOW)
        wanted = (
            "http://a.it/x?y=1",
            "it,a)/x?y=1",
            link("a", "/x?y=1").digest,
            3,
            2,
            "it,a)/",
            "it,a",
            0,
            0,
            "",
        )
        assert lease[:10] == wanted

    def test_everything_is_handed_out_once(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        wanted = links("abcdefg", 40)
        for start in range(0, len(wanted), 9):
            frontier.add(wanted[start : start + 9], 0, "", NOW)
            if start % 27 == 0:
                commit(frontier)
        taken = [lease.digest for lease in drain(frontier, NOW)]
        assert len(taken) == len(wanted)
        assert set(taken) == {link.digest for link in wanted}

    def test_a_host_has_one_lease_at_a_time(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("a", 5), 0, "", NOW)
        lease = lease_at(frontier, NOW)
        assert frontier.next(NOW + 99) is None
        frontier.done(lease, Outcome(), NOW)
        assert lease_at(frontier, NOW + 99).key == "it,a)/1"

    def test_spellings_and_ports_of_a_site_are_one_host(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        port = link("a")._replace(key="it,a):8080/", url="https://www.a.it:8080/")
        frontier.add([link("a"), port._replace(digest=b"\1" * 16)], 0, "", NOW)
        lease_at(frontier, NOW)
        assert frontier.next(NOW) is None

    def test_a_host_rests_after_each_fetch(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), CALM)
        frontier.add(links("a", 2), 0, "", NOW)
        frontier.done(lease_at(frontier, NOW), Outcome(duration_seconds=0.5), NOW + 1)
        assert frontier.wake_at() == NOW + 1 + DELAY
        assert frontier.next(NOW + 1 + DELAY - 0.001) is None
        lease_at(frontier, NOW + 1 + DELAY)

    def test_hosts_take_turns(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("a", 50), 0, "", NOW)
        frontier.add(links("bc", 2), 0, "", NOW)
        order = [lease.host for lease in drain(frontier, NOW + 1)]
        assert sorted(order[:3]) == sorted(order[3:6]) == ["it,a", "it,b", "it,c"]

    def test_breadth_takes_depth_then_first_come(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        for path, depth in (("/1", 2), ("/2", 1), ("/3", 2), ("/4", 0), ("/5", 1)):
            frontier.add([link("a", path)], depth, "", NOW)
            commit(frontier)
        assert [lease.key[-2:] for lease in drain(frontier, NOW)] == ["/4", "/2", "/5", "/1", "/3"]

    def test_level_takes_short_paths_first(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), order=Order.LEVEL)
        frontier.add([link("a", path) for path in ("/1/2/3", "/1/2/", "/1", "/1/2?q=/a/b/c")], 0, "", NOW)
        wanted = ["/1", "/1/2?q=/a/b/c", "/1/2/3", "/1/2/"]
        assert [lease.key.partition(")")[2] for lease in drain(frontier, NOW)] == wanted

    def test_a_retry_comes_behind_and_counts(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("a", 2), 0, "", NOW)
        first = lease_at(frontier, NOW)
        frontier.done(first, Outcome(Kind.RETRY, Failure.NETWORK), NOW)
        keys = [(lease.key, lease.attempts) for lease in drain(frontier, NOW)]
        assert keys == [("it,a)/1", 0), ("it,a)/0", 1)]

    def test_another_spelling_comes_next(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("a", 3), 0, "", NOW)
        for n in range(3):
            outcome = Outcome(Kind.SPELLING, url=f"https://www{n}.a.it/0")
            frontier.done(lease_at(frontier, NOW), outcome, NOW)
            commit(frontier)
        lease = lease_at(frontier, NOW)
        assert (lease.url, lease.key, lease.spellings) == ("https://www2.a.it/0", "it,a)/0", 3)

    def test_a_released_url_comes_back_as_it_was(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("a", 2), 0, "", NOW)
        lease = lease_at(frontier, NOW)
        frontier.release(lease, NOW, NOW + 30)
        assert frontier.next(NOW + 29) is None
        assert frontier.next(NOW + 30) == lease

    def test_a_host_is_asked_again_while_its_page_is_read(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), CALM)
        frontier.add(links("a", 2), 0, "", NOW)
        first = lease_at(frontier, NOW)
        frontier.answered(first, Outcome(duration_seconds=0.5), NOW + 1)
        assert frontier.next(NOW + 1 + DELAY - 0.001) is None
        second = lease_at(frontier, NOW + 1 + DELAY)
        assert (second.key, frontier.counts().leased, frontier.counts().queued) == ("it,a)/1", 2, 0)
        frontier.done(first, Outcome(), NOW + 50)  # does not move the clock
        frontier.done(second, Outcome(), NOW + 4)
        assert frontier.counts().done == 2

    def test_a_page_that_was_being_read_comes_back_after_a_crash(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("a", 3), 0, "", NOW)
        frontier.answered(lease_at(frontier, NOW), Outcome(), NOW)
        frontier.done(lease_at(frontier, NOW), Outcome(), NOW)
        commit(frontier)
        taken = [lease.key for lease in drain(open_frontier(storage()), NOW)]
        assert taken == ["it,a)/0", "it,a)/2"]

    def test_links_found_while_their_host_has_nothing_else_are_leased(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("a", 1), 0, "", NOW)
        page = lease_at(frontier, NOW)
        frontier.answered(page, Outcome(), NOW)
        assert (frontier.next(NOW), frontier.wake_at()) == (None, None)
        frontier.add([link("a", "/found")], 1, page.key, NOW)
        frontier.done(page, Outcome(), NOW)
        assert [lease.key for lease in drain(frontier, NOW)] == ["it,a)/found"]

    def test_a_page_that_is_read_is_not_leased_again_when_many_links_come_before_it(
        self, storage: Storage
    ) -> None:
        frontier = open_frontier(storage())
        frontier.add([link("a", "/deep")], 5, "", NOW)
        deep = lease_at(frontier, NOW)
        frontier.answered(deep, Outcome(), NOW)
        frontier.add(links("a", 200), 4, "", NOW)
        frontier.add([link("a", "/deeper")], 6, "", NOW)
        taken = [lease.key for lease in drain(frontier, NOW)]
        assert taken == [*(f"it,a)/{n}" for n in range(200)), "it,a)/deeper"]
        frontier.done(deep, Outcome(), NOW)
        assert frontier.counts().done == 202

    def test_closing_while_a_page_is_read_counts_as_a_crash(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), CALM)
        frontier.add(links("a", 1), 0, "", NOW)
        frontier.answered(lease_at(frontier, NOW), Outcome(crawl_delay_seconds=30.0), NOW)
        frontier.close()
        again = open_frontier(storage(), CALM, now=NOW + 50)
        assert again.next(NOW + 50 + 29.999) is None  # what was learned of the host is kept
        assert lease_at(again, NOW + 50 + 30.001).key == "it,a)/0"

    def test_a_commit_is_all_or_nothing(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("ab", 2), 0, "", NOW)
        commit(frontier, {"lengths": b"1"})
        frontier.done(lease_at(frontier, NOW), Outcome(), NOW)
        frontier.add(links("c", 2), 0, "", NOW)
        frontier.freeze()  # never written: a crash
        again = open_frontier(storage())
        assert again.get_meta("lengths") == b"1"
        assert (again.counts().queued, again.counts().done) == (4, 0)
        assert len(again.add(links("c", 2), 0, "", NOW).new) == 2
        assert len(drain(again, NOW)) == 6

    def test_a_crash_gives_leases_back(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("abc", 2), 0, "", NOW)
        held = [lease_at(frontier, NOW) for _ in range(3)]
        commit(frontier)
        again = open_frontier(storage())
        assert again.counts().queued == 6
        assert {lease.key for lease in held} <= {lease.key for lease in drain(again, NOW)}

    def test_after_a_crash_no_host_is_asked_before_its_delay(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), CALM)
        frontier.add(links("ab", 2), 0, "", NOW)
        lease = lease_at(frontier, NOW)
        frontier.done(lease, Outcome(crawl_delay_seconds=30.0), NOW)
        commit(frontier)
        again = open_frontier(storage(), CALM, now=NOW + 100)
        assert again.next(NOW + 100) is None
        assert again.add([link("new")], 0, "", NOW + 100).new  # it may have been found and asked before, too
        at_once = {lease_at(again, NOW + 100 + DELAY + 0.001).host for _ in range(2)}
        assert at_once == {"it,a", "it,b", "it,new"} - {lease.host}
        assert again.next(NOW + 129.9) is None
        assert lease_at(again, NOW + 130.001).host == lease.host

    def test_a_clean_close_keeps_the_clocks(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), CALM)
        frontier.add(links("ab", 2), 0, "", NOW)
        lease = lease_at(frontier, NOW)
        frontier.done(lease, Outcome(), NOW + 1)
        frontier.close()
        again = open_frontier(storage(), CALM, now=NOW + 2)
        assert lease_at(again, NOW + 2).host != lease.host
        assert again.next(NOW + 1 + DELAY - 0.001) is None
        assert lease_at(again, NOW + 1 + DELAY + 0.001).host == lease.host

    def test_closing_with_leases_out_counts_as_a_crash(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), CALM)
        frontier.add(links("a", 1), 0, "", NOW)
        lease_at(frontier, NOW)
        frontier.close()
        again = open_frontier(storage(), CALM, now=NOW)
        assert again.next(NOW + DELAY - 0.001) is None

    def test_reads_see_live_frozen_and_stored_changes(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add([link("a", "/stored")], 0, "", NOW)
        commit(frontier)
        frontier.add([link("a", "/frozen")], 0, "", NOW)
        frozen = frontier.freeze()
        frontier.add([link("a", "/live")], 0, "", NOW)
        assert not frontier.add([link("a", path) for path in ("/stored", "/frozen", "/live")], 0, "", NOW).new
        taken = [lease.key for lease in drain(frontier, NOW)]
        assert taken == ["it,a)/stored", "it,a)/frozen", "it,a)/live"]
        frozen.write()
        assert frontier.next(NOW) is None
        commit(frontier)
        assert drain(open_frontier(storage()), NOW) == []

    def test_what_a_quota_cut_is_queued_once_when_the_quota_allows_it(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), limits=frontier_limits(max_pages_per_host=1, max_depth=5))
        frontier.add(links("a", 4), 5, "", NOW)
        frontier.add([link("b")], 6, "", NOW)
        frontier.add([link("c")], 1, "", NOW, traps={link("c").digest: "mine"})
        frontier.close()
        frontier = open_frontier(storage(), limits=frontier_limits(max_pages_per_host=3))
        paths = [*links("a", 4), link("b"), link("c")]
        reasons = ["pages-per-host"] * 4 + ["depth", "mine"]
        for expected in ([False, True, True, False, True, False], [False] * 6):
            queued = [
                frontier.reconsider(each, 6, 0, "", why, NOW)
                for each, why in zip(paths, reasons, strict=True)
            ]
            assert queued == expected
        assert frontier.counts().cut == 2
        taken = {lease.key for lease in drain(frontier, NOW)}
        assert taken == {"it,a)/0", "it,a)/1", "it,a)/2", "it,b)/"}

    def test_limits_cut_and_tell_why(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), limits=frontier_limits(max_pages_per_host=2, max_depth=5))
        added = frontier.add(links("a", 4), 5, "", NOW)
        assert [(cut.link.key, cut.state, cut.reason) for cut in added.cut] == [
            ("it,a)/2", State.QUOTA_CUT, "pages-per-host"),
            ("it,a)/3", State.QUOTA_CUT, "pages-per-host"),
        ]
        assert len(added.new) == 4
        assert not frontier.add(links("a", 4), 5, "", NOW).cut
        assert frontier.add([link("b")], 6, "", NOW).cut[0][1:3] == (State.QUOTA_CUT, "depth")
        assert frontier.counts()[:5] == (5, 2, 0, 0, 3)

    def test_metadata_and_robots_are_remembered(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        raw = b"User-agent: *\nDisallow: /\n\xff"
        record = RobotsRecord(Verdict.RULES, "rules", NOW, NOW + 100_000, raw)
        frontier.set_robots("https://a.it", record)
        frontier.put_meta("recipe", b"1")
        frontier.close()
        again = open_frontier(storage())
        assert again.get_meta("recipe") == b"1"
        assert again.get_meta("other") is None
        assert again.robots("https://a.it") == record._replace(expires_at=NOW + 86_400)
        assert again.robots("http://a.it") is None

    def test_a_robots_record_that_cannot_be_read_is_unknown(self, storage: Storage) -> None:
        store = storage()
        store.commit({ROBOTS + b"https://a.it": bytes(16) + b"known\n\x09"})
        assert open_frontier(store).robots("https://a.it") is None

    def test_a_host_that_is_being_asked_is_not_ready(self, storage: Storage) -> None:
        frontier = open_frontier(storage(), CALM)
        frontier.add(links("a", 2), 0, "", NOW)
        assert frontier.host_ready("it,a") <= NOW
        lease = lease_at(frontier, NOW)
        assert frontier.host_ready("it,a") == inf
        frontier.answered(lease, Outcome(), NOW)
        assert frontier.host_ready("it,a") == NOW + DELAY

    def test_hosts_are_reported_in_order(self, storage: Storage) -> None:
        frontier = open_frontier(storage())
        frontier.add(links("bd", 3), 0, "", NOW)
        commit(frontier)
        frontier.add(links("ac", 1), 0, "", NOW)
        frontier.done(lease_at(frontier, NOW), Outcome(failure=Failure.SERVER, address="192.0.2.1"), NOW)
        reports = {report.host: report for report in frontier.hosts()}
        assert list(reports) == ["it,a", "it,b", "it,c", "it,d"]
        touched = next(report for report in reports.values() if report.finished)
        assert (touched.failed, touched.address) == (1, "192.0.2.1")
        assert sum(report.queued for report in reports.values()) == frontier.counts().queued == 7

"""Whose turn it is, by host clocks and address clocks."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.frontier import turns
from webgraph_it.frontier.hosts import Host
from webgraph_it.frontier.turns import Turns

from .making import PATIENT

NOW = 1_000.0


def hosts(count: int, address: str = "") -> list[Host]:
    return [Host(f"it,{address}{n}", address=address) for n in range(count)]


def opened(address_delay: float = 1.0) -> Turns:
    return Turns(address_delay, NOW - 100)


def one_turn(queue: Turns, now: float) -> Host | None:
    """Who is taken; the turn is over at once."""
    host = queue.take(now)
    if host is not None:
        queue.ended(host)
    return host


def test_ready_hosts_come_in_order_of_arrival() -> None:
    all_hosts, queue = hosts(4), opened()
    for host in all_hosts:
        queue.put(host, 0, NOW)
    assert [queue.take(NOW) for _ in range(5)] == [*all_hosts, None]


def test_waiting_hosts_come_in_order_of_time() -> None:
    (a, b, c), queue = hosts(3), opened()
    for host, wait in ((a, 3), (b, 1), (c, 2)):
        queue.put(host, NOW + wait, NOW)
    assert queue.take(NOW) is None
    assert queue.wake_at() == NOW + 1
    assert [queue.take(NOW + 2), queue.take(NOW + 2), queue.take(NOW + 2)] == [b, c, None]
    assert queue.wake_at() == NOW + 3


def test_nothing_to_wait_for_is_none() -> None:
    assert opened().wake_at() is None


def test_hosts_of_one_address_are_spaced_and_keep_their_order() -> None:
    crowd, queue = hosts(3, "192.0.2.1"), opened()
    for host in crowd:
        queue.put(host, 0, NOW)
    assert one_turn(queue, NOW) is crowd[0]
    assert one_turn(queue, NOW + 0.999) is None
    assert queue.wake_at() == NOW + 1
    assert one_turn(queue, NOW + 1) is crowd[1]
    assert one_turn(queue, NOW + 1) is None
    assert one_turn(queue, NOW + 5) is crowd[2]
    assert queue.wake_at() is None


def test_the_next_host_of_an_address_waits_until_the_one_before_has_reached_it() -> None:
    (a, b, c, d), queue = hosts(4, "192.0.2.1"), opened()
    for host in (a, b, c, d):
        queue.put(host, 0, NOW)
    assert queue.take(NOW) is a
    assert queue.take(NOW + 3) is None
    queue.address_used("192.0.2.1", NOW + 3)
    assert queue.wake_at() == NOW + 4
    assert queue.take(NOW + 4) is b
    assert queue.take(NOW + 6) is None
    queue.ended(b)
    assert queue.take(NOW + 6) is c
    assert queue.take(NOW + 6 + turns.ON_THE_WAY_SECONDS - 0.1) is None
    assert queue.take(NOW + 6 + turns.ON_THE_WAY_SECONDS) is d


def test_a_host_that_was_turned_away_has_not_used_the_turn() -> None:
    (a, b), queue = hosts(2, "192.0.2.1"), opened()
    queue.put(a, 0, NOW)
    queue.put(b, 0, NOW)
    assert queue.take(NOW) is a
    assert queue.take(NOW) is None
    queue.ended(a, turned_away=True)
    assert queue.take(NOW) is b


def test_a_host_without_an_address_is_located_before_it_is_taken() -> None:
    (a, b), queue = hosts(2), opened()
    queue.keeps_strangers = True
    queue.put(a, 0, NOW)
    queue.put(b, 0, NOW)
    assert queue.take(NOW) is None
    assert (queue.strangers, queue.wake_at()) == (2, None)
    assert (queue.next_stranger(), queue.next_stranger(), queue.next_stranger()) == (a, b, None)
    queue.located(a.name, "192.0.2.1")
    queue.located(b.name, "192.0.2.1")
    assert (queue.strangers, queue.wake_at()) == (0, 0.0)
    assert queue.take(NOW) is a
    assert queue.take(NOW) is None, "it is in the crowd"
    assert [host for host, _, for_address in queue.waits() if for_address] == [b]


def test_a_host_that_nobody_can_locate_is_taken_once_as_it_is() -> None:
    (a,), queue = hosts(1), opened()
    queue.keeps_strangers = True
    for _ in range(2):
        queue.put(a, 0, NOW)
        assert queue.take(NOW) is None
        assert queue.next_stranger() is a
        queue.located(a.name, "")
        assert queue.take(NOW) is a


def test_a_host_that_was_given_up_is_not_located() -> None:
    (a,), queue = hosts(1), opened()
    queue.keeps_strangers = True
    a.clock = a.clock._replace(given_up=True)
    queue.put(a, 0, NOW)
    assert queue.take(NOW) is a


def test_crowds_leave_room_for_others() -> None:
    queue, all_hosts = opened(), [host for n in range(100) for host in hosts(300, f"192.0.2.{n}")]
    for host in all_hosts:
        queue.put(host, 0, NOW)
    while queue.take(NOW) is not None:
        pass
    in_crowds = len(list(queue.waits()))
    assert 1_000 < in_crowds <= turns.MAX_IN_CROWDS + 100
    assert len(queue.overcrowded) + in_crowds == len(all_hosts) - 100
    smallest = min(len(address.crowd) for address in queue._addresses.values())
    assert smallest >= 1, "no address is left without a next host"


def test_turns_beyond_the_longest_booking_are_promised_again() -> None:
    queue = opened()
    booked = [queue.book("192.0.2.1", NOW) for _ in range(10_000)]
    assert booked[:3] == [NOW - 99, NOW - 98, NOW - 97]
    assert max(booked) <= NOW + turns.LONGEST_BOOKING_SECONDS
    last = booked[-1_000:]
    assert len(set(last)) == 1_000
    assert min(last) >= NOW + turns.LONGEST_BOOKING_SECONDS / 2


def test_a_newcomer_does_not_overtake_the_crowd() -> None:
    (a, b, c), queue = hosts(3, "192.0.2.1"), opened()
    queue.put(a, 0, NOW)
    queue.put(b, 0, NOW)
    assert one_turn(queue, NOW) is a
    assert one_turn(queue, NOW) is None
    queue.put(c, 0, NOW)
    assert one_turn(queue, NOW + 1) is b
    assert one_turn(queue, NOW + 2) is c


def test_a_crowded_address_does_not_hold_up_the_others() -> None:
    crowd, (free,), queue = hosts(50, "192.0.2.1"), hosts(1, "192.0.2.2"), opened()
    for host in [*crowd, free]:
        queue.put(host, 0, NOW)
    assert [queue.take(NOW), queue.take(NOW), queue.take(NOW)] == [crowd[0], free, None]


def test_waiting_for_an_address_costs_no_polling() -> None:
    crowd, queue = hosts(200, "192.0.2.1"), opened()
    for host in crowd:
        queue.put(host, 0, NOW)
    one_turn(queue, NOW)
    assert queue.take(NOW) is None
    assert queue.ready == 0
    assert queue.take(NOW + 1) is crowd[1]
    assert queue.ready == 0  # nobody else was called


def test_an_address_used_elsewhere_is_busy() -> None:
    (a, b), queue = hosts(2, "192.0.2.1"), opened()
    queue.put(a, 0, NOW)
    queue.put(b, 0, NOW)
    assert queue.take(NOW) is a
    assert queue.take(NOW) is None
    queue.address_used("192.0.2.1", NOW + 0.5)
    assert queue.take(NOW + 1) is None
    assert queue.wake_at() == NOW + 1.5
    assert queue.take(NOW + 1.5) is b


def test_a_reservation_for_a_lease_does_not_delay_its_own_socket() -> None:
    (a,), queue = hosts(1, "192.0.2.1"), opened()
    queue.put(a, 0, NOW)
    queue.take(NOW)
    assert queue.address_ready("192.0.2.1", NOW) == NOW


def test_no_address_is_asked_right_after_the_opening() -> None:
    (a,), queue = hosts(1, "192.0.2.1"), Turns(1.0, NOW)
    queue.put(a, 0, NOW)
    assert queue.take(NOW) is None
    assert queue.take(NOW + 1) is a


def test_too_large_a_crowd_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MAX_IN_CROWDS", 2 * turns.CROWD_SHARE + 1)
    crowd, queue = hosts(5, "192.0.2.1"), opened()
    for host in crowd:
        queue.put(host, 0, NOW)
    queue.take(NOW)
    queue.take(NOW)
    assert queue.overcrowded == [(crowd[3], NOW + 3), (crowd[4], NOW + 4)], "each has its own turn"


def test_whoever_leaves_a_crowd_leaves_room_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MAX_IN_CROWDS", 3 * turns.CROWD_SHARE)
    crowd, queue = hosts(3, "192.0.2.1"), opened()
    for round_ in range(20):
        for host in crowd:
            queue.put(host, 0, NOW)
        taken = [one_turn(queue, NOW + 3 * round_ + n // 2) for n in range(6)]
        assert (taken, queue.overcrowded) == ([crowd[0], None, crowd[1], None, crowd[2], None], [])
    assert list(queue.waits()) == []


def test_idle_addresses_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "ADDRESSES_KEPT", 10)
    queue = opened()
    for n in range(1000):
        queue.address_used(f"192.0.2.{n}", NOW + n)
    assert len(queue._addresses) <= 11


def test_addresses_that_are_all_in_use_are_not_searched_for_each_new_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "ADDRESSES_KEPT", 10)
    searches: list[float] = []
    forget = Turns._forget_idle

    def counted(queue: Turns, now: float) -> None:
        searches.append(now)
        forget(queue, now)

    monkeypatch.setattr(Turns, "_forget_idle", counted)
    queue = opened(address_delay=10_000.0)
    for n in range(1000):
        queue.address_used(f"192.0.2.{n}", NOW)
    assert len(queue._addresses) == 1000
    assert len(searches) < 10


@PATIENT
@given(
    st.lists(st.tuples(st.sampled_from(["", "1", "2"]), st.floats(0, 5)), max_size=30),
    st.lists(st.floats(0, 0.9), max_size=5),
)
def test_all_are_taken_once_none_early_and_addresses_are_spaced(
    wanted: list[tuple[str, float]], used: list[float]
) -> None:
    queue = opened()
    due = {Host(f"it,{n}", address=address): NOW + wait for n, (address, wait) in enumerate(wanted)}
    for host, time in due.items():
        queue.put(host, time, NOW)
    for wait in used:
        queue.address_used("1", NOW + wait)
    now, taken, last = NOW, set(), {"1": NOW + max(used, default=-9), "2": NOW - 9}
    while (wake_at := queue.wake_at()) is not None:
        now = max(now, wake_at)
        while (one := one_turn(queue, now)) is not None:
            assert due[one] <= now
            assert one not in taken
            taken.add(one)
            if one.address:
                assert now >= last[one.address] + 1
                last[one.address] = now
    assert taken == set(due)


class Leases:
    """As a member of a fleet has them."""

    def __init__(self) -> None:
        self.ready: dict[str, float] = {}
        self.wanted: list[str] = []

    def ready_at(self, name: str, now: float) -> float:
        return self.ready.get(name, inf)

    def want(self, name: str, now: float) -> None:
        self.wanted.append(name)


def leasing() -> tuple[Turns, Leases]:
    queue, leases = opened(), Leases()
    queue.leases = leases
    return queue, leases


def test_a_host_waits_until_its_address_is_leased() -> None:
    (a, b), (queue, leases) = hosts(2, "192.0.2.1"), leasing()
    for host in (a, b):
        queue.put(host, 0, NOW)
    assert queue.take(NOW) is None
    assert set(leases.wanted) == {"192.0.2.1"}
    assert queue.is_needed("192.0.2.1")
    assert queue.wake_at() is None
    leases.ready["192.0.2.1"] = NOW + 2
    queue.leased("192.0.2.1", NOW + 2, NOW)
    assert queue.take(NOW + 1.9) is None
    assert queue.wake_at() == NOW + 2
    assert one_turn(queue, NOW + 2) is a
    assert one_turn(queue, NOW + 3) is b


def test_a_lease_that_has_run_out_stops_the_crowd_until_the_next() -> None:
    crowd, (queue, leases) = hosts(3, "192.0.2.1"), leasing()
    leases.ready["192.0.2.1"] = NOW
    for host in crowd:
        queue.put(host, 0, NOW)
    assert one_turn(queue, NOW) is crowd[0]
    leases.ready.clear()
    assert queue.take(NOW + 1) is None
    assert queue.wake_at() is None
    leases.ready["192.0.2.1"] = NOW + 5
    queue.leased("192.0.2.1", NOW + 5, NOW + 5)
    assert one_turn(queue, NOW + 5) is crowd[1]
    assert one_turn(queue, NOW + 6) is crowd[2]
    assert not queue.is_needed("192.0.2.1")


def test_a_host_that_comes_while_a_new_lease_rests_waits_for_it() -> None:
    (a,), (queue, leases) = hosts(1, "192.0.2.1"), leasing()
    leases.ready["192.0.2.1"] = NOW + 2
    queue.leased("192.0.2.1", NOW + 2, NOW)
    queue.put(a, 0, NOW)
    assert queue.take(NOW + 1) is None
    assert queue.wake_at() == NOW + 2
    assert queue.take(NOW + 2) is a


def test_an_address_without_a_lease_is_busy_and_wanted() -> None:
    """For requests that do not wait in its crowd, such as a redirected robots.txt."""
    queue, leases = leasing()
    assert queue.address_ready("192.0.2.1", NOW) > NOW
    assert queue.book("192.0.2.2", NOW) > NOW
    assert leases.wanted == ["192.0.2.1", "192.0.2.2"]
    leases.ready["192.0.2.1"] = NOW
    assert queue.address_ready("192.0.2.1", NOW) == NOW
    assert queue.is_ours("192.0.2.1", NOW)
    assert not queue.is_ours("192.0.2.2", NOW)


def test_addresses_of_an_ipv6_network_have_one_clock_and_one_lease() -> None:
    (a,), (b,), (queue, leases) = hosts(1, "2001:db8::1"), hosts(1, "2001:db8::2"), leasing()
    leases.ready["2001:db8::/64"] = NOW
    for host in (a, b):
        queue.put(host, 0, NOW)
    assert one_turn(queue, NOW) is a
    assert queue.take(NOW + 0.9) is None
    assert one_turn(queue, NOW + 1) is b

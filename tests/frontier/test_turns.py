"""Whose turn it is, by host clocks and address clocks."""

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
    assert queue.take(NOW) is crowd[0]
    assert queue.take(NOW + 0.999) is None
    assert queue.wake_at() == NOW + 1
    assert queue.take(NOW + 1) is crowd[1]
    assert queue.take(NOW + 1) is None
    assert queue.take(NOW + 5) is crowd[2]
    assert queue.wake_at() is None


def test_a_newcomer_does_not_overtake_the_crowd() -> None:
    (a, b, c), queue = hosts(3, "192.0.2.1"), opened()
    queue.put(a, 0, NOW)
    queue.put(b, 0, NOW)
    assert queue.take(NOW) is a
    assert queue.take(NOW) is None
    queue.put(c, 0, NOW)
    assert queue.take(NOW + 1) is b
    assert queue.take(NOW + 2) is c


def test_a_crowded_address_does_not_hold_up_the_others() -> None:
    crowd, (free,), queue = hosts(50, "192.0.2.1"), hosts(1, "192.0.2.2"), opened()
    for host in [*crowd, free]:
        queue.put(host, 0, NOW)
    assert [queue.take(NOW), queue.take(NOW), queue.take(NOW)] == [crowd[0], free, None]


def test_waiting_for_an_address_costs_no_polling() -> None:
    crowd, queue = hosts(200, "192.0.2.1"), opened()
    for host in crowd:
        queue.put(host, 0, NOW)
    queue.take(NOW)
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
    monkeypatch.setattr(turns, "MOST_IN_CROWD", 2)
    crowd, queue = hosts(5, "192.0.2.1"), opened()
    for host in crowd:
        queue.put(host, 0, NOW)
    queue.take(NOW)
    queue.take(NOW)
    assert queue.overcrowded == [(crowd[3], NOW + 3), (crowd[4], NOW + 3)]


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
        while (one := queue.take(now)) is not None:
            assert due[one] <= now
            assert one not in taken
            taken.add(one)
            if one.address:
                assert now >= last[one.address] + 1
                last[one.address] = now
    assert taken == set(due)

"""Which hosts are in memory, and whose turn it is: each host is in exactly one state."""

import pytest

from webgraph_it.frontier import MemoryStore, Politeness, roster
from webgraph_it.frontier.hosts import Host
from webgraph_it.frontier.layers import Layers
from webgraph_it.frontier.roster import Roster
from webgraph_it.frontier.state import Totals

from .making import CALM, DELAY, EAGER, NOW


def make(policy: Politeness = EAGER, totals: Totals | None = None) -> Roster:
    return Roster(Layers(MemoryStore()), totals or Totals(), policy, NOW)


def entered(hosts: Roster, *names: str) -> list[Host]:
    """Hosts with one URL each."""
    made = [Host(name, queued=1, accepted=1) for name in names]
    for host in made:
        hosts.enter(host, NOW)
        hosts.save(host)
    return made


def test_hosts_are_taken_in_the_order_they_entered() -> None:
    hosts = make()
    entered(hosts, "it,b", "it,a")
    assert [host.name for host in iter(lambda: hosts.take(NOW), None)] == ["it,b", "it,a"]


def test_a_list_of_new_hosts_enters_as_single_ones_do() -> None:
    one_by_one, together = make(), make()
    for host in (Host("it,a", queued=1, accepted=1), Host("it,b", queued=1, accepted=1)):
        one_by_one._totals.next_number()  # of its URL
        one_by_one.enter(host, NOW)
        one_by_one.save(host)
    first = together._totals.next_numbers(4)
    together.enter_new([b"it,a", b"it,b"], first + 1, NOW)
    assert together._layers._live.values == one_by_one._layers._live.values
    assert together._totals == one_by_one._totals
    assert together.wake_at() == one_by_one.wake_at() == NOW


def test_only_hosts_that_were_saved_are_known() -> None:
    hosts = make()
    entered(hosts, "it,a")
    assert {name: host.queued for name, host in hosts.known({"it,a", "it,b"}).items()} == {"it,a": 1}
    assert hosts.host("it,b").queued == 0


def test_a_host_without_urls_leaves() -> None:
    totals = Totals()
    hosts = make(totals=totals)
    entered(hosts, "it,a")
    host = hosts.take(NOW)
    assert host is not None
    host.queued = 0
    hosts.put(host, NOW)
    assert (totals.hosts_with_urls, host.line, hosts.wake_at()) == (0, b"", None)


def test_a_host_with_nothing_but_pages_that_are_read_rests() -> None:
    hosts = make()
    entered(hosts, "it,a")
    host = hosts.take(NOW)
    assert host is not None
    host.reading.append(b"its only entry")
    hosts.put(host, NOW)
    assert hosts.resting == {host}
    assert hosts.take(NOW + 1_000) is None
    host.reading.clear()
    hosts.put(host, NOW)
    assert not hosts.resting
    assert hosts.take(NOW) is host


def test_after_a_crash_nobody_is_asked_before_the_delay_since_the_opening() -> None:
    hosts = make(CALM, Totals(unknown_until=NOW))
    entered(hosts, "it,a")
    assert hosts.take(NOW + DELAY - 0.01) is None
    assert hosts.wake_at() == NOW + DELAY
    assert hosts.take(NOW + DELAY) is not None


def test_a_host_makes_room_after_its_quantum_if_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roster, "ACTIVE_HOSTS", 1)
    hosts = make()
    entered(hosts, "it,a", "it,b")
    host = hosts.take(NOW)
    assert host is not None
    assert host.name == "it,a"
    host.served = roster.QUANTUM
    hosts.put(host, NOW)
    second = hosts.take(NOW)
    assert second is not None
    assert second.name == "it,b"

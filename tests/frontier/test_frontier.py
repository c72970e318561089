"""The frontier against a model: a dict of URLs and a clock per host, with everything that may happen to them.

The model knows nothing of windows, lines, layers or turns. It says which URLs exist, in which order a host's come,
when a host may be asked, and what the last commit was. The frontier runs with room for three hosts and two
entries each, so that every way of getting rid of memory is taken all the time.
"""

import copy
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.defaults import frontier_limits, politeness
from webgraph_it.frontier import (
    Failure,
    Frontier,
    FrontierError,
    Frozen,
    Kind,
    Lease,
    MemoryStore,
    Order,
    Outcome,
    RocksStore,
    Store,
    roster,
    turns,
)
from webgraph_it.frontier.layout import STATE
from webgraph_it.frontier.politeness import Clock
from webgraph_it.items import State

from .making import CALM, DELAY, EAGER, NOW, PATIENT, commit, drain, lease_at, link, links, open_frontier

HOSTS = "abcdefg"
ADDRESSES = st.sampled_from(["", "192.0.2.1"])
"""Which line a host stands in depends on whether its address is known."""
POLICY = politeness(
    host_delay_seconds=DELAY,
    delay_factor=5,
    address_delay_seconds=0,
    back_off_seconds=4,
    park_after_failures=3,
    park_seconds=100,
    park_times=1,
)


@dataclass
class Known:
    """The model of what a commit holds."""

    queues: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)
    """host → (depth, number, key), leased ones and those being read included."""
    attempts: dict[str, int] = field(default_factory=dict)
    """By key, of all URLs ever seen."""
    clocks: dict[str, Clock] = field(default_factory=dict)
    finished: set[str] = field(default_factory=set)


class FrontierMachine(RuleBasedStateMachine):
    """Rules are what may happen; each checks what it can see."""

    make_store: Callable[[], Store]

    @initialize()
    def start(self) -> None:
        self.store = self.make_store()
        self.now = NOW
        self.numbers = 0
        self.known = Known()
        self.committed = copy.deepcopy(self.known)
        self.leases: dict[str, Lease] = {}
        self.reading: dict[str, Lease] = {}
        """By key: answered and not done."""
        self.frozen: Frozen | None = None
        self.to_be_committed = self.committed
        self.floor = 0.0
        self.open(clean=True)

    def open(self, clean: bool) -> None:
        self.known = copy.deepcopy(self.committed)
        self.leases.clear()
        self.reading.clear()
        self.frozen = None
        if not clean:
            self.floor = self.now
        self.frontier = Frontier.open(self.store, POLICY, Order.BREADTH, frontier_limits(), self.now)

    # -- what happens -----------------------------------------------------------------------------------------

    @rule(
        wanted=st.lists(st.tuples(st.sampled_from(HOSTS), st.integers(0, 40)), max_size=12),
        depth=st.integers(0, 3),
    )
    def add(self, wanted: list[tuple[str, int]], depth: int) -> None:
        batch = [link(host, f"/{path}") for host, path in wanted]
        new = list({link.key: link for link in batch if link.key not in self.known.attempts}.values())
        assert self.frontier.add(batch, depth, "", self.now).new == new
        for one in new:
            self.known.attempts[one.key] = 0
            self.enqueue(one.key, depth)

    @rule()
    def take(self) -> None:
        lease = self.frontier.next(self.now)
        if lease is None:
            assert not self.ready_hosts(), f"{self.frontier} kept {self.ready_hosts()}"
        else:
            self.leased(lease)
            self.leases[lease.host] = lease

    @precondition(lambda self: self.leases)
    @rule(
        data=st.data(),
        kind=st.sampled_from(Kind),
        failure=st.sampled_from(Failure),
        duration=st.sampled_from([0.0, 0.5, 3.0]),
        retry_after=st.sampled_from([None, 7.0, 80.0]),
        fetched=st.booleans(),
        address=ADDRESSES,
    )
    def end(
        self,
        data: st.DataObject,
        kind: Kind,
        failure: Failure,
        duration: float,
        retry_after: float | None,
        fetched: bool,
        address: str,
    ) -> None:
        lease = self.leases.pop(data.draw(st.sampled_from(sorted(self.leases))))
        if kind is Kind.RETRY and not self.frontier.may_retry(lease):
            kind = Kind.FINISHED
        outcome = Outcome(
            kind, failure, fetched, duration, address, retry_after_seconds=retry_after, url="https://x.it/"
        )
        self.frontier.done(lease, outcome, self.now)
        self.ended(lease, outcome)

    def ended(self, lease: Lease, outcome: Outcome) -> None:
        queue = self.known.queues[lease.host]
        (entry,) = [entry for entry in queue if entry[2] == lease.key]
        if outcome.kind is not Kind.SPELLING:
            queue.remove(entry)
        if outcome.kind is Kind.FINISHED:
            self.known.finished.add(lease.key)
        if outcome.kind is Kind.RETRY:
            self.known.attempts[lease.key] += 1
            self.enqueue(lease.key, entry[0])
        clock = self.known.clocks[lease.host]
        self.known.clocks[lease.host] = POLICY.after(clock, outcome, self.now)

    @precondition(lambda self: self.leases)
    @rule(
        data=st.data(),
        failure=st.sampled_from(Failure),
        duration=st.sampled_from([0.0, 3.0]),
        address=ADDRESSES,
    )
    def answer(self, data: st.DataObject, failure: Failure, duration: float, address: str) -> None:
        lease = self.leases.pop(data.draw(st.sampled_from(sorted(self.leases))))
        outcome = Outcome(failure=failure, duration_seconds=duration, address=address)
        self.frontier.answered(lease, outcome, self.now)
        self.reading[lease.key] = lease
        self.known.clocks[lease.host] = POLICY.after(self.known.clocks[lease.host], outcome, self.now)

    @precondition(lambda self: self.reading)
    @rule(data=st.data(), kind=st.sampled_from(Kind))
    def end_reading(self, data: st.DataObject, kind: Kind) -> None:
        lease = self.reading.pop(data.draw(st.sampled_from(sorted(self.reading))))
        if kind is Kind.RETRY and not self.frontier.may_retry(lease):
            kind = Kind.FINISHED
        outcome = Outcome(kind, Failure.SERVER, duration_seconds=9.0, url="https://x.it/")
        clock = self.known.clocks[lease.host]
        self.frontier.done(lease, outcome, self.now)
        self.ended(lease, outcome)
        self.known.clocks[lease.host] = clock  # it learned of the host when it was answered

    @rule(fetches=st.integers(1, 15), failure=st.sampled_from([Failure.NONE, Failure.NONE, Failure.SERVER]))
    def work(self, fetches: int, failure: Failure) -> None:
        """Some fetches in a row, each as soon as the frontier says."""
        for _ in range(fetches):
            wake_at = self.frontier.wake_at()
            if wake_at is None:
                return
            self.now = max(self.now, wake_at)
            lease = self.frontier.next(self.now)
            if lease is not None:
                self.leased(lease)
                self.frontier.done(lease, Outcome(failure=failure), self.now)
                self.ended(lease, Outcome(failure=failure))
        self.check_counts()

    @rule(host=st.sampled_from(HOSTS), depth=st.integers(0, 3))
    def add_many(self, host: str, depth: int) -> None:
        self.add([(host, 100 * depth + path) for path in range(12)], depth)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), wait=st.sampled_from([0.0, 3.0, 70.0]), address=st.none() | ADDRESSES)
    def give_back(self, data: st.DataObject, wait: float, address: str | None) -> None:
        lease = self.leases.pop(data.draw(st.sampled_from(sorted(self.leases))))
        self.frontier.release(lease, self.now, self.now + wait, busy_address=address)
        clock = self.known.clocks[lease.host]
        self.known.clocks[lease.host] = clock._replace(ready_at=max(clock.ready_at, self.now + wait))

    @rule(seconds=st.sampled_from([0.5, DELAY, 11.0, 101.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: self.frozen is None)
    @rule()
    def freeze(self) -> None:
        self.frozen = self.frontier.freeze()
        self.to_be_committed = copy.deepcopy(self.known)

    @precondition(lambda self: self.frozen is not None)
    @rule(forget=st.booleans())
    def write(self, forget: bool) -> None:
        assert self.frozen is not None
        self.frozen.write({"finished": str(len(self.to_be_committed.finished)).encode()})
        if forget:
            self.frontier.forget(self.frozen)
        self.frozen = None
        self.committed = self.to_be_committed

    @rule()
    def crash(self) -> None:
        self.store = self.reopened_store()
        self.open(clean=False)
        assert int(self.frontier.get_meta("finished") or 0) == len(self.known.finished)

    @precondition(lambda self: self.frozen is None)
    @rule()
    def restart(self) -> None:
        clean = not self.leases and not self.reading
        self.frontier.close({"finished": str(len(self.known.finished)).encode()})
        self.committed = copy.deepcopy(self.known)
        self.store = self.reopened_store()
        self.open(clean)

    def reopened_store(self) -> Store:
        self.store.close()
        return self.store

    # -- what holds -------------------------------------------------------------------------------------------

    def enqueue(self, key: str, depth: int) -> None:
        self.numbers += 1
        self.known.queues.setdefault(key.partition(")")[0], []).append((depth, self.numbers, key))

    def ready_at(self, host: str) -> float:
        clock = self.known.clocks.get(host, Clock())
        delay = POLICY.delay(clock.duration_seconds, clock.crawl_delay_seconds)
        return max(clock.ready_at, self.floor + delay)

    def ready_hosts(self) -> list[str]:
        """Those that must be offered. A host that is leased or being read takes one of the active places."""
        held = {lease.host for lease in (*self.leases.values(), *self.reading.values())}
        if len(held) >= roster.ACTIVE_HOSTS:
            return []
        hosts = (host for host, queue in self.known.queues.items() if queue and host not in held)
        return [host for host in hosts if self.ready_at(host) <= self.now]

    def free(self, host: str) -> list[tuple[int, int, str]]:
        """The entries of a host that may be leased."""
        return [entry for entry in self.known.queues[host] if entry[2] not in self.reading]

    def leased(self, lease: Lease) -> None:
        assert lease.host not in self.leases, "two leases on one host"
        assert self.now >= self.ready_at(lease.host), "too early"
        assert lease.key == min(self.free(lease.host))[2], "out of order"
        assert lease.attempts == self.known.attempts[lease.key]
        clock = self.known.clocks.get(lease.host, Clock())
        assert lease.given_up == clock.given_up
        self.known.clocks[lease.host] = clock._replace(parked=False)  # its time has come

    def teardown(self) -> None:
        if not hasattr(self, "frontier"):
            return
        self.check_counts()
        for lease in self.leases.values():
            self.frontier.release(lease, self.now, self.now)
        for lease in self.reading.values():
            self.frontier.done(lease, Outcome(), self.now)
            self.ended(lease, Outcome())
        left = {entry[2] for queue in self.known.queues.values() for entry in queue}
        taken = [lease.key for lease in drain(self.frontier, self.now)]
        assert sorted(taken) == sorted(left), "lost or twice"
        assert self.frontier.counts().queued == 0
        assert not [report for report in self.frontier.hosts() if report.queued]
        self.store.close()

    def check_counts(self) -> None:
        counts, queues = self.frontier.counts(), self.known.queues.values()
        assert counts.seen == len(self.known.attempts)
        assert counts.done == len(self.known.finished)
        leased = len(self.leases) + len(self.reading)
        assert (counts.leased, counts.queued) == (leased, sum(map(len, queues)) - leased)
        assert counts.hosts == len(self.known.queues)
        parked = {h for h, c in self.known.clocks.items() if c.parked and self.known.queues[h]}
        assert counts.hosts_parked == len(parked - set(self.leases))
        all_hosts = counts.hosts_ready + counts.hosts_waiting + counts.hosts_parked + len(self.leases)
        assert all_hosts == sum(map(bool, queues))


SMALL: dict[str, Any] = {
    "ACTIVE_HOSTS": 3,
    "PREFETCH": 2,
    "QUANTUM": 2,
    "LINE_PREFETCH": 2,
    "WAKE_AT_ONCE": 2,
    # A host that has to wait at all makes room: then the model knows who must be offered.
    "LONG_WAIT_SECONDS": 0.0,
    "SHORT_WAIT_SECONDS": 0.0,
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SMALL.items():
        monkeypatch.setattr(roster, name, value)


def run_machine(make_store: Callable[[], Store], examples: int, reopen: bool = False) -> None:
    class Machine(FrontierMachine):
        def reopened_store(self) -> Store:
            self.store.close()
            return RocksStore(self.directory) if reopen else self.store

    Machine.make_store = lambda self: _made(self, make_store)  # type: ignore[method-assign,assignment]
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=60,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def _made(machine: Any, make_store: Callable[[], Store]) -> Store:
    store = make_store()
    machine.directory = getattr(store, "_directory", None)
    return store


@pytest.mark.usefixtures("small")
def test_the_frontier_is_its_model_when_memory_is_tight() -> None:
    run_machine(MemoryStore, 120)


def test_the_frontier_is_its_model_when_memory_is_ample() -> None:
    run_machine(MemoryStore, 60)


@pytest.mark.usefixtures("small")
def test_the_frontier_is_its_model_on_disk() -> None:
    with tempfile.TemporaryDirectory() as directory:
        numbers = iter(range(10**9))
        run_machine(lambda: RocksStore(f"{directory}/{next(numbers)}"), 12, reopen=True)


# -- what the model leaves out --------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_hosts_that_wait_after_a_crash_keep_no_ready_host_out() -> None:
    store = MemoryStore()
    frontier = open_frontier(store, POLICY)
    frontier.add(links("abc", 2), 0, "", NOW)
    for _ in range(roster.ACTIVE_HOSTS):
        frontier.answered(lease_at(frontier, NOW), Outcome(failure=Failure.SERVER), NOW)
    commit(frontier)
    frontier = open_frontier(store, POLICY)
    frontier.add(links("d", 1), 0, "", NOW)
    assert lease_at(frontier, NOW + DELAY).host == "it,d"


def test_a_lease_ends_once() -> None:
    frontier = open_frontier()
    frontier.add(links("a", 2), 0, "", NOW)
    lease = lease_at(frontier, NOW)
    frontier.done(lease, Outcome(), NOW)
    with pytest.raises(ValueError, match="is not leased"):
        frontier.done(lease, Outcome(), NOW)
    lease_at(frontier, NOW)
    with pytest.raises(ValueError, match="is not leased"):
        frontier.release(lease, NOW, NOW)


def test_a_url_is_tried_a_bounded_number_of_times() -> None:
    frontier = open_frontier(policy=EAGER._replace(retry_times=2, park_after_failures=99))
    frontier.add(links("a", 1), 0, "", NOW)
    for attempt in range(2):
        lease = lease_at(frontier, NOW)
        assert (lease.attempts, frontier.may_retry(lease)) == (attempt, True)
        frontier.done(lease, Outcome(Kind.RETRY, Failure.SERVER), NOW)
    last = lease_at(frontier, NOW)
    assert not frontier.may_retry(last)
    with pytest.raises(ValueError, match="tried 3 times"):
        frontier.done(last, Outcome(Kind.RETRY, Failure.SERVER), NOW)
    frontier.done(last, Outcome(failure=Failure.SERVER), NOW)
    assert frontier.counts().done == 1


def test_a_dead_host_is_parked_and_then_given_up_so_that_the_crawl_ends() -> None:
    policy = EAGER._replace(park_after_failures=3, park_seconds=100, park_times=2)
    frontier = open_frontier(policy=policy)
    frontier.add(links("a", 500), 0, "", NOW)
    fetches, now = 0, NOW
    while (wake_at := frontier.wake_at()) is not None:
        now = max(now, wake_at)
        while (lease := frontier.next(now)) is not None:
            fetches += not lease.given_up
            outcome = Outcome(failure=Failure.DNS) if not lease.given_up else Outcome(fetched=False)
            frontier.done(lease, outcome, now)
    assert (fetches, now, frontier.counts().done) == (3 + 1 + 1, NOW + 200, 500)


def test_parked_hosts_are_counted() -> None:
    frontier = open_frontier(policy=EAGER._replace(park_after_failures=1, park_seconds=100))
    frontier.add(links("ab", 2), 0, "", NOW)
    frontier.done(lease_at(frontier, NOW), Outcome(failure=Failure.NETWORK), NOW)
    assert repr(frontier) == "<Frontier 3 queued, 0 leased, 1 done | hosts: 1 ready, 0 waiting, 1 parked>"
    assert sum(report.parked for report in frontier.hosts()) == 1


def test_a_crowded_address_serves_its_hosts_in_turn() -> None:
    frontier = open_frontier(policy=EAGER._replace(address_delay_seconds=1.0), now=NOW - 10)
    frontier.add(links(HOSTS, 2), 0, "", NOW)
    for _ in HOSTS:
        frontier.done(lease_at(frontier, NOW), Outcome(address="192.0.2.1"), NOW)
    starts = []
    now = NOW
    while (wake_at := frontier.wake_at()) is not None:
        now = max(now, wake_at)
        if (lease := frontier.next(now)) is not None:
            starts.append((now, lease.host))
            frontier.done(lease, Outcome(), now)
    assert [time for time, _ in starts] == [NOW + n for n in range(len(HOSTS))]
    assert {host for _, host in starts} == {f"it,{name}" for name in HOSTS}


def test_an_overcrowded_address_sends_hosts_back_to_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MAX_IN_CROWDS", 2 * turns.CROWD_SHARE)
    test_a_crowded_address_serves_its_hosts_in_turn()


SHARED = EAGER._replace(address_delay_seconds=1.0)


def located(frontier: Frontier, where: Callable[[str], str]) -> int:
    """Locate all strangers; how many there were."""
    found = 0
    while (stranger := frontier.next_stranger()) is not None:
        assert stranger.url.startswith(f"http://{stranger.host.removeprefix('it,')}.it/")
        frontier.located(stranger.host, where(stranger.host))
        found += 1
    return found


@PATIENT
@given(
    st.lists(st.tuples(st.sampled_from(["", "1", "2", "3"]), st.integers(1, 3)), max_size=25),
    st.lists(st.sampled_from(["", "1", "2"]), max_size=40),
    st.booleans(),
)
def test_all_are_fetched_and_no_lease_waits_for_an_address(
    sites: list[tuple[str, int]], moves: list[str], tight: bool
) -> None:
    """Names move to other addresses at any time, so that the frontier is wrong about where they are."""
    with pytest.MonkeyPatch.context() as patch:
        if tight:
            patch.setattr(turns, "MAX_IN_CROWDS", 2 * turns.CROWD_SHARE)
            patch.setattr(roster, "MAX_STRANGERS", 2)
            for name, value in SMALL.items():
                patch.setattr(roster, name, value)
        frontier = open_frontier(policy=SHARED)
        frontier.locate_first()
        where = {f"it,h{n}": address for n, (address, _) in enumerate(sites)}
        frontier.add(
            [link(f"h{n}", f"/{p}") for n, (_, pages) in enumerate(sites) for p in range(pages)], 0, "", NOW
        )
        now, used, fetched, surprises = NOW, {}, [], iter(moves)
        while True:
            located(frontier, where.__getitem__)
            lease = frontier.next(now)
            if lease is None:
                if located(frontier, where.__getitem__):
                    continue
                wake_at = frontier.wake_at()
                if wake_at is None:
                    break
                assert wake_at > now, "it said now, but nothing was ready"
                now = wake_at
                continue
            where[lease.host] = address = next(surprises, where[lease.host])
            if address and frontier.address_ready(address, now) > now:
                frontier.release(lease, now, now, busy_address=address)
                assert address != lease.address, "it was handed out too early"
                continue
            if address:
                assert now >= used.get(address, NOW) + 1, "two requests too close to each other"
                used[address] = now
                frontier.address_used(address, now)
            fetched.append(lease.key)
            assert lease.attempts == 0
            frontier.done(lease, Outcome(address=address), now)
        assert sorted(fetched) == sorted(
            f"it,h{n})/{p}" for n, (_, pages) in enumerate(sites) for p in range(pages)
        )


def test_first_contacts_and_known_hosts_take_turns(small: None) -> None:
    frontier = open_frontier()
    frontier.add(links("ab", 40), 0, "", NOW)
    for _ in range(4):
        frontier.done(lease_at(frontier, NOW), Outcome(address="192.0.2.1"), NOW)
    frontier.add(links([f"new{n}" for n in range(300)], 1), 0, "", NOW)
    order = [lease.host for lease in drain(frontier, NOW)]
    known = [place for place, host in enumerate(order) if host in ("it,a", "it,b")]
    assert len(known) == 76
    assert known[-1] < 200, "strangers keep known hosts waiting"
    assert len([host for host in order[:100] if "new" in host]) > 20, "known hosts keep strangers waiting"


def test_hosts_without_an_address_are_strangers_until_located() -> None:
    frontier = open_frontier(policy=SHARED, now=NOW - 10)
    frontier.locate_first()
    frontier.add(links("abc", 2), 0, "", NOW)
    assert frontier.next(NOW) is None
    assert frontier.wake_at() is None
    assert located(frontier, lambda host: "192.0.2.1" if host < "it,c" else "") == 3
    first, last = lease_at(frontier, NOW), lease_at(frontier, NOW)
    assert (first.host, first.address, last.host, last.address) == ("it,a", "192.0.2.1", "it,c", "")
    assert frontier.next(NOW) is None


def test_a_host_that_was_refused_at_its_address_takes_its_turn_there() -> None:
    frontier = open_frontier(policy=SHARED, now=NOW - 10)
    frontier.add(links("a", 1), 0, "", NOW)
    frontier.address_used("192.0.2.1", NOW)
    lease = lease_at(frontier, NOW)
    frontier.release(lease, NOW, NOW, busy_address="192.0.2.1")
    assert frontier.next(NOW) is None
    assert frontier.wake_at() == NOW + 1
    again = lease_at(frontier, NOW + 1)
    assert (again.url, again.attempts, again.address) == (lease.url, 0, "192.0.2.1")


def test_a_crowd_on_one_address_is_looked_at_about_once() -> None:
    """Twenty thousand hosts on one address, an hour and a half: the line is not searched again and again."""
    frontier = open_frontier(policy=SHARED, now=NOW - 10)
    frontier.locate_first()
    frontier.add(links([f"crowd{n}" for n in range(20_000)], 1), 0, "", NOW)
    roster_of = frontier._roster
    looks, longest, active, taken, now = 0, 0, 0, 0, NOW
    wake_one = roster_of._wake_one

    def counting(*arguments: Any) -> None:
        nonlocal looks
        looks += 1
        wake_one(*arguments)

    roster_of._wake_one = counting  # type: ignore[method-assign]
    while now < NOW + 5_400:
        before = looks
        lease = frontier.next(now)
        longest, active = max(longest, looks - before), max(active, len(roster_of._active))
        if lease is not None:
            taken += 1
            frontier.address_used("192.0.2.1", now)
            frontier.done(lease, Outcome(address="192.0.2.1"), now)
        if located(frontier, lambda host: "192.0.2.1"):
            continue
        wake_at = frontier.wake_at()
        assert wake_at is not None
        now = max(now + 0.001, wake_at)
        if len(roster_of._layers) > 60_000:
            commit(frontier)
    assert taken > 5_300, "the address stands idle"
    assert looks < 4 * 20_000
    assert longest <= roster.MAX_LOOKED_AT + roster.WAKE_AT_ONCE
    assert active <= turns.MAX_IN_CROWDS + roster.MAX_STRANGERS + roster.WAKE_AT_ONCE


def test_the_fetcher_moves_the_address_clock() -> None:
    frontier = open_frontier(policy=EAGER._replace(address_delay_seconds=1.0), now=NOW)
    assert frontier.address_ready("192.0.2.1", NOW) == NOW + 1  # nobody knows what was asked before
    frontier.address_used("192.0.2.1", NOW + 5)
    assert frontier.address_ready("192.0.2.1", NOW + 5.5) == NOW + 6
    assert frontier.address_ready("192.0.2.1", NOW + 7) == NOW + 7


def test_hosts_on_disk_are_served_while_others_are_long(small: None) -> None:
    frontier = open_frontier()
    frontier.add(links("abc", 100), 0, "", NOW)
    frontier.add(links("defg", 1), 0, "", NOW)
    order = [lease.host for lease in drain(frontier, NOW)]
    assert max(order.index(f"it,{name}") for name in "defg") < 20


def test_hosts_on_disk_are_served_while_pages_of_others_are_read(small: None) -> None:
    frontier = open_frontier()
    frontier.add(links("abc", 100), 0, "", NOW)
    frontier.add(links("defg", 1), 0, "", NOW)
    order, reading = [], []
    while (lease := frontier.next(NOW)) is not None or reading:
        if lease is not None:
            order.append(lease.host)
            frontier.answered(lease, Outcome(), NOW)
            reading.append(lease)
        if lease is None or len(reading) > 3:
            frontier.done(reading.pop(0), Outcome(), NOW)
    assert max(order.index(f"it,{name}") for name in "defg") < 30
    assert len(order) == 304


def test_a_trap_named_by_the_caller_is_cut() -> None:
    frontier = open_frontier()
    good, bad = links("a", 2)
    added = frontier.add([good, bad], 0, "", NOW, traps={bad.digest: "repeated-segments"})
    assert added.new == [good, bad]
    assert added.cut == [(bad, State.TRAP_CUT, "repeated-segments", 0)]


def test_a_host_of_cut_links_only_is_no_host() -> None:
    frontier = open_frontier(limits=frontier_limits(max_depth=1))
    frontier.add(links("a", 3), 2, "", NOW)
    assert (frontier.counts().hosts, list(frontier.hosts())) == (0, [])


def test_freezing_twice_without_writing_is_refused() -> None:
    frontier = open_frontier()
    frontier.freeze()
    with pytest.raises(RuntimeError, match="has not been written"):
        frontier.freeze()


def test_a_commit_that_failed_can_be_written_again() -> None:
    class FullDisk(MemoryStore):
        full = False

        def commit(self, changes: Any) -> None:
            if self.full:
                raise FrontierError("no space")
            super().commit(changes)

    store = FullDisk()
    frontier = open_frontier(store)
    frontier.add(links("a", 3), 0, "", NOW)
    frozen = frontier.freeze()
    store.full = True
    with pytest.raises(FrontierError):
        frozen.write({"lengths": b"1"})
    frontier.done(lease_at(frontier, NOW), Outcome(), NOW)
    store.full = False
    frozen.write({"lengths": b"2"})
    frontier.forget(frozen)
    again = open_frontier(store)
    assert (again.get_meta("lengths"), again.counts().queued) == (b"2", 3)


def test_uncommitted_changes_are_forgotten_once_written() -> None:
    frontier = open_frontier()
    frontier.add(links(HOSTS, 20), 0, "", NOW)
    assert frontier.counts().uncommitted > 140
    commit(frontier)
    assert frontier.counts().uncommitted == 0


def test_what_came_and_went_between_two_commits_costs_the_store_nothing() -> None:
    store = MemoryStore()
    frontier = open_frontier(store)
    frontier.add(links("a", 50), 0, "", NOW)
    drain(frontier, NOW)
    commit(frontier)
    assert not list(store.items(b"l", b"m"))
    assert not list(store.items(b"q", b"r"))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (b'{"layout": 99, "clean": true}', "layout version 99"),
        (b"not JSON", "state is damaged"),
        (b"{}", "state is damaged"),
    ],
)
def test_a_strange_state_is_refused(state: bytes, words: str) -> None:
    store = MemoryStore()
    store.commit({STATE: state})
    with pytest.raises(FrontierError, match=words):
        open_frontier(store)


def test_a_lost_queue_is_noticed() -> None:
    store = MemoryStore()
    frontier = open_frontier(store)
    frontier.add(links("a", 2), 0, "", NOW)
    commit(frontier)
    store.commit(dict.fromkeys([key for key, _ in store.items(b"q", b"r")]))
    with pytest.raises(FrontierError, match=r"it,a should have 2 URLs and has none"):
        open_frontier(store, CALM, now=NOW).next(NOW + 100)

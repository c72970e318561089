"""Robots.txt on somebody else's host: one request at a time, a rest afterwards, five redirects, nothing left behind."""

from collections.abc import Callable
from math import inf
from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from webgraph_it.robots.errands import LOOK_AGAIN_SECONDS, MAX_REDIRECTS, MAX_UNREACHABLE, Errand, Errands
from webgraph_it.robots.policy import redirect_target
from webgraph_it.robots.record import RobotsRecord, Verdict

NOW = 1_000.0
ORIGIN, HOST, LEASE = "http://a.it", "it,a", b"a"
ELSEWHERE = Errand("http://b.it/r.txt", "it,b", 1)
EMPTY = "<Errands 0 redirected, 0 borrowed, 0 resting, 0 unreachable>"


def ready(host: str) -> float:
    return 0.0


def at(time: float) -> Callable[[str], float]:
    return lambda host: time


def borrowing() -> Errands:
    """Lease a is out for a robots.txt on host b."""
    errands = Errands()
    errands.redirected(ORIGIN, ELSEWHERE)
    assert errands.start(ORIGIN, HOST, LEASE, NOW, ready) == ELSEWHERE
    return errands


def record(expires_at: float, *, waits: bool) -> RobotsRecord:
    return RobotsRecord(Verdict.DISALLOW_ALL, "status-503", NOW, expires_at, waits=waits)


def test_an_errand_begins_at_the_origins_own_robots_txt() -> None:
    assert Errands().start(ORIGIN, HOST, LEASE, NOW, at(inf)) == Errand("http://a.it/robots.txt", HOST, 0)


def test_a_redirect_on_its_own_host_borrows_nothing() -> None:
    errands = Errands()
    errand = Errand("http://a.it/other.txt", HOST, 1)
    errands.redirected(ORIGIN, errand)
    assert errands.start(ORIGIN, HOST, LEASE, NOW, at(inf)) == errand
    assert repr(errands) == EMPTY


@pytest.mark.parametrize(
    ("ready_at", "look_again_at"),
    [(NOW + 7, NOW + 7), (inf, NOW + LOOK_AGAIN_SECONDS)],
    ids=["it waits for its clock", "it is being asked"],
)
def test_a_host_that_may_not_be_asked_is_not_borrowed(ready_at: float, look_again_at: float) -> None:
    errands = Errands()
    errands.redirected(ORIGIN, ELSEWHERE)
    assert errands.start(ORIGIN, HOST, LEASE, NOW, at(ready_at)) == look_again_at
    assert not errands.has_borrowed(LEASE, "it,b")
    assert errands.start(ORIGIN, HOST, LEASE, NOW, at(NOW)) == ELSEWHERE


def test_a_borrowed_host_is_free_for_nobody_else() -> None:
    errands = borrowing()
    assert errands.has_borrowed(LEASE, "it,b")
    assert not errands.has_borrowed(LEASE, "it,a")
    assert not errands.has_borrowed(b"c", "it,b")
    assert errands.free_at("it,b", NOW) == NOW + LOOK_AGAIN_SECONDS
    assert errands.free_at("it,a", NOW) == NOW
    errands.redirected("http://c.it", ELSEWHERE)
    assert errands.start("http://c.it", "it,c", b"c", NOW, ready) == NOW + LOOK_AGAIN_SECONDS


def test_a_borrowed_host_rests_its_delay_afterwards() -> None:
    errands = borrowing()
    errands.ended(LEASE, NOW, at(5.0))
    errands.ended(LEASE, NOW + 1, at(5.0))
    errands.redirected("http://c.it", ELSEWHERE)
    assert errands.free_at("it,b", NOW + 4) == NOW + 5
    assert errands.start("http://c.it", "it,c", b"c", NOW + 4, ready) == NOW + 5
    assert errands.free_at("it,b", NOW + 5) == NOW + 5
    assert errands.start("http://c.it", "it,c", b"c", NOW + 5, ready) == ELSEWHERE


def test_a_host_that_is_never_looked_at_again_is_forgotten_when_it_has_rested() -> None:
    errands = borrowing()
    errands.ended(LEASE, NOW, at(5.0))
    errands.free_at("it,z", NOW + 5)
    assert repr(errands) == EMPTY


def test_a_sixth_redirect_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="6 redirects found, at most 5 expected"):
        Errands().redirected(ORIGIN, ELSEWHERE._replace(redirects=MAX_REDIRECTS + 1))


def test_what_nobody_needs_is_dropped() -> None:
    errands = Errands()
    errands.redirected(ORIGIN, ELSEWHERE)
    errands.dropped(ORIGIN)
    errands.dropped(ORIGIN)
    assert repr(errands) == EMPTY


def test_hosts_are_unreachable_until_their_record_expires_or_an_answer_comes() -> None:
    errands = Errands()
    errands.learned("it,a", record(NOW + 60, waits=True), NOW)
    errands.learned("it,b", record(NOW + 90, waits=True), NOW)
    errands.learned("it,c", record(NOW + 60, waits=False), NOW)
    assert [host in errands.unreachable(NOW) for host in ("it,a", "it,b", "it,c")] == [True, True, False]
    errands.learned("it,b", record(NOW + 90, waits=False), NOW + 1)
    assert [host in errands.unreachable(NOW + 1) for host in ("it,a", "it,b")] == [True, False]
    assert "it,a" not in errands.unreachable(NOW + 60)
    errands.unreachable(NOW + 90)
    assert repr(errands) == EMPTY


def test_a_second_failure_makes_it_longer() -> None:
    errands = Errands()
    errands.learned("it,a", record(NOW + 60, waits=True), NOW)
    errands.learned("it,a", record(NOW + 120, waits=True), NOW + 30)
    assert "it,a" in errands.unreachable(NOW + 119)
    assert "it,a" not in errands.unreachable(NOW + 120)


def test_of_very_many_unreachable_hosts_some_are_remembered() -> None:
    errands = Errands()
    for number in range(MAX_UNREACHABLE + 5):
        errands.learned(f"it,{number}", record(NOW + 60, waits=True), NOW)
    assert f"{MAX_UNREACHABLE} unreachable" in repr(errands)
    errands.learned("it,late", record(NOW + 99, waits=True), NOW + 60)
    assert repr(errands) == EMPTY.replace("0 unreachable", "1 unreachable")


class Out(NamedTuple):
    """A lease that is out, and what is requested for it."""

    host: str
    errand: Errand | None
    """None: a page of its own host."""

    @property
    def asked(self) -> str:
        return self.errand.host if self.errand else self.host


HOSTS = ("a", "b", "c", "d")
DELAYS = {"a": 0.0, "b": 1.0, "c": 3.0, "d": 10.0}
hosts = st.sampled_from(HOSTS)


class AnyCrawl(RuleBasedStateMachine):
    """A frontier with one lease a host and a clock a host, whose leases go on errands anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.errands = Errands()
        self.now = NOW
        self.ready_at = dict.fromkeys(HOSTS, NOW)
        self.out: dict[str, Out] = {}
        """By host: a host has one lease."""
        self.known: set[str] = set()
        self.last_asked: dict[str, float] = {}
        self.followed: dict[str, int] = dict.fromkeys(HOSTS, 0)

    def frontier_ready(self, host: str) -> float:
        return inf if host in self.out else self.ready_at[host]

    @rule(host=hosts)
    def take(self, host: str) -> None:
        """What the scheduler does with a lease that the frontier hands out."""
        if self.frontier_ready(host) > self.now:
            return
        free_at = self.errands.free_at(host, self.now)
        if free_at > self.now:
            self.ready_at[host] = free_at
        elif host in self.known:
            self.send(Out(host, None))
        else:
            self.out[host] = Out(host, None)  # the frontier counts it as leased before its errand starts
            started = self.errands.start(origin(host), host, host.encode(), self.now, self.frontier_ready)
            del self.out[host]
            if isinstance(started, Errand):
                self.send(Out(host, started))
            else:
                assert started > self.now
                self.ready_at[host] = started

    def send(self, out: Out) -> None:
        assert out.asked not in {other.asked for other in self.out.values()}, "two requests at once"
        rested = self.now - self.last_asked.get(out.asked, -inf)
        assert rested >= DELAYS[out.asked], "asked before its delay has passed"
        self.out[out.host] = out

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def redirect(self, data: st.DataObject) -> None:
        """The answer is a redirect; a page's answer is only an answer."""
        out = self.out[data.draw(st.sampled_from(sorted(self.out)))]
        if out.errand is None:
            self.end(out)
            return
        self.redirect_to(data.draw(hosts), out, out.errand)

    def redirect_to(self, target: str, out: Out, errand: Errand) -> None:
        url, redirects = errand.url, errand.redirects
        onward = redirect_target(302, url, f"{origin(target)}/robots.txt", redirects)
        if onward is None:
            assert redirects == MAX_REDIRECTS
            self.learn(out, waits=False)
        else:
            self.followed[out.host] += 1
            assert self.followed[out.host] <= MAX_REDIRECTS
            self.errands.redirected(origin(out.host), Errand(onward, target, redirects + 1))
            self.end(out)

    @rule(host=hosts, elsewhere=hosts)
    def go_elsewhere(self, host: str, elsewhere: str) -> None:
        """A robots.txt is on another host: it is taken, redirected, and taken again as soon as its own host may be."""
        self.now = max(self.now, self.ready_at[host])
        self.take(host)
        out = self.out.get(host)
        if out is not None and out.errand is not None:
            self.redirect_to(elsewhere, out, out.errand)
            self.now += DELAYS[host]
            self.take(host)

    @precondition(lambda self: self.borrowing())
    @rule(data=st.data(), ends=st.booleans())
    def ask_the_borrowed_host(self, data: st.DataObject, ends: bool) -> None:
        """A page of its own is to be fetched there, during the errand or right after it."""
        out = data.draw(st.sampled_from(self.borrowing()))
        if ends:
            self.learn(out, waits=False)
        self.take(out.asked)

    def borrowing(self) -> list[Out]:
        return [out for out in self.out.values() if out.asked != out.host]

    @rule(host=hosts)
    def expire(self, host: str) -> None:
        """A robots.txt that was known has to be requested again."""
        self.known.discard(host)

    @precondition(lambda self: self.out)
    @rule(data=st.data(), waits=st.booleans())
    def answer(self, data: st.DataObject, waits: bool) -> None:
        out = self.out[data.draw(st.sampled_from(sorted(self.out)))]
        self.learn(out, waits=waits) if out.errand else self.end(out)

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        """The fetch was called off, or somebody's component failed: the errand begins anew."""
        out = self.out[data.draw(st.sampled_from(sorted(self.out)))]
        if out.errand is not None:
            self.followed[out.host] = 0
        self.end(out)

    @rule(host=hosts)
    def give_up(self, host: str) -> None:
        """The host failed too often: its pages are recorded without being requested."""
        if host not in self.out:
            self.errands.dropped(origin(host))
            self.followed[host] = 0

    @rule(seconds=st.sampled_from([0.0, 0.125, 1.0, 3.0, 20.0]))
    def pass_time(self, seconds: float) -> None:
        """Fractions that a double holds exactly: rounding is not what is tested."""
        self.now += seconds

    def learn(self, out: Out, *, waits: bool) -> None:
        self.errands.learned(out.host, record(self.now + 30, waits=waits), self.now)
        self.followed[out.host] = 0
        if not waits:
            self.known.add(out.host)
        self.end(out)

    def end(self, out: Out) -> None:
        del self.out[out.host]
        self.errands.ended(out.host.encode(), self.now, DELAYS.__getitem__)
        self.last_asked[out.asked] = self.now
        self.ready_at[out.host] = self.now + DELAYS[out.host]

    @invariant()
    def hosts_that_are_asked_are_borrowed_or_their_own(self) -> None:
        for out in self.out.values():
            lease = out.host.encode()
            assert self.errands.has_borrowed(lease, out.asked) == (out.asked != out.host)

    def teardown(self) -> None:
        """All errands end, and nothing is left."""
        for out in list(self.out.values()):
            self.learn(out, waits=False) if out.errand else self.end(out)
        for _ in range(len(HOSTS)):
            for host in HOSTS:
                self.now += 100
                self.take(host)
                if host in self.out:
                    self.answer_last(host)
        self.now += 100
        self.errands.free_at("a", self.now)
        self.errands.unreachable(self.now)
        assert repr(self.errands) == EMPTY
        assert not any(vars(self.errands)[name] for name in ("_redirected", "_borrowed", "_borrowers"))

    def answer_last(self, host: str) -> None:
        out = self.out[host]
        self.learn(out, waits=False) if out.errand else self.end(out)


def origin(host: str) -> str:
    return f"http://{host}.it"


TestAnyCrawl = AnyCrawl.TestCase
TestAnyCrawl.settings = settings(max_examples=200, stateful_step_count=40, deadline=None)


def test_a_host_that_is_lent_is_asked_by_nobody_here_and_rests_afterwards() -> None:
    errands = Errands()
    assert not errands.lend("it,b", NOW, at(NOW + 1))
    assert errands.lend("it,b", NOW, ready)
    assert not errands.lend("it,b", NOW, ready)
    assert errands.free_at("it,b", NOW) == NOW + LOOK_AGAIN_SECONDS
    errands.take_back("it,b", NOW, at(2.0))
    assert errands.free_at("it,b", NOW) == NOW + 2.0
    assert errands.free_at("it,b", NOW + 2.0) == NOW + 2.0

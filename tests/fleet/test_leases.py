"""Addresses, leased to members that are lost, late or stopped, by a broker that forgets: ADDRESS_DELAY always holds.

The schedules are random; what decides is the real code. Each rule is also left out once, to see that they find it.
"""

import heapq
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fleet.leases import (
    LOOK_SECONDS,
    MAX_BATCH,
    TURN_SECONDS,
    WAITING_SECONDS,
    AddressBook,
    AddressLeases,
    Asked,
    Entry,
)
from webgraph_it.fleet.transport import LEASE_SECONDS, Fenced, Granted

DELAY = 2.0
RUN_SECONDS = 150.0
LATENCIES = (*[0.001] * 4, 0.01, 0.3, 2.0, 2.0)
NAMES = ("192.0.2.1", "192.0.2.2", "192.0.2.3")


def always(name: str) -> bool:
    return True


def never(name: str) -> bool:
    return False


class Member:
    """A process with a clock of its own for each address. It asks an address as soon as clock and lease allow."""

    def __init__(self, number: int, epoch: int, leases: AddressLeases, now: float) -> None:
        self.number = number
        self.epoch = epoch
        self.leases = leases
        self.question = 0
        self.clocks = dict.fromkeys(NAMES, now + DELAY)
        self.waits_for_answer_until = -inf


class Run:
    """One random schedule. `uses` are the requests that the servers see."""

    def __init__(
        self,
        seed: int,
        book: Callable[[float], AddressBook] = lambda began: AddressBook(DELAY, began, {}),
        leases: Callable[[float], AddressLeases] = AddressLeases,
    ) -> None:
        self.rng = random.Random(seed)
        self.new_book, self.new_leases = book, leases
        self.book = book(0.0)
        self.events: list[tuple[float, float, Callable[..., None], tuple[Any, ...]]] = []
        self.uses: dict[str, list[float]] = {name: [] for name in NAMES}
        self.now = 0.0
        self.members = {
            number: Member(number, 1, leases(DELAY), 0.0)
            for number in range(1, self.rng.choice([2, 3, 6]) + 1)
        }
        for number in self.members:
            self.at(self.rng.random(), self.ask, number)
            self.at(self.rng.random(), self.work, number)
        self.at(self.rng.uniform(5, 30), self.forget)
        self.at(self.rng.uniform(5, 50), self.restart)

    def at(self, when: float, what: Callable[..., None], *facts: Any) -> None:
        heapq.heappush(self.events, (when, self.rng.random(), what, facts))

    def go(self) -> float:
        """The least time between two requests to one address."""
        while self.events:
            self.now, _, what, facts = heapq.heappop(self.events)
            if self.now > RUN_SECONDS:
                break
            what(*facts)
        pairs = (pair for uses in self.uses.values() for pair in pairwise(uses))
        return min((later - earlier for earlier, later in pairs), default=inf)

    def forget(self) -> None:
        self.book = self.new_book(self.now)
        self.at(self.now + self.rng.uniform(15, 60), self.forget)

    def restart(self) -> None:
        number = self.rng.choice(list(self.members))
        before = self.members[number]
        self.members[number] = Member(number, before.epoch + 1, self.new_leases(DELAY), self.now)
        self.at(self.now + self.rng.uniform(5, 50), self.restart)

    def work(self, number: int) -> None:
        member = self.members[number]
        for name in NAMES:
            ready_at = member.leases.ready_at(name, self.now)
            if ready_at == inf:
                if self.rng.random() < 0.7:
                    member.leases.want(name, self.now)
            elif max(ready_at, member.clocks[name]) <= self.now:
                member.clocks[name] = self.now + DELAY
                self.uses[name].append(self.now)
        self.at(self.now + self.rng.choice([*[0.1] * 60, 8.0, 15.0]), self.work, number)

    def ask(self, number: int) -> None:
        """One question at a time. After a timeout it is given up, but may still reach the broker."""
        member = self.members[number]
        if member.waits_for_answer_until <= self.now:
            wanted, given_up = member.leases.ask(lambda name: self.rng.random() < 0.8, self.now)
            member.question += 1
            member.waits_for_answer_until = self.now + self.rng.choice([1.0, 5.0])
            asked = Asked(member.epoch, member.question)
            if self.rng.random() > 0.1:
                self.at(
                    self.now + self.rng.choice(LATENCIES),
                    self.grant,
                    member,
                    asked,
                    wanted,
                    given_up,
                    self.now,
                )
        self.at(self.now + self.rng.choice([*[0.1, 0.5] * 16, 8.0]), self.ask, number)

    def grant(
        self, member: Member, asked: Asked, wanted: list[str], given_up: list[str], asked_at: float
    ) -> None:
        try:
            granted = self.book.lease(member.number, asked, wanted, given_up, self.now)
        except Fenced:
            return
        if self.rng.random() > 0.1:
            self.at(self.now + self.rng.choice(LATENCIES), self.answer, member, asked, granted, asked_at)

    def answer(self, member: Member, asked: Asked, granted: Granted, asked_at: float) -> None:
        if member is self.members[member.number] and asked.question == member.question:
            member.leases.answered(granted, asked_at, self.now)
            member.waits_for_answer_until = -inf


@given(st.integers(0, 10**9))
def test_two_requests_to_an_address_are_never_closer_than_the_delay(seed: int) -> None:
    assert Run(seed).go() >= DELAY - 1e-9


class NothingIsFresh(AddressBook):
    def lease(self, *facts: Any) -> Granted:
        return replace(super().lease(*facts), fresh=frozenset())


class FreshOnlyOnce(AddressBook):
    """Rule 2 without its second sentence."""

    def _granted(self, name: str, member: int, epoch: int, now: float) -> Entry | None:
        known = self.entries.get(name)
        if known is not None and known.holder == member and known.until > now:
            known.fresh_until = -inf
        return super()._granted(name, member, epoch, now)


class GivesUpAfterSayingSo(AddressLeases):
    def ask(self, is_needed: Callable[[str], bool], now: float) -> tuple[list[str], list[str]]:
        before = dict(self._held)
        wanted, given_up = super().ask(is_needed, now)
        for name in given_up:
            self._held[name] = before[name]
        return wanted, given_up


class CountsFromTheAnswer(AddressLeases):
    def answered(self, granted: Granted, asked_at: float, now: float) -> dict[str, float]:
        return super().answered(granted, now + 0.25, now)


@pytest.mark.parametrize(
    "wrong",
    [
        {"book": lambda began: NothingIsFresh(DELAY, began, {})},
        {"book": lambda began: FreshOnlyOnce(DELAY, began, {})},
        {"book": lambda began: AddressBook(DELAY, began - LEASE_SECONDS, {})},
        {"leases": GivesUpAfterSayingSo},
        {"leases": CountsFromTheAnswer},
    ],
    ids=["never-fresh", "fresh-once", "no-quarantine", "give-up-late", "count-from-answer"],
)
def test_a_rule_that_is_left_out_is_found(wrong: dict[str, Any]) -> None:
    assert any(Run(seed, **wrong).go() < DELAY - 1e-9 for seed in range(300))


def test_a_message_that_comes_after_a_later_one_is_ignored() -> None:
    """A member gave an address up, got no answer, and asked for it again. Then the first message arrives."""
    book = AddressBook(DELAY, -100.0, {})
    book.lease(1, Asked(1, 1), ["192.0.2.1"], [], 0.0)
    assert "192.0.2.1" in book.lease(1, Asked(1, 3), ["192.0.2.1"], [], 1.0).leased
    assert book.lease(1, Asked(1, 2), [], ["192.0.2.1"], 1.1) == Granted()
    assert book.lease(2, Asked(1, 1), ["192.0.2.1"], [], 1.2).leased == {}


class Table:
    """A broker with some members, without delays and losses."""

    def __init__(self, delay: float = DELAY) -> None:
        self.book = AddressBook(delay, -100.0, {})
        self.leases = {number: AddressLeases(delay) for number in (1, 2, 3)}
        self.question = 0

    def talk(self, member: int, now: float, needs: Sequence[str] = ()) -> Granted:
        leases = self.leases[member]
        wanted, given_up = leases.ask(lambda name: name in needs, now)
        self.question += 1
        granted = self.book.lease(member, Asked(1, self.question), wanted, given_up, now)
        leases.answered(granted, now, now)
        return granted


def test_the_first_holder_of_an_address_need_not_wait() -> None:
    table = Table()
    table.leases[1].want("192.0.2.1", 0.0)
    granted = table.talk(1, 0.0)
    assert granted.leased == {"192.0.2.1": LEASE_SECONDS}
    assert granted.fresh == frozenset()
    assert table.leases[1].ready_at("192.0.2.1", 0.0) == 0.0
    assert table.leases[1].ready_at("192.0.2.1", LEASE_SECONDS - 0.2) == inf
    assert table.leases[1].ready_at("192.0.2.2", 0.0) == inf


def test_a_holder_that_needs_it_keeps_it_while_nobody_else_wants_it() -> None:
    table = Table()
    table.leases[1].want("192.0.2.1", 0.0)
    for tenth in range(400):
        table.talk(1, tenth / 10, needs=["192.0.2.1"])
        assert table.leases[1].ready_at("192.0.2.1", tenth / 10) == 0.0


def test_a_holder_gives_it_up_at_once_if_it_does_not_need_it_and_else_after_its_turn() -> None:
    for needs, seconds in ((), 2 * LOOK_SECONDS), (["192.0.2.1"], TURN_SECONDS + LOOK_SECONDS):
        table = Table()
        table.leases[1].want("192.0.2.1", 0.0)
        table.talk(1, 0.0)
        now = 0.0
        while table.leases[2].ready_at("192.0.2.1", now) == inf:
            now += 0.1
            assert now < seconds + 1.0
            table.leases[2].want("192.0.2.1", now)
            table.talk(2, now, needs=["192.0.2.1"])
            table.talk(1, now, needs=needs)
        assert table.leases[2].ready_at("192.0.2.1", now) == pytest.approx(now + DELAY)  # it was fresh
        assert table.leases[1].ready_at("192.0.2.1", now) == inf


@pytest.mark.parametrize("delay", [0.5, 4.0, 20.0])
def test_with_a_long_delay_too_each_gets_its_turn(delay: float) -> None:
    """A lease that is fresh cannot be used at once, perhaps not before its end."""
    table, uses = Table(delay), dict.fromkeys((1, 2, 3), 0)
    clocks = dict.fromkeys((1, 2, 3), 0.0)
    seconds = int(12 * (delay + TURN_SECONDS))
    for tenth in range(10 * seconds):
        now = tenth / 10
        for member in (1, 2, 3):
            leases = table.leases[member]
            if leases.ready_at("192.0.2.1", now) == inf:
                leases.want("192.0.2.1", now)
            elif max(clocks[member], leases.ready_at("192.0.2.1", now)) <= now:
                clocks[member] = now + delay
                uses[member] += 1
            table.talk(member, now, needs=["192.0.2.1"])
    assert min(uses.values()) >= 2
    assert sum(uses.values()) >= 0.6 * seconds / (delay + (TURN_SECONDS if delay > TURN_SECONDS else 0.3))


def test_members_that_wait_take_turns_in_the_order_of_asking() -> None:
    table = Table()
    turns: list[int] = []
    for tenth in range(600):
        for member in (1, 2, 3):
            leases = table.leases[member]
            if leases.ready_at("192.0.2.1", tenth / 10) == inf:
                leases.want("192.0.2.1", tenth / 10)
            elif not turns or turns[-1] != member:
                turns.append(member)
            table.talk(member, tenth / 10, needs=["192.0.2.1"])
    assert len(turns) >= 9
    assert turns == [1, 2, 3] * (len(turns) // 3) + [1, 2, 3][: len(turns) % 3]


def test_whoever_does_not_ask_again_does_not_hold_up_the_others() -> None:
    book = AddressBook(DELAY, -100.0, {})
    book.lease(1, Asked(1, 1), ["192.0.2.1"], [], 0.0)
    book.lease(2, Asked(1, 1), ["192.0.2.1"], [], LEASE_SECONDS - 1.0)
    now = LEASE_SECONDS - 1.0 + WAITING_SECONDS
    assert "192.0.2.1" in book.lease(3, Asked(1, 1), ["192.0.2.1"], [], now).leased
    assert not book.entries["192.0.2.1"].is_over(DELAY, now)
    assert book.entries["192.0.2.1"].is_over(DELAY, now + LEASE_SECONDS + DELAY)


def test_an_older_start_is_refused() -> None:
    book = AddressBook(DELAY, -100.0, {})
    book.lease(1, Asked(2, 1), [], [], 0.0)
    with pytest.raises(Fenced, match="another process runs as member 1 and started later"):
        book.lease(1, Asked(1, 9), [], [], 0.0)


def test_a_message_has_a_bounded_number_of_addresses_and_all_get_their_turn() -> None:
    leases = AddressLeases(DELAY)
    for number in range(600):
        leases.want(f"n{number}", 0.0)
    asked = [leases.ask(always, 0.0)[0] for _ in range(4)]
    assert [len(each) for each in asked] == [MAX_BATCH, MAX_BATCH, 600 - 2 * MAX_BATCH, 0]
    assert len({name for each in asked for name in each}) == 600


def test_what_nobody_wants_any_more_is_not_asked_for() -> None:
    leases = AddressLeases(DELAY)
    leases.want("192.0.2.1", 0.0)
    assert leases.ask(never, 60.0) == ([], [])
    assert repr(leases) == "<AddressLeases 0 held, 0 wanted>"


def test_all_can_be_given_up_at_the_end() -> None:
    leases = AddressLeases(DELAY)
    leases.answered(Granted({"192.0.2.1": 10.0}), 0.0, 0.0)
    assert leases.held == 1
    assert leases.give_all_up() == ["192.0.2.1"]
    assert leases.ready_at("192.0.2.1", 0.0) == inf

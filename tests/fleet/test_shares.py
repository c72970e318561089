"""The two caps, shared by members that are lost, late or stopped, with a broker that forgets: never exceeded.

The schedules are those of a small model of the protocol; what decides is the real code. Each rule is also left out
once, to see that the schedules find it.
"""

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fleet import shares
from webgraph_it.fleet.shares import SILENT_SECONDS, Holding, Ledger, fair_parts
from webgraph_it.fleet.transport import NOTHING, SHARE_SECONDS, Amounts, Fenced, Report, Share

CAPS = Amounts(1_000_000, 100)
RUN_SECONDS = 120.0
LATENCIES = (0.001, 0.01, 0.3, 2.0)


@dataclass
class Member:
    """A process: it opens connections up to its share whenever it likes, and closes them when their pages end."""

    number: int
    holding: Holding
    connections: int = 0

    def uses(self, now: float) -> Amounts:
        if now >= self.holding.until:
            self.connections = 0  # all of them are closed at the deadline
        return Amounts(self.holding.now(now).bandwidth, self.connections)


class Run:
    """One random schedule. `peak` is the maximum that was in use at any instant."""

    def __init__(
        self, seed: int, ledger: Callable[[float], Ledger] = Ledger, holding: Callable[[], Holding] = Holding
    ) -> None:
        self.rng = random.Random(seed)
        self.members = [Member(number, holding()) for number in range(1, self.rng.choice([2, 3, 8]) + 1)]
        self.new_ledger = ledger
        self.ledger = ledger(0.0)
        self.events: list[tuple[float, float, Callable[..., None], tuple[Any, ...]]] = []
        self.peak = [0, 0]
        self.now = 0.0
        for member in self.members:
            self.at(self.rng.random(), self.ask, member)
            self.at(self.rng.random(), self.work, member)
        self.at(self.rng.uniform(5, 30), self.forget)

    def at(self, when: float, what: Callable[..., None], *facts: Any) -> None:
        heapq.heappush(self.events, (when, self.rng.random(), what, facts))

    def go(self) -> list[int]:
        while self.events:
            self.now, _, what, facts = heapq.heappop(self.events)
            if self.now > RUN_SECONDS:
                break
            what(*facts)
            in_use = [sum(each) for each in zip(*(m.uses(self.now) for m in self.members), strict=True)]
            self.peak = list(map(max, self.peak, in_use))
        return self.peak

    def forget(self) -> None:
        self.ledger = self.new_ledger(self.now)
        self.at(self.now + self.rng.uniform(5, 40), self.forget)

    def work(self, member: Member) -> None:
        most = member.holding.now(self.now).connections
        member.connections = self.rng.choice([max(most, member.connections), member.connections // 2])
        self.at(self.now + self.rng.uniform(0.05, 1.0), self.work, member)

    def ask(self, member: Member) -> None:
        wanted = Amounts(
            self.rng.choice([0, 50_000, 200_000, 1_000_000, 1_000_000]), self.rng.choice([0, 5, 100])
        )
        member.uses(self.now)
        question, used = member.holding.ask(wanted, member.connections, self.now)
        if self.rng.random() > 0.1:
            report = Report(member.number, 1, question, used, wanted)
            self.at(self.now + self.rng.choice(LATENCIES), self.grant, member, report)
        self.at(self.now + self.rng.choice([1, 1, 1, 8]), self.ask, member)  # 8: it stood still

    def grant(self, member: Member, report: Report) -> None:
        share = self.ledger.grant(report, CAPS, self.now)
        if self.rng.random() > 0.1:
            self.at(self.now + self.rng.choice(LATENCIES), member.holding.answered, share)


@given(st.integers(0, 10**9))
def test_the_sum_of_what_is_used_never_exceeds_a_cap(seed: int) -> None:
    bandwidth, connections = Run(seed).go()
    assert bandwidth <= CAPS.bandwidth
    assert connections <= CAPS.connections


def peaks(**wrong: Any) -> list[int]:
    return list(map(max, *(Run(seed, **wrong).go() for seed in range(50))))


def test_schedules_come_close_to_the_caps() -> None:
    assert peaks() == [*CAPS]


class RecordsTheGrantOnly(Ledger):
    def grant(self, report: Report, caps: Amounts, now: float) -> Share:
        share = super().grant(report, caps, now)
        record = self.records[report.member]
        if record.question == report.question:
            record.amounts = share.amounts
        return share


class CountsFromTheAnswer(Holding):
    def answered(self, share: Share) -> bool:
        self.asked_at += 2.0
        return super().answered(share)


class BelievesEveryAnswer(Holding):
    def answered(self, share: Share) -> bool:
        return super().answered(Share(self.question, share.amounts))


@pytest.mark.parametrize(
    "wrong",
    [
        {"ledger": RecordsTheGrantOnly},
        {"ledger": lambda began: Ledger(began - SHARE_SECONDS)},
        {"holding": CountsFromTheAnswer},
        {"holding": BelievesEveryAnswer},
    ],
    ids=["record-grant-only", "no-quarantine", "count-from-answer", "believe-late-answers"],
)
def test_a_rule_that_is_left_out_is_found(wrong: dict[str, Any]) -> None:
    assert any(found > cap for found, cap in zip(peaks(**wrong), CAPS, strict=True))


def report(
    member: int, question: int, wanted: Amounts = CAPS, used: Amounts = NOTHING, epoch: int = 1
) -> Report:
    return Report(member, epoch, question, used, wanted)


def settled(wants: list[Amounts]) -> list[Amounts]:
    """What members with these wishes get after some rounds."""
    ledger, given = Ledger(began=-100.0), [NOTHING] * len(wants)
    for question in range(1, 5):
        for number, wanted in enumerate(wants):
            asked = report(number, question, wanted, Amounts(*map(min, given[number], wanted)))
            given[number] = ledger.grant(asked, CAPS, question + number / 10).amounts
    return given


@given(st.lists(st.builds(Amounts, st.integers(0, 10**6), st.integers(0, 100)), min_size=1, max_size=8))
def test_all_that_is_wanted_is_given_up_to_the_cap(wants: list[Amounts]) -> None:
    """So one member that needs little does not leave a part of the cap unused."""
    given_away = settled(wants)
    for kind, cap in enumerate(CAPS):
        assert sum(each[kind] for each in given_away) == min(cap, sum(each[kind] for each in wants))
        assert all(each[kind] <= wanted[kind] for each, wanted in zip(given_away, wants, strict=True))


def test_equal_wishes_get_equal_shares() -> None:
    assert settled([CAPS] * 4) == [Amounts(250_000, 25)] * 4
    assert fair_parts(10, {1: 10, 2: 10, 3: 10}) == {1: 3, 2: 3, 3: 4}
    assert fair_parts(100, {1: 10, 2: 100, 3: 100}) == {1: 10, 2: 45, 3: 45}
    assert fair_parts(100, {}) == {}


def test_an_older_start_is_refused() -> None:
    ledger = Ledger(began=-100.0)
    ledger.grant(report(1, 1, epoch=2), CAPS, 0.0)
    with pytest.raises(Fenced, match="another process runs as member 1 and started later"):
        ledger.grant(report(1, 9, epoch=1), CAPS, 0.1)
    assert ledger.grant(report(1, 2, epoch=2), CAPS, 0.2).amounts == CAPS


def test_a_new_start_need_not_wait_if_the_old_one_has_certainly_ended() -> None:
    ledger = Ledger(began=-100.0)
    ledger.grant(report(1, 1), CAPS, 0.0)
    ledger.forget_former(1, epoch=1)
    assert ledger.records
    ledger.forget_former(1, epoch=2)
    assert ledger.grant(report(1, 1, epoch=2), CAPS, 0.1).amounts == CAPS


def test_a_new_start_waits_for_the_share_of_the_old_one() -> None:
    ledger = Ledger(began=-100.0)
    ledger.grant(report(1, 1), CAPS, 0.0)
    assert ledger.grant(report(1, 1, epoch=2), CAPS, 1.0).amounts == NOTHING
    assert ledger.grant(report(1, 2, epoch=2), CAPS, SHARE_SECONDS).amounts == CAPS


def test_connections_of_a_silent_member_stay_taken() -> None:
    """It may be suspended. Then its connections are open, and nobody can close them."""
    ledger = Ledger(began=-100.0)
    ledger.grant(report(1, 1, Amounts(600_000, 60)), CAPS, 0.0)
    assert ledger.grant(report(2, 1), CAPS, SHARE_SECONDS).amounts == Amounts(1_000_000, 40)
    assert ledger.grant(report(2, 2), CAPS, SILENT_SECONDS).amounts == CAPS


def test_what_a_member_does_not_want_any_more_it_gives_up_when_it_asks() -> None:
    holding = Holding(Amounts(500_000, 50), until=5.0)
    assert holding.ask(Amounts(100_000, 10), connections=30, now=1.0) == (1, Amounts(100_000, 30))
    assert holding.now(1.0) == Amounts(100_000, 10)
    assert holding.answered(Share(1, Amounts(80_000, 8)))
    assert holding.now(5.0) == Amounts(80_000, 8)
    assert holding.now(1.0 + SHARE_SECONDS - shares.MARGIN_SECONDS) == NOTHING

"""The decisions of the exchange, on random schedules: crashes, losses, doubles, reordered batches, clones, old backups.

`World` is a small fleet. Its members do nothing by themselves but crawl a graph of numbers; every decision is that of
webgraph_it/fleet/exchange.py. Each bug below replaces one decision by a wrong one, and must be noticed.
"""

import copy
import random
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fleet import exchange
from webgraph_it.fleet.exchange import (
    TWIN_SECONDS,
    Cursor,
    Run,
    Span,
    Status,
    StatusError,
    Verdict,
    contradiction,
    deletable,
    difference,
    is_alive,
    is_history,
    is_over,
    judge,
    needed_runs,
    next_epoch,
    starts,
    status_of,
    to_ship,
)
from webgraph_it.fleet.transport import MAX_BATCH_BYTES, Batch

BUGS = ("ship-early", "ack-receipt", "accept-gaps", "end-when-idle", "forget-shipped")
LINE = 1
"""Bytes of a link in this model: a position counts links."""


@dataclass
class Disk:
    """What a member's commit makes durable, as one step."""

    seen: set[int] = field(default_factory=set)
    queue: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    log: list[tuple[int, list[int]]] = field(default_factory=lambda: [(1, [])])
    """Numbered files."""
    log_start: int = 0
    cursors: dict[int, Cursor] = field(default_factory=dict)
    epoch: int = 0
    runs: tuple[Run, ...] = ()

    def spans(self) -> tuple[Span, ...]:
        ends = [self.log_start]
        for _, links in self.log:
            ends.append(ends[-1] + len(links) * LINE)
        return tuple(Span(n, a, b) for (n, _), (a, b) in zip(self.log, pairwise(ends), strict=True))

    def links(self, begin: int, end: int) -> list[int]:
        assert begin >= self.log_start, "deleted too early"
        flat = [node for _, links in self.log for node in links]
        return flat[begin - self.log_start : end - self.log_start]


class Member:
    def __init__(self, number: int, world: "World") -> None:
        self.number, self.world = number, world
        self.disk = Disk()
        self.restart()

    def restart(self) -> None:
        """A crash, and the next run: memory is what the disk holds, and the epoch is committed before anything else."""
        end = self.disk.spans()[-1].end
        self.disk.epoch = next_epoch(self.disk.epoch, self.world.chance.getrandbits(20))
        self.disk.runs = (*self.disk.runs, Run(self.disk.epoch, end))
        self.disk.log = [*self.disk.log, (self.disk.log[-1][0] + 1, [])]
        self.memory = copy.deepcopy(self.disk)
        self.shipped: dict[int, int] = {}
        self.put()

    def status(self, disk: Disk) -> Status:
        return Status(self.number, disk.epoch, not disk.queue, disk.runs, disk.spans(), dict(disk.cursors))

    def put(self) -> None:
        disk = self.memory if self.world.bug == "ack-receipt" else self.disk
        status = self.status(disk)
        if self.world.bug == "ship-early":
            status = replace(status, log=self.memory.spans())
        self.world.board[self.number] = status_of(status.to_bytes())

    def others(self) -> dict[int, Status]:
        return {number: status for number, status in self.world.board.items() if number != self.number}

    def add(self, node: int) -> None:
        if node not in self.memory.seen:
            self.memory.seen.add(node)
            is_mine = self.world.owner[node] == self.number
            (self.memory.queue if is_mine else self.memory.log[-1][1]).append(node)

    def crawl_one(self) -> None:
        if self.memory.queue:
            node = self.memory.queue.pop(self.world.chance.randrange(len(self.memory.queue)))
            self.memory.done.append(node)
            for child in self.world.links[node]:
                self.add(child)

    def commit(self) -> None:
        own = self.status(self.disk)
        taken = deletable(own, self.others(), self.world.size)
        if self.world.bug == "forget-shipped":
            taken = tuple(s for s in own.log[:-1] if s.end <= min(self.shipped.values(), default=0))
        gone = {span.number for span in taken}
        self.memory.log_start += sum(len(links) for number, links in self.memory.log if number in gone)
        self.memory.log = [file for file in self.memory.log if file[0] not in gone]
        others = self.others()
        if len(others) == self.world.size - 1:
            self.memory.runs = needed_runs(
                self.memory.runs, [other.cursor(self.number) for other in others.values()]
            )
        self.disk = copy.deepcopy(self.memory)
        if self.world.chance.random() < 0.3:  # a checkpoint
            self.memory.log.append((self.memory.log[-1][0] + 1, []))
        self.put()

    def ship(self) -> None:
        chance, world = self.world.chance, self.world
        own = self.status(self.memory if world.bug == "ship-early" else self.disk)
        if chance.random() < 0.1:  # a timeout: back to what the receivers have committed
            self.shipped.clear()
        if world.bug == "ship-early":
            self.put()
        for receiver, begin, most in to_ship(own, self.others(), self.shipped):
            end = min(most, begin + chance.randint(1, 5))
            nodes = (self.memory if world.bug == "ship-early" else self.disk).links(begin, end)
            lines = bytes(node for node in nodes if world.owner[node] == receiver)
            batch = Batch(self.number, receiver, self.disk.epoch, begin, end, lines)
            mailbox = world.mailboxes.setdefault(receiver, [])
            if chance.random() > 0.1:
                mailbox.append(batch)
            if chance.random() < 0.1:
                mailbox.insert(chance.randrange(len(mailbox) + 1), batch)
            self.shipped[receiver] = end

    def receive(self) -> None:
        mailbox = self.world.mailboxes.get(self.number, [])
        batches, mailbox[:] = mailbox[:3], mailbox[3:]
        for batch in batches:
            cursor = self.memory.cursors.get(batch.sender, Cursor())
            verdict = judge(batch, cursor, self.world.board.get(batch.sender))
            if self.world.bug == "accept-gaps" and verdict is Verdict.GAP:
                verdict = Verdict.APPLY
            if verdict is Verdict.APPLY:
                for node in batch.lines:
                    self.add(node)
                self.memory.cursors[batch.sender] = Cursor(batch.end, batch.epoch)
        if self.world.bug == "ack-receipt":
            self.put()


class World:
    def __init__(self, seed: int, bug: str = "") -> None:
        self.chance = chance = random.Random(seed)
        self.bug = bug
        self.size = chance.choice([2, 3, 5])
        count = chance.choice([20, 60, 150])
        self.links = {
            n: [chance.randrange(count) for _ in range(chance.choice([0, 1, 2, 3]))] for n in range(count)
        }
        self.owner = [chance.randrange(1, self.size + 1) for _ in range(count)]
        self.board: dict[int, Status] = {}
        self.mailboxes: dict[int, list[Batch]] = {}
        self.members = [Member(number, self) for number in range(1, self.size + 1)]
        seeds = chance.sample(range(count), 2)
        for member in self.members:
            for node in seeds:
                if self.owner[node] == member.number:
                    member.add(node)
            member.commit()
        self.truth = self._reachable(seeds)

    def _reachable(self, seeds: list[int]) -> set[int]:
        found: set[int] = set()
        waiting = list(seeds)
        while waiting:
            if (node := waiting.pop()) not in found:
                found.add(node)
                waiting += self.links[node]
        return found

    def lose_everything(self) -> None:
        self.board.clear()
        self.mailboxes.clear()
        for member in self.members:
            member.shipped.clear()
            member.put()

    def over(self) -> bool:
        if self.bug == "end-when-idle":
            return len(self.board) == self.size and all(status.is_idle for status in self.board.values())
        return is_over(self.board, self.size)

    def run(self) -> None:
        chance = self.chance
        slow = chance.randrange(self.size)
        for step in range(60_000):
            member, event = chance.choice(self.members), chance.random()
            if member.number == slow + 1 and chance.random() < 0.8:
                continue
            if event < 0.45:
                member.crawl_one()
            elif event < 0.62:
                member.ship()
            elif event < 0.80:
                member.receive()
            elif event < 0.95:
                member.commit()
            elif event < 0.98:
                member.restart()
            elif event < 0.99:
                self.lose_everything()
            assert not contradiction(member.status(member.disk), member.others())
            if step % 5 == 0 and self.over():
                done = sorted(node for each in self.members for node in each.disk.done)
                assert done == sorted(self.truth), f"{len(done)} crawled, {len(self.truth)} reachable"
                return
        raise AssertionError("the crawl does not end")


def run_many(count: int, bug: str = "") -> None:
    for seed in range(count):
        World(seed, bug).run()


def test_every_node_is_crawled_once_whatever_is_lost() -> None:
    run_many(25)


@pytest.mark.parametrize("bug", BUGS)
def test_the_model_notices_a_wrong_decision(bug: str) -> None:
    """A model that cannot fail proves nothing."""
    with pytest.raises(AssertionError):
        run_many(300, bug)


# -- old copies ---------------------------------------------------------------------------------------------------


def status(**facts: object) -> Status:
    plain = Status(1, next_epoch(0, 5), True, (Run(next_epoch(0, 5), 0),), (Span(1, 0, 1000),), {})
    return replace(plain, **facts)  # type: ignore[arg-type]


FIRST, SECOND, TWIN = next_epoch(0, 5), next_epoch(next_epoch(0, 5), 7), next_epoch(next_epoch(0, 5), 9)


@pytest.mark.parametrize(
    ("runs", "log_end", "cursor", "expected"),
    [
        ([Run(FIRST, 0)], 1000, Cursor(), True),
        ([Run(FIRST, 0)], 1000, Cursor(1000, FIRST), True),
        ([Run(FIRST, 0)], 1000, Cursor(1001, FIRST), False),
        ([Run(FIRST, 0), Run(SECOND, 1000)], 1500, Cursor(1000, FIRST), True),
        ([Run(FIRST, 0), Run(SECOND, 1000)], 1500, Cursor(1200, SECOND), True),
        ([Run(FIRST, 0), Run(TWIN, 1000)], 1500, Cursor(1200, SECOND), False),  # a clone
        ([Run(FIRST, 0), Run(SECOND, 800)], 1500, Cursor(1000, FIRST), False),  # an old backup
    ],
)
def test_a_history_that_differs_is_noticed(
    runs: list[Run], log_end: int, cursor: Cursor, expected: bool
) -> None:
    assert is_history(runs, log_end, cursor) is expected


def test_an_old_backup_of_a_sender_is_named() -> None:
    own = status(log=(Span(1, 0, 500),))
    other = status(member=2, cursors={1: Cursor(800, FIRST)})
    assert contradiction(own, {2: other}) == (
        "member 2 has taken in 800 bytes of this member's links, which start 1 of it sent, and this directory "
        "has 500 and no later starts"
    )


def test_an_old_backup_of_a_receiver_is_named() -> None:
    own = status(cursors={2: Cursor(100, FIRST)})
    other = status(member=2, log=(Span(3, 400, 900),))
    assert "which has deleted 400 because this member had committed them" in contradiction(own, {2: other})


def test_other_settings_are_named() -> None:
    own, other = status(member=2, settings={"FLEET_SIZE": "4"}), status(settings={"FLEET_SIZE": "3"})
    assert difference(own, other) == "its FLEET_SIZE is 4, and that of member 1 is 3"
    assert difference(own, replace(other, settings=own.settings)) == ""


def test_the_newcomer_is_the_one_whose_settings_are_wrong() -> None:
    early, late = status(settings={"SEEDS": "a"}), status(member=2, settings={"SEEDS": "b"})
    early, late = replace(early, since=100.0), replace(late, since=200.0)
    assert difference(early, late) == ""
    assert difference(late, early) == "its SEEDS is b, and that of member 1 is a"
    assert difference(replace(late, since=100.0), early) != ""
    assert difference(early, replace(late, since=100.0)) == "", "one of two that start at once"


@pytest.mark.parametrize(
    ("found", "seconds", "expected"),
    [
        (b"one", 0.1, None),
        (b"one", TWIN_SECONDS + 0.1, False),
        (b"another", 0.1, True),
        (b"another", TWIN_SECONDS + 0.1, True),
    ],
)
def test_another_process_is_alive_if_it_puts_another_status(
    found: bytes, seconds: float, expected: bool | None
) -> None:
    assert is_alive(b"one", 50.0, found, 50.0 + seconds) is expected


# -- batches ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begin", "end", "epoch", "expected"),
    [
        (100, 200, FIRST, Verdict.APPLY),
        (50, 200, FIRST, Verdict.APPLY),
        (0, 100, FIRST, Verdict.REPEAT),
        (100, 100, FIRST, Verdict.REPEAT),
        (101, 200, FIRST, Verdict.GAP),
        (100, 1001, FIRST, Verdict.EARLY),
        (100, 200, SECOND, Verdict.EARLY),
        (100, 200, FIRST - 1, Verdict.FOREIGN),
    ],
)
def test_a_batch_is_judged(begin: int, end: int, epoch: int, expected: Verdict) -> None:
    assert judge(Batch(1, 2, epoch, begin, end, b""), Cursor(100, FIRST), status()) is expected


def test_a_frozen_process_that_wakes_up_is_not_believed() -> None:
    """Its next run began at byte 300: what the older process committed after that is another log."""
    sender = status(epoch=SECOND, runs=(Run(FIRST, 0), Run(SECOND, 300)))
    assert judge(Batch(1, 2, FIRST, 100, 300, b""), Cursor(100, FIRST), sender) is Verdict.APPLY
    assert judge(Batch(1, 2, FIRST, 100, 301, b""), Cursor(100, FIRST), sender) is Verdict.FOREIGN


# -- shipping and deleting ----------------------------------------------------------------------------------------


def test_no_more_than_the_window_is_under_way() -> None:
    own = status(log=(Span(1, 0, 10 << 20),))
    others, shipped, batches = {2: status(member=2)}, dict[int, int](), 0
    while ranges := to_ship(own, others, shipped):
        shipped[2] = ranges[0].end
        batches += 1
        assert ranges[0].end - ranges[0].begin <= MAX_BATCH_BYTES
    assert shipped[2] == exchange.WINDOW_BYTES
    assert batches == 4


@pytest.mark.parametrize(
    ("cursors", "expected"), [((1000, 1000), [1, 2]), ((1000, 699), [1]), ((400, 1000), []), ((1000,), [])]
)
def test_a_file_is_deleted_when_all_have_committed_it(cursors: tuple[int, ...], expected: list[int]) -> None:
    own = status(log=(Span(1, 0, 500), Span(2, 500, 700), Span(3, 700, 1000)))
    others = {
        member: status(member=member, cursors={1: Cursor(offset, FIRST)})
        for member, offset in enumerate(cursors, 2)
    }
    assert [span.number for span in deletable(own, others, 3)] == expected


# -- statuses -----------------------------------------------------------------------------------------------------


@given(st.integers(0, 1 << 33), st.integers(0, 1 << 60))
def test_epochs_rise_and_fit_a_double(last: int, bits: int) -> None:
    epoch = next_epoch(last << exchange.RUN_BITS >> exchange.RUN_BITS, bits)
    assert epoch > last
    assert starts(epoch) == starts(last) + 1
    assert float(epoch) == epoch


def test_a_status_says_all_of_itself() -> None:
    full = status(cursors={2: Cursor(5, FIRST)}, settings={"seeds": "ab"}, facts={"pages": 3})
    assert status_of(full.to_bytes()) == full


@pytest.mark.parametrize(
    "found",
    [
        b"",
        b"[]",
        b"{}",
        b"nul",
        status().to_bytes().replace(b'"member": 1', b'"member": -1'),
        status().to_bytes().replace(b'"member": 1', b'"member": "1"'),
        status(log=(Span(1, 0, 5), Span(2, 6, 9))).to_bytes(),
        status(log=(Span(1, 5, 0),)).to_bytes(),
        b"[" * 10_000,
    ],
)
def test_what_is_not_a_status_is_refused(found: bytes) -> None:
    with pytest.raises(StatusError):
        status_of(found)

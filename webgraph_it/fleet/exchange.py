"""The decisions of the exchange: what to ship, what to apply, what to delete, when the crawl is over. Pure.

Every member has a log: its stream `links/`, in which a position is a byte offset that counts from the beginning of the
crawl, whatever was deleted since. A member's status is always a committed state of it: its log, and how far it has
taken in the log of every other member (its cursors). Whatever carries the batches may lose, double and reorder them.

A log has a history. Each start of a member is a run with an epoch, and begins at some offset of the log. A cursor also
names the run that sent the batch. If a sender's history lacks that run, or if that run had less than the receiver has
taken in, then the sender is a clone or an old backup. What it would send is not what the receiver has, and is refused.

tests/fleet/test_exchange.py runs these functions on random schedules of crashes and losses.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from webgraph_it.files.received import is_count, shown
from webgraph_it.fleet.loans import Loan
from webgraph_it.fleet.transport import MAX_BATCH_BYTES, Batch

WINDOW_BYTES = 1 << 20
"""Maximum that is shipped to a receiver and not in its committed cursor."""
RUN_BITS = 20
"""An epoch is the number of starts, and then so many random bits: two clones of a member have different epochs. It
fits the 53 bits of a floating-point number."""
MAX_RUNS = 200
"""Runs that a status names. Beyond that, older ones are dropped if no cursor needs them."""
MAX_STATUS_BYTES = 1 << 20
STATUS_SECONDS = 1.0
"""How often a member puts its status, even if nothing was committed: its facts are for people."""
TWIN_SECONDS = 3 * STATUS_SECONDS
"""A member that has put no other status for so long does not run, stands still or is cut off."""
TIME, ENDED = "time", "ended"
"""Facts: when the status was put, by the clock of its machine; and, only in the last status of a run that has ended by
itself, 1."""


class StatusError(ValueError):
    """What was put on the notice board is not the status of a member."""


class Span(NamedTuple):
    """A file of the log, `links/000007.tsv` for number 7: its bytes are `start` to `end` of the log."""

    number: int
    start: int
    end: int


class Run(NamedTuple):
    """A start of a member."""

    epoch: int
    start: int
    """The end of its log at that moment."""


class Cursor(NamedTuple):
    """How far a sender's log was taken in, and which run of the sender sent the last batch."""

    offset: int = 0
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """A committed state of a member."""

    member: int
    epoch: int
    is_idle: bool
    """Nothing is queued, leased or still to be read of the seeds."""
    runs: tuple[Run, ...]
    """Oldest first. The last one is the current run."""
    log: tuple[Span, ...]
    """The files that still exist."""
    cursors: Mapping[int, Cursor]
    """Sender → what was taken in."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What all members must have in common: number of members, checksums of the seeds, of the suffix list …"""
    facts: Mapping[str, float] = field(default_factory=dict)
    """For people: pages, queued, pages per second, time of the commit. No decision depends on them."""
    borrows: Mapping[str, int] = field(default_factory=dict)
    """Hosts of others that it wants to ask, and the ticket of each wish (fleet/loans.py). As of now, not of the commit,
    like `lent`."""
    lent: Mapping[str, Loan] = field(default_factory=dict)
    """Own hosts that others may ask now."""
    since: float = 0.0
    """When this start was, by the clock of its machine."""

    @property
    def log_start(self) -> int:
        return self.log[0].start if self.log else 0

    @property
    def log_end(self) -> int:
        return self.log[-1].end if self.log else 0

    def cursor(self, sender: int) -> Cursor:
        return self.cursors.get(sender, Cursor())

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def status_of(found: bytes) -> Status:
    """The status that a member put. StatusError if it is not one."""
    try:
        if len(found) > MAX_STATUS_BYTES:
            raise ValueError(f"{len(found)} bytes")
        value = json.loads(found)
        status = Status(
            member=value["member"],
            epoch=value["epoch"],
            is_idle=value["is_idle"],
            runs=tuple(Run(*run) for run in value["runs"]),
            log=tuple(Span(*span) for span in value["log"]),
            cursors={int(sender): Cursor(*cursor) for sender, cursor in value["cursors"].items()},
            settings=value["settings"],
            facts=value["facts"],
            borrows=dict(value["borrows"]),
            lent={host: Loan(*loan) for host, loan in value["lent"].items()},
            since=value.get("since", 0.0),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StatusError(f"not the status of a member: {shown(str(error))}") from None
    if not _is_sound(status):
        raise StatusError("not the status of a member: its numbers are impossible")
    return status


def _is_sound(status: Status) -> bool:
    numbers: list[Any] = [status.member, status.epoch]
    for each in (*status.runs, *status.log, *status.cursors.values(), *status.lent.values()):
        numbers += each
    numbers += status.borrows.values()
    spans = zip(status.log, status.log[1:], strict=False)
    return (
        all(map(is_count, numbers))
        and isinstance(status.is_idle, bool)
        and isinstance(status.since, int | float)
        and isinstance(status.settings, dict)
        and isinstance(status.facts, dict)
        and all(isinstance(value, int | float) for value in status.facts.values())
        and all(span.start <= span.end for span in status.log)
        and all(before.end == after.start and before.number < after.number for before, after in spans)
    )


# -- epochs -------------------------------------------------------------------------------------------------------


def next_epoch(last: int, random_bits: int) -> int:
    """The epoch of a start after the epoch `last` (0: the first start)."""
    return ((last >> RUN_BITS) + 1 << RUN_BITS) | (random_bits & (1 << RUN_BITS) - 1)


def starts(epoch: int) -> int:
    """Which start of the member this is, counted from 1."""
    return epoch >> RUN_BITS


def is_history(runs: Sequence[Run], log_end: int, cursor: Cursor) -> bool:
    """Whether a sender with these runs and this log has sent what a receiver has taken in."""
    if not cursor.offset:
        return True
    for place, run in enumerate(runs):
        if run.epoch == cursor.epoch:
            had = runs[place + 1].start if place + 1 < len(runs) else log_end
            return cursor.offset <= had
    return False


def needed_runs(runs: Sequence[Run], cursors: Collection[Cursor]) -> tuple[Run, ...]:
    """All runs. If there are very many, those that a cursor of a receiver may name, and the current one."""
    if len(runs) <= MAX_RUNS:
        return tuple(runs)
    oldest = min((cursor.epoch for cursor in cursors), default=0)
    return tuple([run for run in runs if run.epoch >= oldest] or runs[-1:])


# -- receiving ----------------------------------------------------------------------------------------------------


class Verdict(Enum):
    """What to do with a batch."""

    APPLY = "apply"
    REPEAT = "repeat"
    """It was taken in before."""
    GAP = "gap"
    """Something before it is missing. It will be sent again."""
    EARLY = "early"
    """The sender's status does not name this run yet. It will be sent again."""
    FOREIGN = "foreign"
    """The sender is a clone or an old backup, or an older process of the sender."""


def judge(batch: Batch, cursor: Cursor, sender: Status | None) -> Verdict:
    """`cursor`: how far the receiver has taken in the sender's log; `sender`: its status, if there is one."""
    if batch.end <= cursor.offset or batch.end <= batch.begin:
        return Verdict.REPEAT
    if batch.begin > cursor.offset:
        return Verdict.GAP
    if sender is None or sender.epoch < batch.epoch or sender.log_end < batch.end:
        return Verdict.EARLY
    known = is_history(sender.runs, sender.log_end, Cursor(batch.end, batch.epoch))
    return Verdict.APPLY if known and is_history(sender.runs, sender.log_end, cursor) else Verdict.FOREIGN


# -- sending ------------------------------------------------------------------------------------------------------


class Range(NamedTuple):
    """A range of the own log for a receiver."""

    receiver: int
    begin: int
    end: int


def to_ship(own: Status, others: Mapping[int, Status], shipped: Mapping[int, int]) -> list[Range]:
    """The next range for each receiver, at most MAX_BATCH_BYTES long, within the window.

    `own` is committed, so nothing else is shipped. `shipped`: receiver → what was shipped in this run. To send
    something again, remove the receiver from it.
    """
    ranges = []
    for receiver, status in others.items():
        committed = status.cursor(own.member).offset
        begin = max(committed, shipped.get(receiver, 0))
        end = min(own.log_end, begin + MAX_BATCH_BYTES)
        if begin < end and end - committed <= WINDOW_BYTES:
            ranges.append(Range(receiver, begin, end))
    return ranges


def deletable(own: Status, others: Mapping[int, Status], size: int) -> tuple[Span, ...]:
    """The files of the own log that every other member has taken in and committed. Never the last one: it grows."""
    if len(others) < size - 1:
        return ()
    taken = min((status.cursor(own.member).offset for status in others.values()), default=own.log_end)
    return tuple(span for span in own.log[:-1] if span.end <= taken)


# -- end and contradictions ---------------------------------------------------------------------------------------


def is_over(statuses: Mapping[int, Status], size: int) -> bool:
    """Whether the crawl has ended. One look is enough, because statuses are committed states and only committed bytes
    are shipped."""
    return len(statuses) == size and all(
        status.is_idle
        and all(
            status.cursor(sender).offset == other.log_end
            for sender, other in statuses.items()
            if sender != receiver
        )
        for receiver, status in statuses.items()
    )


class Fault(Enum):
    """Why a member must not run."""

    COPY = "an old copy or a clone"
    TWIN = "another process is this member"
    SETTINGS = "other settings than the others"
    OUTDATED = "a later start of this member is known"


def contradiction(own: Status, others: Mapping[int, Status]) -> str:
    """Why this member must not run: its directory is an old copy, or a clone. Empty if nothing speaks against it."""
    for other in others.values():
        cursor = other.cursor(own.member)
        if not is_history(own.runs, own.log_end, cursor):
            return (
                f"member {other.member} has taken in {cursor.offset:,} bytes of this member's links, which "
                f"start {starts(cursor.epoch)} of it sent, and this directory has {own.log_end:,} and "
                f"{'other' if cursor.offset <= own.log_end else 'no later'} starts"
            )
        if other.log and own.cursor(other.member).offset < other.log_start:
            return (
                f"this directory has taken in {own.cursor(other.member).offset:,} bytes of the links of member "
                f"{other.member}, which has deleted {other.log_start:,} because this member had committed them"
            )
    return ""


def later_start(member: int, memory: str, known: int, here: int) -> str:
    """Why a member must not run. `memory` has its start `known` (0: which one is not known), its directory `here`."""
    later = f"a later start of member {member}{f' (start {known})' if known else ''}"
    had = f"has only start {here}" if here else "has none"
    reason = f"it is an older copy, or {memory} serves another fleet"
    return f"{memory} remembers {later}, and this directory {had}: {reason}"


def is_alive(first: bytes, seen_at: float, found: bytes, now: float) -> bool | None:
    """Whether a process that put `first` as its status runs now: then it puts another one soon. None: not known yet.

    A process that stands still, or is cut off, does not run. When it returns, it has the older epoch."""
    if found != first:
        return True
    return None if now - seen_at < TWIN_SECONDS else False


def difference(own: Status, other: Status) -> str:
    """What the two do not have in common though they must. Empty if there is nothing, and for the one that started
    earlier: the newcomer is wrong. Only for members that run now."""
    if (own.since, own.member) < (other.since, other.member):
        return ""
    for name in sorted({*own.settings, *other.settings}):
        here, there = own.settings.get(name, "none"), other.settings.get(name, "none")
        if here != there:
            return f"its {name} is {here}, and that of member {other.member} is {there}"
    return ""

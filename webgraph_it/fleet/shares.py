"""One bandwidth plan and one MAX_TCP_CONNECTIONS for the whole fleet: who may use how much of them, and until when.

Each second a member reports what it uses and wants, and gets a share that lasts SHARE_SECONDS. Reports and answers may
be lost or late, members may stand still, the broker may forget everything. Four rules keep the sum of what is used
below the caps at every instant:

1. the broker records the larger of what the member still uses and what it now gets;
2. a member counts the share's life from when it ASKED, less MARGIN_SECONDS, and believes only the answer to its last
   question;
3. a broker that has lost its memory grants nothing until every share that it may have forgotten has run out;
4. connections of a member that falls silent stay recorded for SILENT_SECONDS: a suspended process cannot close them.

The caps are shared max-min: nobody gets more than it wants, and what one does not want the others share equally. So
with enough demand all of a cap is handed out. `Ledger` is the broker's side, `Holding` the member's. Both are pure. The
times of each are its own: seconds of a clock that never runs backwards, and that also runs while the machine sleeps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from webgraph_it.fleet.transport import NOTHING, SHARE_SECONDS, Amounts, Fenced, Report, Share

MARGIN_SECONDS = 0.25
"""Closing connections takes a moment, and two machines' clocks differ by a little."""
SILENT_SECONDS = 60.0


@dataclass(slots=True)
class Record:
    """What a member may be using, as the broker knows it."""

    epoch: int
    question: int
    amounts: Amounts
    wanted: Amounts
    until: float

    def connections(self, now: float) -> int:
        return self.amounts.connections if now < self.until - SHARE_SECONDS + SILENT_SECONDS else 0

    def bandwidth(self, now: float) -> int:
        return self.amounts.bandwidth if now < self.until else 0


@dataclass(slots=True)
class Ledger:
    """The broker's memory of shares."""

    began: float
    """When it had no memory."""
    records: dict[int, Record] = field(default_factory=dict)
    former: list[Record] = field(default_factory=list)
    """Of earlier epochs: each counts until it ends."""

    def grant(self, report: Report, caps: Amounts, now: float) -> Share:
        """The member's share. Raises Fenced if a newer process of this member has reported."""
        self._admit(report, now)
        known = self.records.get(report.member)
        if known is not None and known.question >= report.question:
            return Share(report.question, NOTHING)  # a late one, whose answer nobody believes
        granted = NOTHING if now < self.began + SHARE_SECONDS else self._fair(report, caps, now)
        recorded = Amounts(*map(max, report.used, granted))
        self.records[report.member] = Record(
            report.epoch, report.question, recorded, report.wanted, now + SHARE_SECONDS
        )
        return Share(report.question, granted)

    def forget_former(self, member: int, epoch: int) -> None:
        """An earlier process of this member is known to have ended, and its connections with it."""
        known = self.records.get(member)
        if known is not None and known.epoch < epoch:
            del self.records[member]

    def _admit(self, report: Report, now: float) -> None:
        known = self.records.get(report.member)
        if known is None:
            return
        if known.epoch > report.epoch:
            raise Fenced(fenced_words(report.member))
        if known.epoch < report.epoch:
            self.former = [each for each in self.former if each.until > now]
            self.former.append(self.records.pop(report.member))

    def _fair(self, report: Report, caps: Amounts, now: float) -> Amounts:
        """What is fair, as far as it is free."""
        others = [record for member, record in self.records.items() if member != report.member]
        former = [record for record in self.former if record.until > now]
        free = Amounts(
            caps.bandwidth - sum(record.bandwidth(now) for record in (*others, *former)),
            caps.connections
            - sum(record.connections(now) for record in others)
            - sum(record.amounts.connections for record in former),
        )
        wanted = {member: record.wanted for member, record in self.records.items() if record.until > now}
        wanted[report.member] = report.wanted
        fair = [
            fair_parts(cap, {member: each[kind] for member, each in wanted.items()})[report.member]
            for kind, cap in enumerate(caps)
        ]
        return Amounts(*(max(min(pair), 0) for pair in zip(fair, free, strict=True)))


def fair_parts(cap: int, wanted: Mapping[int, int]) -> dict[int, int]:
    """Shares `cap` max-min: whoever wants less than an equal part gets all of it, and the others share the rest."""
    parts, left = {}, cap
    for done, (want, member) in enumerate(sorted((want, member) for member, want in wanted.items())):
        parts[member] = min(want, left // (len(wanted) - done))
        left -= parts[member]
    return parts


def fenced_words(member: int) -> str:
    return f"another process runs as member {member} and started later, from another directory"


@dataclass(slots=True)
class Holding:
    """The member's side: what it may use now."""

    amounts: Amounts = NOTHING
    until: float = -inf
    question: int = 0
    asked_at: float = -inf

    def now(self, now: float) -> Amounts:
        """What it may use. Connections that are open already may be more; the broker knows of them."""
        return self.amounts if now < self.until else NOTHING

    def ask(self, wanted: Amounts, connections: int, now: float) -> tuple[int, Amounts]:
        """The number of the next report, and `used` of it. What is not wanted any more is given up now.

        `connections` is how many exist: none of them needs to be closed for that.
        """
        self.amounts = Amounts(*map(min, self.now(now), wanted))
        self.question += 1
        self.asked_at = now
        return self.question, Amounts(self.amounts.bandwidth, max(self.amounts.connections, connections))

    def answered(self, share: Share) -> bool:
        """Take the answer, if it is the answer to the last question; whether it is."""
        if share.question != self.question:
            return False
        self.amounts = share.amounts
        self.until = self.asked_at + share.seconds - MARGIN_SECONDS
        return True

"""One member of a fleet, while it crawls: it ships what it found for others, takes in what they found, sees the end.

    start    board ─► another process as this member? other settings? old copy? ─► commit the epoch ─► status ─► fetch
    round    board ─► old copy? ─► ship ─► take in ─► delete ─► idle? commit at once ─► status ─► over?
    commit   what the commit covers (log, cursors, idle or not) is the next status

All decisions are those of fleet/exchange.py. What the transport loses is sent again. If it cannot be reached, the
member crawls on, and tries again in the next round.
"""

import json
import logging
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from secrets import randbits
from typing import NamedTuple, Protocol

from webgraph_it.crawl.contradictions import Contradictions
from webgraph_it.crawl.inbox import Inbox
from webgraph_it.crawl.link_log import LOG_START, RUNS, log_start_of, runs_of, spans_of
from webgraph_it.crawl.membership import Membership
from webgraph_it.crawl.outbox import Outbox
from webgraph_it.crawl.resuming import LOCAL
from webgraph_it.fleet.exchange import (
    ENDED,
    STATUS_SECONDS,
    TIME,
    Cursor,
    Fault,
    Run,
    Span,
    Status,
    StatusError,
    Verdict,
    deletable,
    is_over,
    judge,
    needed_runs,
    next_epoch,
    starts,
    status_of,
    to_ship,
)
from webgraph_it.fleet.loans import Loans
from webgraph_it.fleet.log import LogError, lines_for, read_range
from webgraph_it.fleet.transport import Batch, Board, Fenced, Mailboxes, TransportError
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.killpoint import reached
from webgraph_it.shards.formats import LINKS_FOLDER, file_name
from webgraph_it.shards.writer import Durable

logger = logging.getLogger(__name__)

ROUND_SECONDS = 0.2
RESEND_SECONDS = 10.0
"""A receiver that has not committed anything of what was shipped by then gets it again."""
IDLE_COMMIT_SECONDS = 1.0
"""Minimum between two commits of an idle member, or COMMIT_INTERVAL if that is shorter."""
ROTATE_BYTES = 32 << 20
"""A checkpoint starts the next file of the log, because only whole files can be deleted."""
BATCHES_PER_ROUND = 16
NOTHING_YET = Cursor()


class Commit(Protocol):
    """Commits.commit."""

    async def __call__(self, *, checkpoint: bool = False) -> None: ...


class Lender(Protocol):
    """The crawl's hosts, as far as others may ask them."""

    def now(self) -> float: ...
    def lend(self, host: str) -> bool: ...
    def take_back(self, host: str) -> None: ...


class Facts(NamedTuple):
    """What a member says about itself to people."""

    pages: int
    queued: int
    """URLs, leased ones included."""
    rate: float
    """Pages per second."""
    logged: int = 0
    """Links for others that were logged in this run."""


class Taken(NamedTuple):
    """What a commit covers."""

    is_idle: bool
    cursors: Mapping[int, Cursor]
    log_start: int
    runs: tuple[Run, ...]


class Member:
    """Takes part in every commit (crawl/commit.py, Party). `round` is to be called every ROUND_SECONDS."""

    def __init__(
        self,
        membership: Membership,
        mailboxes: Mailboxes,
        frontier: Frontier,
        outbox: Outbox,
        inbox: Inbox,
        files: Mapping[str, Durable],
        *,
        commit: Commit,
        is_idle: Callable[[], bool],
        is_seeded: Callable[[], bool],
        facts: Callable[[], Facts],
        commit_seconds: float,
        lender: Lender,
    ) -> None:
        """`files`: those of the last commit; `commit`: Commits.commit; `is_idle`: whether nothing is left to do."""
        self._membership = membership
        self._number, self._size = membership.number, membership.size
        self._mailboxes = mailboxes
        self._frontier = frontier
        self.outbox = outbox
        self.inbox = inbox
        self._commit = commit
        self._is_idle = is_idle
        self._is_seeded = is_seeded
        self._lender = lender
        self._facts = facts
        self._idle_commit_seconds = min(IDLE_COMMIT_SECONDS, commit_seconds)
        runs = runs_of(frontier)
        self.epoch = next_epoch(runs[-1].epoch if runs else 0, randbits(32))
        self._since = time.time()
        self._runs = (*runs, Run(self.epoch, outbox.end))
        self.loans = Loans(self._number, starts(self.epoch))
        self._log_start = log_start_of(frontier)
        self._taken = Taken(False, dict(inbox.cursors), self._log_start, self._runs)
        self.status = self._status_of(self._taken, files)
        """The last commit."""
        self._others: dict[int, Status] = {}
        self._known: dict[int, tuple[bytes, Status]] = {}
        self._shipped: dict[int, int] = {}
        self._shipped_at: dict[int, float] = {}
        self._board_run = ""
        self._put_at = self._committed_at = 0.0
        self._is_put = False
        self._unreachable = ""
        self._gone: tuple[Span, ...] = ()
        memory = "board/" if membership.transport == LOCAL else "the server"
        self.contradictions = Contradictions(
            self._number, self.epoch, memory, may_have_twin=mailboxes.needs_publishing
        )
        self.has_begun = False
        """Whether nothing contradicted this start, its epoch is committed, and the others know of it."""
        self.is_over = False
        self.batches: dict[Verdict, int] = dict.fromkeys(Verdict, 0)

    def __repr__(self) -> str:
        return f"<Member {self._number} of {self._size}: log {self.outbox.end}, {self.inbox.cursors}>"

    # -- commits -----------------------------------------------------------------------------------------------------

    def prepare(self) -> Collection[str]:
        self._gone = deletable(self.status, self._others, self._size)
        if self._gone:
            self._log_start = self._gone[-1].end
            self._frontier.put_meta(LOG_START, str(self._log_start).encode())
        self._runs = needed_runs(self._runs, [other.cursor(self._number) for other in self._others.values()])
        self._frontier.put_meta(RUNS, json.dumps(self._runs).encode())
        self._taken = Taken(self._is_idle(), dict(self.inbox.cursors), self._log_start, self._runs)
        return [f"{LINKS_FOLDER}/{file_name(LINKS_FOLDER, span.number)}" for span in self._gone]

    def committed(self, files: Mapping[str, Durable]) -> None:
        self.status = self._status_of(self._taken, files)
        self._committed_at = time.monotonic()
        self._is_put = False

    def _status_of(self, taken: Taken, files: Mapping[str, Durable]) -> Status:
        return Status(
            self._number,
            self.epoch,
            taken.is_idle,
            taken.runs,
            spans_of(files, taken.log_start),
            taken.cursors,
            self._membership.common,
            since=self._since,
        )

    # -- start, rounds, end ------------------------------------------------------------------------------------------

    async def round(self) -> str:
        """The first ones start the member. Returns why this member must not run any longer, or an empty string."""
        try:
            why = await self._round()
        except TransportError as error:
            self._complain(error)
            return ""
        except Fenced as error:
            if not self.has_begun:
                return self.contradictions.of_later_start()
            self.contradictions.fault = Fault.TWIN
            return str(error)
        if self._unreachable:
            logger.info("The other members are reached again.")
        self._unreachable = ""
        return why

    def _complain(self, error: TransportError) -> None:
        if str(error) != self._unreachable:
            logger.warning(
                "The other members cannot be reached: %s. %s", str(error).rstrip("."), self._meanwhile()
            )
        self._unreachable = str(error)

    def _meanwhile(self) -> str:
        """What follows from that for this member, and what to do."""
        if self.has_begun:
            return "This member fetches until its share ends, keeps the links for them, and tries again."
        change = (
            ""
            if self._membership.transport == LOCAL
            else (" If FLEET is wrong, stop this member and give the right one.")
        )
        return f"Nothing is fetched until they are; this member tries again.{change}"

    async def _round(self) -> str:
        board = await self._mailboxes.board()
        if not self.has_begun:
            why = await self._begin(board)
            if not self.has_begun:
                return why
        self._look(board)
        if why := self.contradictions.of_run(self.status, board.statuses, self._others, time.monotonic()):
            return why
        self._exchange_hosts()
        if self._mailboxes.needs_publishing:
            await self._ship()
        await self._take_in()
        await self._commit_if_idle()
        if not self._is_put or self.loans.has_changed or time.monotonic() - self._put_at >= STATUS_SECONDS:
            await self._put()
        self._decide_end()
        return ""

    async def _begin(self, board: Board) -> str:
        """Commit the epoch and let the others know of it, once nothing contradicts this start."""
        found = board.statuses.get(self._number)
        mine = self._parsed(self._number, found) if found else None
        self._look(board)
        doubts = self.contradictions
        why = doubts.of_start(self.status, board.statuses, mine, self._others, time.monotonic())
        if why or doubts.is_watching:
            return why
        if not self._committed_at:
            await self._commit()
        if self._committed_at:
            await self._put()
            self.has_begun = True
        return ""

    def _look(self, board: Board) -> None:
        """Read the notice board."""
        if board.run != self._board_run:
            self._board_run = board.run
            self._shipped.clear()
            self._is_put = False
        numbers = board.statuses.keys() & {*range(1, self._size + 1)} - {self._number}
        found = {member: self._parsed(member, board.statuses[member]) for member in sorted(numbers)}
        self._others = {member: status for member, status in found.items() if status is not None}
        self._is_put = self._is_put and self._number in board.statuses

    def _exchange_hosts(self) -> None:
        """See which hosts the others lend, and lend own ones."""
        now = self._lender.now()
        lent = {host: loan for other in self._others.values() for host, loan in other.lent.items()}
        self.loans.see(lent, now)
        wanted = {
            member: {host: ticket for host, ticket in other.borrows.items() if self.outbox.owns(f"{host})/")}
            for member, other in self._others.items()
            if other.borrows
        }
        self.loans.serve(wanted, now, lend=self._lender.lend, take_back=self._lender.take_back)

    def _parsed(self, member: int, found: bytes) -> Status | None:
        """The status that another member put; None if it is none. Read once for each time that it was put."""
        known = self._known.get(member)
        if known is not None and known[0] == found:
            return known[1]
        try:
            status = status_of(found)
        except StatusError:
            return None
        if status.member != member:
            return None
        self._known[member] = found, status
        return status

    async def _ship(self) -> None:
        now = time.monotonic()
        for receiver, status in self._others.items():
            if status.cursor(self._number).offset >= self._shipped.get(receiver, 0):
                self._shipped_at[receiver] = now
            elif now - self._shipped_at.get(receiver, now) > RESEND_SECONDS:
                self._shipped.pop(receiver, None)
                self._shipped_at[receiver] = now
        for receiver, begin, most in to_ship(self.status, self._others, self._shipped):
            end, data = read_range(self._membership.path, self.status.log, begin, most - begin)
            if end <= begin:
                continue
            lines = lines_for(data, self._membership.table, receiver)
            await self._mailboxes.publish(Batch(self._number, receiver, self.epoch, begin, end, lines))
            self._shipped[receiver] = end
            reached("published")

    async def _take_in(self) -> None:
        """Not before the own seeds are loaded: a seed that is found as a link first would have another depth."""
        if not self._is_seeded():
            return
        for _ in range(BATCHES_PER_ROUND):
            if not (self._mailboxes.needs_publishing or self._is_behind):
                return
            offsets = {sender: cursor.offset for sender, cursor in self.inbox.cursors.items()}
            batches = await self._mailboxes.collect(self._number, offsets)
            for batch in batches:
                verdict = judge(
                    batch, self.inbox.cursors.get(batch.sender, Cursor()), self._others.get(batch.sender)
                )
                self.batches[verdict] += 1
                if verdict is Verdict.APPLY:
                    await self._apply(batch)
            if not any(batch.lines for batch in batches):
                return

    @property
    def _is_behind(self) -> bool:
        """Whether another member has committed links that were not taken in yet."""
        cursors = self.inbox.cursors
        return any(
            status.log_end > cursors.get(member, NOTHING_YET).offset
            for member, status in self._others.items()
        )

    async def _apply(self, batch: Batch) -> None:
        try:
            await self.inbox.apply(batch)
        except LogError as error:
            logger.error("A batch of member %d is refused: %s.", batch.sender, error)

    async def _commit_if_idle(self) -> None:
        if self._is_idle():
            is_new = (
                not self.status.is_idle
                or self.status.log_end != self.outbox.end
                or dict(self.status.cursors) != self.inbox.cursors
            )
            if is_new and time.monotonic() - self._committed_at >= self._idle_commit_seconds:
                await self._commit()
        elif self.status.log and self.outbox.end - self.status.log[-1].start > ROTATE_BYTES:
            await self._commit(checkpoint=True)

    async def _put(self, **more: float) -> None:
        """`more`: further facts."""
        now = time.time()
        facts = {**self._facts()._asdict(), TIME: now, "committed": now - self._age(), **more}
        self.loans.has_changed = False
        now_true = replace(self.status, facts=facts, borrows=self.loans.borrows, lent=self.loans.lent)
        await self._mailboxes.put(self._number, self.epoch, now_true.to_bytes())
        self._is_put, self._put_at = True, time.monotonic()
        reached("published")

    def _age(self) -> float:
        return time.monotonic() - self._committed_at if self._committed_at else 0.0

    def _decide_end(self) -> None:
        self.is_over = self.is_over or is_over({**self._others, self._number: self.status}, self._size)

    async def end(self) -> None:
        """After the last commit: put the status for the last time."""
        try:
            await self._put(**{ENDED: 1.0})
        except (TransportError, Fenced) as error:
            logger.warning("The others do not know the last commit of this member: %s", error)
        await self._mailboxes.close()

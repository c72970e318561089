"""Makes the fleet's part of a running crawl (crawl/member.py) from its settings and the other parts."""

import asyncio
import logging
import shlex
import time
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webgraph_it.crawl.commits import Commits
from webgraph_it.crawl.control import Control
from webgraph_it.crawl.inbox import Inbox
from webgraph_it.crawl.link_log import log_start_of, spans_of
from webgraph_it.crawl.member import Facts, Member
from webgraph_it.crawl.membership import Membership, membership_of
from webgraph_it.crawl.outbox import Outbox
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.resuming import LOCAL
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.engine.seed_loading import SeedLoading
from webgraph_it.fleet.exchange import Fault
from webgraph_it.fleet.local import LocalMailboxes
from webgraph_it.fleet.transport import Mailboxes
from webgraph_it.shards.fleet import BOARD_FOLDER
from webgraph_it.shards.writer import Durable
from webgraph_it.urls.scope import Scope

if TYPE_CHECKING:
    from webgraph_it.engine.running import Fail

logger = logging.getLogger(__name__)

RATE_MOMENTS = 10
"""The rate that people see is that of the last ten or so seconds."""
PAUSE = "fleet"
"""Why nothing is fetched before the epoch is committed."""


class FleetPart:
    """A member of a fleet, between its start and its last commit."""

    def __init__(
        self,
        membership: Membership,
        scheduler: FrontierScheduler,
        recorder: Recorder,
        files: Mapping[str, Durable],
        scope: Scope,
        commit_seconds: float,
        control: Control,
        fail: "Fail",
    ) -> None:
        """`files`: those of the last commit."""
        self.membership = membership
        self._scheduler = scheduler
        self._recorder = recorder
        self._control = control
        self._fail = fail
        frontier, number, table = scheduler.frontier, membership.number, membership.table
        start = log_start_of(frontier)
        spans = spans_of(files, start)
        end = spans[-1].end if spans else start
        recorder.outbox = outbox = Outbox(number, table, frontier, recorder.shards, end)
        frontier.own_only(outbox.owns)
        inbox = Inbox(number, table, scope, frontier, recorder)
        self._seeds: SeedLoading | None = None
        self._commits: Commits | None = None
        self._started = asyncio.Event()
        self._is_refused = False
        self._moments = deque([(time.monotonic(), recorder.tally.pages)], maxlen=RATE_MOMENTS)
        self.member = Member(
            membership,
            mailboxes_of(membership),
            frontier,
            outbox,
            inbox,
            files,
            commit=self._commit,
            is_idle=self._is_idle,
            is_seeded=self._is_seeded,
            facts=self._facts,
            commit_seconds=commit_seconds,
            lender=self,
        )
        scheduler.borrowed = self
        scheduler.awaits_others = lambda: not self.member.is_over
        control.pause(PAUSE)

    def join(self, commits: Commits, seeds: SeedLoading) -> None:
        """Give it the parts that were made after it."""
        self._commits, self._seeds = commits, seeds

    async def _commit(self, *, checkpoint: bool = False) -> None:
        assert self._commits is not None
        await self._commits.commit(checkpoint=checkpoint)

    def _is_seeded(self) -> bool:
        loaded = self._seeds.loaded if self._seeds is not None else None
        return loaded is not None and loaded.finished

    def _is_idle(self) -> bool:
        counts = self._scheduler.frontier.counts()
        return self._is_seeded() and not (counts.queued or counts.leased)

    async def starts(self) -> None:
        """Waits until `has_started`."""
        await self._started.wait()

    @property
    def has_started(self) -> bool:
        """Whether its epoch is committed, and nothing contradicts it."""
        return self._started.is_set()

    @property
    def is_unwanted(self) -> bool:
        """Whether this start was refused before anything came of it, or ended while that was still to be seen."""
        return not self.has_started and (self._is_refused or self.member.contradictions.is_watching)

    @property
    def is_waiting(self) -> bool:
        """Whether this member has nothing to do until others send it links."""
        return self._is_idle()

    # -- hosts of others, and own ones that others ask -----------------------------------------------------------------

    def is_foreign(self, host: str) -> bool:
        return not self.member.outbox.owns(f"{host})/")

    def ready_at(self, host: str, now: float) -> float:
        return self.member.loans.ready_at(host, now)

    def returned(self, host: str) -> None:
        self.member.loans.returned(host)

    def now(self) -> float:
        return self._scheduler.now()

    def lend(self, host: str) -> bool:
        frontier = self._scheduler.frontier
        return self._scheduler.errands.lend(host, self.now(), frontier.host_ready)

    def take_back(self, host: str) -> None:
        self._scheduler.errands.take_back(host, self.now(), self._scheduler.frontier.host_delay)

    def _facts(self) -> Facts:
        counts, pages, now = self._scheduler.frontier.counts(), self._recorder.tally.pages, time.monotonic()
        self._moments.append((now, pages))
        began, pages_then = self._moments[0]
        rate = (pages - pages_then) / (now - began) if now > began else 0.0
        return Facts(pages, counts.queued + counts.leased, round(rate, 1), self.member.outbox.links)

    async def round(self) -> None:
        """To be called every ROUND_SECONDS. The first one starts the member."""
        if self._scheduler.ended or self._scheduler.is_closing:
            return
        member = self.member
        why = await member.round()
        if why:
            self._is_refused = True
            path = self.membership.path
            self._fail(
                f"{path} must not run as member {self.membership.number}: {why}",
                is_whole=False,
                is_refusal=True,
                remedy=self._remedy(),
            )
            return
        if not self.has_started and member.has_begun:
            self._started.set()
            self._control.unpause(PAUSE)
        if member.is_over or self._scheduler.frontier.counts().queued:
            self._scheduler.wake()

    def _remedy(self) -> str:
        directory, number = shlex.quote(str(self.membership.directory)), self.membership.number
        return {
            Fault.SETTINGS: "give this member what the others have",
            Fault.TWIN: f"only one process may be member {number}. If this one is the right one, stop the other and "
            "start this one again",
            Fault.COPY: f"the directory is a clone or an old copy{self._or_another_fleet()} its newest copy, or let it "
            f"start again and crawl all its pages again: webgraph-it fleet give-up {directory} {number}",
            Fault.OUTDATED: "restore its newest copy. If all members were restored together, or are new, stop them, "
            f"{self._emptying()}, and start again",
        }[self.member.contradictions.fault]

    def _or_another_fleet(self) -> str:
        if self.membership.transport == LOCAL:
            return ". Restore"
        return (
            ", or the server has served another fleet. If this fleet is new or was restored as a whole, stop all its "
            f"members, {self._emptying()}, and start again. Otherwise restore"
        )

    def _emptying(self) -> str:
        if self.membership.transport != LOCAL:
            return "empty the server's database (FLUSHDB)"
        directory = self.membership.directory
        board = shlex.quote(str(directory / BOARD_FOLDER))
        return f"empty what remembers it (rm -r {board} {shlex.quote(str(directory))}/broker-*.db*)"

    async def end(self) -> None:
        """After the last commit."""
        await self.member.end()


def mailboxes_of(membership: Membership) -> Mailboxes:
    """The transport that the setting FLEET names."""
    if membership.transport == LOCAL:
        return LocalMailboxes(membership.directory, membership.table)
    from webgraph_it.fleet.redis.mailboxes import (
        RedisMailboxes,
    )  # its library is loaded only for such a fleet

    return RedisMailboxes(membership.transport, membership.size)


def fleet_part(
    settings: Any,
    scheduler: FrontierScheduler,
    recorder: Recorder,
    files: Mapping[str, Durable],
    scope: Scope,
    control: Control,
    fail: "Fail",
) -> FleetPart | None:
    """None for a crawl that is in no fleet."""
    membership = membership_of(settings)
    if membership is None:
        return None
    seconds = settings.getfloat("COMMIT_INTERVAL")
    return FleetPart(membership, scheduler, recorder, files, scope, seconds, control, fail)

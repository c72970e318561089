"""The commit: what the shards hold and what the frontier knows become durable as one step.

    crawl thread    ── page ── page ──┬─ swap buffers, freeze frontier ─┬── page ── page ──►   (never waits)
    scribe thread                     └─► write ─► fsync ─► store takes changes and lengths ─► committed.json
                                                                 ▲ the one instant that counts

A crash before the store's commit leaves the previous commit in force; a crash after it, this one. Shard bytes that no
commit knows are cut off when the crawl is next opened. A page that is being recorded holds `step`: the commit waits for
it, and the next such page waits for the swap.
"""

import asyncio
import logging
import time
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from typing import Protocol

from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.layers import Frozen
from webgraph_it.killpoint import reached
from webgraph_it.shards.committed import packed
from webgraph_it.shards.writer import Durable, Shards

logger = logging.getLogger(__name__)


class Party(Protocol):
    """Takes part in every commit."""

    def prepare(self) -> Collection[str]:
        """At the swap: put what belongs to this commit into the frontier. Returns files that it deletes."""

    def committed(self, files: Mapping[str, Durable]) -> None:
        """The commit is durable; `files` are those of the crawl with their lengths."""


class Committer:
    """Commits and checkpoints, one at a time."""

    def __init__(
        self,
        directory: JobDirectory,
        frontier: Frontier,
        shards: Shards,
        tally: Tally,
        step: asyncio.Lock,
    ) -> None:
        self._directory = directory
        self._frontier = frontier
        self._shards = shards
        self._tally = tally
        self._step = step
        self._turn = asyncio.Lock()
        self._committing: asyncio.Task[None] | None = None
        self._failure: Exception | None = None
        """Why a commit could not be written. The next one raises it again: the first caller may be gone."""
        self.party: Party | None = None
        self.stopped = False
        """If true, nothing more is committed."""
        self.commits = 0
        self.seconds = 0.0
        """Of all commits of this run together."""
        self.committed_at = time.time()
        """When the last one ended; until there is one, when the run began."""
        self._files: Mapping[str, Durable] = {}
        self._commits_before = int(frontier.get_meta("commits") or b"0")

    def stop(self) -> None:
        """Frontier and shards disagree: commit nothing more. A commit that has taken its changes is still finished."""
        self.stopped = True

    async def commit(self, *, checkpoint: bool = False) -> None:
        """With `checkpoint`, new files with the next numbers begin. Finishes even if the caller is cancelled, because
        the next commit waits for it."""
        self._committing = asyncio.get_running_loop().create_task(self._commit(checkpoint))
        self._committing.add_done_callback(_retrieve)
        await asyncio.shield(self._committing)

    async def _commit(self, checkpoint: bool) -> None:
        async with self._turn:
            began = time.monotonic()
            await self._shards.room()
            async with self._step:
                if self.stopped:  # perhaps while this commit waited
                    return
                if self._failure is not None:
                    raise self._failure
                frozen, done = self._swap(checkpoint)
            reached("after-swap")
            try:
                await asyncio.wrap_future(done)
            except Exception as error:
                self._failure = error
                raise
            self._frontier.forget(frozen)
            self.commits += 1
            self.seconds += time.monotonic() - began
            self.committed_at = time.time()
            if self.party is not None:
                self.party.committed(self._files)

    def _swap(self, checkpoint: bool) -> tuple[Frozen, Future[None]]:
        """Between two pages, take what is not yet committed and hand it to the scribe thread."""
        without = self.party.prepare() if self.party is not None else ()
        frozen = self._frontier.freeze()
        tally = self._tally.to_bytes()
        commits = str(self._commits_before + self.commits + 1).encode()

        def write_store(files: dict[str, Durable]) -> None:
            reached("after-sync")
            if checkpoint:
                reached("during-checkpoint")
            reached("before-store-commit")
            frozen.write({"shards": packed(files), "tally": tally, "commits": commits})
            reached("after-store-commit")
            self._directory.write_committed(files)
            self._files = files

        return frozen, self._shards.sync(write_store, next_number=checkpoint, without=without)


def _retrieve(commit: asyncio.Task[None]) -> None:
    """Take the exception of a commit whose caller was cancelled. Otherwise asyncio prints it with a traceback."""
    if not commit.cancelled():
        commit.exception()

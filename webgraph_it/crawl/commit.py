"""The commit: what the shards hold and what the frontier knows become durable as one step.

    crawl thread    ── page ── page ──┬─ swap buffers, freeze frontier ─┬── page ── page ──►   (never waits)
    scribe thread                     └─► write ─► fsync ─► store takes changes and lengths ─► committed.json
                                                                 ▲ the one instant that counts

Before the store's commit the crawl is that of the commit before; after it, this one. A crash in between
leaves shard bytes that no commit knows, which the next opening cuts off. `step` is held by whoever is in the middle
of recording a page; the commit waits for it, and the next such page for the swap.
"""

import asyncio
import json
import logging
from concurrent.futures import Future

from webgraph_it.crawl.directory import CrawlDirectory
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.layers import Frozen
from webgraph_it.graph.tally import Tally
from webgraph_it.graph.writer import Durable, Shards
from webgraph_it.killpoint import reached

logger = logging.getLogger(__name__)


class Committer:
    """Commits and checkpoints, one at a time."""

    def __init__(
        self,
        directory: CrawlDirectory,
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
        self._running: asyncio.Future[None] | None = None
        self.commits = 0

    async def commit(self, *, checkpoint: bool = False) -> None:
        """With `checkpoint`, the next file numbers begin. A caller that is cancelled leaves the commit to itself:
        half of one would stand in the way of the next."""
        self._running = asyncio.ensure_future(self._commit(checkpoint))
        await asyncio.shield(self._running)

    async def _commit(self, checkpoint: bool) -> None:
        async with self._turn:
            await self._shards.room()
            async with self._step:
                frozen, done = self._swap(checkpoint)
            reached("after-swap")
            await asyncio.wrap_future(done)
            self._frontier.forget(frozen)
            self.commits += 1

    def _swap(self, checkpoint: bool) -> tuple[Frozen, Future[None]]:
        """Take what there is, between two pages, and give it to the scribe."""
        frozen = self._frontier.freeze()
        tally = self._tally.to_bytes()

        def write_store(files: dict[str, Durable]) -> None:
            reached("after-sync")
            if checkpoint:
                reached("during-checkpoint")
            reached("before-store-commit")
            frozen.write({"shards": json.dumps(files).encode(), "tally": tally})
            reached("after-store-commit")
            self._directory.write_committed(files)

        return frozen, self._shards.sync(write_store, next_number=checkpoint)

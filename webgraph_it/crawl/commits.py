"""When the crawl commits: on time, and before too much is in memory."""

import time
from collections.abc import Callable

from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.progress import Run
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier.frontier import Frontier

LOOK_SECONDS = 1.0
"""How often it is looked whether there is much to commit."""
MAX_UNCOMMITTED = 60_000
"""Changes of the frontier, some 18 MB: a crawl at full speed commits every ten seconds or so."""
MAX_UNCOMMITTED_SEEDS = 40_000
"""The same while seeds are loaded, four for each: some 12 MB, ten thousand seeds."""


class Commits:
    """Every commit of a run. `failed` is told of one that could not be made; nothing may be committed after it."""

    def __init__(
        self,
        committer: Committer,
        frontier: Frontier,
        tally: Tally,
        run: Run,
        failed: Callable[[Exception], None],
    ) -> None:
        self._committer = committer
        self._frontier = frontier
        self._tally = tally
        self._run = run
        self._failed = failed

    async def commit(self, *, checkpoint: bool = False) -> None:
        self._tally.seconds = self._run.seconds_at(time.monotonic())
        try:
            await self._committer.commit(checkpoint=checkpoint)
        except Exception as error:
            self._failed(error)
            raise

    async def commit_if_large(self) -> None:
        """What is not yet committed is in memory: a fast crawl commits before its time."""
        await self._commit_above(MAX_UNCOMMITTED)

    async def commit_if_many_seeds(self) -> None:
        await self._commit_above(MAX_UNCOMMITTED_SEEDS)

    async def _commit_above(self, changes: int) -> None:
        if self._frontier.counts().uncommitted > changes:
            await self.commit()

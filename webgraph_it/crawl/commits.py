"""When the crawl commits: on time, and before too much is in memory."""

import time
from collections.abc import Callable

from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.progress import Run
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier.frontier import Frontier

LOOK_SECONDS = 1.0
"""How often to check whether there is much to commit."""
MAX_UNCOMMITTED = 60_000
"""Changes to the frontier, about 18 MB: a crawl at full speed commits about every ten seconds."""
MAX_UNCOMMITTED_SEEDS = 40_000
"""The same while seeds are loaded, four changes each: ten thousand seeds, about 12 MB."""


class Commits:
    """Every commit of a run. `failed` is called if one cannot be made; nothing may be committed after that."""

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
        """Uncommitted changes are in memory, so a fast crawl commits early."""
        await self._commit_above(MAX_UNCOMMITTED)

    async def commit_if_many_seeds(self) -> None:
        await self._commit_above(MAX_UNCOMMITTED_SEEDS)

    async def _commit_above(self, changes: int) -> None:
        if self._frontier.counts().uncommitted > changes:
            await self.commit()

"""Loads the seeds while pages are already fetched, unless depth is counted from the seeds."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from webgraph_it.crawl.commits import Commits
from webgraph_it.crawl.failures import Failures
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.seeding import Loaded, SeedLoader
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.urls.scope import Scope
from webgraph_it.urls.seeds import SeedsError


class SeedLoading:
    """With `hold`, nothing is fetched until all seeds are loaded. `fail` is called if the list cannot be read."""

    def __init__(
        self,
        scheduler: FrontierScheduler,
        recorder: Recorder,
        commits: Commits,
        failures: Failures,
        fail: Callable[[str], None],
        *,
        hold: bool,
    ) -> None:
        self._scheduler = scheduler
        self._recorder = recorder
        self._commits = commits
        self._failures = failures
        self._fail = fail
        self._hold = hold
        self.loaded: Loaded | None = None
        """How far the list is loaded; None: not started."""

    async def load(self, path: Path, scope: Scope) -> None:
        """Add the whole list to the frontier, or the part that an earlier run did not load."""
        scheduler = self._scheduler
        if scheduler.ended:
            return
        record, outbox = self._recorder.record_seeds, self._recorder.outbox
        owns = None if outbox is None else outbox.owns
        loader = SeedLoader(path, scope, scheduler.frontier, record, self._let_others_run, owns)
        self.loaded = loader.loaded
        scheduler.held = self._hold
        try:
            await loader.load(lambda: scheduler.ended or scheduler.is_closing)
        except SeedsError as error:
            self._fail(str(error))
        except Exception:
            if not self._failures:  # otherwise a commit failed, and has been reported
                raise
        finally:
            scheduler.held = False
        scheduler.wake()

    async def _let_others_run(self) -> None:
        """Between two slices, let fetches run, and wait for a commit, so that memory never holds two."""
        self._scheduler.wake()
        await asyncio.sleep(0)
        if self._recorder.shards.full:
            await self._recorder.shards.room()
        await self._commits.commit_if_many_seeds()

"""Re-visits of a running crawl: migrates an old directory, imports plans, and plans again in a continuous crawl."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator

from webgraph_it.crawl.commits import Commits
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.migration import migrated
from webgraph_it.crawl.plan_import import Import, discard_imported
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.recrawl.plan_files import Plan, PlanError, plans
from webgraph_it.shards.writer import Durable
from webgraph_it.urls.scope import Scope

logger = logging.getLogger(__name__)

PLANNER = (sys.executable, "-m", "webgraph_it", "recrawl", "plan")


class Recrawling:
    """One import at a time. After a failure inside, nothing more is committed."""

    def __init__(
        self,
        scheduler: FrontierScheduler,
        commits: Commits,
        directory: JobDirectory,
        scope: Scope,
        *,
        is_popular: bool,
    ) -> None:
        self._scheduler = scheduler
        self._commits = commits
        self._directory = directory
        self._scope = scope
        self._is_popular = is_popular
        self._turn = asyncio.Lock()
        self._planner: subprocess.Popen[str] | None = None

    async def migrate(self, committed: dict[str, Durable]) -> None:
        """Make the visit rows of a crawl from before there were any. Nothing is fetched meanwhile."""
        scheduler = self._scheduler
        if not scheduler.frontier.lacks_visits:
            return
        logger.info("%s was made before there were visits: migrating it once.", self._directory.path)
        rows = await self._in_slices(migrated(scheduler.frontier, self._directory.path, committed))
        if not scheduler.ended and not scheduler.is_closing:
            await self._commits.commit()
            scheduler.held = False
            logger.info("Migrated: %s pages can be visited again.", f"{rows:,}")

    async def import_plans(self) -> None:
        """Queue what the plans say that `webgraph-it recrawl plan` has left, one plan after the other."""
        async with self._turn:
            for plan in plans(self._directory.path):
                if self._scheduler.ended or self._scheduler.is_closing:
                    return
                try:
                    await self._import(plan)
                except PlanError as error:
                    logger.error("%s The crawl continues without it.", error)

    async def _import(self, plan: Plan) -> None:
        scheduler = self._scheduler
        frontier = scheduler.frontier
        work = Import(frontier, plan, self._scope, moves_untried=self._is_popular)
        planned = await self._in_slices(work.slices(scheduler.now()))
        if scheduler.ended or scheduler.is_closing:
            return
        if planned is not None:
            await self._commits.commit()
        discard_imported(frontier, plan)
        if planned is None:
            return
        logger.info("A plan was imported: %s pages are visited again.", f"{planned:,}")
        if work.misnamed:
            logger.error(
                "%s lines of %s have a URL of another page, or none: skipped. The first one is that of %s.",
                f"{work.misnamed:,}",
                plan.revisits,
                work.first_misnamed,
            )
        if work.out_of_scope:
            logger.warning("%s pages of %s are out of scope: skipped.", f"{work.out_of_scope:,}", plan.path)
        scheduler.wake()

    async def plan_again(self, checkpoint: Callable[[], Awaitable[None]]) -> None:
        """Have a plan made in another process, then import it at a checkpoint."""
        if self._planner is not None:
            return
        await self._commits.commit()
        code, said = await asyncio.to_thread(self._run_planner)
        if self._scheduler.ended or self._scheduler.is_closing:
            return
        if code:
            logger.error("No new plan could be made: %s", said.strip() or f"code {code}")
        else:
            await checkpoint()

    def _run_planner(self) -> tuple[int, str]:
        """Its exit code, and what it said. Runs in a thread."""
        try:
            with subprocess.Popen(
                [*PLANNER, str(self._directory.path)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            ) as planner:
                self._planner = planner
                said, _ = planner.communicate()
        except OSError as error:  # no memory or no descriptor left: perhaps next time
            return 1, str(error)
        finally:
            self._planner = None
        return planner.returncode, said

    def close(self) -> None:
        """End a planner that is still at work."""
        if self._planner is not None:
            self._planner.terminate()

    async def _in_slices(self, slices: Iterator[int]) -> int | None:
        """Let others run, and commit, between two slices. The last result; None if there is nothing, or no time, to do
        it."""
        scheduler = self._scheduler
        last: int | None = None
        while not scheduler.ended:
            if scheduler.is_closing:
                return None
            try:
                result = next(slices, None)
            except PlanError:
                raise
            except Exception as error:
                scheduler.fail(error)
                return None
            if result is None:
                break
            last = result
            await asyncio.sleep(0)
            await self._commits.commit_if_large()
        return last

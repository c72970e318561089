"""Writes the reports of a running crawl: one set at a time, in a thread, as of the last commit."""

import asyncio
import time
from pathlib import Path

from webgraph_it.crawl.complaints import Complaints
from webgraph_it.crawl.progress import Run
from webgraph_it.crawl.reports import HostLine, seed_lines, write_reports
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.records import FrontierError
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.urls.scope import Scope
from webgraph_it.urls.seeds import SeedsError


class Reporter:
    """`seeds` is the list for the seeds report. If a report cannot be written, it warns once."""

    def __init__(
        self,
        directory: CrawlDirectory,
        frontier: Frontier,
        tally: Tally,
        seeds: Path,
        scope: Scope,
        run: Run,
        complaints: Complaints,
    ) -> None:
        self._directory = directory
        self._frontier = frontier
        self._tally = tally
        self._seeds = seeds
        self._scope = scope
        self._run = run
        self._complaints = complaints
        self._writing: asyncio.Task[None] | None = None

    async def write(self, status: str) -> None:
        """Write one set. It finishes even if the caller is cancelled, so the store is never closed while it is read."""
        writing = self._write_after(self._writing, status)
        self._writing = asyncio.get_running_loop().create_task(writing)
        await asyncio.shield(self._writing)

    async def wait(self) -> None:
        """Wait until nothing reads the store."""
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def _write_after(self, earlier: asyncio.Task[None] | None, status: str) -> None:
        if earlier is not None:
            await asyncio.wait([earlier])
        try:
            await self._write(status)
        except (OSError, SeedsError) as error:
            self._complaints.about("Reports", error)
        except FrontierError:
            pass  # the store has reported it, and the crawl is stopping

    async def _write(self, status: str) -> None:
        """Write in a thread: millions of hosts and seeds take minutes."""
        frontier, counts = self._frontier, self._frontier.counts()
        await asyncio.to_thread(
            write_reports,
            self._directory.reports,
            Tally(self._tally.to_bytes()),
            (HostLine(h.host, h.finished, h.queued, h.failed) for h in frontier.committed_hosts()),
            seed_lines(self._seeds, self._scope, frontier.committed_states),
            name=str(self._directory.path),
            status=status,
            seconds=self._run.seconds_at(time.monotonic()),
            queued=counts.queued + counts.leased,
            seen=counts.seen,
            host_count=counts.hosts,
        )

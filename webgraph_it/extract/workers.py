"""Extraction in worker processes: documents go out, links come back, and no document can hurt the crawl.

    async with WorkerPool(policy, 1, cpu_seconds=2.0, memory_bytes=300_000_000) as pool:
        extraction = await pool.extract(document)

Guarantees:
- every document gets exactly one Extraction; a document that its worker could not finish gets reason `timeout` (CPU
  time), `memory`, `died` or `bad-reply`, and no links;
- replies are not trusted: a reply that our code cannot have made (frames.py) ends that worker;
- a worker that ends is replaced; the other documents it held go to another one, and none is lost;
- a worker that is killed from outside, or hangs on a slow machine, loses nothing: another worker reads the document
  again, unless that happens repeatedly;
- workers end with the crawl process, however it ends, because their socket closes.

Each worker holds a few documents at a time, so that it never waits for the crawl process. Results come in any
order. It uses plain Popen and a socket pair, no child watcher and no signals, so it runs under asyncio, uvloop and
Scrapy.
"""

import asyncio
import logging
import signal
from collections import deque
from math import ceil
from types import TracebackType

from webgraph_it.extract import process
from webgraph_it.extract.extraction import extract_and_digest
from webgraph_it.extract.process import Job, Worker
from webgraph_it.extract.records import Document, Extraction, LinkPolicy
from webgraph_it.extract.sandbox import MEASURES
from webgraph_it.extract.worker import SPENT, policy_fields

log = logging.getLogger(__name__)

DOCUMENTS_PER_WORKER = 8
"""Documents sent in advance, so that a worker has the next one when it has finished one."""
FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGQUIT)
"""Exit codes of a worker that was killed from outside: by an operator, or by the kernel when the machine is out of
memory. A document that kills its worker causes others (SIGSEGV, SIGABRT, SIGSYS, SIGPROF)."""
_FAILED_STARTS = 3
_TICK_SECONDS = 1.0
_STALLED_SECONDS = 20.0


class WorkersBroken(RuntimeError):
    """Workers cannot be started at all. That is our fault, not a document's."""


class WorkerPool:
    """`workers` processes that share one queue of documents. With 0, extraction runs in this process, unprotected."""

    def __init__(
        self,
        policy: LinkPolicy,
        workers: int,
        cpu_seconds: float,
        memory_bytes: int,
    ) -> None:
        self.policy = policy
        self.size = workers
        self.replaced = 0
        """How many workers ended unexpectedly."""
        self.measures: tuple[str, ...] | None = None
        """The measures of the workers' sandbox that are in force; None before the first worker is ready."""
        self._options = {
            "policy": policy_fields(policy),
            "cpu_seconds": cpu_seconds,
            "memory_bytes": memory_bytes,
        }
        self._workers: list[Worker] = []
        self._replacing: set[asyncio.Task[None]] = set()
        self._waiting: deque[Job] = deque()
        self._open = False
        self._why_closed = "extraction was asked of a pool that is closed; open it first"
        self._callers = 0
        self._drained: asyncio.Future[None] | None = None
        self._failed_starts = 0
        self._most_ticks = ceil(max(_STALLED_SECONDS, 10 * cpu_seconds) / _TICK_SECONDS)
        self._ticker: asyncio.TimerHandle | None = None

    def __repr__(self) -> str:
        held = [len(worker.jobs) for worker in self._workers]
        waiting = len(self._waiting)
        return (
            f"<WorkerPool {self.size} workers, holding {held}, {waiting} waiting, {self.replaced} replaced>"
        )

    async def __aenter__(self) -> "WorkerPool":
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def open(self) -> None:
        """Start the workers. Documents may be given at once; they wait until a worker is ready."""
        self._open = True
        for _ in range(self.size):
            self._workers.append(await process.start(self._options, self))
        if self.size:
            self._tick()

    async def close(self) -> None:
        """Finish the documents that were given, then end the workers."""
        if self._callers:
            self._drained = asyncio.get_running_loop().create_future()
            await self._drained
        self._open = False
        if self._ticker is not None:
            self._ticker.cancel()
        await asyncio.gather(*self._replacing)
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.transport.close()
        for worker in workers:
            await worker.exit_code()

    async def extract(self, document: Document) -> Extraction:
        """The links of `document`. Raises WorkersBroken if no worker can be started."""
        if not self.size:
            return extract_and_digest(document, self.policy)
        self._callers += 1
        try:
            return await self._queued(document)
        finally:
            self._callers -= 1
            if not self._callers and self._drained is not None and not self._drained.done():
                self._drained.set_result(None)

    def _queued(self, document: Document) -> "asyncio.Future[Extraction]":
        if not self._open:
            raise WorkersBroken(self._why_closed)
        job = Job(document, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._distribute()
        return job.future

    # -- between the queue and the workers ------------------------------------------------------------------

    def _distribute(self) -> None:
        """Give waiting documents to the workers that hold the fewest."""
        while self._waiting and self._workers:
            worker = min(self._workers, key=_load)
            if _load(worker) >= DOCUMENTS_PER_WORKER:
                return
            job = self._waiting.popleft()
            if not job.future.done():  # otherwise its task was cancelled
                worker.give(job)

    def started(self, worker: Worker) -> None:
        """Log once which measures protect us from the workers."""
        if self.measures is None:
            self.measures = worker.measures
            missing = [measure for measure in MEASURES if measure not in worker.measures]
            log.log(
                logging.WARNING if missing else logging.INFO,
                "Extraction workers run with %s%s.",
                ", ".join(worker.measures) or "no protection by the kernel",
                f"; this kernel does not offer {', '.join(missing)}" if missing else "",
            )

    def answered(self, worker: Worker, extraction: Extraction) -> None:
        """A worker finished its oldest document."""
        job = worker.jobs.popleft()
        if extraction.reason == "memory":
            worker.leaving = True
        if not job.future.done():
            job.future.set_result(extraction)
        if self._waiting:
            self._distribute()

    def lost(self, worker: Worker) -> None:
        """A worker's connection ended. If the pool is open, that was unexpected."""
        if self._open and worker in self._workers:
            self._workers.remove(worker)
            task = asyncio.ensure_future(self._replace(worker))
            self._replacing.add(task)
            task.add_done_callback(self._replacing.discard)

    async def _replace(self, worker: Worker) -> None:
        self.replaced += 1
        code = await worker.exit_code()
        self._failed_starts = 0 if worker.ready else self._failed_starts + 1
        if worker.ready and worker.jobs and code != SPENT:
            self._blame(worker.jobs[0], worker, code)
        self._waiting.extendleft(job for job in reversed(worker.jobs) if not job.future.done())
        worker.jobs.clear()
        if self._failed_starts >= _FAILED_STARTS:
            self._break(code)
        elif self._open:
            await self._start_again()

    async def _start_again(self) -> None:
        try:
            self._workers.append(await process.start(self._options, self))
        except OSError as error:  # no memory or no descriptors: this may pass
            log.error("an extraction worker cannot be started: %s; trying again in a second", error)
            await asyncio.sleep(_TICK_SECONDS)
            if self._open:
                await self._start_again()
        self._distribute()

    def _blame(self, job: Job, worker: Worker, code: int) -> None:
        """Blame the oldest document, which the worker was reading, or was about to read, when it ended."""
        job.attempts += 1
        if worker.lied:
            log.warning("an extraction worker is replaced after %s: %s", job.document.url, worker.lied)
        reason, attempts = verdict(worker.lied, worker.overdue, code)
        if job.attempts >= attempts and not job.future.done():
            job.future.set_result(Extraction(reason=reason, media_type=job.document.media_type))

    def _break(self, code: int) -> None:
        self._why_closed = f"extraction workers end with code {code} before they are ready; see stderr"
        self._open = False
        for job in [*self._waiting, *(job for worker in self._workers for job in worker.jobs)]:
            if not job.future.done():
                job.future.set_exception(WorkersBroken(self._why_closed))

    def _tick(self) -> None:
        """Kill a worker that neither replies nor uses up its CPU time (stopped, swapped out)."""
        for worker in self._workers:
            worker.tick(self._most_ticks)
        self._ticker = asyncio.get_running_loop().call_later(_TICK_SECONDS, self._tick)


def verdict(lied: str, overdue: bool, code: int) -> tuple[str, int]:
    """The reason for a document whose worker ended like this, and after how many attempts it is final.

    A document that is certainly to blame is read once. The less likely that is, the more often it is read, because
    without its links the graph would lose everything that only this document links to.
    """
    if lied:
        return "bad-reply", 1
    if code == -signal.SIGPROF:  # its own CPU time, whatever the load of the machine
        return "timeout", 1
    if overdue:
        return "timeout", 3
    return "died", 10 if code in FROM_OUTSIDE else 2


def _load(worker: Worker) -> int:
    return DOCUMENTS_PER_WORKER if worker.leaving else len(worker.jobs)

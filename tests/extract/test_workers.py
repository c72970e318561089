"""Worker processes: nothing is lost, nothing hurts, nobody stays behind."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import md5
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import uvloop

from tests.defaults import DEFAULT_ARCS, link_policy, worker_pool
from tests.extract.bombs import BOMBS
from webgraph_it.extract import Document, Extraction, extract, process, workers
from webgraph_it.extract.process import Job, Worker
from webgraph_it.extract.workers import WorkersBroken

POLICY = link_policy()
EVERYTHING = link_policy([*DEFAULT_ARCS, "css", "script"], plain_text=True)
REASONS = {"", "timeout", "memory", "died", "bomb", "broken", "encrypted", "too-many-links"}
BODY_BOMB = "50,000 body tags with attributes"


def page(number: int) -> Document:
    return Document(f"<a href=/{number}>x</a><a href=mailto:x>".encode(), "http://a.it/", "text/html")


def bomb(name: str) -> Document:
    media_type, make = BOMBS[name]
    return Document(make(), "http://a.it/", media_type)


def without_reading(seconds: float) -> None:
    """Let time pass in which the event loop reads nothing, as under load."""
    time.sleep(seconds)


async def extracted(documents: list[Document], workers: int = 1, **limits: float) -> list[Extraction]:
    async with worker_pool(POLICY, workers, **limits) as pool:
        return await asyncio.gather(*(pool.extract(document) for document in documents))


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_the_result_is_that_of_extract_with_the_digest_of_the_body(
    run: Callable[..., list[Extraction]], workers: int
) -> None:
    documents = [Document(b"", "http://a.it/"), *(page(number) for number in range(300))]
    digests = ["", *(md5(document.body).hexdigest() for document in documents[1:])]
    assert run(extracted(documents, workers)) == [
        extract(document, POLICY)._replace(content_digest=digest)
        for document, digest in zip(documents, digests, strict=True)
    ]


def test_documents_around_one_that_exhausts_memory_are_not_lost() -> None:
    documents = [page(1)] * 20 + [bomb(BODY_BOMB)] + [page(2)] * 20
    results = asyncio.run(extracted(documents))
    assert [result.reason for result in results] == [""] * 20 + ["memory"] + [""] * 20
    assert all(result.links for result in results if not result.reason)


def test_documents_around_one_that_takes_too_long_are_not_lost() -> None:
    slow = bomb("400,000 links")
    documents = [page(1)] * 5 + [slow] + [page(2)] * 20
    results = asyncio.run(extracted(documents, cpu_seconds=0.05))
    assert [result.reason for result in results] == [""] * 5 + ["timeout"] + [""] * 20


def test_a_worker_killed_from_outside_costs_nothing() -> None:
    async def crawl() -> tuple[list[Extraction], int]:
        async with worker_pool(POLICY, 1) as pool:
            await pool.extract(page(0))
            waiting = asyncio.gather(*(pool.extract(page(number)) for number in range(100)))
            await asyncio.sleep(0)
            for child in psutil.Process().children():
                child.kill()
            return await waiting, pool.replaced

    results, replaced = asyncio.run(crawl())
    assert replaced == 1
    assert [result.links[0].url for result in results] == [f"http://a.it/{number}" for number in range(100)]


def test_no_document_is_blamed_that_was_answered_before_the_end() -> None:
    """Replies that wait in the socket count, even if a write to the dead worker fails first."""

    async def crawl() -> list[Extraction]:
        async with worker_pool(POLICY, 1) as pool:
            await pool.extract(page(0))
            first = [asyncio.ensure_future(pool.extract(page(number))) for number in range(4)]
            await asyncio.sleep(0)
            without_reading(0.5)
            for child in psutil.Process().children():
                child.send_signal(signal.SIGPROF)
            without_reading(0.2)
            second = [asyncio.ensure_future(pool.extract(page(number))) for number in range(4)]
            return await asyncio.gather(*first, *second)

    assert [result.reason for result in asyncio.run(crawl())[:4]] == [""] * 4


def test_a_document_that_kills_its_worker_twice_is_given_up() -> None:
    async def crawl() -> Extraction:
        async with worker_pool(POLICY, 1) as pool:
            await pool.extract(page(0))
            result = asyncio.ensure_future(pool.extract(bomb("400,000 links")))
            for _ in range(2):
                await asyncio.sleep(1)  # it is being read, for a second or two
                for child in psutil.Process().children():
                    child.send_signal(signal.SIGSEGV)
            return await result

    assert asyncio.run(crawl()).reason in ("died", "too-many-links")


def test_a_document_whose_workers_are_killed_from_outside_is_read_in_the_end() -> None:
    async def crawl() -> tuple[Extraction, int]:
        async with worker_pool(POLICY, 1) as pool:
            await pool.extract(page(0))
            result = asyncio.ensure_future(pool.extract(bomb("400,000 links")))
            for killed in range(3):
                while pool.replaced < killed or not (pool._workers and pool._workers[0].ready):  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
                for child in psutil.Process().children():
                    child.kill()  # it has just begun to read
                while pool.replaced == killed:  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
            return await result, pool.replaced

    result, replaced = asyncio.run(crawl())
    assert (result.reason, replaced) == ("too-many-links", 3)


def test_a_document_whose_worker_stood_still_is_read_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_STALLED_SECONDS", 2.0)

    async def crawl() -> tuple[Extraction, int]:
        async with worker_pool(POLICY, 1, cpu_seconds=0.2) as pool:
            await pool.extract(page(0))
            for child in psutil.Process().children():
                child.suspend()
            return await pool.extract(page(7)), pool.replaced

    result, replaced = asyncio.run(crawl())
    assert (result.reason, [link.url for link in result.links]) == ("", ["http://a.it/7"])
    assert replaced >= 1


@pytest.mark.parametrize(
    ("lied", "overdue", "code", "reason", "attempts"),
    [
        ("a negative length", False, -signal.SIGKILL, "bad-reply", 1),
        ("", False, -signal.SIGPROF, "timeout", 1),
        ("", True, -signal.SIGKILL, "timeout", 3),
        ("", False, -signal.SIGSEGV, "died", 2),
        ("", False, -signal.SIGSYS, "died", 2),
        ("", False, 1, "died", 2),
        ("", False, -signal.SIGKILL, "died", 10),
        ("", False, -signal.SIGTERM, "died", 10),
    ],
)
def test_the_less_a_document_is_to_blame_the_more_often_it_is_read(
    lied: str, overdue: bool, code: int, reason: str, attempts: int
) -> None:
    assert workers.verdict(lied, overdue, code) == (reason, attempts)


def test_closing_finishes_what_was_given_and_leaves_nobody_behind() -> None:
    async def crawl() -> list[Extraction]:
        pool = worker_pool(POLICY, 2)
        await pool.open()
        tasks = [asyncio.ensure_future(pool.extract(page(number))) for number in range(500)]
        await asyncio.sleep(0)
        await pool.close()
        return await asyncio.gather(*tasks)

    assert len(asyncio.run(crawl())) == 500
    assert psutil.Process().children() == []


def test_a_cancelled_document_does_not_stop_the_others() -> None:
    async def crawl() -> Extraction:
        async with worker_pool(POLICY, 1) as pool:
            tasks = [asyncio.ensure_future(pool.extract(page(number))) for number in range(50)]
            await asyncio.sleep(0)
            for task in tasks[::2]:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            return await pool.extract(page(7))

    assert asyncio.run(crawl()).links[0].url == "http://a.it/7"


def test_workers_that_cannot_start_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(WorkersBroken, match="end with code 1 before they are ready"):
        asyncio.run(extracted([page(1)]))


def test_a_closed_pool_says_so() -> None:
    with pytest.raises(WorkersBroken, match="closed"):
        asyncio.run(worker_pool(POLICY, 1).extract(page(1)))


CRAWL = """
import asyncio
from tests.defaults import link_policy, worker_pool
from webgraph_it.extract import Document
async def main():
    pool = worker_pool(link_policy(), 2)
    await pool.open()
    await pool.extract(Document(b"", "http://a.it/"))
    print("ready", flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def test_workers_end_when_the_crawl_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", CRAWL], stdout=subprocess.PIPE) as crawl:
        assert crawl.stdout is not None
        crawl.stdout.readline()
        workers = psutil.Process(crawl.pid).children()
        os.kill(crawl.pid, signal.SIGKILL)
    assert len(workers) == 2
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert not alive


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_within_two_seconds_and_300_megabytes(name: str, pool: "Bench") -> None:
    """The kernel enforces both: a bomb that needs more is killed, and named so. The next document is unharmed."""
    result = pool.extract(bomb(name))
    assert result.reason in REASONS - {"died"}
    assert pool.extract(page(1)).links


def test_there_are_at_least_twenty_bombs() -> None:
    assert len(BOMBS) >= 20


class Bench:
    """A pool that outlives single tests."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._pool = worker_pool(EVERYTHING, 1)
        self._runner.run(self._pool.open())

    def extract(self, document: Document) -> Extraction:
        return self._runner.run(self._pool.extract(document))

    def close(self) -> None:
        self._runner.run(self._pool.close())
        self._runner.close()


@pytest.fixture(scope="module")
def pool() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


class Deaf:
    """A process that neither answers nor ends until it is killed."""

    def __init__(self) -> None:
        self.kills = 0

    def kill(self) -> None:
        self.kills += 1

    def poll(self) -> int | None:
        return None

    def wait(self) -> int:
        assert self.kills, "waited for ever"
        return -signal.SIGKILL


def test_a_worker_that_does_not_answer_is_killed_after_its_ticks_and_an_idle_one_never() -> None:
    deaf: Any = Deaf()
    nobody: Any = None
    worker = Worker(nobody, deaf, nobody)
    worker.ready = True
    for _ in range(10):
        worker.tick(3)
    assert (deaf.kills, worker.overdue) == (0, False)
    worker.jobs.append(Job(Document(b"", "http://a.it/"), nobody))
    worker.tick(3)
    worker.tick(3)
    assert (deaf.kills, worker.overdue) == (0, False)
    worker.tick(3)
    assert (deaf.kills, worker.overdue) == (1, True)


def test_a_worker_that_lingers_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_EXIT_POLLS", 2)
    deaf: Any = Deaf()
    nobody: Any = None
    assert asyncio.run(Worker(nobody, deaf, nobody).exit_code()) == -signal.SIGKILL
    assert deaf.kills == 1


def test_a_worker_that_lies_is_killed_and_read_no_more() -> None:
    deaf: Any = Deaf()
    nobody: Any = None
    worker = Worker(nobody, deaf, nobody)
    aborted: list[bool] = []
    transport: Any = SimpleNamespace(abort=lambda: aborted.append(True))
    worker.connection_made(transport)
    worker.get_buffer(-1)[:12] = b"\xff" * 12
    worker.buffer_updated(12)
    assert "more than a worker may send" in worker.lied
    assert (deaf.kills, aborted, worker.leaving) == (1, [True], True)

"""A commit that has begun is finished, whoever stops waiting for it."""

import asyncio
import errno
import gc
from concurrent.futures import Future
from pathlib import Path

import pytest

from tests.frontier.making import link, open_frontier
from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.shards.writer import Shards


def test_the_commit_after_one_that_was_cancelled_is_made(tmp_path: Path) -> None:
    """As at the end of a crawl: the timers are cancelled, then everything is committed."""

    async def crawl() -> int:
        directory = JobDirectory(tmp_path)
        frontier = open_frontier(RocksStore(directory.frontier))
        shards = Shards(tmp_path, None, {"graph": 10, "urls": 10, "pages": 10})
        committer = Committer(directory, frontier, shards, Tally(None), asyncio.Lock())
        frontier.add([link("a")], 0, "", 1.0)
        timer = asyncio.ensure_future(committer.commit())
        await asyncio.sleep(0)  # it has begun
        await asyncio.sleep(0)
        timer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await timer
        frontier.add([link("b")], 0, "", 1.0)
        await committer.commit()
        shards.close()
        frontier.close()
        return committer.commits

    assert asyncio.run(crawl()) == 2
    assert open_frontier(RocksStore(tmp_path / "frontier")).counts().queued == 2


def test_the_commit_after_one_that_failed_unheard_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As at the end of a crawl on a full disk: the timer that began the commit is cancelled before it fails."""
    unheard: list[object] = []

    async def crawl() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
        directory = JobDirectory(tmp_path)
        frontier = open_frontier(RocksStore(directory.frontier))
        shards = Shards(tmp_path, None, {"graph": 10, "urls": 10, "pages": 10})
        committer = Committer(directory, frontier, shards, Tally(None), asyncio.Lock())
        failed = Future[None]()
        monkeypatch.setattr(shards, "sync", lambda *_, **__: failed)
        frontier.add([link("a")], 0, "", 1.0)
        timer = asyncio.ensure_future(committer.commit())
        await asyncio.sleep(0.05)
        timer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await timer
        failed.set_exception(OSError(errno.ENOSPC, "No space left on device"))
        await asyncio.sleep(0.05)
        with pytest.raises(OSError, match="No space left"):
            await committer.commit()
        committer._committing = None
        gc.collect()
        shards.close()
        frontier.abandon()

    asyncio.run(crawl())
    assert unheard == []


def test_after_the_stop_nothing_is_committed(tmp_path: Path) -> None:
    """Frontier and shards disagree: what is on disk stays."""

    async def crawl() -> int:
        directory = JobDirectory(tmp_path)
        frontier = open_frontier(RocksStore(directory.frontier))
        shards = Shards(tmp_path, None, {"graph": 10, "urls": 10, "pages": 10})
        committer = Committer(directory, frontier, shards, Tally(None), asyncio.Lock())
        frontier.add([link("a")], 0, "", 1.0)
        committer.stop()
        await committer.commit()
        shards.close()
        frontier.abandon()
        return committer.commits

    assert asyncio.run(crawl()) == 0
    assert not (tmp_path / "committed.json").exists()
    assert open_frontier(RocksStore(tmp_path / "frontier")).counts().queued == 0


def test_a_commit_continues_its_files_and_a_checkpoint_begins_the_next(tmp_path: Path) -> None:
    async def crawl() -> list[tuple[int, int]]:
        directory = JobDirectory(tmp_path)
        frontier = open_frontier(RocksStore(directory.frontier))
        shards = Shards(tmp_path, None, {"graph": 10, "urls": 10, "pages": 10})
        committer = Committer(directory, frontier, shards, Tally(None), asyncio.Lock())
        seen: list[tuple[int, int]] = []
        for checkpoint in ({}, {"checkpoint": False}, {"checkpoint": True}):
            frontier.add([link(f"h{len(seen)}")], 0, "", 1.0)
            await committer.commit(**checkpoint)
            files = len(list((tmp_path / "graph").iterdir()))
            seen.append((files, len(frontier._layers._frozen.values)))
        shards.close()
        frontier.close()
        return seen

    assert asyncio.run(crawl()) == [(1, 0), (1, 0), (2, 0)], "or what was committed stays in memory"

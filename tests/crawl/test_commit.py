"""A commit that has begun is finished."""

import asyncio
import threading

from tests.frontier.making import NOW, links, open_frontier
from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.directory import CrawlDirectory
from webgraph_it.graph.tally import Tally
from webgraph_it.graph.writer import Shards


def test_a_commit_whose_caller_is_cancelled_is_finished_and_another_follows(tmp_path):
    """As when the crawl closes while the timer's commit is under way."""
    frontier = open_frontier()
    shards = Shards(tmp_path, None, {"graph": 9, "urls": 9, "pages": 9})
    committer = Committer(CrawlDirectory(tmp_path), frontier, shards, Tally())
    busy = threading.Event()

    async def commit_twice() -> None:
        frontier.add(links("a", 2), 0, "", NOW)
        shards["pages"].write(b"first\n")
        shards.sync(lambda files: busy.wait(10) and None)  # the scribe has other work: the commit has to wait
        first = asyncio.create_task(committer.commit())
        await asyncio.sleep(0.05)
        first.cancel()
        await asyncio.wait({first})
        busy.set()
        shards["pages"].write(b"second\n")
        await committer.commit()

    asyncio.run(commit_twice())
    shards.close()
    assert committer.commits == 2
    assert (tmp_path / "pages/000001.jsonl").read_bytes() == b"first\nsecond\n"

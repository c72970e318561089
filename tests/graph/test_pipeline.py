"""What the pipeline writes: the sequence of a page, and its line in the page log."""

import asyncio
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.test import get_crawler

from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.directory import CrawlDirectory
from webgraph_it.frontier import Lease, Limits, Order, Politeness
from webgraph_it.frontier.scheduler import FrontierScheduler
from webgraph_it.graph.pipeline import LINKS_AT_ONCE, GraphPipeline, cut_line, page_line, sequence
from webgraph_it.graph.shards import PAGE_FIELDS, SUFFIXES
from webgraph_it.graph.writer import DoubleBufferedWriter, Shards
from webgraph_it.items import Link, Page, State
from webgraph_it.settings import GRAPH_WRITER
from webgraph_it.urls.names import digest

NOW = 1_000_000_000.0

text = st.text(max_size=20)
finite = st.floats(0, 4e9, allow_nan=False)


@given(text, text, text, text, text, finite, finite)
def test_a_page_line_is_json_with_the_documented_members_in_order(
    key, url, media_type, via, reason, time, seconds
):
    page = Page(
        url, key, bytes(16), time, State.FETCHED, 200, 3, via,
        media_type=media_type, size_bytes=7, content_digest="0a", address="127.1.0.1", reason=reason, seconds=seconds,
    )  # fmt: skip
    line = page_line(page, 12)
    found = json.loads(line)
    assert tuple(found) == PAGE_FIELDS
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    expected = (key, url, media_type, via, reason, 12, "fetched", 200, 3, 7)
    members = ("key", "url", "type", "via", "reason", "links", "state", "status", "depth", "bytes")
    assert tuple(found[member] for member in members) == expected
    assert abs(found["time"] - time) < 0.001


def test_a_cut_node_has_a_line_too():
    link = Link("http://a.it/x", "it,a)/x", bytes(16), "a")
    found = json.loads(cut_line(link, State.TRAP_CUT, "host-depth", 4, "it,a)/"))
    assert (found["state"], found["reason"], found["depth"], found["status"]) == (
        "trap-cut",
        "host-depth",
        4,
        0,
    )


@given(st.binary(min_size=16, max_size=16), st.lists(st.binary(min_size=16, max_size=16), max_size=5))
def test_a_sequence_is_a_parent_with_the_first_bit_set_and_its_children_as_they_are(parent, children):
    written = sequence(parent, children)
    assert written[0] == parent[0] | 0x80
    assert written[1:16] == parent[1:]
    assert written[16:] == b"".join(children)


def test_each_buffer_holds_as_many_sequences_as_its_setting_says(tmp_path):
    """GRAPH_BUFFER is for the graph and the page log, URLS_BUFFER for the URL list; see the files grow."""
    settings = {"JOBDIR": str(tmp_path), "GRAPH_BUFFER": 3, "URLS_BUFFER": 5, "GRAPH_WRITER": GRAPH_WRITER}
    pipeline = GraphPipeline.from_crawler(get_crawler(settings_dict=settings))
    shards = Shards(tmp_path, None, pipeline._buffers, pipeline._writer_class)
    grown = {}
    for stream in SUFFIXES:
        (file,) = (tmp_path / stream).iterdir()
        written = 0
        while not file.stat().st_size and written < 10:
            shards[stream].write(b"sequence")
            written += 1
            shards._scribe.submit(int).result()  # all that was given to the scribe is in the file
        grown[stream] = written, file.stat().st_size // len(b"sequence")
    shards.close()
    assert grown == {"graph": (3, 3), "urls": (5, 5), "pages": (3, 3)}


# -- a page with very many links ------------------------------------------------------------------------------

MANY = 20_000
MAX_STEP_SECONDS = 0.05
"""Of CPU time in the crawl thread, between two chances for others to run."""


def wide_page(lease: Lease) -> Page:
    """One page with links to so many new hosts."""
    keys = [f"it,rete{n},n{n})/" for n in range(MANY)]
    links = tuple(Link(f"http://n{n}.rete{n}.it/", key, digest(key), "a") for n, key in enumerate(keys))
    return Page(lease.url, lease.key, lease.digest, NOW, State.FETCHED, 200, 0, "", links)


class Recording:
    """A scheduler, a pipeline and a committer without an engine, and some leases."""

    def __init__(self, jobdir: Path, hosts: int = 1) -> None:
        engine = SimpleNamespace(scheduler=None, _slot=None)
        crawler: Any = SimpleNamespace(engine=engine)
        self.scheduler = FrontierScheduler(
            crawler, jobdir / "frontier", Politeness(), Order.BREADTH, Limits()
        )
        engine.scheduler = self.scheduler
        self.scheduler.open(None)  # type: ignore[arg-type]
        buffers = {"graph": 9, "urls": 9, "pages": 9}
        self.pipeline = GraphPipeline(crawler, jobdir, buffers, DoubleBufferedWriter)
        self.pipeline.open_spider()
        shards, tally, step = self.pipeline.shards, self.pipeline.tally, self.pipeline.step
        self.committer = Committer(CrawlDirectory(jobdir), self.scheduler.frontier, shards, tally, step)
        keys = [f"it,ampia{n})/" for n in range(hosts)]
        seeds = [Link(f"http://ampia{n}.it/", key, digest(key), "seed") for n, key in enumerate(keys)]
        self.pipeline.record_seeds(seeds, frozenset())
        self.leases = [self._leased() for _ in range(hosts)]

    def _leased(self) -> Lease:
        lease = self.scheduler.frontier.next(self.scheduler.now())
        assert lease is not None
        self.scheduler._leases[lease.digest] = lease
        return lease

    def close(self) -> None:
        self.pipeline.shards.close()
        self.scheduler.frontier.close()


async def recorded(jobdir: Path) -> tuple[list[float], list[str]]:
    """Record a wide page while others want to run and a commit is asked for: the others' waits, and the order."""
    recording = Recording(jobdir)
    pipeline, committer = recording.pipeline, recording.committer
    page, order, waits = wide_page(recording.leases[0]), list[str](), list[float]()

    async def others() -> None:
        while "recorded" not in order:
            before = time.thread_time()
            await asyncio.sleep(0)
            waits.append(time.thread_time() - before)

    async def record() -> None:
        await pipeline.process_item(page)
        order.append("recorded")

    async def commit() -> None:
        await asyncio.sleep(0)
        await committer.commit()
        order.append("committed")

    await asyncio.gather(record(), others(), commit())
    recording.close()
    return waits, order


def test_a_page_with_very_many_links_keeps_nobody_waiting_and_is_committed_whole(tmp_path):
    waits, order = asyncio.run(recorded(tmp_path))
    assert order == ["recorded", "committed"]
    assert len(waits) > MANY // LINKS_AT_ONCE // 2
    assert sorted(waits)[-2] < MAX_STEP_SECONDS  # once in a while somebody else's garbage is collected
    committed = json.loads((tmp_path / "committed.json").read_text())
    urls = (tmp_path / "urls/000001.tsv").read_bytes()[: committed["urls"]["000001.tsv"]]
    assert urls.count(b"\n") == MANY + 1
    assert committed["graph"]["000001.g16"] == 16 * (MANY + 1)


def test_a_page_that_comes_meanwhile_is_recorded_after_the_wide_one(tmp_path: Path) -> None:
    """The lines of a page stand together: a repair tells by them who found what."""
    asyncio.run(recorded_with_a_narrow_one(tmp_path))
    keys = [line.partition("\t")[0] for line in (tmp_path / "urls/000001.tsv").read_text().splitlines()]
    assert keys[-1] == "it,stretta)/"
    assert len(keys) == 2 + MANY + 1
    log = [json.loads(line)["key"] for line in (tmp_path / "pages/000001.jsonl").read_text().splitlines()]
    assert log == ["it,ampia0)/", "it,ampia1)/"]


async def recorded_with_a_narrow_one(jobdir: Path) -> None:
    recording = Recording(jobdir, hosts=2)
    wide, lease = wide_page(recording.leases[0]), recording.leases[1]
    link = Link("http://stretta.it/", "it,stretta)/", digest("it,stretta)/"), "a")
    narrow = Page(lease.url, lease.key, lease.digest, NOW, State.FETCHED, 200, 0, "", (link,))
    await asyncio.gather(*map(recording.pipeline.process_item, (wide, narrow)))
    await recording.committer.commit()
    recording.close()


def test_a_seed_that_was_cut_before_counts_as_cut_no_more(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    link = Link("http://trappola.it/", "it,trappola)/", digest("it,trappola)/"), "a")
    lease = recording.leases[0]
    traps = {link.digest: "trap-path"}
    page = Page(lease.url, lease.key, lease.digest, NOW, State.FETCHED, 200, 0, "", (link,), traps=traps)
    recording.pipeline.record(page)
    tally = recording.pipeline.tally
    assert (tally.states[State.TRAP_CUT], tally.reasons["trap-path"]) == (1, 1)
    recording.pipeline.record_seeds([link], frozenset())
    recording.pipeline.record_seeds([link], frozenset())
    assert tally.states[State.TRAP_CUT] == recording.scheduler.frontier.counts().cut == 0
    recording.close()


def test_a_wide_page_of_a_lease_that_has_ended_is_refused_and_the_crawl_goes_on(tmp_path: Path) -> None:
    async def twice() -> tuple[list[Any], bool]:
        recording = Recording(tmp_path)
        pages = [wide_page(recording.leases[0])] * 2
        results = await asyncio.gather(*map(recording.pipeline.process_item, pages), return_exceptions=True)
        recording.close()
        return results, recording.scheduler.ended

    (first, second), ended = asyncio.run(twice())
    assert isinstance(first, Page)
    assert isinstance(second, ValueError)
    assert not ended


@pytest.mark.parametrize("how", ["raises", "cancelled"])
def test_a_wide_page_that_is_left_half_recorded_ends_the_crawl_and_is_not_committed(
    tmp_path: Path, how: str
) -> None:
    async def fail() -> tuple[bool, list[BaseException]]:
        recording = Recording(tmp_path)
        scheduler, committer = recording.scheduler, recording.committer
        await committer.commit()
        failures: list[BaseException] = []
        scheduler.on_failure = lambda error: (failures.append(error), committer.stop())[0]
        recording_page = asyncio.create_task(recording.pipeline.process_item(wide_page(recording.leases[0])))
        for _ in range(5):
            await asyncio.sleep(0)
        committing = asyncio.create_task(committer.commit())
        if how == "raises":
            scheduler.frontier.add = None  # type: ignore[assignment, method-assign]
        else:
            recording_page.cancel()
        with pytest.raises((TypeError, asyncio.CancelledError)):
            await recording_page
        await committing
        recording.pipeline.shards.close()
        scheduler.frontier.abandon()
        return scheduler.ended, failures

    ended, failures = asyncio.run(fail())
    assert ended
    assert len(failures) == 1
    committed = json.loads((tmp_path / "committed.json").read_text())
    assert committed["pages"]["000001.jsonl"] == 0
    urls = (tmp_path / "urls/000001.tsv").read_bytes()[: committed["urls"]["000001.tsv"]]
    assert urls.count(b"\n") == 1

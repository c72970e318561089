"""The one step of a page, without Scrapy: recorded whole or not at all, and committed whole."""

import asyncio
import json
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.defaults import frontier_limits, politeness
from tests.frontier.making import link
from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.record import LINKS_AT_ONCE, Recorder, outcome_of
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier import Failure, Frontier, Lease, Order, Outcome, PlannedVisit, RocksStore
from webgraph_it.frontier.leases import Leases
from webgraph_it.items import Link, Page, State
from webgraph_it.shards.writer import Place, Shards
from webgraph_it.urls.names import digest
from webgraph_it.urls.sitemaps import sitemap_name

NOW = 1_000_000_000.0
MANY = 20_000
MAX_STEP_SECONDS = 0.05
"""Of CPU time in the crawl thread, between two chances for others to run."""


def page_of(lease: Lease, *links: Link, **facts: Any) -> Page:
    return Page(lease.url, lease.key, lease.digest, NOW, State.FETCHED, 200, 0, "", links, **facts)


def wide_page(lease: Lease) -> Page:
    """One page with links to so many new hosts."""
    keys = [f"it,rete{n},n{n})/" for n in range(MANY)]
    links = (Link(f"http://n{n}.rete{n}.it/", key, digest(key), "a") for n, key in enumerate(keys))
    return page_of(lease, *links)


class Recording:
    """A frontier, a recorder and a committer, and some leases."""

    def __init__(self, jobdir: Path, hosts: int = 1, *, anchors: bool = False) -> None:
        store = RocksStore(jobdir / "frontier")
        self.frontier = Frontier.open(store, politeness(), Order.BREADTH, frontier_limits(), NOW)
        self.leases = Leases()
        buffers = {"graph": 9, "urls": 9, "pages": 9} | ({"anchors": 9} if anchors else {})
        self.shards = Shards(jobdir, None, buffers)
        self.tally = Tally()
        self.recorder = Recorder(self.frontier, self.leases, lambda: NOW, self.shards, self.tally)
        self.recorder.recent = deque(maxlen=1)
        self.committer = Committer(
            JobDirectory(jobdir), self.frontier, self.shards, self.tally, self.recorder.step
        )
        self.recorder.record_seeds([link(f"ampia{n}") for n in range(hosts)], frozenset())
        self.leased = [self._lease() for _ in range(hosts)]

    def _lease(self) -> Lease:
        lease = self.frontier.next(NOW)
        assert lease is not None
        self.leases.out[lease.digest] = lease
        return lease

    def close(self) -> None:
        self.shards.close()
        self.frontier.close()


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_a_page_is_in_every_stream_and_its_lease_has_ended(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    lease = recording.leased[0]
    recording.recorder.record(page_of(lease, link("b"), link("ampia0", "/x")))
    assert recording.leases.out == {}
    counts = recording.frontier.counts()
    assert (counts.done, counts.leased, counts.queued) == (1, 0, 2)
    assert (recording.tally.pages, recording.tally.parents, recording.tally.links) == (1, 1, 2)
    asyncio.run(recording.committer.commit())
    recording.close()
    children = link("b").digest + link("ampia0", "/x").digest
    parent = bytes((lease.digest[0] | 0x80,)) + lease.digest[1:]
    assert (tmp_path / "graph/000001.g16").read_bytes() == parent + children
    keys = [line.partition("\t")[0] for line in lines(tmp_path / "urls/000001.tsv")]
    assert keys == ["it,ampia0)/", "it,b)/", "it,ampia0)/x"]
    (logged,) = map(json.loads, lines(tmp_path / "pages/000001.jsonl"))
    assert (logged["key"], logged["links"]) == ("it,ampia0)/", 2)


def revisit(recording: Recording, key: str, url: str) -> Lease:
    """A lease of a page that was fetched and committed."""
    asyncio.run(recording.committer.commit())
    recording.frontier.plan_visits([PlannedVisit(0, key, url, 2, 1, "it,v)/")], NOW + 1, NOW)
    lease = recording.frontier.next(NOW + 100)
    assert lease is not None
    assert lease.is_revisit
    recording.leases.out[lease.digest] = lease
    return lease


def test_a_page_that_is_visited_again_is_recorded_by_what_changed(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    record, frontier = recording.recorder.record, recording.frontier
    first = recording.leased[0]
    record(page_of(first, link("ampia0", "/a"), link("ampia0", "/b")))
    for _ in range(2):  # nothing else may be leased below
        lease = frontier.next(NOW + 100)
        assert lease is not None
        frontier.done(lease, Outcome(), NOW)
    found: list[tuple[str, int, float]] = []
    for links, facts in (
        ([link("ampia0", "/b"), link("ampia0", "/a")], {}),
        ([link("ampia0", "/b")], {}),
        ([], {"state": State.ERROR, "status": 404}),
        ([link("ampia0", "/b")], {}),
    ):
        lease = revisit(recording, first.key, first.url)
        record(replace(page_of(lease, *links), **facts))  # type: ignore[arg-type]
        line = json.loads(recording.recorder.recent[-1])
        found.append((line["state"], line["visit"], line["change"]))
    assert found == [("unchanged", 2, 0.0), ("fetched", 3, 0.5), ("gone", 4, 1.0), ("fetched", 5, 1.0)]
    row = frontier.visit(first.digest)
    assert row is not None
    assert (row.visits, row.changes, row.links, row.is_planned) == (5, 2.5, 1, False)
    assert recording.tally.revisits == {"unchanged": 1, "changed": 2, "gone": 1}
    assert (recording.tally.pages, recording.tally.parents, recording.tally.links) == (5, 1, 1)
    assert (frontier.counts().done, frontier.counts().revisits) == (3, 4)
    asyncio.run(recording.committer.commit())
    sizes = len((tmp_path / "graph/000001.g16").read_bytes()) // 16
    assert sizes == 3 + 2 + 2, "three sequences"
    assert (
        recording.shards.sequence_at(Place(row.file_number, row.offset), 1)[1] == link("ampia0", "/b").digest
    )
    assert frontier.committed_states([first.digest]) == [(State.FETCHED, 200)]
    recording.close()


@pytest.mark.parametrize("state", [State.ERROR, State.ROBOTS_DENIED])
def test_a_page_that_is_no_parent_is_in_the_page_log_alone(tmp_path: Path, state: State) -> None:
    recording = Recording(tmp_path)
    lease = recording.leased[0]
    page = Page(lease.url, lease.key, lease.digest, NOW, state, 404, 0, "")
    recording.recorder.record(page)
    asyncio.run(recording.committer.commit())
    recording.close()
    assert (tmp_path / "graph/000001.g16").read_bytes() == b""
    assert json.loads((tmp_path / "pages/000001.jsonl").read_text())["state"] == state
    assert (recording.tally.pages, recording.tally.parents) == (1, 0)


def test_what_is_outside_the_graph_is_in_the_page_log_and_in_no_url_list(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    outside = link("ampia0", "/elenco")
    page = page_of(recording.leased[0], outside, link("b"), fetch_only=frozenset([outside.digest]))
    recording.recorder.record(page)
    asyncio.run(recording.committer.commit())
    recording.close()
    assert len((tmp_path / "graph/000001.g16").read_bytes()) == 2 * 16
    assert outside.key not in (tmp_path / "urls/000001.tsv").read_text()
    logged = [json.loads(line) for line in lines(tmp_path / "pages/000001.jsonl")]
    assert [(line["key"], line["reason"], line["depth"], line["host_depth"]) for line in logged] == [
        ("it,ampia0)/", "", 0, 0),
        (outside.key, "outside-scope", 1, 1),
    ]


def test_what_is_cut_is_in_the_page_log_one_deeper_than_its_page(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    trap = link("ampia0", "/calendario")
    recording.recorder.record(page_of(recording.leased[0], trap, link("b"), traps={trap.digest: "calendar"}))
    asyncio.run(recording.committer.commit())
    recording.close()
    (_, logged) = map(json.loads, lines(tmp_path / "pages/000001.jsonl"))
    assert (logged["key"], logged["reason"], logged["depth"]) == (trap.key, "calendar", 1)
    assert (logged["state"], logged["via"]) == (State.TRAP_CUT, "it,ampia0)/")


def test_links_are_one_deeper_than_their_page(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.recorder.record(page_of(recording.leased[0], link("b")))
    found = recording._lease()
    assert (found.key, found.depth, found.via) == ("it,b)/", 1, "it,ampia0)/")
    recording.close()


def test_nothing_is_recorded_once_the_crawl_has_ended(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.leases.ended = True
    recording.recorder.record(page_of(recording.leased[0], link("b")))
    with pytest.raises(ValueError, match="a crawl that has ended"):
        recording.recorder.record_seeds([link("c")], frozenset())
    assert recording.tally.pages == 0
    assert recording.frontier.counts().seen == 1
    recording.close()


def test_a_step_that_fails_is_told_once_and_ends_the_crawl(tmp_path: Path) -> None:
    recording = Recording(tmp_path, hosts=2)
    told: list[BaseException] = []
    recording.leases.on_failure = told.append
    recording.frontier.done = None  # type: ignore[assignment, method-assign]
    with pytest.raises(TypeError):
        recording.recorder.record(page_of(recording.leased[0], link("b")))
    recording.recorder.record(page_of(recording.leased[1], link("c")))
    assert len(told) == 1
    assert recording.tally.pages == 0
    recording.shards.close()
    recording.frontier.abandon()


# -- a page with very many links ------------------------------------------------------------------------------


async def recorded(jobdir: Path) -> tuple[list[float], list[str]]:
    """Record a wide page while others want to run and a commit is asked for: the others' waits, and the order."""
    recording = Recording(jobdir)
    recorder, committer = recording.recorder, recording.committer
    page, order, waits = wide_page(recording.leased[0]), list[str](), list[float]()

    async def others() -> None:
        while "recorded" not in order:
            before = time.thread_time()
            await asyncio.sleep(0)
            waits.append(time.thread_time() - before)

    async def record() -> None:
        await recorder.take(page)
        order.append("recorded")

    async def commit() -> None:
        await asyncio.sleep(0)
        await committer.commit()
        order.append("committed")

    await asyncio.gather(record(), others(), commit())
    recording.close()
    return waits, order


def test_a_page_with_very_many_links_keeps_nobody_waiting_and_is_committed_whole(tmp_path: Path) -> None:
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
    wide, lease = wide_page(recording.leased[0]), recording.leased[1]
    narrow = page_of(lease, link("stretta"))
    await asyncio.gather(*map(recording.recorder.take, (wide, narrow)))
    await recording.committer.commit()
    recording.close()


def test_a_seed_that_was_cut_before_counts_as_cut_no_more(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    trap = link("trappola")
    page = page_of(recording.leased[0], trap, traps={trap.digest: "trap-path"})
    recording.recorder.record(page)
    tally = recording.tally
    assert (tally.states[State.TRAP_CUT], tally.reasons["trap-path"]) == (1, 1)
    recording.recorder.record_seeds([trap], frozenset())
    recording.recorder.record_seeds([trap], frozenset())
    assert tally.states[State.TRAP_CUT] == recording.frontier.counts().cut == 0
    recording.close()


def test_a_wide_page_of_a_lease_that_has_ended_is_refused_and_the_crawl_goes_on(tmp_path: Path) -> None:
    async def twice() -> tuple[list[Any], bool]:
        recording = Recording(tmp_path)
        pages = [wide_page(recording.leased[0])] * 2
        results = await asyncio.gather(*map(recording.recorder.take, pages), return_exceptions=True)
        recording.close()
        return results, recording.leases.ended

    (first, second), ended = asyncio.run(twice())
    assert first is None
    assert isinstance(second, ValueError)
    assert not ended


@pytest.mark.parametrize("how", ["raises", "cancelled"])
def test_a_wide_page_that_is_left_half_recorded_ends_the_crawl_and_is_not_committed(
    tmp_path: Path, how: str
) -> None:
    async def fail() -> tuple[bool, list[BaseException]]:
        recording = Recording(tmp_path)
        leases, committer = recording.leases, recording.committer
        await committer.commit()
        failures: list[BaseException] = []
        leases.on_failure = lambda error: (failures.append(error), committer.stop())[0]
        recording_page = asyncio.create_task(recording.recorder.take(wide_page(recording.leased[0])))
        for _ in range(5):
            await asyncio.sleep(0)
        committing = asyncio.create_task(committer.commit())
        if how == "raises":
            recording.frontier.add = None  # type: ignore[assignment, method-assign]
        else:
            recording_page.cancel()
        with pytest.raises((TypeError, asyncio.CancelledError)):
            await recording_page
        await committing
        recording.recorder.shards.close()
        recording.frontier.abandon()
        return leases.ended, failures

    ended, failures = asyncio.run(fail())
    assert ended
    assert len(failures) == 1
    committed = json.loads((tmp_path / "committed.json").read_text())
    assert committed["pages"]["000001.jsonl"] == 0
    urls = (tmp_path / "urls/000001.tsv").read_bytes()[: committed["urls"]["000001.tsv"]]
    assert urls.count(b"\n") == 1


# -- what a page says of its host -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "reason", "failure", "fetched"),
    [
        (200, "", Failure.NONE, True),
        (404, "status-404", Failure.NONE, True),
        (500, "status-500", Failure.SERVER, True),
        (503, "status-503", Failure.BUSY, True),
        (429, "status-429", Failure.BUSY, True),
        (0, "dns-nxdomain", Failure.DNS, True),
        (0, "forbidden/loopback", Failure.DNS, True),
        (0, "refused", Failure.NETWORK, True),
        (0, "tls", Failure.NETWORK, True),
        (0, "component", Failure.SERVER, True),
        (0, "rule", Failure.NONE, False),
        (0, "host-given-up", Failure.NONE, False),
    ],
)
def test_a_page_says_how_its_host_did(status: int, reason: str, failure: Failure, fetched: bool) -> None:
    page = Page(
        "http://a.it/", "it,a)/", bytes(16), 1.0, State.ERROR, status, 0, "", reason=reason, seconds=2.0
    )
    outcome = outcome_of(page)
    assert (outcome.failure, outcome.fetched, outcome.duration_seconds) == (failure, fetched, 2.0)


def test_sitemaps_of_robots_txt_wait_in_the_queue_and_in_the_page_log_and_are_no_nodes(
    tmp_path: Path,
) -> None:
    recording = Recording(tmp_path)
    name = sitemap_name("/mappa.xml", "http://nuovo.it/")
    assert name is not None
    recording.recorder.record_sitemaps([Link(*name, "xml")], 3)
    recording.recorder.record_sitemaps([Link(*name, "xml")], 4)  # robots.txt was read again
    recording.recorder.record_sitemaps([], 3)
    lease = recording.frontier.next(NOW)
    assert lease is not None
    assert (lease.url, lease.key, lease.depth, lease.via) == (name.url, "it,nuovo)/mappa.xml#sitemap", 3, "")
    asyncio.run(recording.committer.commit())
    recording.close()
    (line,) = map(json.loads, lines(tmp_path / "pages/000001.jsonl"))
    assert (line["key"], line["state"], line["reason"], line["depth"]) == (
        name.key,
        "never-tried",
        "outside-scope",
        3,
    )
    assert "#" not in (tmp_path / "urls/000001.tsv").read_text()


def test_what_arcs_say_is_written_with_them_and_of_no_other_link(tmp_path: Path) -> None:
    recording = Recording(tmp_path, anchors=True)
    lease = recording.leased[0]
    arc, silent, followed = link("b"), link("c"), link("d")
    page = page_of(lease, arc, silent, followed, followed=frozenset((followed.digest,)))
    texts = tuple((each.digest, text) for each, text in ((arc, "uno"), (arc, "due"), (followed, "tre")))
    recording.recorder.record(
        replace(page, texts=texts, nofollow=frozenset((silent.digest, followed.digest)))
    )
    asyncio.run(recording.committer.commit())
    recording.close()
    parent = lease.digest.hex()
    assert lines(tmp_path / "anchors/000001.tsv") == [
        f"{parent}\t{arc.digest.hex()}\t\tuno",
        f"{parent}\t{arc.digest.hex()}\t\tdue",
        f"{parent}\t{silent.digest.hex()}\tn\t",
    ]

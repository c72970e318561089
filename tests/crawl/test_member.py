"""Members of a fleet without Scrapy: links reach their owner once, old copies are refused, shipped files go."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from tests.defaults import default_scope, frontier_limits
from tests.frontier.making import EAGER
from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.inbox import Inbox
from webgraph_it.crawl.link_log import log_start_of, spans_of
from webgraph_it.crawl.member import Facts, Member
from webgraph_it.crawl.membership import Membership
from webgraph_it.crawl.outbox import Outbox
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.tally import Tally
from webgraph_it.fleet.exchange import Cursor, Verdict, starts
from webgraph_it.fleet.local import LocalMailboxes, board_of
from webgraph_it.fleet.log import lines_of
from webgraph_it.fleet.slices import balanced, slice_of
from webgraph_it.fleet.transport import Batch, Board, TransportError
from webgraph_it.frontier import Frontier, Order, RocksStore
from webgraph_it.frontier.leases import Leases
from webgraph_it.items import Link, Page, State
from webgraph_it.shards.committed import unpacked
from webgraph_it.shards.fleet import member_folder
from webgraph_it.shards.writer import Shards
from webgraph_it.urls import Name, name

NOW = 1_000_000.0
TABLE = balanced(2)
SCOPE = default_scope()


def links(*urls: str) -> list[Link]:
    named = [name(url) for url in urls]
    return [Link(*each, "a") for each in named if isinstance(each, Name)]


def sites_of(member: int, count: int) -> list[str]:
    """URLs of so many sites that this member owns."""
    urls = (f"http://sito{n}.it/" for n in range(1000))
    owned = [url for url in urls if TABLE[slice_of(links(url)[0].key)] == member]
    return owned[:count]


class Half:
    """One of two members: a real frontier, real shards, the local transport, no Scrapy."""

    def __init__(self, fleet: Path, number: int, common: str = "") -> None:
        self.is_seeded = True
        path = fleet / member_folder(number)
        membership = Membership(fleet, number, 2, "local", TABLE, {"SEEDS": common})
        self.frontier = Frontier.open(
            RocksStore(path / "frontier"), EAGER, Order.BREADTH, frontier_limits(), NOW
        )
        files = unpacked(self.frontier.get_meta("shards"))
        self.shards = Shards(path, files, {"graph": 9, "urls": 9, "pages": 9, "links": 9})
        self.leases = Leases()
        self.recorder = Recorder(self.frontier, self.leases, lambda: NOW, self.shards, Tally())
        spans = spans_of(files, log_start_of(self.frontier))
        outbox = Outbox(number, TABLE, self.frontier, self.shards, spans[-1].end if spans else 0)
        self.recorder.outbox = outbox
        inbox = Inbox(number, TABLE, SCOPE, self.frontier, self.recorder)
        self.committer = Committer(
            JobDirectory(path), self.frontier, self.shards, Tally(), self.recorder.step
        )
        self.member = Member(
            membership,
            LocalMailboxes(fleet, TABLE),
            self.frontier,
            outbox,
            inbox,
            files,
            commit=self.committer.commit,
            is_idle=lambda: not (self.frontier.counts().queued or self.frontier.counts().leased),
            is_seeded=lambda: self.is_seeded,
            facts=lambda: Facts(0, 0, 0),
            commit_seconds=0.0,
            lender=self,
        )
        self.committer.party = self.member

    def visit(self, *urls: str) -> str:
        """Fetch the next page, which has these links; its URL."""
        lease = self.frontier.next(NOW)
        assert lease is not None
        self.leases.out[lease.digest] = lease
        found = tuple(links(*urls))
        self.recorder.record(
            Page(lease.url, lease.key, lease.digest, NOW, State.FETCHED, 200, lease.depth, lease.via, found)
        )
        return lease.url

    def now(self) -> float:
        return NOW

    def lend(self, host: str) -> bool:
        return True

    def take_back(self, host: str) -> None:
        self.taken_back = host

    def close(self) -> None:
        self.shards.close()
        self.frontier.abandon()


@contextmanager
def half(fleet: Path, number: int, common: str = "") -> Iterator[Half]:
    made = Half(fleet, number, common)
    try:
        yield made
    finally:
        made.close()


async def exchange(*halves: Half, rounds: int = 3) -> list[str]:
    """Some rounds of each; why one must not run, if it must not."""
    return [why for _ in range(rounds) for each in halves if (why := await each.member.round())]


def lines_of_urls(half: Path) -> list[str]:
    return [line for file in sorted((half / "urls").iterdir()) for line in file.read_text().splitlines()]


def test_a_link_reaches_the_owner_of_its_site_and_the_crawl_ends(tmp_path: Path) -> None:
    ours, theirs = sites_of(1, 2), sites_of(2, 2)

    async def crawl() -> None:
        with half(tmp_path, 1) as one, half(tmp_path, 2) as two:
            one.recorder.record_seeds(links(ours[0]), frozenset())
            assert [await one.member.round(), await two.member.round()] == ["", ""]
            assert one.visit(theirs[0], ours[1], theirs[1]) == ours[0]
            await exchange(one, two)
            assert two.frontier.next(NOW) is None  # what is not committed is not shipped
            await one.committer.commit()
            await exchange(one, two)
            assert not one.member.is_over
            assert two.frontier.counts().queued == 2
            assert one.visit() == ours[1]
            assert [two.visit(ours[1]), two.visit(theirs[0])] == theirs
            await exchange(one, two)
            assert one.member.is_over
            assert two.member.is_over
            assert two.member.batches[Verdict.APPLY] == 1
            assert one.member.inbox.cursors[2].offset == two.member.status.log_end > 0

    asyncio.run(crawl())
    assert [line.partition("\t")[2] for line in lines_of_urls(tmp_path / "member-01")] == ours
    assert [line.partition("\t")[2] for line in lines_of_urls(tmp_path / "member-02")] == theirs


def test_a_receiver_that_dies_after_applying_gets_the_batch_again(tmp_path: Path) -> None:
    async def crawl() -> None:
        with half(tmp_path, 1) as one:
            one.recorder.record_seeds(links(*sites_of(1, 1)), frozenset())
            await one.member.round()
            one.visit(*sites_of(2, 3))
            await one.committer.commit()
            await one.member.round()
            with half(tmp_path, 2) as two:
                two.member._look(await two.member._mailboxes.board())
                await two.member._take_in()
                assert two.frontier.counts().queued == 3
            with half(tmp_path, 2) as two:  # nothing was committed
                assert two.frontier.counts().queued == 0
                await two.member.round()
                assert two.frontier.counts().queued == 3

    asyncio.run(crawl())


def test_link_files_that_all_others_have_committed_are_deleted(tmp_path: Path) -> None:
    files = tmp_path / "member-01" / "links"

    async def crawl() -> None:
        with half(tmp_path, 1) as one, half(tmp_path, 2) as two:
            one.recorder.record_seeds(links(*sites_of(1, 2)), frozenset())
            await one.member.round()
            await two.member.round()
            one.visit(*sites_of(2, 3))
            await one.committer.commit(checkpoint=True)
            one.visit(*sites_of(2, 5))
            await one.committer.commit(checkpoint=True)
            await exchange(one, two)
            assert sorted(path.name for path in files.iterdir()) == ["000001.tsv", "000002.tsv", "000003.tsv"]
            await two.committer.commit()
            await exchange(two, one)
            await one.committer.commit()  # the last file that a commit knows stays
            await one.committer.commit()
            assert [path.name for path in files.iterdir()] == ["000003.tsv"]
            assert one.member.status.log_start == one.member.status.log_end > 0
            await exchange(one, two)
        with half(tmp_path, 1) as one:  # a resume knows where its log begins
            assert one.member.outbox.end == one.member.status.log_start > 0
            assert await one.member.round() == ""

    asyncio.run(crawl())


def test_a_directory_restored_from_an_old_backup_is_refused(tmp_path: Path) -> None:
    async def crawl() -> None:
        with half(tmp_path, 1) as one, half(tmp_path, 2) as two:
            one.recorder.record_seeds(links(*sites_of(1, 1)), frozenset())
            await one.member.round()
            await two.member.round()
            shutil.copytree(tmp_path / "member-01", tmp_path / "backup")
            one.visit(*sites_of(2, 3))
            await one.committer.commit()
            await exchange(one, two)
            await two.committer.commit()
            await two.member.round()
        shutil.rmtree(tmp_path / "member-01")
        (tmp_path / "backup").rename(tmp_path / "member-01")
        (tmp_path / "board/member-01.json").unlink()
        with half(tmp_path, 1) as one:
            assert "of this member's links, which start 1 of it sent" in await one.member.round()

    asyncio.run(crawl())


def test_a_fleet_restored_from_a_backup_says_what_its_board_remembers(tmp_path: Path) -> None:
    async def crawl() -> None:
        with half(tmp_path, 1) as one:
            await one.member.round()
        shutil.copytree(tmp_path / "member-01", tmp_path / "backup")
        with half(tmp_path, 1) as one:
            await one.member.round()
        shutil.rmtree(tmp_path / "member-01")
        shutil.copytree(tmp_path / "backup", tmp_path / "member-01")
        for _ in range(2):  # a refused start is no start
            with half(tmp_path, 1) as one:
                assert await one.member.round() == (
                    "board/ remembers a later start of member 1 (start 2), and this directory has only start 1: it is "
                    "an older copy, or board/ serves another fleet"
                )
        shutil.rmtree(tmp_path / "board")
        with half(tmp_path, 1) as one:
            assert await one.member.round() == ""
            assert one.member.has_begun

    asyncio.run(crawl())


def test_nobody_knows_of_a_start_before_it_is_let_in(tmp_path: Path) -> None:
    async def crawl() -> None:
        with half(tmp_path, 1, "one list") as one, half(tmp_path, 2, "another") as two:
            await one.member.round()
            await two.member.round()
            assert two.member.contradictions.is_watching
            assert (sorted(board_of(tmp_path)), two.committer.commits) == ([1], 0)

    asyncio.run(crawl())


def test_a_member_that_reaches_nobody_says_what_follows(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreachable(_: LocalMailboxes) -> Board:
        raise TransportError("redis://a.it/0: no password.")

    async def crawl() -> None:
        with half(tmp_path, 1) as one:
            one.member._membership = replace(one.member._membership, transport="redis://a.it/0")
            with monkeypatch.context() as patch:
                patch.setattr(LocalMailboxes, "board", unreachable)
                assert await one.member.round() == ""
                assert await one.member.round() == ""
            assert await one.member.round() == ""
            monkeypatch.setattr(LocalMailboxes, "board", unreachable)
            assert await one.member.round() == ""

    with caplog.at_level("INFO", "webgraph_it"):
        asyncio.run(crawl())
    assert caplog.messages == [
        "The other members cannot be reached: redis://a.it/0: no password. Nothing is fetched until they are; this "
        "member tries again. If FLEET is wrong, stop this member and give the right one.",
        "The other members are reached again.",
        "The other members cannot be reached: redis://a.it/0: no password. This member fetches until its share ends, "
        "keeps the links for them, and tries again.",
    ]


def test_an_older_twin_is_fenced_off(tmp_path: Path) -> None:
    """A process that was frozen wakes up after its successor has started on a copy of its directory."""

    async def crawl() -> None:
        with half(tmp_path, 1) as old:
            await old.member.round()
            shutil.copytree(tmp_path / "member-01", tmp_path / "copy/member-01")
            shutil.copytree(tmp_path / "board", tmp_path / "copy/board")
            with half(tmp_path / "copy", 1) as new:
                assert await new.member.round() == ""
                shutil.copy(tmp_path / "copy/board/member-01.json", tmp_path / "board/member-01.json")
            old.member._is_put = False
            assert await old.member.round() == (
                "start 2 of member 1 is known, and this is another one, start 1"
            )

    asyncio.run(crawl())


def test_running_members_with_other_settings_are_refused(tmp_path: Path) -> None:
    async def crawl() -> None:
        with half(tmp_path, 1, "one list") as one, half(tmp_path, 2, "another") as two:
            assert await one.member.round() == ""
            assert await two.member.round() == ""  # the status of member 1 may be of an earlier run
            one.member._is_put = False
            assert await one.member.round() == ""
            assert await two.member.round() == "its SEEDS is another, and that of member 1 is one list"

    asyncio.run(crawl())


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://fuori.com/", "host"),
        (sites_of(1, 1)[0], "not-ours"),
        ("http://SITO.it/", "unnamed"),
        ("javascript:alert(1)", "unnamed"),
    ],
)
def test_a_batch_leads_nobody_out_of_scope(tmp_path: Path, url: str, reason: str) -> None:
    async def crawl() -> None:
        with half(tmp_path, 2) as two:
            lines = lines_of([(0, Link(url, "", b"", "a"))], 1, "it,a)/")
            await two.member.inbox.apply(Batch(1, 2, 5, 0, len(lines), lines))
            assert two.frontier.counts().seen == 0
            assert two.member.inbox.cursors == {1: Cursor(len(lines), 5)}
            dropped = two.member.inbox.dropped
            assert list(dropped) == [reason] or (reason == "host" and "not-ours" in dropped), dropped

    asyncio.run(crawl())


def test_the_board_says_what_is_committed(tmp_path: Path) -> None:
    async def crawl() -> None:
        with half(tmp_path, 1) as one:
            one.recorder.record_seeds(links(*sites_of(1, 1)), frozenset())
            await one.member.round()
            assert not board_of(tmp_path)[1].is_idle
            one.visit(*sites_of(2, 3))
            assert board_of(tmp_path)[1].log_end == 0
            await one.member.round()  # idle with an uncommitted outbox: it commits at once
            assert board_of(tmp_path)[1].is_idle
            assert board_of(tmp_path)[1].log_end > 0

    asyncio.run(crawl())


def test_a_host_of_another_member_is_borrowed_over_the_board(tmp_path: Path) -> None:
    host = links(sites_of(2, 1)[0])[0].key.partition(")")[0]

    async def crawl() -> None:
        with half(tmp_path, 1) as one, half(tmp_path, 2) as two:
            await one.member.round()
            await two.member.round()
            assert one.member.loans.ready_at(host, NOW) == inf
            await exchange(one, two, rounds=2)
            assert one.member.loans.ready_at(host, NOW) == 0.0
            assert two.member.loans.lent
            one.member.loans.returned(host)
            await exchange(one, two, rounds=1)
            assert two.taken_back == host
            assert not two.member.loans.lent

    asyncio.run(crawl())


def test_epoch_and_cursors_survive_a_kill_right_after_their_commit(tmp_path: Path) -> None:
    async def crawl() -> None:
        with half(tmp_path, 1) as one:
            one.recorder.record_seeds(links(*sites_of(1, 1)), frozenset())
            await one.member.round()
            one.visit(*sites_of(2, 3))
            await one.committer.commit()
            await one.member.round()
            with half(tmp_path, 2) as two:
                await two.member.round()  # commits the epoch, and then takes in the links
                first = two.member.epoch
            with half(tmp_path, 2) as two:
                assert starts(two.member.epoch) == starts(first) + 1
                assert two.member.inbox.cursors == {}
                await two.member.round()
                await two.committer.commit()
            with half(tmp_path, 2) as two:
                assert two.member.inbox.cursors[1].offset == one.member.status.log_end
                await two.member.round()
                assert two.member.batches[Verdict.APPLY] == 0

    asyncio.run(crawl())


def test_links_of_others_wait_until_the_own_seeds_are_loaded(tmp_path: Path) -> None:
    """A seed that was found as a link first would have another depth."""
    seed = sites_of(2, 1)

    async def crawl() -> None:
        with half(tmp_path, 1) as one, half(tmp_path, 2) as two:
            one.recorder.record_seeds(links(*sites_of(1, 1)), frozenset())
            two.is_seeded = False
            await one.member.round()
            await two.member.round()
            one.visit(*seed)
            await one.committer.commit()
            await exchange(one, two)
            assert two.frontier.counts().seen == 0
            two.recorder.record_seeds(links(*seed), frozenset())
            two.is_seeded = True
            await exchange(one, two)
            lease = two.frontier.next(NOW)
            assert lease is not None
            assert lease.depth == 0

    asyncio.run(crawl())

"""What is known of a member when the notice board has nothing."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.crawl.crawling import content
from tests.crawl.test_member import exchange, half, links, sites_of
from tests.crawl.test_membership import begin
from tests.fleet.fleets import Fleet
from tests.repair.test_resize import resize
from webgraph_it.cli import main
from webgraph_it.crawl.stopped_status import last_status, lost_member, stopped_status
from webgraph_it.fleet.local import board_of
from webgraph_it.simweb import SimWeb


def test_the_directory_says_what_the_board_said(tmp_path: Path) -> None:
    async def crawl() -> None:
        with half(tmp_path, 1) as one, half(tmp_path, 2) as two:
            one.recorder.record_seeds(links(*sites_of(1, 3)), frozenset())
            assert [await one.member.round(), await two.member.round()] == ["", ""]
            one.visit(*sites_of(2, 3))
            await one.committer.commit()
            await exchange(one, two)
            await two.committer.commit()
            await exchange(two, one)

    asyncio.run(crawl())
    for number, queued in ((1, 2), (2, 3)):
        put, found = board_of(tmp_path)[number], stopped_status(tmp_path / f"member-0{number}", number)
        assert found is not None
        assert (found.epoch, found.runs, found.log) == (put.epoch, put.runs, put.log)
        assert found.cursors == put.cursors
        assert found.facts["queued"] == queued


def test_the_board_adds_to_the_last_commit_and_does_not_replace_it(tmp_path: Path) -> None:
    async def crawl(*urls: str) -> None:
        with half(tmp_path, 1) as one:
            one.recorder.record_seeds(links(*sites_of(1, 3)), frozenset())
            assert await one.member.round() == ""
            one.visit(*urls)
            await one.committer.commit()
            await one.member.round()
            await one.member.end()

    asyncio.run(crawl())
    member, put = tmp_path / "member-01", board_of(tmp_path)[1]
    found = last_status(member, 1, put)
    assert found is not None
    assert found.facts["ended"] == 1.0
    assert found.facts["queued"] == 2  # and not what the member said to people
    shutil.copytree(member, tmp_path / "backup")
    asyncio.run(crawl(*sites_of(2, 3)))
    put = board_of(tmp_path)[1]
    shutil.rmtree(member)
    shutil.copytree(tmp_path / "backup", member)
    assert put.log_end
    assert last_status(member, 1, put) == stopped_status(member, 1)


@pytest.mark.parametrize("witness", ["board", "cursors"])
def test_a_member_is_lost_if_the_others_know_that_it_has_crawled(tmp_path: Path, witness: str) -> None:
    for number in ("1", "2"):
        begin(tmp_path, FLEET_SIZE="3", FLEET_MEMBER=number)
    fleet = tmp_path / "fleet"

    async def crawl() -> None:
        with half(fleet, 1) as one, half(fleet, 2) as two:
            one.recorder.record_seeds(links(*sites_of(1, 3)), frozenset())
            assert [await one.member.round(), await two.member.round()] == ["", ""]
            one.visit(*sites_of(2, 3))
            await one.committer.commit()
            await exchange(one, two)
            await two.committer.commit()

    asyncio.run(crawl())
    assert lost_member(fleet) == 0  # member 3 was never begun, and nobody has anything of it
    shutil.rmtree(fleet / "member-01")
    if witness == "board":
        shutil.rmtree(fleet / "member-02/frontier")
    else:
        shutil.rmtree(fleet / "board")
    assert lost_member(fleet) == 1


def test_what_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    assert stopped_status(tmp_path, 1) is None
    (tmp_path / "frontier").mkdir()
    (tmp_path / "frontier/CURRENT").write_text("nothing")
    assert stopped_status(tmp_path, 1) is None


def test_members_are_shown_after_a_change_of_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SimWeb(hosts=12, pages=60, seed=33, only=["plain"]) as web:
        Fleet(web, tmp_path, 2).run()
    pages = sum(status.facts["pages"] for status in board_of(tmp_path).values())
    assert resize(tmp_path, 3) == 0
    before = content(tmp_path)
    assert main(["fleet", "status", str(tmp_path)]) == 0
    _, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert [row[1:3] for row in rows] == [["not", "running"]] * 3
    assert sum(int(row[4]) for row in rows) == pages
    assert content(tmp_path) == before


def test_a_fleet_with_a_server_is_told_how_to_see_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1", FLEET="redis://127.0.0.1:1/0")
    assert main(["fleet", "status", str(tmp_path / "fleet")]) == 0
    assert "To see all of them: add --fleet URL" in capsys.readouterr().err

"""A member that does not run takes in what the others have logged for it."""

import asyncio
from pathlib import Path

import pytest

from tests.crawl.test_member import half, lines_of_urls, links, sites_of
from tests.crawl.test_membership import begin
from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.repair.stopped import StoppedMember, scope_of


def stopped_fleet(tmp_path: Path) -> dict[int, StoppedMember]:
    """Two members; the first has logged three links of the second."""
    for number in (1, 2):
        begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER=str(number))
    fleet = tmp_path / "fleet"

    async def crawl() -> None:
        with half(fleet, 1) as one, half(fleet, 2) as two:
            one.recorder.record_seeds(links(*sites_of(1, 1)), frozenset())
            await one.member.round()
            await two.member.round()
            one.visit(*sites_of(2, 3))
            await one.committer.commit()

    asyncio.run(crawl())
    return {number: StoppedMember(fleet / f"member-0{number}", number) for number in (1, 2)}


def test_all_links_are_taken_in_once(tmp_path: Path) -> None:
    paths = {number: member.path for number, member in stopped_fleet(tmp_path).items()}
    for _ in range(2):
        found = {number: StoppedMember(path, number) for number, path in paths.items()}
        for member in found.values():
            member.open()
        for member in found.values():
            member.take_in(found)
            member.close()
        keys = [line.partition("\t")[2] for line in lines_of_urls(found[2].path)]
        assert keys == sites_of(2, 3)


def test_a_running_member_is_refused(tmp_path: Path) -> None:
    found = stopped_fleet(tmp_path)
    found[1].open()
    with pytest.raises(DirectoryError, match="is in use by process"):
        StoppedMember(found[1].path, 1).open()
    found[1].close()


def test_the_scope_is_that_of_the_crawl(tmp_path: Path) -> None:
    member = stopped_fleet(tmp_path)[1]
    assert scope_of(member.directory).verdict("it,a)/", "http://a.it/").in_graph
    assert not scope_of(member.directory).verdict("com,a)/", "http://a.com/").in_graph


def test_an_old_copy_of_a_sender_is_refused(tmp_path: Path) -> None:
    """The other member has taken in more of its links than it has."""
    found = stopped_fleet(tmp_path)
    for member in found.values():
        member.open()
    found[2].take_in(found)
    found[1].log, found[1].log_end = (), 0
    with pytest.raises(DirectoryError, match=r"that one is an old copy.*fleet give-up .*/fleet 1\.$"):
        found[2].take_in(found)
    for member in found.values():
        member.close()

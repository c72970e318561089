"""The printed command resumes what it says."""

from pathlib import Path

from tests.crawl.test_membership import begin
from webgraph_it.crawl.resuming import resume_command


def test_a_crawl_is_resumed_with_its_directory(tmp_path: Path) -> None:
    assert resume_command("italy", tmp_path) == f"scrapy crawl italy -s JOBDIR={tmp_path}"


def test_a_member_is_resumed_with_its_fleet_or_alone_if_the_others_are_elsewhere(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    alone = f"scrapy crawl italy -s JOBDIR={fleet} -s FLEET_SIZE=2 -s FLEET_MEMBER=1"
    assert resume_command("italy", fleet / "member-01") == alone
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="2")
    assert resume_command("italy", fleet / "member-01") == f"webgraph-it fleet -n 2 --jobdir {fleet}"

"""The printed command resumes what it says."""

from pathlib import Path

import pytest

from tests.crawl.test_membership import begin
from webgraph_it.crawl.resuming import resume_command, unfinished_change
from webgraph_it.shards.fleet import RESIZE_FILE


def test_a_crawl_is_resumed_with_its_directory(tmp_path: Path) -> None:
    assert resume_command("italy", tmp_path) == f"scrapy crawl italy -s JOBDIR={tmp_path}"


def test_a_member_is_resumed_with_its_fleet_or_alone_if_the_others_are_elsewhere(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    alone = f"scrapy crawl italy -s JOBDIR={fleet} -s FLEET_SIZE=2 -s FLEET_MEMBER=1"
    assert resume_command("italy", fleet / "member-01") == alone
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="2")
    assert resume_command("italy", fleet / "member-01") == f"webgraph-it fleet -n 2 --jobdir {fleet}"


@pytest.mark.parametrize(
    ("plan", "command"),
    [
        ('{"from": 4, "to": 5, "moves": []}', "resize {} --to 5"),
        ('{"give_up": 3}', "give-up {} 3"),
        ("{", "resize {} --to N"),
    ],
)
def test_an_interrupted_change_is_finished_with_the_command_that_began_it(
    tmp_path: Path, plan: str, command: str
) -> None:
    assert unfinished_change(tmp_path) == unfinished_change(tmp_path / "missing") == ""
    (tmp_path / RESIZE_FILE).write_text(plan)
    assert unfinished_change(tmp_path).endswith(f"To finish it: webgraph-it fleet {command.format(tmp_path)}")

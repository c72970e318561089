"""Wrong settings of a fleet are one sentence each, before anything is written."""

import json
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from tests.crawl.crawling import content
from tests.defaults import project_settings
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.identity import identity_of
from webgraph_it.crawl.membership import fleet_identity, membership_of
from webgraph_it.crawl.preflight import PROBLEMS, preflight
from webgraph_it.crawl.resuming import fleet_command
from webgraph_it.files.own import NotOursError
from webgraph_it.fleet.slices import as_text, balanced, rebalanced
from webgraph_it.shards.fleet import crawls_of, fleet_size, member_number
from webgraph_it.shards.formats import ShardError


def settings(tmp_path: Path, **changes: Any) -> Settings:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://a.it/\n")
    return project_settings(
        SEEDS=str(seeds), CONTACT_URL="https://example.it/crawl", JOBDIR=str(tmp_path / "fleet"), **changes
    )


def begin(tmp_path: Path, **changes: Any) -> Settings:
    """A member that was started once."""
    made = settings(tmp_path, **changes)
    preflight(made)
    directory = JobDirectory(Path(made["JOBDIR"]))
    directory.claim({**identity_of(made), **fleet_identity(made, directory)})
    directory.unlock()
    return made


def test_jobdir_is_the_directory_of_the_fleet(tmp_path: Path) -> None:
    made = begin(tmp_path, FLEET_SIZE="4", FLEET_MEMBER="3")
    assert made["JOBDIR"] == str(tmp_path / "fleet" / "member-03")
    record = json.loads((tmp_path / "fleet/member-03/crawl.json").read_text())
    assert record["FLEET_SIZE"] == 4
    assert record["fleet"]["slices"] == {"1": "0-255", "2": "256-511", "3": "512-767", "4": "768-1023"}
    membership = membership_of(made)
    assert membership is not None
    assert (membership.number, membership.size, membership.directory) == (3, 4, tmp_path / "fleet")
    assert membership.table == balanced(4)
    assert fleet_size(tmp_path / "fleet") == 4


def test_a_crawl_alone_is_in_no_fleet(tmp_path: Path) -> None:
    made = begin(tmp_path)
    assert made["JOBDIR"] == str(tmp_path / "fleet")
    assert membership_of(made) is None
    assert "fleet" not in json.loads((tmp_path / "fleet/crawl.json").read_text())


@pytest.mark.parametrize(
    ("given", "transport", "words"),
    [
        ("local", "", ""),
        ("redis://a.it:6379/0", "redis://a.it:6379/0", " -- -s FLEET=redis://a.it:6379/0"),
        ("rediss://:secret@a.it/0", "rediss://:secret@a.it/0", " -- -s FLEET=… (the server, as before)"),
        ("redis://:secret@a.it/0", "", " -- -s FLEET=… (the server, as before)"),
    ],
)
def test_the_command_names_the_server_without_its_password(
    tmp_path: Path, given: str, transport: str, words: str
) -> None:
    begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1", FLEET=given)
    fleet = tmp_path / "fleet"
    assert fleet_command(fleet, 2, transport) == f"webgraph-it fleet -n 2 --jobdir {fleet}{words}"


def test_a_resume_needs_only_the_member(tmp_path: Path) -> None:
    begin(tmp_path, FLEET_SIZE="4", FLEET_MEMBER="3")
    again = project_settings(
        JOBDIR=str(tmp_path / "fleet"), FLEET_MEMBER="3", CONTACT_URL="https://example.it/crawl"
    )
    preflight(again)
    assert again["FLEET_SIZE"] == 4


def test_a_table_that_was_changed_by_a_resize_stays(tmp_path: Path) -> None:
    begin(tmp_path, FLEET_SIZE="4", FLEET_MEMBER="3")
    path = tmp_path / "fleet/member-03/crawl.json"
    table = rebalanced(balanced(3), range(1, 5))
    record = json.loads(path.read_text())
    record["fleet"]["slices"] = as_text(table)
    path.write_text(json.dumps(record))
    membership = membership_of(begin(tmp_path, FLEET_SIZE="4", FLEET_MEMBER="3"))
    assert membership is not None
    assert membership.table == table


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"FLEET_SIZE": "4", "FLEET_MEMBER": "5"}, "expected: a member from 1 to 4"),
        ({"FLEET_SIZE": "4"}, "FLEET_SIZE is 4 and FLEET_MEMBER is missing"),
        ({"FLEET_MEMBER": "2"}, "FLEET_MEMBER is 2 and FLEET_SIZE is missing"),
        (
            {"FLEET_SIZE": "4", "FLEET_MEMBER": "2", "SITEMAPS": "True"},
            "SITEMAPS is true; expected: false in a fleet",
        ),
        ({"FLEET_SIZE": "4", "FLEET_MEMBER": "2", "JOBDIR": None}, "FLEET_MEMBER is 2 and JOBDIR is missing"),
        (
            {"FLEET_SIZE": "4", "FLEET_MEMBER": "2", "MAX_TCP_CONNECTIONS": "3"},
            "MAX_TCP_CONNECTIONS is 3 and FLEET_SIZE is 4; expected: at least one connection for each member",
        ),
        ({"FLEET_SIZE": "2000", "FLEET_MEMBER": "2"}, "expected: members, 1 to 1024"),
        ({"FLEET_SIZE": "2", "FLEET_MEMBER": "1", "FLEET": "ftp://x"}, "expected: local, or a server"),
        (
            {"FLEET_SIZE": "2", "FLEET_MEMBER": "1", "FLEET": "redis://127.0.0.1:abc/0"},
            "FLEET is 'redis://127.0.0.1:abc/0'; expected: local, or a server",
        ),
        (
            {"FLEET_SIZE": "2", "FLEET_MEMBER": "1", "FLEET": "redis://:secret@127.0.0.1/x"},
            "FLEET is 'redis://…@127.0.0.1/x'; expected: local, or a server",
        ),
        *(
            (
                {"FLEET_SIZE": "2", "FLEET_MEMBER": "1", "FLEET": f"redis://:{password}@127.0.0.1/0"},
                "FLEET is 'redis://…@127.0.0.1/0'; expected: local, or a server such as "
                "redis://broker.example:6379/0 or rediss://user:password@broker.example/0. "
                "In a password write /, ?, # and % as %2F, %3F, %23 and %25.",
            )
            for password in ("se/cret", "12/34", "se?cret", "se#cret")
        ),
        (
            {"FLEET": "redis://:secret@127.0.0.1/0"},
            "FLEET is redis://127.0.0.1/0 and FLEET_SIZE and FLEET_MEMBER are missing; expected: how many members",
        ),
    ],
)
def test_a_wrong_setting_is_one_sentence(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    wrong = settings(tmp_path)
    for name, value in changes.items():
        wrong.set(name, value, priority="cmdline")
    with pytest.raises(PROBLEMS) as refusal:
        preflight(wrong)
    assert words in str(refusal.value)
    assert not (tmp_path / "fleet").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"FLEET_SIZE": "3", "FLEET_MEMBER": "1"}, "is the directory of a fleet of 4 members. Give 4, or"),
        (
            {},
            "is the directory of a fleet of 4 members. To resume all of them: webgraph-it fleet -n 4 --jobdir",
        ),
        (
            {"FLEET_MEMBER": "3", "FLEET": "redis://127.0.0.1/0"},
            "fleet/member-03 was begun with transport 'local', and now it is 'redis'. Give FLEET as it was, to all",
        ),
    ],
)
def test_a_member_that_does_not_fit_the_others_is_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    begin(tmp_path, FLEET_SIZE="4", FLEET_MEMBER="3")
    before = content(tmp_path / "fleet")
    with pytest.raises(PROBLEMS) as refusal:
        preflight(settings(tmp_path, **changes))
    assert words in str(refusal.value)
    assert content(tmp_path / "fleet") == before


def test_another_suffix_list_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(tmp_path, FLEET_SIZE="4", FLEET_MEMBER="3")
    monkeypatch.setattr("webgraph_it.crawl.membership.suffixes_checksum", lambda: "another")
    with pytest.raises(PROBLEMS, match="some sites would change their owners"):
        preflight(settings(tmp_path, FLEET_SIZE="4", FLEET_MEMBER="3"))


def test_a_single_crawl_does_not_become_a_fleet(tmp_path: Path) -> None:
    begin(tmp_path)
    with pytest.raises(PROBLEMS, match="is the directory of a single crawl"):
        preflight(settings(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {},
            "is the directory of one member of a fleet; expected: that of the fleet, {fleet}. To resume: "
            "webgraph-it fleet -n 2 --jobdir {fleet}",
        ),
        (
            {"FLEET_SIZE": "2", "FLEET_MEMBER": "1"},
            "is the directory of one member; expected: that of the fleet, {fleet}.",
        ),
    ],
)
def test_a_member_does_not_become_a_single_crawl_or_a_fleet(
    changes: dict[str, str], words: str, tmp_path: Path
) -> None:
    for member in (1, 2):
        begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER=str(member))
    made = settings(tmp_path, **changes)
    made.set("JOBDIR", str(tmp_path / "fleet/member-01"), priority="cmdline")
    before = content(tmp_path / "fleet")
    with pytest.raises(PROBLEMS) as refusal:
        preflight(made)
    assert str(refusal.value).endswith(words.format(fleet=tmp_path / "fleet"))
    assert content(tmp_path / "fleet") == before


def test_the_members_of_a_fleet_stand_for_it(tmp_path: Path) -> None:
    for member in (1, 2):
        begin(tmp_path, FLEET_SIZE="2", FLEET_MEMBER=str(member))
    fleet = tmp_path / "fleet"
    assert crawls_of([tmp_path, fleet]) == [tmp_path, fleet / "member-01", fleet / "member-02"]
    (fleet / "member-01/crawl.json").unlink()
    with pytest.raises(ShardError, match="is a fleet of 2 members and lacks member-01"):
        crawls_of([fleet])


@pytest.mark.parametrize(
    ("name", "number"), [("member-01", 1), ("member-123", 123), ("member-1", 0), ("x", 0)]
)
def test_a_folder_is_named_by_its_member(name: str, number: int) -> None:
    assert member_number(Path(name)) == number


def test_a_notice_board_that_is_no_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet/board").write_text("")
    made = settings(tmp_path, FLEET_SIZE="2", FLEET_MEMBER="1")
    with pytest.raises(NotOursError, match="board is a file, expected a folder of the crawl: remove it"):
        preflight(made)

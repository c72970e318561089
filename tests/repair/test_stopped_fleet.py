"""A stopped fleet is checked as a whole: what cannot be changed is refused, and nothing of it is touched."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repair.test_stopped import stopped_fleet
from webgraph_it.cli import main
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.repair import stopped
from webgraph_it.repair import stopped_fleet as stopped_fleet_module
from webgraph_it.repair.stopped_fleet import LEFTOVERS

RESIZE = ["resize", "--to", "3"]
CHANGES = (RESIZE, ["give-up", "2"])
"""Of a fleet whose member 1 is broken."""


def change(fleet: Path, verb: str, *words: str) -> int:
    return main(["fleet", verb, str(fleet), *words])


def everything(fleet: Path) -> dict[str, bytes]:
    """Every file of the fleet, the stores' own ones included."""
    return {
        str(path.relative_to(fleet)): path.read_bytes() for path in sorted(fleet.rglob("*")) if path.is_file()
    }


def without_frontier(member: Path) -> None:
    shutil.rmtree(member / "frontier")


def with_an_empty_one(member: Path) -> None:
    shutil.rmtree(member / "frontier")
    (member / "frontier").mkdir()


def with_damage(member: Path) -> None:
    for table in (member / "frontier").glob("*.sst"):
        table.write_bytes(bytes(table.stat().st_size))


@pytest.mark.parametrize("words", CHANGES)
@pytest.mark.parametrize("lose", [without_frontier, with_an_empty_one])
def test_a_member_without_a_frontier_is_left_as_it_is(
    words: list[str], lose: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was opened with a new frontier, which has committed nothing, and all its files were cut to nothing."""
    member = stopped_fleet(tmp_path)[1].path
    fleet = member.parent
    lose(member)
    before = everything(fleet)
    assert change(fleet, *words) == 2
    said = capsys.readouterr().err
    assert "no frontier/" in said
    assert said.endswith(f"webgraph-it fleet give-up {fleet} 1. Nothing was changed.\n")
    assert everything(fleet) == before
    assert not list(member.glob("frontier/*"))


def test_a_repair_of_a_member_names_the_command_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    member = stopped_fleet(tmp_path)[1].path
    shutil.copytree(member / "frontier", tmp_path / "sound")
    for spoil in (without_frontier, with_damage):
        spoil(member)
        assert main(["repair", str(member)]) == 2
        said = capsys.readouterr().err
        assert said.count(f"webgraph-it fleet give-up {member.parent} 1") == 1
        assert "webgraph-it repair" not in said
        shutil.rmtree(member / "frontier", ignore_errors=True)
        shutil.copytree(tmp_path / "sound", member / "frontier")


def test_the_member_is_given_up_then(tmp_path: Path) -> None:
    member = stopped_fleet(tmp_path)[1].path
    shutil.rmtree(member / "frontier")
    assert change(member.parent, "give-up", "1") == 0
    assert change(member.parent, *RESIZE) == 0


@pytest.mark.parametrize("member", ["1", "2"])
def test_two_members_without_frontiers_do_not_point_at_each_other(
    member: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = stopped_fleet(tmp_path)[1].path.parent
    for name in ("member-01", "member-02"):
        shutil.rmtree(fleet / name / "frontier")
    assert change(fleet, "give-up", member) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"member-01 and member-02 of {fleet} have no frontier/; expected: at most one")
    assert "fleet give-up" not in said


def test_a_member_that_has_kept_nothing_yet_needs_no_frontier(tmp_path: Path) -> None:
    fleet = stopped_fleet(tmp_path)[1].path.parent
    for name in ("member-01", "member-02"):
        shutil.rmtree(fleet / name / "frontier")
    (fleet / "member-02/committed.json").unlink()
    assert change(fleet, "give-up", "1") == 0


def test_an_interrupted_giving_up_makes_no_frontier_in_another_member(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    member = stopped_fleet(tmp_path)[1].path
    (member.parent / "resize.json").write_text(json.dumps({"give_up": 2}))
    shutil.rmtree(member / "frontier")
    assert change(member.parent, "give-up", "2") == 2
    assert "no frontier/" in capsys.readouterr().err
    assert not (member / "frontier").exists()


@pytest.mark.parametrize("words", CHANGES)
@pytest.mark.parametrize("part", ["", "member-01", "member-01/frontier"])
def test_a_place_that_cannot_be_written_is_named_with_what_to_do(
    words: list[str],
    part: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fleet = stopped_fleet(tmp_path)[1].path.parent
    place, before = fleet / part, everything(fleet)
    monkeypatch.setattr(
        stopped, "why_unwritable", lambda path: "Operation not permitted" if path == place else ""
    )
    assert change(fleet, *words) == 2
    what = f"Member 1 of {fleet}" if part else str(fleet)
    assert capsys.readouterr().err == (
        f"{what} cannot be changed (Operation not permitted): allow yourself to write to {place}, then give the same "
        "command again. Nothing was changed.\n"
    )
    assert everything(fleet) == before


@pytest.mark.parametrize("words", [["resize", "--to", "2"], RESIZE, ["give-up", "2"]])
def test_what_killed_commands_have_left_is_removed(words: list[str], tmp_path: Path) -> None:
    fleet = stopped_fleet(tmp_path)[1].path.parent
    for name in LEFTOVERS:
        (fleet / name / "member-01").mkdir(parents=True)
    assert change(fleet, *words) == 0
    assert not [name for name in LEFTOVERS if (fleet / name).exists()]


def test_what_a_running_fleet_uses_is_not_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = stopped_fleet(tmp_path)
    fleet = found[1].path.parent
    (fleet / "resize.new").mkdir()
    found[2].open()
    assert change(fleet, "resize", "--to", "2") == 2
    assert f"is in use by process {os.getpid()}" in capsys.readouterr().err
    assert (fleet / "resize.new").exists()
    found[2].close()


def test_what_was_put_aside_before_does_not_stand_in_for_what_is_put_aside_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old frontier in resize.old/ was taken for the one that had just been moved there, and the new one dropped."""
    fleet = stopped_fleet(tmp_path)[1].path.parent
    monkeypatch.setattr(stopped_fleet_module, "clear", lambda directory: None)  # it cannot be removed
    for name in ("member-01.frontier", "member-02"):
        (fleet / "resize.old" / name).mkdir(parents=True)
    mark = b"mmark"
    store = RocksStore(fleet / "member-01/frontier")
    store.commit({mark: b""})
    store.close()
    assert change(fleet, "resize", "--to", "1") == 0
    store = RocksStore(fleet / "member-01/frontier")
    assert store.get(mark) is None
    store.close()
    assert not (fleet / "member-02").exists()


@pytest.mark.parametrize("words", CHANGES)
def test_a_file_that_must_not_be_replaced_is_named_with_what_to_do(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = stopped_fleet(tmp_path)[1].path.parent

    def forbidden(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted", "new", None, "committed.json")

    for module in ("resize", "give_up"):
        monkeypatch.setattr(f"webgraph_it.repair.{module}._stage", forbidden)
    assert change(fleet, *words) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "committed.json cannot be changed (Operation not permitted): allow it, then give the same command again."
    )


def test_a_fleet_of_one_is_told_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = stopped_fleet(tmp_path)[1].path.parent
    for to in ("1", "1", "2"):
        assert change(fleet, "resize", "--to", to) == 0
    assert capsys.readouterr().err.splitlines() == [
        "All links are taken in by their 2 owners.",
        "Frontiers are made for 1 member.",
        f"{fleet} has 1 member already.",
        "All links are taken in by their 1 owner.",
        "Frontiers are made for 2 members.",
    ]

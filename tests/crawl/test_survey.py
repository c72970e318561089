"""Resuming is refused where it would cut off what was committed, and only there."""

import shlex
from pathlib import Path

import pytest

from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.crawl.resuming import resume_command
from webgraph_it.crawl.survey import (
    how_to_repair,
    refuse_missing_parts,
    refuse_occupied,
    refuse_occupied_fleet,
    refuse_older_frontier,
)


def names(number: int, size: int) -> dict[str, int]:
    return {
        f"{stream}/{number:06d}{suffix}": size for stream, suffix in (("graph", ".g16"), ("pages", ".jsonl"))
    }


@pytest.mark.parametrize(
    ("record", "committed", "files", "first"),
    [
        ({}, None, {}, True),
        ({}, None, names(1, 50), True),  # killed before the first commit
        (names(1, 50), None, names(1, 80), True),  # killed between the first commit and committed.json
        (names(1, 50), names(1, 30), names(1, 80), False),  # between a later one and committed.json
        (names(1, 50), names(1, 50), {**names(1, 50), **names(2, 9)}, False),  # a second run, not committed
        (
            names(1, 50),
            names(1, 50),
            {**names(1, 60), **names(2, 9), **names(3, 0)},
            False,
        ),  # and a checkpoint
        (names(1, 50), None, names(1, 50), False),  # nothing to cut
    ],
)
def test_what_a_crash_can_leave_is_resumed(
    tmp_path: Path,
    record: dict[str, int],
    committed: dict[str, int] | None,
    files: dict[str, int],
    first: bool,
) -> None:
    refuse_older_frontier(tmp_path, record, committed, files, first_commit=first)


@pytest.mark.parametrize(
    ("record", "committed", "files"),
    [
        ({}, names(1, 50), names(1, 50)),  # a frontier that was made anew
        (names(1, 30), names(1, 50), names(1, 50)),  # an older one
        (names(1, 50), {**names(1, 50), **names(2, 9)}, {**names(1, 50), **names(2, 9)}),
        (
            names(1, 50),
            names(1, 50),
            {**names(1, 50), **names(2, 9), **names(3, 9)},
        ),  # with its committed.json
        (names(1, 50), None, {**names(1, 50), **names(2, 9), **names(3, 9)}),
        (names(1, 50), None, names(1, 80)),  # nobody knows
    ],
)
def test_what_was_committed_is_never_cut(
    tmp_path: Path, record: dict[str, int], committed: dict[str, int] | None, files: dict[str, int]
) -> None:
    with pytest.raises(DirectoryError, match="Nothing was changed") as refusal:
        refuse_older_frontier(tmp_path, record, committed, files, first_commit=False)
    assert "webgraph-it repair" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_an_empty_folder_in_place_of_the_frontier_is_no_frontier(tmp_path: Path) -> None:
    for name in ("graph", "frontier"):
        (tmp_path / name).mkdir()
    (tmp_path / "crawl.json").write_text("{}")
    refuse_missing_parts(tmp_path)  # a crawl that was killed before it kept anything
    (tmp_path / "graph/000001.g16").write_bytes(bytes(16))
    with pytest.raises(DirectoryError, match="no frontier/"):
        refuse_missing_parts(tmp_path)


@pytest.mark.parametrize("name", ["notes.txt", "reports/crawl-report.txt", "seeds/mine.txt", "graph/a.csv"])
def test_a_directory_of_other_files_is_refused_and_one_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(DirectoryError, match=r"has other files .* and no crawl\.json; expected") as refused:
        refuse_occupied(tmp_path)
    assert name.removesuffix("/a.csv") in str(refused.value)


def test_a_directory_that_is_new_empty_a_crawl_or_just_begun_is_not_occupied(tmp_path: Path) -> None:
    refuse_occupied(tmp_path / "new")
    refuse_occupied(tmp_path)
    for folder in ("reports", "seeds", "lost+found"):
        (tmp_path / folder).mkdir()
    for begun in ("crawl.lock", "crawl.json.new", "seeds/000001.txt", "seeds/000002.txt.new"):
        (tmp_path / begun).touch()
    refuse_occupied(tmp_path)
    (tmp_path / "crawl.json").touch()
    (tmp_path / "notes.txt").touch()
    refuse_occupied(tmp_path)


def test_a_shell_reads_the_printed_commands_as_meant() -> None:
    path = Path("w4/a b'c")
    assert shlex.split(resume_command("italy", path))[-1] == f"JOBDIR={path}"
    assert shlex.split(how_to_repair(path).partition(": ")[2])[-1] == str(path)


def test_a_directory_of_other_files_is_refused_as_that_of_a_fleet(tmp_path: Path) -> None:
    refuse_occupied_fleet(tmp_path / "new")
    for folder in ("board", "logs", "member-01"):
        (tmp_path / folder).mkdir()
    for begun in ("crawl.lock", "broker-3f2a.db-wal"):
        (tmp_path / begun).touch()
    refuse_occupied_fleet(tmp_path)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(DirectoryError, match=r"has other files \(notes.txt\) and no members; expected"):
        refuse_occupied_fleet(tmp_path)
    (tmp_path / "member-01/crawl.json").touch()
    refuse_occupied_fleet(tmp_path)


def test_a_member_of_a_fleet_is_not_repaired_but_given_up(tmp_path: Path) -> None:
    member = tmp_path / "member-02"
    member.mkdir()
    assert how_to_repair(member).endswith(f"webgraph-it repair {member}")  # a single crawl of that name
    (member / "crawl.json").write_text('{"FLEET_SIZE": 2}')
    given_up = f"let the member crawl its pages again: webgraph-it fleet give-up {tmp_path} 2"
    assert how_to_repair(member) == given_up
    (member / "urls").mkdir()
    (member / "urls/000001.tsv").write_text("x")
    with pytest.raises(DirectoryError, match="no frontier/") as missing:
        refuse_missing_parts(member)
    with pytest.raises(DirectoryError, match="is older") as older:
        refuse_older_frontier(member, {}, names(1, 50), names(1, 50), first_commit=False)
    for refusal in (missing, older):
        assert str(refusal.value).endswith(f"or {given_up}. Nothing was changed.")

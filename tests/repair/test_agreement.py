"""Members of one fleet agree; the one that does not is named, and nothing is changed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.test_membership import begin
from tests.repair.test_stopped_fleet import everything
from webgraph_it.cli import main
from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.repair.agreement import refuse_strangers
from webgraph_it.shards.fleet import members

Change = Callable[[dict[str, Any]], object]


def fleet_of(tmp_path: Path, size: int, **settings: str) -> Path:
    for number in range(1, size + 1):
        begin(tmp_path, FLEET_SIZE=str(size), FLEET_MEMBER=str(number), **settings)
    return tmp_path / "fleet"


def edit(member: Path, change: Change) -> None:
    record = json.loads((member / "crawl.json").read_text())
    change(record)
    (member / "crawl.json").write_text(json.dumps(record))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda record: record["fleet"].update(transport="redis"),
            "its transport is 'redis', and that of {} is 'local'",
        ),
        (lambda record: record["fleet"].update(suffixes="x"), "its public suffix list is 'x', and that"),
        (lambda record: record["fleet"]["slices"].update({"1": "0-9"}), "its table of slices is "),
        (lambda record: record.update(FLEET_SIZE=7), "its FLEET_SIZE is 7, and that of {} is 3"),
        (lambda record: record.update(SCOPE_SURTS=["fr,"]), "its SCOPE_SURTS is '[\"fr,\"]'"),
        (lambda record: record.update(spider="web"), "its spider is 'web'"),
        (lambda record: record.update(recipe_version=9), "its recipe_version is 9"),
    ],
)
@pytest.mark.parametrize("stranger", [1, 3])
def test_the_member_that_differs_from_the_others_is_named(
    change: Change, words: str, stranger: int, tmp_path: Path
) -> None:
    fleet = fleet_of(tmp_path, 3)
    refuse_strangers(members(fleet))
    edit(fleet / f"member-0{stranger}", change)
    with pytest.raises(DirectoryError) as refusal:
        refuse_strangers(members(fleet))
    model = "member-02" if stranger == 1 else "member-01"
    assert f"member-0{stranger} is not of the same fleet as {model}" in str(refusal.value)
    assert words.format(model) in str(refusal.value)


@pytest.mark.parametrize("words", [["resize", "--to", "3"], ["give-up", "1"], ["give-up", "2"]])
def test_a_member_of_another_fleet_is_refused_before_anything(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    fleet = fleet_of(tmp_path / "one", 2)
    other = fleet_of(tmp_path / "other", 2, FLEET="redis://127.0.0.1/0")
    shutil.rmtree(fleet / "member-02")
    shutil.copytree(other / "member-02", fleet / "member-02")
    before = everything(fleet)
    verb, *rest = words
    assert main(["fleet", verb, str(fleet), *rest]) == 2
    assert capsys.readouterr().err == (
        f"{fleet}/member-02 is not of the same fleet as member-01: its transport is 'redis', and that of member-01 is "
        "'local'. Restore the right directory. Nothing was changed.\n"
    )
    assert everything(fleet) == before


@pytest.mark.parametrize("more", ["http://a.it/\nhttp://b.it/\n", "http://b.it/\n"])
def test_seeds_may_differ_if_some_were_only_added(more: str, tmp_path: Path) -> None:
    """As after a start with more seeds, which a member that is lost has not seen."""
    fleet = fleet_of(tmp_path, 2)
    member = fleet / "member-02"
    (member / "seeds/000001.txt").write_text(more)
    edit(member, lambda record: record["SEEDS"].update(md5="another"))
    if "a.it" in more:
        refuse_strangers(members(fleet))
        return
    with pytest.raises(DirectoryError, match="its SEEDS is 'another', and that of member-01 is"):
        refuse_strangers(members(fleet))


def test_a_limit_that_one_member_has_not_learnt_of_is_no_difference(tmp_path: Path) -> None:
    fleet = fleet_of(tmp_path, 2)
    edit(fleet / "member-01", lambda record: record.update(MAX_DEPTH=1000))
    refuse_strangers(members(fleet))


def test_a_directory_that_was_renamed_is_refused(tmp_path: Path) -> None:
    fleet = fleet_of(tmp_path, 2)
    edit(fleet / "member-02", lambda record: record["fleet"].update(member=1))
    with pytest.raises(DirectoryError, match="member-02 was begun as member 1: give it its old name"):
        refuse_strangers(members(fleet))


def test_a_record_without_a_fleet_is_refused(tmp_path: Path) -> None:
    fleet = fleet_of(tmp_path, 2)
    edit(fleet / "member-02", lambda record: record.update(fleet=3))
    with pytest.raises(DirectoryError, match=r"crawl\.json has 3 as 'fleet', expected an object"):
        refuse_strangers(members(fleet))

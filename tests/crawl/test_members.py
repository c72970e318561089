"""Which crawls belong together, and what they come to."""

from pathlib import Path
from typing import Any

import pytest

from webgraph_it.crawl.members import HIGHEST, LOWEST, SUMMED, crawls_beside, members_of, totals_of


def crawl(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "crawl.json").write_text("{}")
    return folder


def test_members_are_folders_of_that_name_which_hold_a_crawl(tmp_path: Path) -> None:
    second, first = crawl(tmp_path / "member-02"), crawl(tmp_path / "member-01")
    crawl(tmp_path / "other")
    (tmp_path / "member-03").mkdir()
    assert members_of(tmp_path) == [first, second]
    assert members_of(first) == []
    assert members_of(tmp_path / "nothing") == []


def test_a_member_is_shown_with_its_fleet_and_a_crawl_alone_with_those_that_were_named(
    tmp_path: Path,
) -> None:
    first, second = crawl(tmp_path / "member-01"), crawl(tmp_path / "member-02")
    assert crawls_beside(second, []) == {"member-01": first, "member-02": second}
    alone, other = crawl(tmp_path / "a" / "italy"), crawl(tmp_path / "b" / "italy")
    assert crawls_beside(alone, []) == {"italy": alone}
    assert crawls_beside(alone, [str(first), str(alone)]) == {"italy": alone, "member-01": first}
    assert crawls_beside(alone, [str(other)]) == {str(alone): alone, str(other): other}


def status(**figures: Any) -> dict[str, Any]:
    return {"state": "running", **dict.fromkeys((*SUMMED, *LOWEST, *HIGHEST), 0), **figures}


@pytest.mark.parametrize(("caps", "cap"), [((100.0, 50.0), 150.0), ((100.0, None), None)])
def test_totals(caps: tuple[float | None, float | None], cap: float | None) -> None:
    first = status(pages=3, bandwidth_cap=caps[0], free_disk_bytes=9, last_commit_seconds_ago=1)
    second = status(
        pages=4, bandwidth_cap=caps[1], free_disk_bytes=8, last_commit_seconds_ago=7, state="paused"
    )
    found = totals_of([first, second])
    assert (found["pages"], found["bandwidth_cap"], found["running"]) == (7, cap, 1)
    assert (found["free_disk_bytes"], found["last_commit_seconds_ago"]) == (8, 7)
    assert totals_of([])["pages"] == 0

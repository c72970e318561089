"""The progress of members that crawl at the same time is that of one crawl."""

import json
from pathlib import Path

from webgraph_it.analyse.crawl_story import read_story
from webgraph_it.analyse.side_by_side import Moment, merged


def moment(time: float, pages: float, wire: float, **more: float) -> Moment:
    return {"time": time, "pages": pages, "wire_bytes": wire, "pages_per_second": 5.0, **more}


def test_what_each_member_has_is_added_up() -> None:
    first = [moment(1001, 10, 100, connections_cap=50, links_per_page=2), moment(1011, 20, 200)]
    second = [moment(1002, 1, 10, connections_cap=50, links_per_page=4), moment(1012, 2, 20)]
    found = merged([first, second])
    assert [(each["time"], each["pages"], each["wire_bytes"]) for each in found] == [
        (1002, 11, 110),
        (1012, 22, 220),
    ]
    assert (found[0]["connections_cap"], found[0]["links_per_page"]) == (50, 3)
    assert found[0]["pages_per_second"] == 10


def test_a_member_that_has_ended_keeps_its_pages_and_loses_its_speed() -> None:
    found = merged([[moment(1001, 10, 100)], [moment(1001, 1, 10), moment(1091, 7, 70)]])
    assert (found[-1]["pages"], found[-1]["pages_per_second"]) == (17, 5)


def test_a_restart_loses_no_bytes() -> None:
    found = merged([[moment(1001, 10, 100), moment(1011, 12, 30)], [moment(1001, 1, 10)]])
    assert [each["wire_bytes"] for each in found] == [110, 140]


def test_without_progress_there_is_nothing() -> None:
    assert merged([[], []]) == []


def test_the_report_shows_all_members_as_one_crawl(tmp_path: Path) -> None:
    for member in (1, 2):
        path = tmp_path / f"member-{member:02d}"
        (path / "pages").mkdir(parents=True)
        (path / "reports").mkdir()
        (path / "crawl.json").write_text(json.dumps({"FLEET_SIZE": 2}))
        page = {"key": f"it,a{member})/", "state": "fetched", "time": 1000.0, "status": 200, "bytes": 5}
        (path / "pages/000001.jsonl").write_text(json.dumps(page) + "\n")
        lines = [moment(1001, member, 100), moment(1021, member, 100)]
        (path / "reports/progress.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    story = read_story([tmp_path])
    assert story is not None
    assert (story.tried, story.wire_bytes, story.seconds) == (2, 200, 20)
    assert [each["pages"] for each in story.progress] == [3, 3]

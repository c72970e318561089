"""What the crawl's logs tell, torn lines and missing files included."""

import json
from pathlib import Path
from typing import Any

import pytest

from webgraph_it.analyse.crawl_story import MAX_POINTS, CrawlStory, read_story
from webgraph_it.files.received import InputError


def page(key: str = "it,a)/", time: float = 10.0, **more: Any) -> str:
    line = {
        "key": key,
        "url": "http://a.it/",
        "time": time,
        "status": 200,
        "type": "text/html; charset=utf-8",
        "bytes": 5,
    }
    return json.dumps({**line, "depth": 1, "state": "fetched", "reason": "", **more}) + "\n"


def write(folder: Path, pages: str = "", progress: str = "") -> Path:
    (folder / "pages").mkdir(parents=True)
    (folder / "reports").mkdir()
    (folder / "pages" / "000001.jsonl").write_text(pages)
    (folder / "reports" / "progress.jsonl").write_text(progress)
    return folder


def told(folder: Path) -> CrawlStory:
    story = read_story([folder])
    assert story is not None
    return story


def test_pages_are_counted_by_what_they_are(tmp_path: Path) -> None:
    lines = (
        page() + page(status=404, state="error", type="") + page(status=0, state="error", reason="Timeout")
    )
    story = told(write(tmp_path / "c", lines))
    assert story.statuses == {"200": 1, "404": 1, "no answer": 1}
    assert story.states == {"fetched": 1, "error": 2}
    assert story.media_types == {"text/html": 2}
    assert story.reasons == {"Timeout": 1}


def test_what_no_server_was_asked_for_is_only_a_state(tmp_path: Path) -> None:
    lines = (
        page()
        + page(time=0, status=0, state="trap-cut", reason="calendar")
        + page(status=0, state="robots-denied")
    )
    story = told(write(tmp_path / "c", lines))
    assert story.states == {"fetched": 1, "trap-cut": 1, "robots-denied": 1}
    assert story.reasons == {"calendar": 1}
    assert story.pages == 1
    assert story.statuses == {"200": 1}
    assert story.first == 10


def test_slow_hosts_are_those_whose_fetches_take_long(tmp_path: Path) -> None:
    """However long we wait between two fetches; one fetch is not enough, nor are URLs that were not fetched."""
    lines = "".join(
        page("it,far-between)/", 10 + 100 * n, seconds=0.5) + page("it,slow)/", 10 + n, seconds=1.0 + n)
        for n in range(6)
    )
    lines += page("it,slow)/", seconds=0) + page("it,once)/", seconds=60.0)
    lines += "".join(page("it,unfetched)/", seconds=0) for _ in range(9))
    slow = told(write(tmp_path / "c", lines)).slowest_hosts(5)
    assert [(name, tally.mean_fetch_seconds) for name, tally in slow] == [
        ("slow.it", 3.5),
        ("far-between.it", 0.5),
    ]


def test_a_log_without_fetch_times_has_no_slow_hosts(tmp_path: Path) -> None:
    story = told(write(tmp_path / "c", "".join(page(time=10 + n) for n in range(9))))
    assert story.slowest_hosts(5) == []
    assert story.hosts["a.it"].mean_fetch_seconds is None


def test_a_torn_line_is_counted_and_left_out(tmp_path: Path) -> None:
    story = told(write(tmp_path / "c", page() + '{"key": "it,b)/", "ti'))
    assert story.pages == 1
    assert story.bad_lines == 1


def test_what_is_not_committed_is_not_told(tmp_path: Path) -> None:
    folder = write(tmp_path / "c", page() + page())
    (folder / "pages" / "000002.jsonl").write_text(page())
    (folder / "committed.json").write_text(json.dumps({"pages": {"000001.jsonl": len(page())}}))
    assert told(folder).pages == 1


def test_progress_becomes_a_story_from_its_first_moment(tmp_path: Path) -> None:
    lines = [
        {"time": 100, "pages": 0, "bandwidth_cap": None},
        {"time": 110, "pages": 50, "bandwidth_cap": 1000},
    ]
    story = told(write(tmp_path / "c", "", "".join(json.dumps(line) + "\n" for line in lines)))
    assert [moment["elapsed"] for moment in story.progress] == [0, 10]
    assert [moment["bandwidth_cap"] for moment in story.progress] == [None, 1000]


def test_a_long_story_is_thinned_to_means(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"time": n, "queued": n % 10}) + "\n" for n in range(MAX_POINTS * 10))
    story = told(write(tmp_path / "c", "", lines))
    assert len(story.progress) == MAX_POINTS
    assert {moment["queued"] for moment in story.progress} == {4.5}


def test_nothing_there_is_no_story(tmp_path: Path) -> None:
    assert read_story([tmp_path]) is None
    assert read_story([]) is None


def test_the_time_between_two_runs_is_not_crawling(tmp_path: Path) -> None:
    """The counter of bytes begins at zero in each run; both runs count."""
    runs = [(100, 0), (110, 500), (120, 900), (1000, 0), (1010, 300)]
    lines = "".join(json.dumps({"time": time, "wire_bytes": sent}) + "\n" for time, sent in runs)
    story = told(write(tmp_path / "c", page(time=101) + page(time=1009), lines))
    assert story.seconds == 30
    assert story.wire_bytes == 1200
    assert story.tried_per_second == pytest.approx(2 / 30)


def test_what_robots_deny_was_tried_and_what_was_cut_was_not(tmp_path: Path) -> None:
    lines = page() + page(status=0, state="robots-denied") + page(time=0, status=0, state="trap-cut")
    story = told(write(tmp_path / "c", lines))
    assert story.tried == 2
    assert story.pages == 1


def test_without_a_progress_log_the_pages_tell_the_time(tmp_path: Path) -> None:
    story = told(write(tmp_path / "c", page(time=10) + page(time=30)))
    assert story.seconds == 20
    assert story.wire_bytes is None


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, '{"pages": 5}', '{"pages": {"000001.jsonl": "x"}}', "{"],
    ids=["nested", "number", "text", "cut"],
)
def test_committed_lengths_that_make_no_sense_are_one_sentence(tmp_path: Path, content: str) -> None:
    write(tmp_path, page())
    (tmp_path / "committed.json").write_text(content)
    with pytest.raises(InputError, match=r"committed\.json"):
        read_story([tmp_path])


def test_lines_that_no_crawl_writes_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, page())
    with (tmp_path / "pages" / "000001.jsonl").open("a") as log:
        log.write("[" * 100_000 + "\n")
        log.write('{"state": "fetched", "time": 1e999, "bytes": NaN, "depth": ' + "9" * 400 + "}\n")
    story = read_story([tmp_path])
    assert story is not None
    assert (story.pages, story.bad_lines) == (1, 1)

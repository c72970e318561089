"""The last lines of the page log, filtered."""

from pathlib import Path

import pytest

from webgraph_it.console.page_log import pages, pages_of_host
from webgraph_it.items import Page, State
from webgraph_it.shards.encode import page_line


def written(host: str, path: str, when: float, status: int = 200, state: State = State.FETCHED) -> str:
    name = ".".join(reversed(host.split(",")))
    url = f"http://{name}{path}"
    return page_line(
        Page(url, f"{host}){path}", b"\0" * 16, when, state, status, 0, "", media_type="text/html"), 3
    )


LINES = [
    written("it,uno", "/a", 1.0),
    written("it,due", "/b", 2.0, 404, State.ERROR),
    written("it,due", "/uno", 3.0, 503, State.ERROR),
    written("it,due,sotto", "/c", 4.0),
]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("", [4, 3, 2, 1]),
        ("status:404", [2]),
        ("status:5xx", [3]),
        ("state:error", [3, 2]),
        ("host:it,due", [3, 2]),
        ("UNO", [3, 1]),
        ("uno state:error", [3]),
        ("nothing", []),
        ("key:it,uno", []),
    ],
)
def test_every_word_must_fit(tmp_path: Path, text: str, times: list[float]) -> None:
    assert [page["time"] for page in pages(LINES, tmp_path, text, 100)] == times


def test_older_lines_come_from_the_newest_file_and_none_twice(tmp_path: Path) -> None:
    (tmp_path / "000001.jsonl").write_text("".join(LINES[:1]))
    (tmp_path / "000002.jsonl").write_text("".join(LINES[1:]) + '{"key": "torn')
    assert [page["time"] for page in pages(LINES[2:], tmp_path, "", 100)] == [4, 3, 2]
    assert [page["time"] for page in pages(LINES[2:], tmp_path, "", 1)] == [4]
    assert [page["time"] for page in pages_of_host([], tmp_path, "it,due", 100)] == [3, 2]

"""Reports and the audit log, by name."""

from pathlib import Path

import pytest

from webgraph_it.console.reports import actions, report, written


def test_a_report_is_found_by_its_name_alone(tmp_path: Path) -> None:
    (tmp_path / "crawl-report.txt").write_text("Crawl Name: x\n")
    (tmp_path / "progress.jsonl").write_text("{}")
    assert written(tmp_path) == ["crawl"]
    assert report(tmp_path, "crawl") == "Crawl Name: x\n"
    assert [
        report(tmp_path, name) for name in ("hosts", "progress.jsonl", "../x", "", "crawl-report.txt")
    ] == [None] * 5


@pytest.mark.parametrize("text", ["", "half a line\n"])
def test_no_actions(tmp_path: Path, text: str) -> None:
    (tmp_path / "actions.jsonl").write_text(text)
    assert actions(tmp_path, 10) == []


def test_the_newest_action_is_first(tmp_path: Path) -> None:
    (tmp_path / "actions.jsonl").write_text("".join(f'{{"action": "{name}"}}\n' for name in "abc"))
    assert actions(tmp_path, 2) == [{"action": "c"}, {"action": "b"}]

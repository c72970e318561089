"""Reports are text for people: nothing in them is obeyed by a terminal."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.crawl.reports import HostLine, SeedLine, printable, write_reports
from webgraph_it.crawl.tally import Tally


@given(st.text())
def test_every_line_is_printable_and_plain_text_is_left_alone(text: str) -> None:
    assert printable(text).isprintable()
    assert printable(text) == text or not text.isprintable()


def test_no_report_holds_an_escape_sequence(tmp_path: Path) -> None:
    tally = Tally()
    tally.media_types["text/\x1b]0;x\x07"] = tally.states["\x9b2J"] = tally.statuses["\x1b"] = 1
    tally.reasons["\u202e"] = 1
    seeds = [SeedLine("http://a.it/\x1b", "fetched", 200)]
    facts = {"name": "a\x1bb", "status": "Running", "seconds": 1.0, "queued": 0, "seen": 0, "host_count": 1}
    write_reports(tmp_path, tally, [HostLine("it,a\r", 1, 0, 0)], seeds, **facts)
    reports = [file.read_bytes().decode() for file in tmp_path.glob("*.txt")]
    assert len(reports) == 5
    assert all(line.isprintable() for report in reports for line in report.split("\n"))
    assert any("\\x1b]0;x\\x07" in report for report in reports)

"""Why a member's process ended, from what it printed."""

from pathlib import Path

import pytest

from webgraph_it.fleet.printed import FULL_BYTES, Printed, why

INFO = "2026-11-18 10:00:00 [scrapy.core.engine] INFO: Spider closed (failed)"
STATS = ["2026-11-18 10:00:00 [scrapy.statscollectors] INFO: Dumping Scrapy stats:", "{'a': 1,", " 'b': 2}"]
ERROR = "2026-11-18 10:00:00 [x] ERROR: A task of the crawl itself failed."
TRACEBACK = ["Traceback (most recent call last):", '  File "x.py", line 1', "ValueError: no"]
CRITICAL = "2026-11-18 10:00:00 [x] CRITICAL: The crawl stops: disk."
LOG = Path("/c/logs/member-01.log")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], "exit code 1, and no reason in /c/logs/member-01.log"),
        ([INFO, *STATS, INFO], "exit code 1, and no reason in /c/logs/member-01.log"),
        (["one", "", "two", ""], "two"),
        ([CRITICAL, INFO, ERROR, *STATS], "The crawl stops: disk."),
        ([INFO, "JOBDIR x is in use by process 3.", INFO], "JOBDIR x is in use by process 3."),
        ([ERROR, *STATS, INFO], "A task of the crawl itself failed."),
        ([ERROR, *TRACEBACK], "ValueError: no"),
    ],
)
def test_the_reason_is_a_critical_line_or_an_error_and_never_information(
    lines: list[str], expected: str
) -> None:
    assert why(lines, 1, LOG, FULL_BYTES) == expected


def test_a_full_disk_is_named_because_nothing_could_be_written() -> None:
    full = "exit code 1; the disk is full: 0.5 MB are free for /c"
    assert why([INFO], 1, LOG, 500_000) == full
    assert why([CRITICAL], 1, LOG, 500_000) == "The crawl stops: disk."


def test_only_what_was_printed_since_the_start_counts(tmp_path: Path) -> None:
    path = tmp_path / "member-01.log"
    path.write_text(f"{CRITICAL}\n")
    printed = Printed(path)
    assert printed.reason(3) == f"exit code 3, and no reason in {path}"
    with path.open("a") as log:
        log.write("No.\n")
    path.unlink()  # by somebody who has read it
    assert printed.reason(3) == "No."
    printed.close()


def test_a_log_that_somebody_has_emptied_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "member-01.log"
    path.write_text(f"{CRITICAL}\n")
    printed = Printed(path)
    path.write_text("No.\n")
    assert printed.reason(2) == "No."
    printed.close()

"""The progress line and the table of a fleet."""

from webgraph_it.fleet.exchange import Cursor, Run, Span, Status, next_epoch
from webgraph_it.fleet.words import Row, progress_line, table

EPOCH = next_epoch(0, 3)


def status(member: int, log_end: int, taken: int, *, is_idle: bool = False) -> Status:
    other = 3 - member
    facts = {"pages": 1200 * member, "queued": 40, "rate": 21.4, "committed": 95.0}
    log, cursors = (Span(1, 0, log_end),), {other: Cursor(taken, EPOCH)}
    return Status(member, EPOCH, is_idle, (Run(EPOCH, 0),), log, cursors, {}, facts)


def test_one_line_for_all_members() -> None:
    statuses = {1: status(1, 5000, 0), 2: status(2, 7000, 5000, is_idle=True)}
    assert progress_line(statuses, 3, 2) == (
        "2 of 3 members running, 1 idle | 3,600 pages | 43/s | 80 queued | 7 KB of links under way"
    )


def test_the_table_has_a_line_for_each_member() -> None:
    rows = [Row(1, True, status(1, 5000, 0)), Row(2, False, status(2, 7000, 3000)), Row(3, False, None)]
    assert table(rows, 100.0).splitlines() == [
        "member  state        starts  pages  rate  queued  to send  to receive  last commit",
        "1       crawling          1  1,200  21/s      40     2 KB        7 KB    5.0 s ago",
        "2       not running       1  2,400     -      40     7 KB        2 KB    5.0 s ago",
        "3       not started       -      -     -       -        -           -            -",
    ]


def test_a_finished_fleet_is_finished() -> None:
    rows = [
        Row(1, False, status(1, 5000, 7000, is_idle=True)),
        Row(2, False, status(2, 7000, 5000, is_idle=True)),
    ]
    assert table(rows, 100.0).count("finished") == 2

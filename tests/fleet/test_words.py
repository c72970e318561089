"""The progress line and the table of a fleet."""

from dataclasses import replace

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
    assert progress_line(statuses, 3, 2) == "2 of 3 running, 1 idle | 3,600 pages | 43/s | 80 queued"


def test_links_under_way_are_what_is_left_when_nothing_is_queued() -> None:
    statuses = {1: without_queue(status(1, 5000, 0)), 2: without_queue(status(2, 7000, 5000))}
    assert progress_line(statuses, 2, 2) == "2 of 2 running, 0 idle | 3,600 pages | 43/s | 7 KB to send"
    sent = {1: without_queue(status(1, 5000, 7000)), 2: without_queue(status(2, 7000, 5000))}
    assert progress_line(sent, 2, 2).endswith(" | 0 queued")


def without_queue(each: Status) -> Status:
    return replace(each, facts={**each.facts, "queued": 0})


def test_the_line_of_a_large_fleet_fits_a_terminal() -> None:
    facts = {"pages": 12_345_678 / 16, "queued": 123_456_789 / 16, "rate": 1234 / 16}
    one = replace(status(1, 5000, 0, is_idle=True), facts=facts)
    statuses = {member: replace(one, member=member) for member in range(1, 17)}
    line = progress_line(statuses, 16, 16, stopping=True)
    assert line == "16 of 16 stopping, 16 idle | 12,345,678 pages | 1,234/s | 123,456,789 queued"
    assert len(line) < 80


def test_the_table_has_a_line_for_each_member() -> None:
    rows = [Row(1, True, status(1, 5000, 0)), Row(2, False, status(2, 7000, 3000)), Row(3, False, None)]
    assert table(rows, 100.0).splitlines() == [
        "member  state        starts  pages  rate  queued  to send  to receive  last commit",
        "1       crawling          1  1,200  21/s      40     2 KB        7 KB    5.0 s ago",
        "2       not running       1  2,400     -      40     7 KB        2 KB    5.0 s ago",
        "3       not started       -      -     -       -        -           -            -",
    ]


def test_the_state_says_what_is_known() -> None:
    one, two = status(1, 5000, 0), status(2, 7000, 3000)
    ended = replace(two, facts={**two.facts, "ended": 1.0})
    for row, state, rate in (
        (Row(2, True, two), "crawling", "21/s"),
        (Row(2, True, two, silent_seconds=21.3), "silent for 21 s", "-"),
        (Row(2, True, two, silent_seconds=300.0, is_starting=True), "starting", "-"),
        (Row(2, False, ended), "stopped", "-"),
        (Row(2, False, two), "not running", "-"),
    ):
        shown = table([Row(1, True, one), row], 100.0).splitlines()[2]
        assert shown.startswith(f"2       {state}  ")
        assert shown.split()[len(state.split()) + 3] == rate


def test_a_finished_fleet_is_finished() -> None:
    rows = [
        Row(1, False, status(1, 5000, 7000, is_idle=True)),
        Row(2, False, status(2, 7000, 5000, is_idle=True)),
    ]
    assert table(rows, 100.0).count("finished") == 2

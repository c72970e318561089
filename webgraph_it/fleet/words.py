"""A fleet in words: one progress line, and the table of `webgraph-it fleet status`. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from webgraph_it.fleet.exchange import ENDED, Status, is_over, starts
from webgraph_it.progress import seconds

COLUMNS = ("member", "state", "starts", "pages", "rate", "queued", "to send", "to receive", "last commit")


class Row(NamedTuple):
    """One member."""

    number: int
    is_running: bool
    status: Status | None
    """None: it was never started, or the notice board has lost it."""
    silent_seconds: float = 0.0
    """If it should have put another status by now: how long ago the last one was put."""
    is_starting: bool = False
    """The status is that of an earlier process."""


def progress_line(statuses: Mapping[int, Status], size: int, running: int, *, stopping: bool = False) -> str:
    """All members as one crawl, in 79 columns. Links under way are told once nothing else is left to do."""
    facts = [status.facts for status in statuses.values()]
    pages, queued, rate = (sum(each.get(name, 0) for each in facts) for name in ("pages", "queued", "rate"))
    links = sum(under_way(statuses, member) for member in statuses)
    left = f"{queued:,.0f} queued" if queued or not links else f"{links / 1000:,.0f} KB to send"
    idle = sum(status.is_idle for status in statuses.values())
    return (
        f"{running} of {size} {'stopping' if stopping else 'running'}, {idle} idle | "
        f"{pages:,.0f} pages | {rate:,.0f}/s | {left}"
    )


def under_way(statuses: Mapping[int, Status], sender: int) -> int:
    """Bytes of a member's log that some other member has not committed."""
    own = statuses[sender]
    taken = [other.cursor(sender).offset for member, other in statuses.items() if member != sender]
    return max(0, own.log_end - min(taken)) if taken else 0


def to_receive(statuses: Mapping[int, Status], receiver: int) -> int:
    """Bytes of the other members' logs that this one has not committed."""
    own = statuses[receiver]
    return sum(
        max(0, other.log_end - own.cursor(member).offset)
        for member, other in statuses.items()
        if member != receiver
    )


def table(rows: Sequence[Row], now: float) -> str:
    """The members, one on each line."""
    statuses = {row.number: row.status for row in rows if row.status is not None}
    over = is_over(statuses, len(rows))
    cells = [COLUMNS, *(_cells(row, statuses, over, now) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def _cells(row: Row, statuses: Mapping[int, Status], over: bool, now: float) -> tuple[str, ...]:
    status = row.status
    if status is None:
        return (str(row.number), "starting" if row.is_running else "not started", *["-"] * (len(COLUMNS) - 2))
    facts = status.facts
    is_known = row.is_running and not row.is_starting and not row.silent_seconds
    rate = f"{facts.get('rate', 0):,.0f}/s" if is_known else "-"
    return (
        str(row.number),
        _state(row, status, over),
        str(starts(status.epoch)),
        f"{facts.get('pages', 0):,.0f}",
        rate,
        f"{facts.get('queued', 0):,.0f}",
        f"{under_way(statuses, row.number) / 1000:,.0f} KB",
        f"{to_receive(statuses, row.number) / 1000:,.0f} KB",
        f"{seconds(max(0.0, now - facts['committed']))} ago" if "committed" in facts else "-",
    )


def _state(row: Row, status: Status, over: bool) -> str:
    if over:
        return "finished"
    if not row.is_running:
        return "stopped" if ENDED in status.facts else "not running"
    if row.is_starting:
        return "starting"
    if row.silent_seconds:
        return f"silent for {row.silent_seconds:,.0f} s"
    return "idle" if status.is_idle else "crawling"

"""The crawl over time: reports/progress.jsonl, thinned to as many points as a chart has.

Nothing is kept in memory. The lines are in order of time and about equally long, so the first one of a period is found
by bisection, and a few hundred lines at equal distances stand for the others. Rates are those between two points.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from webgraph_it.files.regular import InputError, open_regular

MAX_POINTS = 1_000
LINE_BYTES = 2_048
"""No line is longer."""
USUAL_BYTES = 512
COLUMNS = (
    *("time", "pages", "pages_per_second", "wire_bytes_per_second", "bandwidth_cap", "connections"),
    *("connections_cap", "hosts_ready", "hosts_waiting", "hosts_parked", "queued", "seen", "free_disk_bytes"),
    "rss_bytes",
)


def progress(path: Path, since: float, points: int) -> dict[str, list[Any]]:
    """One list for each of COLUMNS, from the time `since` on; empty lists if there is nothing yet."""
    try:
        with open_regular(path) as file:
            rows = list(_rows(file, since, max(2, min(points, MAX_POINTS))))
    except (OSError, InputError):
        rows = []
    return {name: [row.get(name) for row in rows] for name in COLUMNS}


def _rows(file: BinaryIO, since: float, points: int) -> Iterator[dict[str, Any]]:
    end = file.seek(0, 2)
    start = _first_after(file, since, end)
    step = max(1, (end - start) // points)
    last: dict[str, Any] | None = None
    if step < USUAL_BYTES:
        file.seek(start)
        found = (_parsed(line) for line in file.read(points * USUAL_BYTES * 2).splitlines())
    else:
        found = (_line_at(file, place) for place in range(start, end, step))
    for row in found:
        if row is not None and row["time"] >= since and (last is None or row["time"] > last["time"]):
            yield _with_rates(row, last) if step >= USUAL_BYTES else row
            last = row


def _first_after(file: BinaryIO, since: float, end: int) -> int:
    """A place at or a little before the first line whose time is `since` or later."""
    low, high = 0, end
    while high - low > LINE_BYTES:
        middle = (low + high) // 2
        row = _line_at(file, middle)
        if row is not None and row["time"] < since:
            low = middle
        else:
            high = middle
    return low


def _line_at(file: BinaryIO, place: int) -> dict[str, Any] | None:
    """The first whole line from there on."""
    file.seek(max(0, place - 1))
    data = file.read(2 * LINE_BYTES)
    if place:
        data = data.partition(b"\n")[2]
    line, ended, _ = data.partition(b"\n")
    return _parsed(line) if ended else None


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and isinstance(row.get("time"), int | float) else None


def _with_rates(row: dict[str, Any], last: dict[str, Any] | None) -> dict[str, Any]:
    """Means since the point before; a run that began in between has counted its bytes from zero."""
    if last is None or row.get("wire_bytes", 0) < last.get("wire_bytes", 0):
        return row
    seconds = row["time"] - last["time"]
    rates = {
        "pages_per_second": (row["pages"] - last["pages"]) / seconds,
        "wire_bytes_per_second": (row["wire_bytes"] - last["wire_bytes"]) / seconds,
    }
    return {**row, **rates}

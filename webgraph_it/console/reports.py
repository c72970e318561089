"""The reports and the audit log, by their names. No path comes from a request: a name is looked up in a table."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webgraph_it.crawl.audit import AUDIT_FILE
from webgraph_it.files.regular import InputError, open_regular

REPORTS: Mapping[str, str] = {
    name: f"{name}-report.txt" for name in ("crawl", "hosts", "mimetype", "responsecode", "seeds")
}
MAX_BYTES = 1_000_000
MAX_ACTIONS = 500


def report(folder: Path, name: str) -> str | None:
    """The beginning of a report; None if there is none of that name, or not yet."""
    if name not in REPORTS:
        return None
    data = _part(folder / REPORTS[name], from_end=False)
    return None if data is None else data.decode("utf-8", "replace")


def written(folder: Path) -> list[str]:
    """The names of the reports that are there."""
    return [name for name, file in REPORTS.items() if (folder / file).is_file()]


def actions(folder: Path, most: int) -> list[dict[str, Any]]:
    """What operators did, the newest first."""
    lines = (_part(folder / AUDIT_FILE, from_end=True) or b"").splitlines()
    found = []
    for line in reversed(lines[-min(most, MAX_ACTIONS) :]):
        try:
            found.append(json.loads(line))
        except ValueError:  # the first line of the part may be half a line
            continue
    return [action for action in found if isinstance(action, dict)]


def _part(path: Path, *, from_end: bool) -> bytes | None:
    try:
        with open_regular(path) as file:
            if from_end:
                file.seek(max(0, file.seek(0, 2) - MAX_BYTES))
            return file.read(MAX_BYTES)
    except (OSError, InputError):
        return None

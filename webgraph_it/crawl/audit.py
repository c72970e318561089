"""reports/actions.jsonl: one line for each thing that an operator did (when, who, what, and what became of it).

`time` is when it was done, `asked` when it was asked, if the crawl did not run then.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from webgraph_it.crawl.actions import Action
from webgraph_it.files.own import open_file

AUDIT_FILE = "actions.jsonl"
MAX_SHOWN = 20
"""Lines of a list that are written out; the rest is counted."""


def audit_line(action: Action, who: str, when: float, result: str, asked_at: float | None = None) -> str:
    """One line of JSON. Long lists are shortened."""
    said = {name: _short(value) for name, value in action.arguments.items()}
    asked = {} if asked_at is None else {"asked": _moment(asked_at)}
    line = {"time": _moment(when), **asked, "who": who, "action": action.name, **said, "result": result}
    return json.dumps(line) + "\n"


def _moment(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="milliseconds")


def _short(value: object) -> object:
    if isinstance(value, tuple | list) and len(value) > MAX_SHOWN:
        return [*value[:MAX_SHOWN], f"… {len(value) - MAX_SHOWN} more"]
    return value


class AuditLog:
    """Appends, and syncs each line before the operator gets an answer."""

    def __init__(self, reports: Path) -> None:
        self._path = reports / AUDIT_FILE

    def write(
        self, action: Action, who: str, when: float, result: str, asked_at: float | None = None
    ) -> None:
        descriptor = open_file(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        with open(descriptor, "wb") as file:
            file.write(audit_line(action, who, when, result, asked_at).encode())
            file.flush()
            os.fsync(descriptor)

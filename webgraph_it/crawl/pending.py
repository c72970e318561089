"""reports/pending.jsonl: what operators ask of a crawl that does not run. It is done when the crawl is resumed.

One line for each: {"who": …, "said": {"action": …}}. The file is the owner's, as the control socket is.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from webgraph_it.crawl.actions import read_action
from webgraph_it.files.own import open_file
from webgraph_it.shards.directory import CrawlDirectory

PENDING_FILE = "pending.jsonl"
TAKEN_FILE = "pending-taken.jsonl"
AT_ONCE = ("status", "checkpoint", "reports", "terminate")
"""Verbs that mean nothing to a crawl that does not run."""


class Waiting(NamedTuple):
    """An action that waits for its crawl."""

    said: Any
    who: str


def postpone(directory: Path, said: dict[str, Any], who: str) -> dict[str, Any] | None:
    """The answer for whoever asked: it is done in the next run, and on disk when this returns.

    None if it cannot wait, or the directory holds no crawl. ActionError if it is no action.
    """
    crawl = CrawlDirectory(directory)
    if read_action(said).name in AT_ONCE or not crawl.crawl_file.is_file():
        return None
    descriptor = open_file(crawl.reports / PENDING_FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with open(descriptor, "wb") as file:
        file.write(json.dumps({"who": f"{who}, before a resume", "said": said}).encode() + b"\n")
        file.flush()
        os.fsync(descriptor)
    return {
        "action": said["action"],
        "postponed": f"no crawl runs in {directory}; it is done first when the crawl is resumed",
    }


class Pending:
    """What waits for a crawl that runs now. After a crash the same is taken again: doing it twice changes nothing."""

    def __init__(self, reports: Path) -> None:
        self._waiting, self._taken = reports / PENDING_FILE, reports / TAKEN_FILE

    def take(self) -> list[Waiting]:
        if not self._taken.exists():
            if not self._waiting.exists():
                return []
            self._waiting.rename(self._taken)
        found = [json.loads(line) for line in self._taken.read_text().splitlines()]
        return [Waiting(each["said"], each["who"]) for each in found]

    def done(self) -> None:
        """All that was taken is committed or refused."""
        self._taken.unlink(missing_ok=True)

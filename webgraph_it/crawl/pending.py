"""reports/pending.jsonl: what operators ask of a crawl that does not run. It is done when the crawl is resumed.

One line for each: {"time": …, "who": …, "said": {"action": …}}. The file is the owner's, as the control socket is.

A run renames the file before it does what is in it. A run that is killed there leaves the renamed file: the next run
does this one first, and then what was asked since. Doing it twice changes nothing.
"""

import asyncio
import fcntl
import json
import logging
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from webgraph_it.crawl.actions import ActionError, check_for, read_action
from webgraph_it.crawl.changes import SETTINGS
from webgraph_it.files.own import open_file
from webgraph_it.settings_table import TABLE
from webgraph_it.shards.directory import CrawlDirectory

logger = logging.getLogger(__name__)

PENDING_FILE = "pending.jsonl"
TAKEN_FILE = "pending-taken.jsonl"
AT_ONCE = ("status", "checkpoint", "reports", "terminate")
"""Verbs that mean nothing to a crawl that does not run."""

POSTPONED = "postponed actions"
"""The reason of a pause: nothing is fetched before they are done."""


class Waiting(NamedTuple):
    """An action that waits for its crawl."""

    said: Any
    who: str
    asked_at: float | None
    """None: written by an earlier version."""


def postpone(directory: Path, said: dict[str, Any], who: str) -> dict[str, Any] | None:
    """The answer for whoever asked: it is done in the next run, and on disk when this returns.

    None if it cannot wait, or the directory holds no crawl. ActionError if it is no action, or one that the crawl
    cannot do with the settings that it remembers.
    """
    crawl = CrawlDirectory(directory)
    action = read_action(said)
    if action.name in AT_ONCE or not crawl.crawl_file.is_file():
        return None
    given = crawl.record().get(SETTINGS, {})
    most, timezone = (
        given.get(name, TABLE[name].default) for name in ("MAX_TCP_CONNECTIONS", "SCHEDULE_TIMEZONE")
    )
    check_for(action, most, timezone)
    line = json.dumps({"time": time.time(), "who": f"{who}, before a resume", "said": said})
    while not _append(crawl.reports / PENDING_FILE, f"\n{line}\n".encode()):
        pass
    return {
        "action": action.name,
        **action.meant,
        "postponed": f"no crawl runs in {directory}; it is done first when the crawl is resumed",
    }


def _append(path: Path, line: bytes) -> bool:
    """False if a run that starts now has just taken the file: then there must be a new one."""
    descriptor = open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with open(descriptor, "wb") as file:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not path.exists() or not os.path.samestat(path.stat(), os.fstat(descriptor)):
            return False
        file.write(line)
        file.flush()
        os.fsync(descriptor)
    return True


class Pending:
    """What waits for a crawl that runs now. `do` is Operations.do."""

    def __init__(self, reports: Path, do: Callable[[object, str, float | None], Awaitable[object]]) -> None:
        self._waiting, self._taken = reports / PENDING_FILE, reports / TAKEN_FILE
        self._do = do
        self._turn = asyncio.Lock()

    def __bool__(self) -> bool:
        """Whether there is something to do."""
        return self._taken.exists() or self._waiting.exists()

    async def do_all(self) -> None:
        """In the order in which it was asked. What an earlier run took and did not finish comes first."""
        async with self._turn:
            while self:
                if not self._taken.exists():
                    self._waiting.rename(self._taken)
                for waiting in _read(self._taken):
                    try:
                        await self._do(*waiting)
                    except ActionError as error:
                        logger.error("An action that waited for this run was refused: %s.", error)
                self._taken.unlink()  # all of it is committed or refused


def _read(path: Path) -> list[Waiting]:
    """A line that a crash cut short was never answered: it is left out."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # after whoever still writes
        lines = file.read().splitlines()
    found = []
    for line in filter(None, lines):
        try:
            each = json.loads(line)
            found.append(Waiting(each["said"], each["who"], each.get("time")))
        except (ValueError, TypeError, LookupError, AttributeError):
            logger.error("%s: a line is not an action; it is left out.", path)
    return found

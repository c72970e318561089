"""progress.jsonl: one Snapshot per line, every second at first. The stats show the same moment."""

import math
import os
import time
from collections.abc import Callable
from pathlib import Path

from webgraph_it.crawl.commit import Committer
from webgraph_it.crawl.complaints import Complaints
from webgraph_it.crawl.progress import Moment, Run, Snapshot, TakeMoment
from webgraph_it.crawl.tally import Tally
from webgraph_it.files.own import open_file
from webgraph_it.shards.directory import PROGRESS_FILE

FIRST_PROGRESS_SECONDS, PROGRESS_SECONDS = 1.0, 10.0
"""How often progress.jsonl gets a line, in the first two minutes and after."""
FIRST_PERIOD_SECONDS = 120.0
IN_STATS = ("queued", "seen", "hosts_ready", "hosts_waiting", "hosts_parked", "pages")


def is_due(now: float, run: Run, last: Moment | None) -> bool:
    """Whether progress.jsonl gets a line now; asked every FIRST_PROGRESS_SECONDS."""
    since = now - last.when if last else math.inf
    return now - run.opened_at < FIRST_PERIOD_SECONDS or since >= PROGRESS_SECONDS


class ProgressLog:
    """`take` returns the current moment, with rates since the given one. `set_stat` takes a stat's name and value."""

    def __init__(
        self,
        folder: Path,
        take: TakeMoment,
        run: Run,
        tally: Tally,
        committer: Committer,
        complaints: Complaints,
        set_stat: Callable[[str, int], None],
    ) -> None:
        self._folder = folder
        self._take = take
        self._run = run
        self._tally = tally
        self._committer = committer
        self._complaints = complaints
        self._set_stat = set_stat
        self.last: Moment | None = None

    async def write_if_due(self) -> None:
        if is_due(time.monotonic(), self._run, self.last):
            self.write()

    def write(self) -> None:
        self.last = self._take(self.last)
        snapshot = self.last.snapshot
        try:
            self._append(snapshot.to_json())
        except OSError as error:  # usually a full disk, for which the crawl itself waits
            self._complaints.about(PROGRESS_FILE, error)
        self._set_stats(snapshot)

    def _append(self, line: str) -> None:
        with open(
            open_file(self._folder / PROGRESS_FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a"
        ) as file:
            file.write(line + "\n")

    def _set_stats(self, snapshot: Snapshot) -> None:
        for name in IN_STATS:
            self._set_stat(f"webgraph/{name}", getattr(snapshot, name))
        self._set_stat("webgraph/links", self._tally.links)
        self._set_stat("webgraph/commits", self._committer.commits)

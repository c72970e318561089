"""Pauses the crawl while the disk has less free space than MIN_FREE_DISK, and resumes it. Pure but for the log."""

import logging
from pathlib import Path

from webgraph_it.crawl.control import Control

logger = logging.getLogger(__name__)

REASON = "disk"
DISK_SECONDS = 2.0
"""How often the free space is checked."""


class DiskWatch:
    """Pauses for its own reason, and never lifts another."""

    def __init__(self, control: Control, min_free_bytes: int, path: Path) -> None:
        self._control = control
        self._min_free_bytes = min_free_bytes
        self._path = path

    def look(self, free_bytes: int) -> None:
        """`free_bytes`: on the disk of the crawl directory, now."""
        short = free_bytes < self._min_free_bytes
        if short and self._control.pause(REASON):
            logger.warning(
                "Less than %.1f GB free for %s: the crawl pauses until there is room.",
                self._min_free_bytes / 1e9,
                self._path,
            )
        elif not short and self._control.unpause(REASON):
            logger.info("There is room on the disk again: the crawl resumes.")

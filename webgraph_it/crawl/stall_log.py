"""Counts every stall of the event loop in the stats, and logs at most one a minute."""

import logging
import time
from collections.abc import Callable

from webgraph_it.crawl.watchdog import MAX_TURN_SECONDS, Watchdog

logger = logging.getLogger(__name__)

STALL_LOG_SECONDS = 60.0
"""Minimum interval between two log lines about stalls; the stats count every stall."""


class StallLog:
    """A watchdog whose stalls are reported. `set_stat` takes a stat's name and value."""

    def __init__(self, set_stat: Callable[[str, float], None]) -> None:
        self._set_stat = set_stat
        self._told_at = -STALL_LOG_SECONDS
        self.watchdog = Watchdog(lambda seconds: self.stalled(seconds, time.monotonic()))

    def stalled(self, seconds: float, now: float) -> None:
        self._set_stat("loop/stalls", self.watchdog.stalls)
        self._set_stat("loop/stall_seconds", self.watchdog.stall_seconds)
        if now - self._told_at >= STALL_LOG_SECONDS:
            self._told_at = now
            logger.warning(
                "The event loop was held for %.0f ms; expected at most %.0f. Stalls so far: %d, %.2f s in all.",
                seconds * 1000,
                MAX_TURN_SECONDS * 1000,
                self.watchdog.stalls,
                self.watchdog.stall_seconds,
            )

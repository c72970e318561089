"""What to do when a member's process ends. Pure.

A killed member is started again, at once the first time and later after growing pauses. A member that was refused, that
was stopped by somebody else, or that fails again and again ends the whole fleet: the others could only wait for it.
"""

from dataclasses import dataclass
from enum import Enum

FINISHED, FAILED, WRONG_USAGE, STOPPED = 0, 1, 2, 3
"""Exit codes of a crawl (docs/operations.md)."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0
STEADY_SECONDS = 60.0
"""A member that ran so long counts as recovered."""
MAX_FAILURES = 5
"""Ends in a row, each soon after its start. Kills by others count too."""


class Then(Enum):
    """What follows."""

    FINISHED = "finished"
    RESTART = "restart"
    STOP_ALL = "stop all"


@dataclass(slots=True)
class History:
    """The recent ends of one member."""

    failures: int = 0

    def ended(self, code: int, ran_seconds: float) -> tuple[Then, float]:
        """What to do, and how many seconds to wait before a restart. `code` is negative after a signal."""
        if code == FINISHED:
            return Then.FINISHED, 0.0
        if code in (WRONG_USAGE, STOPPED):
            return Then.STOP_ALL, 0.0
        self.failures = 1 if ran_seconds >= STEADY_SECONDS else self.failures + 1
        if code == FAILED and self.failures >= MAX_FAILURES:
            return Then.STOP_ALL, 0.0
        if self.failures == 1:
            return Then.RESTART, 0.0
        return Then.RESTART, min(FIRST_PAUSE_SECONDS * 2 ** (self.failures - 2), LONGEST_PAUSE_SECONDS)

"""The crawl's own clock: seconds since 1970 that neither jump nor run backwards, whatever happens to the machine's.

Within a run it is a steady clock that began at the time of the opening: when NTP or an operator sets the machine's
clock, no host is asked too soon, and none waits longer. Between two runs it is the frontier's: a crawl opens at the
machine's time, or at the latest time it has seen if that is later (Frontier.opened_at). So what was written while the
machine's clock was ahead means the same waits after it was put right.

What people read (the page log, the reports, the bandwidth plan) follows the machine's clock.
"""

import time
from collections.abc import Callable


class CrawlClock:
    """Call it for the time."""

    def __init__(self, opened_at: float, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._offset = opened_at - steady()

    def __call__(self) -> float:
        return self._steady() + self._offset

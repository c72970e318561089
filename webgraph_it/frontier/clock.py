"""The crawl's own clock: seconds since 1970 that never jump or run backwards, even if the machine's clock does.

Within a run it is a monotonic clock that starts at the time of the opening. When NTP or an operator sets the machine's
clock, no host is asked too soon, and none waits longer. A new run starts at the machine's time, or at the latest time
that the frontier has seen if that is later (Frontier.opened_at). So times that were stored while the machine's clock
was ahead mean the same waits after it is corrected.

What people read (page log, reports, bandwidth plan) uses the machine's clock.
"""

from collections.abc import Callable

from webgraph_it.steady import steady_seconds


class CrawlClock:
    """Call it to get the time."""

    def __init__(self, opened_at: float, steady: Callable[[], float] = steady_seconds) -> None:
        self._steady = steady
        self._offset = opened_at - steady()

    def __call__(self) -> float:
        return self._steady() + self._offset

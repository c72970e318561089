"""A clock that never jumps, and that also runs while the machine sleeps.

`time.monotonic` stands still during a suspend. A member of a fleet that wakes up must not believe that its share of the
bandwidth still lasts.
"""

import time


def steady_seconds() -> float:
    """Seconds since some moment, the same for all processes of a machine until it is restarted."""
    return time.clock_gettime(_CLOCK)


_CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

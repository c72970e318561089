"""Watches for code that blocks the event loop: a turn that computes for longer than 50 ms is a stall.

A timer is due every INTERVAL_SECONDS; if it fires late, something blocked the loop. The machine may have been busy with
other processes, so only the CPU time that this thread used meanwhile counts: a stall is always our own work. Waiting
for a disk or a lock is not detected.

It interrupts nothing and does not know the cause. It counts stalls, and calls `on_stall`.
"""

import asyncio
import time
from collections.abc import Callable

MAX_TURN_SECONDS = 0.05
INTERVAL_SECONDS = 0.01
"""How much of a stall may go unnoticed. A check costs two microseconds: 0.02 % of a core."""


class Watchdog:
    """Counts the stalls of the running event loop, from `start` to `stop`."""

    def __init__(self, on_stall: Callable[[float], None] = lambda seconds: None) -> None:
        self.stalls = 0
        self.stall_seconds = 0.0
        """Total time of all stalls."""
        self.longest_seconds = 0.0
        """The longest late turn, stall or not."""
        self._on_stall = on_stall
        self._timer: asyncio.TimerHandle | None = None

    def __repr__(self) -> str:
        return f"<Watchdog {self.stalls} stalls, {self.stall_seconds:.2f} s, longest {self.longest_seconds:.2f} s>"

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._look_again()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_again(self) -> None:
        self._due = self._loop.time() + INTERVAL_SECONDS
        self._cpu = time.thread_time()
        self._timer = self._loop.call_at(self._due, self._look)

    def _look(self) -> None:
        late = self._loop.time() - self._due
        if late > INTERVAL_SECONDS:
            self._measure(min(late, time.thread_time() - self._cpu))
        self._look_again()

    def _measure(self, seconds: float) -> None:
        self.longest_seconds = max(self.longest_seconds, seconds)
        if seconds > MAX_TURN_SECONDS:
            self.stalls += 1
            self.stall_seconds += seconds
            self._on_stall(seconds)

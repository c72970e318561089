"""How every command shows its progress: one line per step, with the time left.

On a terminal the line is rewritten in place, at most five times a second. Elsewhere a step is one line in the log.
"""

import sys
import time
from typing import TextIO

REWRITE_SECONDS = 0.2
CLEAR = "\x1b[K"
"""Clears a terminal's line from the cursor to its end."""


class Progress:
    """Shows the running step, how far it is and the time left."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._step, self._total, self._shown = "", 0, 0.0
        self._begun = self._counted_from = time.monotonic()

    def begin(self, step: str, total: int = 0) -> None:
        """Start a step. `total` is the number that `at` counts up to, if known."""
        self._step, self._shown, self._begun = step, 0.0, time.monotonic()
        self.expect(total)

    def expect(self, total: int) -> None:
        """The running step now counts from 0 up to `total`."""
        self._total, self._counted_from = total, time.monotonic()
        self.at(0)

    def at(self, done: int) -> None:
        """`done` of the total is done."""
        now = time.monotonic()
        if self._live and now - self._shown > REWRITE_SECONDS:
            self._shown = now
            self._write(f"\r{self._step}: {describe(done, self._total, now - self._counted_from)}{CLEAR}")

    def end(self, result: str) -> None:
        """The step is finished."""
        self.said(f"{self._step}: {result}")

    def said(self, text: str) -> None:
        """Print a line about what has just been done, and the time since `begin` or since the previous line."""
        now = time.monotonic()
        self.note(f"{text} ({seconds(now - self._begun)})")
        self._begun = now

    def note(self, text: str) -> None:
        """Print a separate line. It replaces the live line."""
        self._write(f"\r{text}{CLEAR}\n" if self._live else f"{text}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def describe(done: int, total: int, elapsed: float) -> str:
    """`42 %, 1 min 10 s left`, as far as it can be known."""
    if not total or not done:
        return "…"
    left = elapsed * (total - done) / done
    return f"{100 * done // total} %, {seconds(left)} left"


def seconds(value: float) -> str:
    """A duration in words: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`."""
    if value < 10:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"

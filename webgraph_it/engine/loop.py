"""What the event loop does for the scheduler: an alarm, and news from another thread."""

import asyncio
import threading
from collections.abc import Callable


class Alarm:
    """Calls `wake` at the time that was set last."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._handle: asyncio.TimerHandle | None = None

    def set(self, after_seconds: float | None) -> None:
        """In so many seconds; None: not at all."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if after_seconds is not None:
            loop = asyncio.get_running_loop()
            self._handle = loop.call_later(max(0.001, after_seconds), self._wake)


def in_this_loop(tell: Callable[[BaseException], None]) -> Callable[[BaseException], None]:
    """For a thread to call, too: it is told in the event loop that runs now, if one does."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return tell
    thread = threading.get_ident()

    def told(error: BaseException) -> None:
        if threading.get_ident() == thread:
            tell(error)
        else:
            loop.call_soon_threadsafe(tell, error)

    return told

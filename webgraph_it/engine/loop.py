"""What the scheduler needs of the event loop: an alarm, and errors from another thread."""

import asyncio
import threading
from collections.abc import Callable


class Alarm:
    """Calls `wake` at the time that was set last; earlier settings are discarded."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._handle: asyncio.TimerHandle | None = None

    def set(self, after_seconds: float | None) -> None:
        """Call `wake` after this many seconds; None: never."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if after_seconds is not None:
            loop = asyncio.get_running_loop()
            self._handle = loop.call_later(max(0.001, after_seconds), self._wake)


def in_this_loop(tell: Callable[[BaseException], None]) -> Callable[[BaseException], None]:
    """`tell`, callable from any thread: it runs in the event loop that is running now, if there is one."""
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

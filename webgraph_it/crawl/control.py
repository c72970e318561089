"""Whether the crawl may hand out URLs: it is paused while there is at least one reason.

Each reason has a name and an owner: the disk watch pauses for `disk` and lifts only that. Pure but for `hold`.
"""

from collections.abc import Callable


class Control:
    """The current reasons for a pause, in the order in which they came.

    `hold` is called when the first reason comes (True) and when the last one is lifted (False), and not in between.
    Lifting a reason that is not there changes nothing.
    """

    def __init__(self, hold: Callable[[bool], None]) -> None:
        self._hold = hold
        self._reasons: dict[str, None] = {}

    def __repr__(self) -> str:
        return f"<Control paused: {', '.join(self._reasons) or 'no'}>"

    @property
    def is_paused(self) -> bool:
        return bool(self._reasons)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(self._reasons)

    def pause(self, reason: str) -> bool:
        """Returns whether this reason is new."""
        if reason in self._reasons:
            return False
        self._reasons[reason] = None
        if len(self._reasons) == 1:
            self._hold(True)
        return True

    def unpause(self, reason: str) -> bool:
        """Returns whether this reason was there. Other reasons keep the crawl paused."""
        if reason not in self._reasons:
            return False
        del self._reasons[reason]
        if not self._reasons:
            self._hold(False)
        return True

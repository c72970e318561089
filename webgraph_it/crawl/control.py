"""Whether the crawl may hand out URLs: it is paused as long as anybody has a reason.

Each reason has a name and an owner: the disk watch pauses for `disk` and lifts only that. Pure.
"""


class Pauses:
    """The reasons for which the crawl is paused now, in the order in which they came."""

    def __init__(self) -> None:
        self._reasons: dict[str, None] = {}

    def __repr__(self) -> str:
        return f"<Pauses {', '.join(self._reasons) or 'none'}>"

    def __bool__(self) -> bool:
        return bool(self._reasons)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(self._reasons)

    def pause(self, reason: str) -> bool:
        """True: this reason is new."""
        is_new = reason not in self._reasons
        self._reasons[reason] = None
        return is_new

    def unpause(self, reason: str) -> bool:
        """True: this reason was there. Others keep the crawl paused."""
        was_there = reason in self._reasons
        self._reasons.pop(reason, None)
        return was_there

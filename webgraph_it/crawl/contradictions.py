"""What speaks against a member of a fleet on the notice board: another process of it, other settings, an old copy.

Whoever put a status some time ago may be gone. So a member that starts watches those that contradict it, for
TWIN_SECONDS. Nobody knows of it until it is let in. It is the newcomer, whatever the clocks of the machines say.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from webgraph_it.fleet.exchange import (
    Fault,
    Status,
    contradiction,
    difference,
    is_alive,
    later_start,
    starts,
)


class Contradictions:
    """Of one start of a member. Pure."""

    def __init__(self, member: int, epoch: int, memory: str, *, may_have_twin: bool) -> None:
        """`memory` has the notice board. `may_have_twin`: no lock keeps another process from being this member."""
        self._member = member
        self._epoch = epoch
        self._memory = memory
        self._may_have_twin = may_have_twin
        self._first_seen: dict[int, tuple[bytes, float]] = {}
        """What each member had put at first, and when that was seen. Empty once it has put something else."""
        self.fault = Fault.COPY
        """If it must not run."""
        self.is_watching = False
        """Whether it waits to see if a process that contradicts it is alive."""

    def __repr__(self) -> str:
        return f"<Contradictions of member {self._member}: {'watching' if self.is_watching else self.fault.value}>"

    def of_start(
        self,
        own: Status,
        statuses: Mapping[int, bytes],
        mine: Status | None,
        others: Mapping[int, Status],
        now: float,
    ) -> str:
        """Why a start must not be let in. Empty if nothing speaks against it, or if that is still to be seen. `mine`:
        what is on the board as this member's status."""
        self.is_watching = False
        is_own = (
            mine is not None and mine.epoch == self._epoch
        )  # put by this process, which did not learn of it
        found = None if is_own else statuses.get(self._member)
        why = self._twin(found, now)
        why = why or self.of_run(replace(own, since=math.inf), statuses, others, now)
        if self.is_watching:
            return ""
        if not why and mine is not None and not is_own and starts(mine.epoch) >= starts(self._epoch):
            return self.of_later_start(starts(mine.epoch))
        return why

    def of_run(
        self, own: Status, statuses: Mapping[int, bytes], others: Mapping[int, Status], now: float
    ) -> str:
        """Why a member must not run any longer."""
        for member, other in others.items():
            is_running = self._is_running(member, statuses[member], now)
            if is_running is not False and difference(own, other):
                if is_running:
                    self.fault = Fault.SETTINGS
                    return difference(own, other)
                self.is_watching = True
        return contradiction(own, others)

    def of_later_start(self, known: int = 0) -> str:
        """`known`: the number of that start, if it is known."""
        self.fault = Fault.OUTDATED
        return later_start(self._member, self._memory, known, starts(self._epoch) - 1)

    def _twin(self, found: bytes | None, now: float) -> str:
        if found is None or not self._may_have_twin:
            return ""
        is_running = self._is_running(self._member, found, now)
        self.is_watching = is_running is None
        if not is_running:
            return ""
        self.fault = Fault.TWIN
        return f"member {self._member} runs already, from another directory"

    def _is_running(self, member: int, found: bytes, now: float) -> bool | None:
        """None: not known yet."""
        is_running = is_alive(*self._first_seen.setdefault(member, (found, now)), found, now)
        if is_running:
            self._first_seen[member] = b"", now
        return is_running

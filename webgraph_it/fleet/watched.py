"""The notice board of a fleet on one machine, for `webgraph-it fleet`, which also says if the broker cannot be used."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from webgraph_it.fleet.exchange import Status
from webgraph_it.fleet.local import board_of
from webgraph_it.fleet.local_broker import trouble_of

LOOK_SECONDS = 1.0


class WatchedDirectory:
    """Reads the board at every call, and looks at the broker every LOOK_SECONDS."""

    def __init__(
        self, directory: Path, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`say` prints a sentence: once for each trouble that two looks in a row have found."""
        self._directory = directory
        self._say = say
        self._clock = clock
        self._looked_at = clock()
        self._trouble = self._said = ""

    def __repr__(self) -> str:
        return f"<WatchedDirectory {self._directory}, {self._trouble or 'no trouble'}>"

    def __call__(self) -> Mapping[int, Status]:
        if self._clock() - self._looked_at >= LOOK_SECONDS:
            self._looked_at = self._clock()
            self._look(trouble_of(self._directory))
        return board_of(self._directory)

    def _look(self, trouble: str) -> None:
        if trouble == self._trouble and trouble != self._said:
            if trouble:
                self._say(f"No member gets a share, and without one it does not fetch: {trouble}.")
            self._said = trouble
        self._trouble = trouble

"""Shows the progress: a live line on a terminal; elsewhere a line a minute in the log."""

import logging
from contextlib import suppress

from webgraph_it.crawl.progress import LiveLine, Moment, TakeMoment

logger = logging.getLogger(__name__)

LOG_SECONDS = 60.0
LIVE_SECONDS = 1.0


class Teller:
    """`live` is None without a terminal. `take` returns the current moment, with rates since the previous one."""

    def __init__(self, live: LiveLine | None, take: TakeMoment) -> None:
        self._live = live
        self._take = take
        self._last: Moment | None = None

    @property
    def interval_seconds(self) -> float:
        return LIVE_SECONDS if self._live else LOG_SECONDS

    async def tell(self) -> None:
        self._last = self._take(self._last)
        text = str(self._last.snapshot)
        if self._live is None:
            logger.info(text)
            return
        try:
            self._live.show(text)
        except OSError:  # the terminal is gone
            self._live = None

    def end(self) -> None:
        if self._live is not None:
            with suppress(OSError):
                self._live.end()

"""Finds the addresses of hosts before any of their URLs is handed out.

A new host may be one of thousands on one address (a hosting company's customers, or a DNS wildcard). If it were leased
at once, it would occupy one of the CONCURRENT_REQUESTS slots while it waits for DNS and then for its turn at the
address. So the frontier first hands out the name as a stranger, and leases its URLs when its address is known and free.

The number of concurrent lookups is limited, so that the resolver has room for known hosts whose answer has expired.
Their rate is limited, so that a hundred thousand new names do not keep the event loop from fetching pages.
"""

import asyncio
from functools import partial

from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.fetch.client import Fetcher
from webgraph_it.fetch.dns import Answer
from webgraph_it.fetch.guard import text_of
from webgraph_it.fetch.target import target_of

MAX_AT_ONCE = 128
"""Maximum of concurrent lookups; the resolver sends 200 queries at once."""
AT_A_TIME = 16
PAUSE_SECONDS = 0.02
"""Lookups between two pauses: at most 800 a second."""


class Locator:
    """Looks up strangers while there are any."""

    def __init__(self, scheduler: FrontierScheduler, fetcher: Fetcher) -> None:
        self._scheduler = scheduler
        self._fetcher = fetcher
        self._under_way = 0
        self._pause: asyncio.TimerHandle | None = None
        self._is_telling = False

    def look(self) -> None:
        """Start to look up strangers, if there are any."""
        if self._pause is None and self._under_way < MAX_AT_ONCE:
            self._begin()

    def _begin(self) -> None:
        self._pause = None
        scheduler = self._scheduler
        if scheduler.ended or scheduler.paused or scheduler.held:
            return
        begun = 0
        while begun < AT_A_TIME and self._under_way < MAX_AT_ONCE:
            stranger = scheduler.next_stranger()
            if stranger is None:
                break
            begun += 1
            self._under_way += 1
            asking = self._fetcher.locate(target_of(stranger.url).host)
            asking.add_done_callback(partial(self._answered, stranger.host))
        if begun:
            self._pause = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._begin)

    def _answered(self, host: str, asking: "asyncio.Future[Answer]") -> None:
        self._under_way -= 1
        addresses = () if asking.cancelled() else asking.result().addresses
        self._scheduler.located(host, text_of(addresses[0]) if addresses else "")
        if not self._is_telling:
            self._is_telling = True
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        """Wake the scheduler once for all hosts located in one turn of the event loop."""
        self._is_telling = False
        self._scheduler.look_again()

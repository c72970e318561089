"""Requests that are sent under an existing lease, each with the time when its host may be asked.

They are a middleware's, or the second request of a page that redirects to itself and sets a cookie.
"""

from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from webgraph_it.engine.private import PageRequest
from webgraph_it.urls import Refusal, key

if TYPE_CHECKING:
    from scrapy import Request

    from webgraph_it.frontier.records import Lease

COOKIE_SENT = "cookie_sent"
"""Meta key of a request that has the cookie of the page's own redirect."""
AGAIN = "again"
"""Meta key of requests that are sent under an existing lease."""


class Again:
    """Holds at most one request for each lease that is out, hence for each active host."""

    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, Request]] = []
        """A heap, by time. The numbers decide between equal times."""
        self._number = count()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, request: "Request", ready_at: float) -> None:
        heappush(self._waiting, (ready_at, next(self._number), request))

    def take(self, now: float) -> "Request | None":
        """The first request that may be sent now, or None."""
        if self._waiting and self._waiting[0][0] <= now:
            return heappop(self._waiting)[2]
        return None

    def holds(self, lease: "Lease") -> bool:
        """Whether a request for this lease waits here."""
        return any(request.meta["lease"] is lease for _, _, request in self._waiting)

    def wake_at(self, other: float | None) -> float | None:
        """When the first request may be sent, or `other` if that is sooner."""
        times = [self._waiting[0][0]] if self._waiting else []
        return min(times if other is None else [*times, other], default=None)


def with_cookie(request: "Request", url: str, cookie: bytes) -> PageRequest:
    """The same request for another spelling of its URL, with the cookie."""
    meta = {
        "lease": request.meta["lease"],
        "robots": request.meta.get("robots"),
        AGAIN: True,
        COOKIE_SENT: True,
    }
    return PageRequest(
        url, callback=request.callback, errback=request.errback, headers={"Cookie": cookie}, meta=meta
    )


def host_asked(url: str, lease: "Lease") -> str:
    """The host of a URL; the lease's own if the URL has no key."""
    surt = key(url)
    return lease.host if isinstance(surt, Refusal) else surt.partition(")")[0]

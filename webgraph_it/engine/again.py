"""Requests that middlewares want to send under an existing lease, each with the time when its host may be asked."""

from collections import deque
from typing import TYPE_CHECKING

from webgraph_it.urls import Refusal, key

if TYPE_CHECKING:
    from scrapy import Request

    from webgraph_it.frontier.records import Lease


class Again:
    """Holds only a few requests: a middleware asks for one at a time."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[float, Request]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, request: "Request", ready_at: float) -> None:
        self._waiting.append((ready_at, request))

    def take(self, now: float) -> "Request | None":
        """The first request that may be sent now, or None."""
        for entry in self._waiting:
            if entry[0] <= now:
                self._waiting.remove(entry)
                return entry[1]
        return None

    def holds(self, lease: "Lease") -> bool:
        """Whether a request for this lease waits here."""
        return any(request.meta["lease"] is lease for _, request in self._waiting)

    def wake_at(self, other: float | None) -> float | None:
        """When the first request may be sent, or `other` if that is sooner."""
        times = [ready_at for ready_at, _ in self._waiting]
        return min(times if other is None else [*times, other], default=None)


def host_asked(url: str, lease: "Lease") -> str:
    """The host of a URL; the lease's own if the URL has no key."""
    surt = key(url)
    return lease.host if isinstance(surt, Refusal) else surt.partition(")")[0]

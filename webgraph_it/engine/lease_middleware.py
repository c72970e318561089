"""Only what the frontier handed out is fetched, and nothing of a host that was given up.

A request without a lease (of a pipeline or an extension of the user's, by `engine.download_async`) would pass by
the host's delay, so it is refused. URLs of a host that was given up end as errors, so that a crawl ends.
"""

from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from webgraph_it.items import State


class HostGivenUp(IgnoreRequest):
    """The host failed too often."""

    reason = "host-given-up"
    state = State.ERROR


class NoLease(IgnoreRequest):
    """Somebody's own request: when its host may be asked is not known."""

    reason = "no-lease"


class LeaseMiddleware:
    """Refuses requests without a lease, and leases of hosts that were given up."""

    def process_request(self, request: Request) -> None:
        lease = request.meta.get("lease")
        if lease is None:
            raise NoLease(
                f"{request.url} is not fetched: the frontier did not hand it out, "
                "so its host's delay is unknown"
            )
        if lease.given_up:
            raise HostGivenUp(f"{lease.host} failed too often")

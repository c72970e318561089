"""Only URLs that the frontier handed out are fetched, and none of a host that was given up.

A request without a lease (from a user's pipeline or extension, through `engine.download_async`) would ignore the
host's delay, so it is refused. URLs of a host that was given up end as errors, so that the crawl can finish.
"""

from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from webgraph_it.items import State


class HostGivenUp(IgnoreRequest):
    """The host failed too often."""

    reason = "host-given-up"
    state = State.ERROR


class NoLease(IgnoreRequest):
    """A user's own request: we do not know when its host may be asked."""

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

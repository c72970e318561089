"""URLs of a host that was given up are not fetched; they end as errors, so that a crawl ends."""

from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from webgraph_it.items import State


class HostGivenUp(IgnoreRequest):
    """The host failed too often."""

    reason = "host-given-up"
    state = State.ERROR


class GivenUpMiddleware:
    """Refuses leases of hosts that were given up."""

    def process_request(self, request: Request) -> None:
        lease = request.meta.get("lease")
        if lease is not None and lease.given_up:
            raise HostGivenUp(f"{lease.host} failed too often")

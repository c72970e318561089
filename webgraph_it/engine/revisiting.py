"""How re-visits are asked for, from Scrapy's settings."""

from typing import Any, NamedTuple

from scrapy.settings import BaseSettings

from webgraph_it.crawl.link_rules import link_policy_number
from webgraph_it.crawl.revisit import UNKNOWN_POLICY, may_ask_conditionally
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.records import Lease

CONDITIONAL = "conditional"
"""Member of a request's meta: a 304 was asked for."""


class Revisiting(NamedTuple):
    """Its settings."""

    share: float
    """Of the turns of a host that has new URLs, too."""
    link_policy: int
    is_continuous: bool
    """The crawl does not end when nothing is left."""

    def conditions(self, lease: Lease, frontier: Frontier, meta: dict[str, Any]) -> dict[str, bytes]:
        """Headers of a re-visit that ask for a 304; its meta says so. None after a redirect to another spelling: a
        validator belongs to a URL."""
        meta["deltafetch_enabled"] = False  # scrapy-deltafetch's own word for: visit it again
        visit = frontier.visit(lease.digest)
        if visit is None or lease.spellings or not may_ask_conditionally(visit, self.link_policy):
            return {}
        headers = {"If-None-Match": visit.etag, "If-Modified-Since": visit.last_modified}
        meta[CONDITIONAL] = True
        return {name: value for name, value in headers.items() if value}


NO_REVISITS = Revisiting(0.1, UNKNOWN_POLICY, is_continuous=False)


def revisiting_of(settings: BaseSettings) -> Revisiting:
    return Revisiting(settings["RECRAWL_SHARE"], link_policy_number(settings), settings["CONTINUOUS"])

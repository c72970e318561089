"""The parts of a crawl that several Scrapy components share.

Scrapy makes its components one by one and gives each only the crawler. `parts_of(crawler)` returns the shared
parts: the first call makes them, and later calls return the same ones. They are an attribute of the crawler, so they
live as long as the crawl. What Scrapy itself makes, such as the scheduler, comes from Scrapy (`scheduler_of`).
"""

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.fetch.client import Fetcher, FetchSettings
from webgraph_it.fetch.dns import FAILURE_TTL_SECONDS, DnsSettings, Resolver
from webgraph_it.fetch.guard import Guard, networks
from webgraph_it.fetch.response_parser import Limits
from webgraph_it.fetch.shaper import Shaper
from webgraph_it.robots.policy import RobotsPolicy
from webgraph_it.steady import steady_seconds

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_ATTRIBUTE = "webgraph_it_parts"


@dataclass(frozen=True, slots=True)
class Parts:
    """One of each for a crawl."""

    fetcher: Fetcher
    shaper: Shaper
    """The fetcher's bandwidth limit; without BandwidthMiddleware there is no limit."""
    robots: RobotsPolicy
    """Holds the only cache of parsed rules."""


def parts_of(crawler: "Crawler") -> Parts:
    """The parts of this crawl. Not before Scrapy has made the stats: a spider's `from_crawler` is too early."""
    parts = getattr(crawler, _ATTRIBUTE, None)
    if parts is None:
        parts = make_parts(crawler)
        setattr(crawler, _ATTRIBUTE, parts)
    assert isinstance(parts, Parts)
    return parts


def make_parts(crawler: "Crawler") -> Parts:
    """Make the parts. The settings must have been checked."""
    settings = crawler.settings
    assert crawler.stats is not None
    shaper = Shaper(steady_seconds, _call_later, math.inf)
    guard = Guard(networks(settings["ALLOWED_PRIVATE_NETWORKS"]), public=bool(settings["CONTACT_URL"]))
    resolver = Resolver(dns_settings(settings), guard, crawler.stats.inc_value)
    fetcher = Fetcher(fetch_settings(settings), resolver, crawler.stats.inc_value, shaper)
    return Parts(fetcher, shaper, RobotsPolicy(retry_seconds=settings["ROBOTS_RETRY_DELAY"]))


def _call_later(delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(delay, callback)


def fetch_settings(settings: Mapping[str, Any]) -> FetchSettings:
    """The settings must have been checked."""
    cap = settings["MAX_TCP_CONNECTIONS"]
    return FetchSettings(
        connection_cap=cap,
        idle_cap=min(settings["MAX_IDLE_CONNECTIONS"], cap),
        idle_seconds=settings["KEEP_ALIVE_SECONDS"],
        connect_seconds=settings["CONNECT_TIMEOUT"],
        total_seconds=settings["DOWNLOAD_TIMEOUT"],
        silence_seconds=settings["DOWNLOAD_SILENCE_TIMEOUT"],
        limits=Limits(
            head_bytes=settings["MAX_HEADER_BYTES"],
            header_count=settings["MAX_HEADER_COUNT"],
            body_bytes=settings["MAX_BODY_BYTES"],
        ),
        allowed_ports=frozenset(settings["ALLOWED_PORTS"]),
        port_map={int(port): to for port, to in settings["PORT_MAP"].items()},
        keep_exchanges=settings["WARC"],
    )


def dns_settings(settings: Mapping[str, Any]) -> DnsSettings:
    """The settings must have been checked."""
    return DnsSettings(
        servers=tuple(settings["DNS_SERVERS"]),
        timeout=settings["DNS_TRY_TIMEOUT"],
        minimum_ttl=settings["DNS_MIN_TTL"],
        maximum_ttl=settings["DNS_MAX_TTL"],
        negative_ttl=settings["DNS_NEGATIVE_TTL"],
        failure_ttl=min(FAILURE_TTL_SECONDS, settings["DNS_NEGATIVE_TTL"]),
        cache_size=settings["DNS_CACHE_SIZE"],
        ipv6=settings["DNS_IPV6"],
    )


def scheduler_of(crawler: "Crawler") -> FrontierScheduler:
    """The crawl's scheduler. Call it only once the engine is open."""
    scheduler = crawler.engine.scheduler
    assert isinstance(scheduler, FrontierScheduler), "SCHEDULER must be FrontierScheduler"
    return scheduler

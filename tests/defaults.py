"""What a crawl has that was given nothing: each part with the defaults of the table, except for what a test changes."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from scrapy.settings import Settings

from webgraph_it import extract, settings
from webgraph_it.engine import parts
from webgraph_it.extract import LinkPolicy
from webgraph_it.extract.workers import WorkerPool as _WorkerPool
from webgraph_it.fetch import response_parser, schedule
from webgraph_it.fetch.client import FetchSettings
from webgraph_it.fetch.dns import DnsSettings
from webgraph_it.frontier.politeness import Politeness
from webgraph_it.frontier.records import Limits
from webgraph_it.robots.policy import PRODUCT_TOKEN
from webgraph_it.robots.policy import RobotsPolicy as _RobotsPolicy
from webgraph_it.settings_table import TABLE, CrawlSettings
from webgraph_it.urls import seeds
from webgraph_it.urls.scope import Scope

DEFAULTS = CrawlSettings.read({})
DEFAULT_ARCS = frozenset(DEFAULTS.LINK_KINDS_ARCS)


def project_settings(**changes: object) -> Settings:
    """Scrapy's settings as the command line makes them: ours, and what is given with -s."""
    made = Settings()
    made.setmodule(settings, priority="project")
    made.setdict(changes, priority="cmdline")
    return made


def typed(**changes: object) -> dict[str, Any]:
    """Name → value of every setting of ours."""
    values = CrawlSettings.read(changes)
    return {name: values[name] for name in TABLE}


def fetch_settings(**changes: Any) -> FetchSettings:
    return _changed(parts.fetch_settings(typed()), changes)


def dns_settings(**changes: Any) -> DnsSettings:
    return _changed(parts.dns_settings(typed()), changes)


def response_limits(**changes: Any) -> response_parser.Limits:
    return _changed(fetch_settings().limits, changes)


def politeness(**changes: Any) -> Politeness:
    return Politeness(
        host_delay_seconds=DEFAULTS.HOST_DELAY,
        delay_factor=DEFAULTS.DELAY_FACTOR,
        address_delay_seconds=DEFAULTS.ADDRESS_DELAY,
        crawl_delay_max_seconds=DEFAULTS.CRAWL_DELAY_MAX,
        retry_times=DEFAULTS.RETRY_TIMES,
        back_off_seconds=DEFAULTS.BACK_OFF,
        park_seconds=DEFAULTS.PARK_SECONDS,
    )._replace(**changes)


def frontier_limits(**changes: int) -> Limits:
    return Limits(
        max_pages_per_host=DEFAULTS.MAX_PAGES_PER_HOST,
        max_depth=DEFAULTS.MAX_DEPTH,
        max_host_depth=DEFAULTS.MAX_HOST_DEPTH,
        max_queries_per_path=DEFAULTS.MAX_QUERIES_PER_PATH,
        max_same_content=DEFAULTS.MAX_SAME_CONTENT,
        max_hosts_per_domain=DEFAULTS.MAX_HOSTS_PER_DOMAIN,
    )._replace(**changes)


def robots_policy(
    token: str = PRODUCT_TOKEN, retry_seconds: float = DEFAULTS.ROBOTS_RETRY_DELAY, **changes: Any
) -> _RobotsPolicy:
    return _RobotsPolicy(token, retry_seconds=retry_seconds, **changes)


def default_scope(
    surts: Iterable[str] = tuple(DEFAULTS.SCOPE_SURTS), fetch_only: Iterable[str] = (), **changes: Any
) -> Scope:
    defaults = {
        "exclusions": (),
        "allowed_ports": DEFAULTS.ALLOWED_PORTS,
        "excluded_extensions": DEFAULTS.EXCLUDED_EXTENSIONS,
        "max_url_length": DEFAULTS.MAX_URL_LENGTH,
        "max_path_segments": DEFAULTS.MAX_PATH_SEGMENTS,
        "max_repeated_segments": DEFAULTS.MAX_REPEATED_SEGMENTS,
    }
    return Scope(surts, fetch_only, **(defaults | changes))


def read_seeds(path: Any, surts: tuple[str, ...] = tuple(DEFAULTS.SCOPE_SURTS)) -> seeds.Seeds:
    return seeds.read_seeds(path, surts)


def link_policy(
    arcs: Iterable[str] = DEFAULT_ARCS,
    followed: Iterable[str] = tuple(DEFAULTS.LINK_KINDS_FOLLOWED),
    embedded: bool = DEFAULTS.EXTRACT_EMBEDDED,
    plain_text: bool = DEFAULTS.EXTRACT_PLAIN_TEXT,
) -> LinkPolicy:
    return extract.link_policy(arcs, followed, embedded, plain_text)


def worker_pool(
    policy: LinkPolicy,
    workers: int,
    cpu_seconds: float = DEFAULTS.EXTRACT_TIMEOUT,
    memory_bytes: int = DEFAULTS.EXTRACT_MEMORY,
) -> _WorkerPool:
    return _WorkerPool(policy, workers, cpu_seconds, memory_bytes)


def parse_schedule(value: object, timezone: str = DEFAULTS.SCHEDULE_TIMEZONE) -> schedule.Schedule:
    return schedule.parse_schedule(value, timezone)


def _changed(record: Any, changes: dict[str, Any]) -> Any:
    return replace(record, **changes)

"""/metrics: what the crawl counts anyway, read when somebody asks. A page of the crawl costs nothing more.

Counters stand for the whole crawl, over all its runs, except for bytes and commits, which begin with the process.
"""

from collections.abc import Callable, Iterator, Mapping
from platform import python_version

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from webgraph_it import __version__
from webgraph_it.console.source import Counters
from webgraph_it.crawl.reasons import MEANINGS
from webgraph_it.items import State

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
PREFIX = "webgraph_it_"
FETCHED_STATES = (State.FETCHED, State.REDIRECT, State.ROBOTS_DENIED, State.ERROR)
"""Cut nodes are in frontier_urls: an unblock takes cuts back, and a counter never goes down."""
PAUSES = ("operator", "disk")
"""Reasons that are shown as 0, too."""


class CrawlCollector(Collector):
    """One crawl."""

    def __init__(self, counters: Callable[[], Counters]) -> None:
        self._counters = counters

    def collect(self) -> Iterator[Metric]:
        now = self._counters()
        yield _counter("pages", "Pages recorded, by state", "state", _states(now.states))
        yield _counter("responses", "Pages by class of status", "class", classes(now.statuses))
        yield _counter("errors", "Pages without a response, by reason", "reason", _errors(now.reasons))
        yield _one_counter("links", "Arcs of the graph", now.links)
        yield _one_counter("robots_denied", "Pages denied by robots.txt", now.states.get("robots-denied", 0))
        yield _one_counter("received_bytes", "Bytes from the network in this run", now.wire_bytes)
        limit = float("inf") if now.bandwidth_cap is None else now.bandwidth_cap
        yield _gauge("bandwidth_limit_bytes_per_second", "What the schedule allows now", limit)
        yield _gauge("connections", "Open sockets", now.connections)
        yield _gauge("connections_limit", "Maximum number of open sockets", now.connections_cap)
        yield _gauges("frontier_urls", "URLs by state", "state", _urls(now))
        yield _gauges("hosts", "Hosts that have URLs, by state", "state", _hosts(now))
        yield _commits(now)
        yield _gauge("last_commit_timestamp_seconds", "End of the last commit", now.committed_at)
        paused = dict.fromkeys(PAUSES, 0) | dict.fromkeys(now.pauses, 1)
        yield _gauges("paused", "1 for each reason of a pause", "reason", paused)
        yield _gauge("free_disk_bytes", "Free space where the crawl directory is", now.free_disk_bytes)
        yield _gauge("resident_memory_bytes", "Memory of the crawl process", now.rss_bytes)
        yield _build_info()


def metrics_of(counters: Callable[[], Counters]) -> Callable[[], bytes]:
    """A function that writes the text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(CrawlCollector(counters))
    return lambda: generate_latest(registry)


def classes(statuses: Mapping[str, int]) -> dict[str, int]:
    """`2xx` and so on; `none` where no response came."""
    found = {"2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, "none": 0}
    for status, count in statuses.items():
        name = (
            "none"
            if status == "0"
            else f"{status[0]}xx"
            if len(status) == 3 and status.isdigit()
            else "other"
        )
        found[name] = found.get(name, 0) + count
    return found


def _states(states: Mapping[str, int]) -> dict[str, int]:
    return {str(state): states.get(state, 0) for state in FETCHED_STATES}


def _errors(reasons: Mapping[str, int]) -> dict[str, int]:
    """Failures of a fetch by the names of crawl/reasons.py. Reasons of cuts are no errors."""
    return {reason: count for reason, count in reasons.items() if reason in MEANINGS}


def _urls(now: Counters) -> dict[str, int]:
    return {"queued": now.queued, "leased": now.leased, "done": now.done, "cut": now.cut}


def _hosts(now: Counters) -> dict[str, int]:
    return {"ready": now.hosts_ready, "waiting": now.hosts_waiting, "parked": now.hosts_parked}


def _commits(now: Counters) -> Metric:
    return SummaryMetricFamily(
        PREFIX + "commit_duration_seconds",
        "Commits of this run",
        count_value=now.commits,
        sum_value=now.commit_seconds,
    )


def _build_info() -> Metric:
    info = GaugeMetricFamily(PREFIX + "build_info", "Versions", labels=["version", "python"])
    info.add_metric([__version__, python_version()], 1)
    return info


def _counter(name: str, help_text: str, label: str, values: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(PREFIX + name, help_text, labels=[label])
    for value, count in values.items():
        family.add_metric([value], count)
    return family


def _gauges(name: str, help_text: str, label: str, values: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(PREFIX + name, help_text, labels=[label])
    for value, count in values.items():
        family.add_metric([value], count)
    return family


def _one_counter(name: str, help_text: str, value: float) -> Metric:
    return CounterMetricFamily(PREFIX + name, help_text, value=value)


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(PREFIX + name, help_text, value=value)

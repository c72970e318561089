"""A running crawl as its console sees it (console/source.py): what the parts know anyway, read when somebody asks."""

import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from webgraph_it import __version__
from webgraph_it.console.source import Counters, Row
from webgraph_it.robots.record import RobotsRecord

if TYPE_CHECKING:
    from webgraph_it.engine.running import Running

RECENT_PAGES = 1_000
"""Lines of the page log in memory: half a megabyte."""


class Observed:
    """console/source.py `Crawl`."""

    def __init__(self, running: "Running") -> None:
        self._running = running
        self._frontier = running.scheduler.frontier
        running.recorder.recent = deque(maxlen=RECENT_PAGES)

    def status(self) -> dict[str, Any]:
        running = self._running
        tally = running.recorder.tally
        counts = self._frontier.counts()
        return {
            **running.steered.status(),
            "version": __version__,
            "seconds": running.run.seconds_at(time.monotonic()),
            "bytes": tally.bytes,
            "states": dict(tally.states),
            "statuses": dict(tally.statuses.most_common(20)),
            "leased": counts.leased,
            "hosts": counts.hosts,
            "schedule": running.operations.steering.schedule,
        }

    def counters(self) -> Counters:
        running = self._running
        tally, committer, counts = running.recorder.tally, running.committer, running.gauges.counts()
        now = running.gauges.moment(running.progress.last).snapshot
        return Counters(
            states=tally.states,
            statuses=tally.statuses,
            reasons=tally.reasons,
            links=tally.links,
            wire_bytes=now.wire_bytes,
            bandwidth_cap=now.bandwidth_cap,
            connections=now.connections,
            connections_cap=now.connections_cap,
            queued=counts.queued,
            leased=counts.leased,
            done=counts.done,
            cut=counts.cut,
            hosts_ready=counts.hosts_ready,
            hosts_waiting=counts.hosts_waiting,
            hosts_parked=counts.hosts_parked,
            pauses=running.control.reasons,
            commits=committer.commits,
            commit_seconds=committer.seconds,
            committed_at=committer.committed_at,
            free_disk_bytes=now.free_disk_bytes,
            rss_bytes=now.rss_bytes,
        )

    async def do(self, said: object, who: str) -> dict[str, Any]:
        return await self._running.operations.do(said, who)

    @property
    def recent(self) -> deque[str]:
        return self._running.recorder.recent

    @property
    def busy(self) -> Counter[str]:
        return self._running.recorder.tally.busy

    @property
    def parked(self) -> dict[str, float]:
        now = self._running.scheduler.now()
        return {host: until for host, until in self._running.scheduler.parked.items() if until > now}

    @property
    def host_count(self) -> int:
        return self._frontier.counts().hosts

    def host_rows(self) -> Iterator[Row]:
        return self._frontier.host_rows()

    def committed_host_rows(self, first: bytes) -> Iterator[Row]:
        return self._frontier.committed_host_rows(first)

    def host_record(self, name: str) -> Row | None:
        return self._frontier.host_record(name)

    def host_delay(self, name: str) -> float:
        return self._frontier.host_delay(name)

    def queue_head(self, name: str, most: int) -> list[str]:
        return self._frontier.queue_head(name, most)

    def robots(self, origin: str) -> RobotsRecord | None:
        return self._frontier.robots(origin)

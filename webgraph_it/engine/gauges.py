"""The current state of the crawl, read from its parts: for the progress, and to explain a standstill."""

import os
import resource
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from webgraph_it.crawl.control import Control
from webgraph_it.crawl.host_waits import grouped
from webgraph_it.crawl.progress import Moment, Run, Snapshot, rates
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.standstill import Facts
from webgraph_it.crawl.status import with_parked
from webgraph_it.engine.bandwidth_middleware import BandwidthMiddleware
from webgraph_it.engine.parts import parts_of, scheduler_of
from webgraph_it.frontier.records import Counts

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Gauges:
    """Only reads; changes nothing."""

    def __init__(
        self, crawler: "Crawler", recorder: Recorder, control: Control, run: Run, path: Path
    ) -> None:
        self._crawler = crawler
        self._scheduler = scheduler_of(crawler)
        parts = parts_of(crawler)
        self._fetcher = parts.fetcher
        self._shaper = parts.shaper
        self._recorder = recorder
        self._control = control
        self._run = run
        self._path = path

    @property
    def answers(self) -> tuple[int, int]:
        """Responses and recorded pages so far."""
        return self._fetcher.replies, self._recorder.tally.pages

    @property
    def free_disk_bytes(self) -> int:
        return shutil.disk_usage(self._path).free

    @property
    def _bytes_per_second(self) -> float | None:
        """The rate that the schedule allows; None = no limit."""
        rate: float | None = self._crawler.stats.get_value("bandwidth/cap_bytes_per_second")
        return rate

    def facts(self, idle_seconds: float, *, hosts: bool = True) -> Facts:
        """What may be holding up the crawl. Without `hosts`, none of those that wait is looked at."""
        fetcher, scheduler, engine = self._fetcher, self._scheduler, self._crawler.engine
        now, at, counts = time.time(), scheduler.now(), scheduler.frontier.counts()
        waits = list(scheduler.frontier.waits()) if hosts else []
        bandwidth = self._crawler.get_downloader_middleware(BandwidthMiddleware)
        rate = self._bytes_per_second
        return Facts(
            now=now,
            idle_seconds=idle_seconds,
            queued=counts.queued,
            pauses=(*self._control.reasons, *(("by the engine",) if engine.paused else ())),
            disk_is_full=self._recorder.shards.waiting_for_disk,
            bytes_per_second=rate,
            rate_until=bandwidth.rate_until(now) if rate is not None and bandwidth is not None else None,
            waiting_for_bandwidth=bandwidth.waiting if bandwidth is not None else 0,
            connections=fetcher.governor.sockets,
            connections_cap=fetcher.governor.cap,
            waiting_for_connection=fetcher.waiting_for_place,
            waiting_for_dns=fetcher.waiting_for_dns,
            awaiting_response=len(fetcher.exchanging),
            under_way=counts.leased,
            waiting_for_extraction=scheduler.frontier.reading,
            host_waits=grouped(waits, scheduler.errands.unreachable(at), at - now),
            other_hosts=max(0, counts.hosts_waiting + counts.hosts_parked - len(waits)),
            awaits_plan=scheduler.awaits_plan,
        )

    def counts(self) -> Counts:
        """Those of the frontier, which knows of hosts that operators parked only when they are ready."""
        frontier, now = self._scheduler.frontier, self._scheduler.now()
        left_alone = [host for host, until in self._scheduler.parked.items() if until > now]
        return with_parked(frontier.counts(), sum(map(frontier.only_waits, left_alone)))

    def moment(self, last: Moment | None) -> Moment:
        """The crawl now; rates since `last`."""
        now, tally, counts = time.monotonic(), self._recorder.tally, self.counts()
        received = self._shaper.wire_bytes()
        rate = rates(tally.pages, received, now, self._run, last)
        snapshot = Snapshot(
            time=time.time(),
            pages=tally.pages,
            pages_per_second=rate.pages,
            mean_pages_per_second=rate.mean_pages,
            wire_bytes=received,
            wire_bytes_per_second=rate.wire_bytes,
            bandwidth_cap=self._bytes_per_second,
            connections=self._fetcher.governor.sockets,
            connections_cap=self._fetcher.governor.cap,
            hosts_ready=counts.hosts_ready,
            hosts_waiting=counts.hosts_waiting,
            hosts_parked=counts.hosts_parked,
            queued=counts.queued,
            seen=counts.seen,
            links_per_page=tally.links_per_page,
            free_disk_bytes=self.free_disk_bytes,
            rss_bytes=rss_bytes(),
        )
        return Moment(now, snapshot)


def rss_bytes() -> int:
    """Resident memory now, or its peak on systems without /proc."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

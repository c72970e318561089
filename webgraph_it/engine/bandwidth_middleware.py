"""Downloader middleware: the crawl receives no more bytes than BANDWIDTH_SCHEDULE allows at this hour.

It follows the schedule once a second, holds back new downloads while there is no bandwidth for them, and sets
the rate of the shaper (parts.py), which slows the reading itself. The decisions are in fetch/: schedule.py,
bandwidth.py and shaper.py.

BANDWIDTH_SCHEDULE_FILE, a JSON file with the same list, replaces the setting and is read again when it changes.
An invalid edit is reported in one sentence, and the previous plan stays in force.
"""

import logging
import math
import time
from collections.abc import Coroutine
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import create_looping_call

from webgraph_it.engine.parts import parts_of
from webgraph_it.fetch.plan import FILE_SETTING, Plan
from webgraph_it.fetch.schedule import SETTING, ScheduleError
from webgraph_it.fetch.shaper import Shaper
from webgraph_it.steady import steady_seconds

logger = logging.getLogger(__name__)

TICK_SECONDS = 1.0


class BandwidthMiddleware:
    """Admits downloads, and updates the shaper once a second."""

    def __init__(self, plan: Plan, shaper: Shaper, stats: StatsCollector) -> None:
        self._plan = plan
        self._shaper = shaper
        self._stats = stats
        self._ticks = create_looping_call(self._tick_now)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        plan = Plan(settings[SETTING], settings[FILE_SETTING], settings["SCHEDULE_TIMEZONE"])
        assert crawler.stats is not None
        middleware = cls(plan, parts_of(crawler).shaper, crawler.stats)
        middleware.tick(time.time())
        crawler.signals.connect(middleware.spider_opened, signals.spider_opened)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def spider_opened(self) -> None:
        self._ticks.start(TICK_SECONDS)

    def spider_closed(self) -> None:
        self._report()
        if self._ticks.running:
            self._ticks.stop()

    def override(self, schedule: list[list[str]]) -> None:
        """An operator's plan instead of the one in force."""
        self._plan.override(schedule)
        self.tick(time.time())

    def rate_until(self, utc: float) -> float | None:
        """When the rate of the current plan next changes; None if never."""
        return self._plan.schedule.changes_at(utc)

    @property
    def waiting(self) -> int:
        """How many fetches are waiting for bandwidth."""
        return self._shaper.waiting

    def process_request(self, request: Request) -> Coroutine[None, None, None] | None:
        """None if the request may proceed at once; otherwise a coroutine to await."""
        return None if self._shaper.may_start else self._shaper.admit()

    def process_response(self, request: Request, response: Response) -> Response:
        self._shaper.finished()
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._shaper.finished()

    def tick(self, utc: float) -> None:
        """Once a second: reread the file if it changed, apply the rate of this hour, update the stats."""
        try:
            if self._plan.reload():
                logger.info("%s has changed: a new plan is in force", FILE_SETTING)
        except ScheduleError as error:
            logger.error("%s The plan in force stays.", error)
        rate = self._plan.schedule.rate_at(utc)
        if rate != self._shaper.bytes_per_second:
            logger.info("Bandwidth: %s from now on", _words(rate))
            self._shaper.set_rate(rate)

    def _tick_now(self) -> None:
        self.tick(time.time())
        self._report()

    def _report(self) -> None:
        meter = self._shaper.meter
        rate = self._shaper.own_bytes_per_second
        self._stats.set_value("bandwidth/bytes", meter.total_bytes)
        self._stats.set_value("bandwidth/bytes_last_second", meter.last_second_bytes(steady_seconds()))
        self._stats.set_value("bandwidth/bytes_fullest_second", meter.peak_bytes)
        self._stats.set_value("bandwidth/cap_bytes_per_second", None if rate == math.inf else rate)


def _words(bytes_per_second: float) -> str:
    if bytes_per_second == math.inf:
        return "no limit"
    return f"{bytes_per_second / 1000:g} KB/s" if bytes_per_second else "stopped"

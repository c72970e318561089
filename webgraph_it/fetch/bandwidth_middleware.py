"""Downloader middleware: the crawl takes no more bytes than BANDWIDTH_SCHEDULE allows at this hour. Thin.

It follows the schedule once a second, holds new downloads back while there is no room for them, and gives
the fetcher the shaper that slows the reading itself. The decisions are in schedule.py, bandwidth.py and shaper.py.

BANDWIDTH_SCHEDULE_FILE, a JSON file with the same list, replaces the setting and is read again when it changes:
a wrong edit is reported in one sentence, and the plan that was in force stays.
"""

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Self
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import create_looping_call

from webgraph_it.fetch.handler import fetcher_of
from webgraph_it.fetch.schedule import SETTING, Schedule, ScheduleError, parse_schedule
from webgraph_it.fetch.shaper import Shaper
from webgraph_it.regular_files import InputError, read_regular

logger = logging.getLogger(__name__)

FILE_SETTING = "BANDWIDTH_SCHEDULE_FILE"
TICK_SECONDS = 1.0
MAX_FILE_BYTES = 1_000_000

_shapers: "WeakKeyDictionary[Crawler, Shaper]" = WeakKeyDictionary()


def shaper_of(crawler: Crawler) -> Shaper:
    """The one shaper of a crawl; without the middleware it lets everything pass."""
    shaper = _shapers.get(crawler)
    if shaper is None:
        shaper = _shapers[crawler] = Shaper(time.monotonic, _call_later, math.inf)
    return shaper


def _call_later(delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(delay, callback)


class Plan:
    """The schedule in force, from the setting or from a file that may change."""

    def __init__(self, value: object, path: str, timezone: str) -> None:
        self._path = Path(path) if path else None
        self._timezone = timezone
        self._seen: tuple[int, int] | None = (0, 0)
        self.schedule: Schedule = parse_schedule(value, timezone)
        self.reload()

    def reload(self) -> bool:
        """Read the file if it changed. True: there is a new plan. ScheduleError, once: the old one stays."""
        if self._path is None or (stamp := _stamp(self._path)) == self._seen:
            return False
        self._seen = stamp
        try:
            text = read_regular(self._path, MAX_FILE_BYTES).decode("utf-8", "replace")
        except InputError as error:
            raise ScheduleError(f"{FILE_SETTING}: {error}") from None
        except OSError as error:
            raise ScheduleError(f"{FILE_SETTING}: {self._path} cannot be read ({error.strerror}).") from None
        if not text.strip():  # perhaps an editor is about to write it: by no means a plan without limits
            raise ScheduleError(f"{FILE_SETTING}: {self._path} is empty, a list of [when, rate] expected.")
        self.schedule = parse_schedule(_list_in(text, self._path), self._timezone, FILE_SETTING)
        return True


def _list_in(text: str, path: Path) -> list[object]:
    """The list of a file, of which nothing is shown if it holds something else: perhaps it is the wrong file."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise ScheduleError(
            f'{FILE_SETTING}: {path} holds no list, JSON such as [["mon-fri 08:00-19:00", "1500 KB/s"]] expected.'
        )
    return found


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes when the file does; None when there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


class BandwidthMiddleware:
    """Admission of downloads, and the shaper's clockwork."""

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
        middleware = cls(plan, shaper_of(crawler), crawler.stats)
        fetcher_of(crawler).shaper = middleware._shaper
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

    def rate_until(self, utc: float) -> float | None:
        """When the plan in force next allows another rate; None if never."""
        return self._plan.schedule.changes_at(utc)

    @property
    def waiting(self) -> int:
        """Fetches that wait for bandwidth now."""
        return self._shaper.waiting

    def process_request(self, request: Request) -> Coroutine[None, None, None] | None:
        """None, at once, where there is no limit; else something to wait for."""
        return None if self._shaper.may_start else self._shaper.admit()

    def process_response(self, request: Request, response: Response) -> Response:
        self._shaper.finished()
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._shaper.finished()

    def tick(self, utc: float) -> None:
        """What is due every second: follow the file, the clock, and the stats."""
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
        rate = self._shaper.bytes_per_second
        self._stats.set_value("bandwidth/bytes", meter.total_bytes)
        self._stats.set_value("bandwidth/bytes_last_second", meter.last_second_bytes(time.monotonic()))
        self._stats.set_value("bandwidth/bytes_fullest_second", meter.peak_bytes)
        self._stats.set_value("bandwidth/cap_bytes_per_second", None if rate == math.inf else rate)


def _words(bytes_per_second: float) -> str:
    if bytes_per_second == math.inf:
        return "no limit"
    return f"{bytes_per_second / 1000:g} KB/s" if bytes_per_second else "stopped"

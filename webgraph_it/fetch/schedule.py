"""BANDWIDTH_SCHEDULE: how many bytes per second we may receive, by weekday and hour.

    [["mon-fri 08:00-19:00", "1500 KB/s"], ["22:00-06:00", "unlimited"], ["sat,sun", "10 Mbit/s"]]

Each entry is [when, rate]; the first that matches the local time decides, and where none matches the rate is
unlimited. `when` is days (`mon-fri`, `sat,sun`, `*` or nothing for every day), then hours (`08:00-19:00`, or
nothing for the whole day; `24:00` is the day's end; `22:00-06:00` crosses midnight and belongs to the day on
which it begins). `rate` is a number with a unit such as KB/s, MiB/s or Mbit/s (units.py); `0` stops all downloads;
`unlimited` lifts the limit.

Guarantees: the rate is a pure function of a UTC timestamp, so it is right on the days when clocks
change: an hour that is skipped never matches, and one that occurs twice matches twice. A wrong value raises
ScheduleError: one sentence naming the setting, the value and what is expected.
"""

import json
import math
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from webgraph_it.units import rate_bytes_per_second

SETTING = "BANDWIDTH_SCHEDULE"
UNLIMITED = math.inf
MAX_SHOWN = 200

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MINUTES_A_DAY = 24 * 60
_HOURS = re.compile(r"([0-9]{1,2}):([0-9]{2})-([0-9]{1,2}):([0-9]{2})")


class ScheduleError(ValueError):
    """A schedule that cannot be understood: what was found and what was expected."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the plan."""

    days: frozenset[int]
    """The days on which the hours begin; 0 is Monday."""
    start_minute: int
    end_minute: int
    """Minutes since midnight; above 1440 on the next day."""
    bytes_per_second: float

    def matches(self, weekday: int, minute: int) -> bool:
        today = weekday in self.days and self.start_minute <= minute < self.end_minute
        return today or ((weekday - 1) % 7 in self.days and minute + _MINUTES_A_DAY < self.end_minute)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The plan: entries in order of precedence, and their time zone."""

    entries: tuple[Entry, ...]
    timezone: ZoneInfo

    def rate_at(self, utc: float) -> float:
        """Bytes per second allowed at this time (seconds since 1970 UTC). 0 means stop, infinity no limit."""
        local = datetime.fromtimestamp(utc, self.timezone)
        minute = local.hour * 60 + local.minute
        for entry in self.entries:
            if entry.matches(local.weekday(), minute):
                return entry.bytes_per_second
        return UNLIMITED

    def changes_at(self, utc: float) -> float | None:
        """The next full minute at which the rate changes, within eight days; None if there is none."""
        rate, minute = self.rate_at(utc), utc - utc % 60
        for after in range(1, 8 * _MINUTES_A_DAY):
            if self.rate_at(minute + 60 * after) != rate:
                return minute + 60 * after
        return None


def parse_schedule(value: object, timezone: str, setting: str = SETTING) -> Schedule:
    """A Schedule from the setting's value: a list, or the same as JSON text (as `-s` gives it)."""
    return Schedule(parse_entries(value, setting), _zone(timezone))


def parse_entries(value: object, setting: str = SETTING) -> tuple[Entry, ...]:
    """The entries of a schedule, without a time zone."""
    return tuple(_entry(pair, setting) for pair in pairs_of(value, setting))


def pairs_of(value: object, setting: str = SETTING) -> list[Any]:
    """What should be [when, rate] pairs, not yet parsed."""
    found = value
    if isinstance(found, str):
        try:
            found = json.loads(found) if found.strip() else []
        except (ValueError, RecursionError):
            raise _error(setting, value, 'JSON such as [["mon-fri 08:00-19:00", "1500 KB/s"]]') from None
    if not isinstance(found, list | tuple):
        raise _error(setting, value, "a list of [when, rate]")
    if len(found) == 2 and all(isinstance(part, str) for part in found):
        return [found]  # one entry without the outer brackets: its meaning is clear
    return list(found)


def _entry(pair: object, setting: str) -> Entry:
    if not (
        isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
    ):
        raise _error(setting, pair, 'entries such as ["mon-fri 08:00-19:00", "1500 KB/s"]')
    when, rate = pair
    words = when.lower().split()
    hours = words.pop() if words and ":" in words[-1] else "00:00-24:00"
    if len(words) > 1:
        raise _error(setting, when, 'days and hours such as "mon-fri 08:00-19:00", "sat,sun" or "*"')
    days = _days(words[0] if words else "*", setting)
    return Entry(days, *_minutes(hours, setting), bytes_per_second(rate, setting))


def _days(text: str, setting: str) -> frozenset[int]:
    if text == "*":
        return frozenset(range(7))
    days: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first not in _DAYS or (dash and last not in _DAYS):
            raise _error(setting, text, "days such as mon-fri, sat,sun or * (mon tue wed thu fri sat sun)")
        day, end = _DAYS.index(first), _DAYS.index(last or first)
        days.add(end)
        while day != end:  # sat-mon wraps around the end of the week
            days.add(day)
            day = (day + 1) % 7
    return frozenset(days)


def _minutes(text: str, setting: str) -> tuple[int, int]:
    found = _HOURS.fullmatch(text)
    hour, minute, end_hour, end_minute = map(int, found.groups()) if found else (99, 0, 99, 0)
    start, end = hour * 60 + minute, end_hour * 60 + end_minute
    valid = (
        start < _MINUTES_A_DAY and end <= _MINUTES_A_DAY and minute < 60 and end_minute < 60 and start != end
    )
    if not valid:
        raise _error(setting, text, "hours such as 08:00-19:00, 19:00-24:00 or 22:00-06:00")
    return start, end if end > start else end + _MINUTES_A_DAY


def bytes_per_second(text: str, setting: str = SETTING) -> float:
    """`1500 KB/s` → 1,500,000.0."""
    if text.strip().lower() == "unlimited":
        return UNLIMITED
    if text.strip() == "0":
        return 0.0
    try:
        return rate_bytes_per_second(text)
    except ValueError:
        expected = 'a rate such as "1500 KB/s", "2 MB/s", "10 Mbit/s", "0" or "unlimited"'
        raise _error(setting, text, expected) from None


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError, TypeError):  # ZoneInfoNotFoundError is a KeyError
        raise _error("SCHEDULE_TIMEZONE", name, "an IANA name such as Europe/Rome") from None


def _error(setting: str, found: object, expected: str) -> ScheduleError:
    try:
        shown = repr(found) if isinstance(found, str) else json.dumps(found, default=repr)
    except RecursionError:
        shown = "a deeply nested list"
    shown = shown if len(shown) <= MAX_SHOWN else f"{shown[:MAX_SHOWN]}…"
    return ScheduleError(f"{setting}: {shown} found, {expected} expected.")

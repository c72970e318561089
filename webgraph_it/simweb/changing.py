"""How the web changes from day to day: which pages exist, which links they have, and what their validators say.

Guarantees: pure. Everything is a function of (plan, page, day), and day 0 of a changing web is an ordinary web. Only
leaves of the tree of pages (plain.py) are born or die. So every page that exists can be reached from the seeds on every
day. A page keeps the links of the tree. Links to a dead page stay until their page changes.

    births, deaths    share of the pages that are born or die on a day
    changes           share of the pages whose links change on a day; each host has its own rate around this mean
    edits             a page that changes also changes twice as often in its text alone
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache
from math import exp, log
from random import Random
from typing import NamedTuple

from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.plain import SKEW, STAY_SHARE, PlainLinks
from webgraph_it.simweb.plan import Plan

MOST_BORN_LATE = 0.5
"""Share of the leaves that are not there on day 0, at most."""
REPLACED_SHARE = 0.3
"""Share of a page's links that one change replaces."""
EDITS_PER_CHANGE = 2
HIGHEST_RATE = 0.9
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""Day 0, in Last-Modified."""
NEVER = 1 << 30


class Edition(NamedTuple):
    """How often a page has changed until a day."""

    links: int
    text: int
    last_day: int
    """Of its last change; for the first edition, the day it was born."""


class Calendar:
    """What exists on one day."""

    def __init__(self, plan: Plan, day: int) -> None:
        self._plan = plan
        self.day = day
        self.life = lru_cache(maxsize=200_000)(self._life)
        self.rate = lru_cache(maxsize=None)(self._rate)

    def exists(self, host: Host, index: int) -> bool:
        born, dies = self.life(host.number, host.page_count, host.first_page + index, index)
        return born <= self.day < dies

    def is_born(self, host: Host, index: int) -> bool:
        return self._born(host, index) <= self.day

    def _born(self, host: Host, index: int) -> int:
        return self.life(host.number, host.page_count, host.first_page + index, index)[0]

    def link_days(self, host: Host, index: int) -> list[int]:
        """The days until today on which a page has other links. Its death does not matter here."""
        page, born = host.first_page + index, self._born(host, index)
        return _days(Random(f"{self._plan.seed} links change {page}"), self.rate(host.number), born, self.day)

    def edition(self, host: Host, index: int, targets: Sequence[tuple[Host, int]] = ()) -> Edition:
        """Of a page that was born. A page with these targets also changes when one of them is born."""
        page, rate = host.first_page + index, self.rate(host.number)
        born, links = self._born(host, index), self.link_days(host, index)
        texts = _days(
            Random(f"{self._plan.seed} text changes {page}"), EDITS_PER_CHANGE * rate, born, self.day
        )
        last_birth = max((self._born(other, i) for other, i in targets), default=0)
        return Edition(len(links), len(texts), max([born, last_birth, *links[-1:], *texts[-1:]]))

    def _rate(self, number: int) -> float:
        """The daily rate of a host."""
        drawn = Random(f"{self._plan.seed} rate {number}").lognormvariate(0, 1) / exp(0.5)
        return min(HIGHEST_RATE, self._plan.changes * drawn)

    def _life(self, number: int, page_count: int, page: int, index: int) -> tuple[int, int]:
        """The day of birth, and the first day on which the page is dead."""
        if index < _permanent(page_count):
            return 0, NEVER
        random = Random(f"{self._plan.seed} life {page}")
        birth_rate, death_rate = 2 * self._plan.births, 2 * self._plan.deaths  # half of the pages are leaves
        born, draw = 0, random.random()
        if birth_rate and draw < MOST_BORN_LATE:
            born = 1 + int(draw / birth_rate)
        return born, born + _gap(random, death_rate)


class ChangingLinks:
    """The links of ordinary pages on one day."""

    def __init__(self, plan: Plan, hosts: list[Host], calendar: Calendar) -> None:
        self._seed = plan.seed
        self._hosts = hosts
        self._first = PlainLinks(plan, hosts)
        self._calendar = calendar

    def targets(self, host: Host, index: int) -> list[tuple[int, int]]:
        """The targets. None is repeated, and none was born later."""
        found = self._first.targets(host, index)
        fixed = len(self._first.tree(host, index))
        for edition in range(self._calendar.edition(host, index).links):
            random = Random(f"{self._seed} edition {host.first_page + index} {edition}")
            for slot in range(fixed, len(found)):
                if random.random() < REPLACED_SHARE:
                    found[slot] = self._drawn(host, random)
        is_born = self._calendar.is_born
        return [target for target in dict.fromkeys(found) if is_born(self._hosts[target[0]], target[1])]

    def _drawn(self, host: Host, random: Random) -> tuple[int, int]:
        other = host if random.random() < STAY_SHARE else self._hosts[_skewed(len(self._hosts), random)]
        return other.number, _skewed(other.page_count, random)


def permanent_pages(host: Host) -> int:
    """How many first pages of a host are neither born nor die, because others are reached through them."""
    return _permanent(host.page_count)


def _permanent(page_count: int) -> int:
    return max(1, page_count // 2)


def validators(plan: Plan, host: Host, page: int, edition: Edition, day: int) -> tuple[tuple[str, str], ...]:
    """The ETag and Last-Modified of a page."""
    kind = plan.validators[host.number % len(plan.validators)]
    if kind == "absent":
        return ()
    changed = day if kind == "fickle" else edition.last_day
    when = format_datetime(FIRST_DAY + timedelta(days=changed), usegmt=True)
    return ("ETag", f'"{page}-{edition.links}-{edition.text}-{changed}"'), ("Last-Modified", when)


def is_stale(plan: Plan, host: Host) -> bool:
    """Whether it answers every conditional request with 304."""
    return plan.is_changing and plan.validators[host.number % len(plan.validators)] == "stale"


def _days(random: Random, rate: float, born: int, until: int) -> list[int]:
    """The days of change after the birth, up to `until`."""
    days: list[int] = []
    day = born + _gap(random, min(rate, HIGHEST_RATE))
    while day <= until:
        days.append(day)
        day += _gap(random, min(rate, HIGHEST_RATE))
    return days


def _gap(random: Random, rate: float) -> int:
    """Days until something happens that has this chance on each day: at least 1."""
    if not rate:
        return NEVER
    return 1 + int(log(1 - random.random()) / log(1 - rate))


def _skewed(size: int, random: Random) -> int:
    return int(size * random.random() ** SKEW)

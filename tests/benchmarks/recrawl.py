"""Re-visits: ours against round robin, Nutch's adaptive schedule and literal Anansi, on the same changing web.

    python -m tests.benchmarks.recrawl [--pages 20000] [--days 540] [--every 60] [--picture docs/pictures/recrawl.svg]

The web is simweb's: pages change and die on the days that simweb's calendar says, and have the links that simweb would
serve (no HTTP, no births). Every page is visited on day 0. Then each policy has the same number of re-visits per day,
one in `--every` of the pages. It knows only what its visits showed. What is measured after the first third:

    arcs right         |known ∩ true| / |known ∪ true| over all arcs, mean over the days
    fresh              share of the pages whose known links are the true ones
    fresh, weighted    the same, each page with its in-degree
    mean age, oldest   days since the last visit, mean over pages and days, and the maximum
    wasted             share of the re-visits that found nothing new
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from webgraph_it.recrawl import policies
from webgraph_it.recrawl.policies import Visited
from webgraph_it.simweb import Plan
from webgraph_it.simweb.changing import Calendar, ChangingLinks, Edition
from webgraph_it.simweb.hosts import Host, ordinary_hosts

DAY = 86_400.0
NAMES = {
    "round robin": policies.uniform,
    "Nutch, adaptive": policies.adaptive,
    "Anansi, literal": policies.anansi,
    "ours, smoothed": policies.smoothed,
}
COLOURS = ("#3465a4", "#8a6d3b", "#a40000", "#2e7d32")
SHIFTS = {"round robin": 13, "Nutch, adaptive": 1}
"""Names of lines that end close to each other."""
Links = frozenset[int]


class AtEdition:
    """A calendar that shows a page in one of its editions."""

    def __init__(self) -> None:
        self.links = 0

    def edition(self, host: Host, index: int) -> Edition:
        return Edition(self.links, 0, 0)

    def is_born(self, host: Host, index: int) -> bool:
        return True


class Web:
    """All editions of all pages, computed once. A page that died is an edition without links."""

    def __init__(self, plan: Plan, days: int) -> None:
        self.days = days
        self.editions: list[list[Links]] = []
        self.events: list[list[int]] = [[] for _ in range(days + 1)]
        """Day → pages that have their next edition from that day on."""
        hosts, calendar, shown = ordinary_hosts(plan), Calendar(plan, days), AtEdition()
        links = ChangingLinks(plan, hosts, shown)  # type: ignore[arg-type]
        for host in hosts:
            for index in range(host.page_count):
                self._add_page(calendar, links, shown, hosts, host, index)

    def _add_page(
        self,
        calendar: Calendar,
        links: ChangingLinks,
        shown: AtEdition,
        hosts: list[Host],
        host: Host,
        index: int,
    ) -> None:
        page = host.first_page + index
        dies = calendar.life(host.number, host.page_count, page, index)[1]
        editions = []
        for day in [0, *(d for d in calendar.link_days(host, index) if d < dies)]:
            shown.links = len(editions)
            targets = links.targets(host, index)
            editions.append(frozenset(hosts[number].first_page + i for number, i in targets))
            if day:
                self.events[day].append(page)
        if dies <= self.days:
            editions.append(frozenset())
            self.events[dies].append(page)
        self.editions.append(editions)

    def __len__(self) -> int:
        return len(self.editions)


@dataclass
class Figures:
    """Sums over the measured days."""

    by_day: list[float] = field(default_factory=list)
    """Fresh, weighted, of every day."""
    days: int = 0
    right: float = 0.0
    fresh: float = 0.0
    weighted: float = 0.0
    age: float = 0.0
    oldest: float = 0.0
    visits: int = 0
    wasted: int = 0

    def row(self) -> dict[str, float]:
        return {
            "arcs right": self.right / self.days,
            "fresh": self.fresh / self.days,
            "fresh, weighted": self.weighted / self.days,
            "mean age": self.age / self.days,
            "oldest": self.oldest,
            "wasted": self.wasted / max(self.visits, 1),
        }


@dataclass
class Crawl:
    """What one policy knows of the web, and how right it is. All arrays have one entry per page."""

    web: Web
    policy: policies.Policy
    now: NDArray[np.int64] = field(init=False)
    known: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.web)
        self.now, self.known = np.zeros(count, np.int64), np.zeros(count, np.int64)
        first = [editions[0] for editions in self.web.editions]
        self.both = np.array([len(links) for links in first], np.int64)
        self.either = self.both.copy()
        self.true_in = np.bincount([t for links in first for t in links], minlength=count)
        self.pages = Visited(
            last_visit=np.zeros(count),
            revisits=np.zeros(count, np.int64),
            changes=np.zeros(count),
            last_change=np.ones(count),
            indegree=self.true_in.copy(),
            outdegree=self.both.copy(),
            due=np.full(count, policies.DEFAULT_INTERVAL_SECONDS),
        )
        self._interval, self._modified = np.full(count, policies.DEFAULT_INTERVAL_SECONDS), np.zeros(count)

    def run(self, every: int) -> Figures:
        figures = Figures()
        for day in range(1, self.web.days + 1):
            for page in self.web.events[day]:
                self._change(page)
            chosen = self.policy(self.pages, day * DAY, len(self.web) // every)
            wasted = self._visit(chosen, day * DAY)
            figures.by_day.append(self._weighted())
            if day > self.web.days // 3:
                self._measure(figures, day)
                figures.visits += len(chosen)
                figures.wasted += wasted
        return figures

    def _change(self, page: int) -> None:
        editions = self.web.editions[page]
        before, after = editions[self.now[page]], editions[self.now[page] + 1]
        np.subtract.at(self.true_in, list(before - after), 1)
        np.add.at(self.true_in, list(after - before), 1)
        self.now[page] += 1
        self._compare(page)

    def _compare(self, page: int) -> None:
        known, true = (self.web.editions[page][which[page]] for which in (self.known, self.now))
        self.both[page], self.either[page] = len(known & true), len(known | true)

    def _visit(self, chosen: NDArray[np.int64], now: float) -> int:
        """Returns how many visits found nothing new."""
        change = np.zeros(len(chosen))
        for place, page in enumerate(chosen.tolist()):
            before, after = (self.web.editions[page][which[page]] for which in (self.known, self.now))
            if before != after:
                change[place] = 1 - len(before & after) / len(before | after)
                np.subtract.at(self.pages.indegree, list(before - after), 1)
                np.add.at(self.pages.indegree, list(after - before), 1)
                self.pages.outdegree[page] = len(after)
            self.known[page] = self.now[page]
            self._compare(page)
        pages = self.pages
        pages.last_visit[chosen], pages.last_change[chosen] = now, change
        pages.revisits[chosen] += 1
        pages.changes[chosen] += change
        pages.due[chosen], self._interval[chosen], self._modified[chosen] = policies.next_due(
            self._interval[chosen], self._modified[chosen], np.full(len(chosen), now), change > 0
        )
        return int((change == 0).sum())

    def _weighted(self) -> float:
        return float((self.both == self.either) @ self.true_in / self.true_in.sum())

    def _measure(self, figures: Figures, day: int) -> None:
        fresh = self.both == self.either
        age = day - self.pages.last_visit / DAY
        figures.days += 1
        figures.right += self.both.sum() / self.either.sum()
        figures.fresh += fresh.mean()
        figures.weighted += self._weighted()
        figures.age += age.mean()
        figures.oldest = max(figures.oldest, float(age.max()))


def measured(plan: Plan, days: int, every: int, told: Callable[[str], None]) -> dict[str, Figures]:
    """Policy → its figures."""
    web = Web(plan, days)
    told(
        f"{len(web):,} pages on {plan.hosts} hosts, {days} days, one re-visit per page in {every} days; "
        f"{sum(map(len, web.events)):,} changes"
    )
    return {name: Crawl(web, policy).run(every) for name, policy in NAMES.items()}


def picture(by_day: dict[str, list[float]]) -> str:
    """Weighted freshness over time, one line per policy, each with its name at its end."""
    width, height, left, right, top, bottom = 760, 340, 56, 130, 34, 40
    days = max(len(values) for values in by_day.values())
    low = min(min(values) for values in by_day.values()) // 0.1 / 10

    def at(day: float, value: float) -> str:
        x = left + (width - left - right) * day / days
        return f"{x:.1f},{top + (height - top - bottom) * (1 - value) / (1 - low):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{left}" y="20">Pages whose known links are right, weighted by in-degree, over days</text>',
    ]
    for step in range(round(10 * low), 11):
        (x1, y), (x2, _) = (at(day, step / 10).split(",") for day in (0, days))
        parts.append(f'<path d="M{x1} {y}H{x2}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{10 * step} %</text>')
    for day in range(0, days + 1, 90):
        x = at(day, low).split(",")[0]
        parts.append(f'<text x="{x}" y="{height - bottom + 20}" text-anchor="middle">{day}</text>')
    for (name, values), colour in zip(by_day.items(), COLOURS, strict=True):
        weeks = [(day, sum(values[day : day + 7]) / len(values[day : day + 7])) for day in range(0, days, 7)]
        points = " ".join(at(day, value) for day, value in weeks)
        x, y = at(days, weeks[-1][1]).split(",")
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = f"{float(y) + SHIFTS.get(name, 4):.1f}"
        parts.append(f'<text x="{float(x) + 6:.1f}" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def shown(name: str, value: float) -> str:
    return f"{value:.0f} d" if name in ("mean age", "oldest") else f"{100 * value:.1f} %"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Policies of re-visits on the same changing web.")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=400)
    parser.add_argument("--days", type=int, default=540)
    parser.add_argument(
        "--every",
        type=int,
        default=60,
        metavar="DAYS",
        help="days for as many re-visits as there are pages",
    )
    parser.add_argument("--changes", type=float, default=0.01, help="share of the pages that change on a day")
    parser.add_argument("--deaths", type=float, default=0.0002, help="share of the pages that die on a day")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw freshness over time as SVG")
    options = parser.parse_args(arguments)
    plan = Plan(options.hosts, options.pages, changes=options.changes, deaths=options.deaths)
    figures = measured(plan, options.days, options.every, print)
    results = {name: each.row() for name, each in figures.items()}
    columns = list(next(iter(results.values())))
    print(f"{'':17}" + "".join(f"{column:>17}" for column in columns))
    for name, row in results.items():
        print(f"{name:17}" + "".join(f"{shown(column, row[column]):>17}" for column in columns))
    if options.picture:
        options.picture.write_text(picture({name: each.by_day for name, each in figures.items()}))


if __name__ == "__main__":
    main()

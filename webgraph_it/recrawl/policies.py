"""Which pages to visit again first. Pure functions of arrays, one entry per page that was fetched.

    C  how much the links of a page changed between two visits: 1 - |before ∩ after| / |before ∪ after|
    T  time since the last visit, in units of half a year
    I  in-degree    O  out-degree

`anansi` is K. Chen's formula (NCSU, 2010): C·T·(I + O), with the C of the last two visits. One visit without a change
sets C to 0, so the page is not visited again while any other page has a positive priority. `smoothed` repairs this: C
is (PRIOR_CHANGE + ΣC) / (1 + re-visits), and every fifth re-visit goes to the page that was not visited for the longest
time. `uniform` is round robin. `adaptive` is the schedule of Apache Nutch (AdaptiveFetchSchedule).

Guarantees: a policy returns each page at most once, the most urgent first, and the same order for the same input. If
there are fewer pages than the budget, it returns all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

HALF_YEAR_SECONDS = 182.5 * 86_400
PRIOR_CHANGE = 0.3
"""C of a page that was visited once. It counts as much as one observed change."""
OLDEST_EVERY = 5
"""One re-visit of so many goes to the page with the oldest visit."""

INC_RATE, DEC_RATE, SYNC_DELTA_RATE = 0.4, 0.2, 0.3
"""db.fetch.schedule.adaptive.inc_rate, .dec_rate and .sync_delta_rate, as nutch-default.xml documents them."""
MIN_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS = 60.0, 31_536_000.0
DEFAULT_INTERVAL_SECONDS = 2_592_000.0
"""db.fetch.interval.default: 30 days."""


@dataclass(frozen=True, slots=True)
class Visited:
    """What is known of the pages that were fetched. All arrays have the same length."""

    last_visit: Array
    """Seconds since 1970."""
    revisits: Array
    """Visits after the first."""
    changes: Array
    """ΣC over the re-visits."""
    last_change: Array
    """C of the last re-visit; 1 if there was none, because nothing is known."""
    indegree: Array
    outdegree: Array
    due: Array
    """When Nutch's schedule visits the page again, seconds since 1970 (see `next_due`)."""

    def __len__(self) -> int:
        return len(self.last_visit)


Policy = Callable[[Visited, float, int], Array]
"""(pages, now, budget) → positions in the arrays."""


def smoothed(pages: Visited, now: float, budget: int) -> Array:
    """By C·T·(I + O) with a smoothed C, and every fifth the oldest."""
    change = (PRIOR_CHANGE + pages.changes) / (1 + pages.revisits)
    urgent = _first(-priority(pages, change, now), pages, budget)
    oldest = _first(pages.last_visit, pages, -(-budget // OLDEST_EVERY))
    return _merged(urgent, oldest, budget)


def anansi(pages: Visited, now: float, budget: int) -> Array:
    """By C·T·(I + O), to the letter."""
    return _first(-priority(pages, pages.last_change, now), pages, budget)


def uniform(pages: Visited, now: float, budget: int) -> Array:
    """Round robin: the oldest visit first."""
    return _first(pages.last_visit, pages, budget)


def adaptive(pages: Visited, now: float, budget: int) -> Array:
    """Nutch: the page that is due for the longest time first."""
    return _first(pages.due, pages, budget)


POLICIES: dict[str, Policy] = {
    "smoothed": smoothed,
    "anansi": anansi,
    "uniform": uniform,
    "adaptive": adaptive,
}


def priority(pages: Visited, change: Array, now: float) -> Array:
    """C·T·(I + O)."""
    age = np.maximum(now - pages.last_visit, 0) / HALF_YEAR_SECONDS
    return change * age * (pages.indegree.astype(np.float64) + pages.outdegree)


def next_due(interval: Array, modified: Array, visit: Array, changed: Array) -> tuple[Array, Array, Array]:
    """One step of Nutch's schedule after a visit: (due, interval, modified), all in seconds.

    A page that changed is visited sooner the next time, one that did not change later. The next visit is moved
    towards the time of the last known change (db.fetch.schedule.adaptive.sync_delta).
    """
    modified = np.where(changed, visit, modified)
    interval = interval * np.where(changed, 1 - DEC_RATE, 1 + INC_RATE)
    delta = visit - modified
    interval = np.clip(np.maximum(interval, delta), MIN_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS)
    return visit - delta * SYNC_DELTA_RATE + interval, interval, modified


def _first(value: Array, pages: Visited, count: int) -> Array:
    """The positions of the lowest values; among equals the oldest visit, then the first position."""
    count = min(max(count, 0), len(pages))
    if not count:
        return np.empty(0, np.int64)
    limit = np.partition(value, count - 1)[count - 1]
    chosen = np.flatnonzero(value <= limit)  # ties at the limit are cut by the sort
    return chosen[np.lexsort((pages.last_visit[chosen], value[chosen]))][:count]


def _merged(urgent: Array, oldest: Array, budget: int) -> Array:
    """The urgent ones, with one of the oldest as every fifth. A page that is in both comes once, where it is first."""
    places = np.concatenate(
        [
            np.arange(len(urgent)) * OLDEST_EVERY / (OLDEST_EVERY - 1),
            np.arange(len(oldest)) * OLDEST_EVERY + OLDEST_EVERY - 1.5,
        ]
    )
    pages = np.concatenate([urgent, oldest])[np.argsort(places, kind="stable")]
    _, first = np.unique(pages, return_index=True)
    return pages[np.sort(first)][:budget]

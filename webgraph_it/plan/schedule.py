"""The mean bandwidth of BANDWIDTH_SCHEDULE over a week."""

import math

from webgraph_it.fetch.schedule import parse_schedule
from webgraph_it.settings_table import CrawlSettings

MINUTES_A_WEEK = 7 * 24 * 60
A_MONDAY = 1_789_336_800
"""A Monday in summer, midnight in Italy: the clocks do not change in that week."""


def mean_rate(plan: object, ceiling: float | None, option: str) -> float:
    """Bytes per second over a week, counting at most `ceiling` (the crawler's maximum) at any time.

    Raises ValueError if the plan is wrong, or has unlimited hours and there is no ceiling. `option` names the plan in
    the message.
    """
    schedule = parse_schedule(plan, CrawlSettings.SCHEDULE_TIMEZONE.default_value, option)
    rates = [schedule.rate_at(A_MONDAY + 60 * minute) for minute in range(MINUTES_A_WEEK)]
    most = math.inf if ceiling is None else ceiling
    mean = sum(min(rate, most) for rate in rates) / MINUTES_A_WEEK
    if math.isinf(mean):
        raise ValueError(f"{option} has unlimited hours: give the crawler's speed with --pages-per-second")
    return mean

"""The mean of a bandwidth plan over a week: what BANDWIDTH_SCHEDULE lets through on average."""

import math

from webgraph_it.fetch.schedule import parse_schedule
from webgraph_it.settings_table import CrawlSettings

MINUTES_A_WEEK = 7 * 24 * 60
A_MONDAY = 1_789_336_800
"""A Monday in summer, midnight in Italy: a week without a change of clocks."""


def mean_rate(plan: object, ceiling: float | None, option: str) -> float:
    """Bytes per second over a week, counting at most `ceiling` (what the crawler can take) at any time.

    `option` is what a ValueError calls the plan when it is wrong; so is a plan with unlimited hours and no ceiling.
    """
    schedule = parse_schedule(plan, CrawlSettings.SCHEDULE_TIMEZONE.default_value, option)
    rates = [schedule.rate_at(A_MONDAY + 60 * minute) for minute in range(MINUTES_A_WEEK)]
    most = math.inf if ceiling is None else ceiling
    mean = sum(min(rate, most) for rate in rates) / MINUTES_A_WEEK
    if math.isinf(mean):
        raise ValueError(f"{option} has unlimited hours: say with --pages-per-second what the crawler can do")
    return mean

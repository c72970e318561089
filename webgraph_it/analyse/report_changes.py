"""The report's section about how the web changed. Only for a graph through time."""

from webgraph_it.analyse.changes import FEWEST_REVISITS, Changes
from webgraph_it.report.charts import Line, legend, line_chart
from webgraph_it.report.parts import card, host_link, table, tiles
from webgraph_it.report.svg import Markup, element, exact, percent

MAX_POINTS = 120
"""Days are added up so that a chart has at most so many points."""


def changes_section(changes: Changes) -> list[Markup]:
    words = (
        f"What the visits from {changes.first_day} to {changes.last_day} showed. A page or link counts as born on the "
        "day of the first visit that saw it, and as gone on the day of the first visit that no longer saw it. What was "
        "seen on the first day is not born. A half-life is the time after which half is gone at the observed rate."
    )
    cards = [made for made in (_over_time(changes), _hosts(changes)) if made]
    return [element("p", words), _figures(changes), element("div", *cards, class_="cards")]


def _figures(changes: Changes) -> Markup:
    figures = [
        (exact(changes.pages_born), "pages born"),
        (exact(changes.pages_gone), "pages gone"),
        (exact(changes.pages_changed), "pages with other links"),
        (exact(changes.links_born), "links born"),
        (exact(changes.links_gone), "links gone"),
        (_days(changes.page_half_life_days), "half-life of a page"),
        (_days(changes.link_half_life_days), "half-life of a link"),
    ]
    return tiles([(value, what) for value, what in figures if value])


def _days(days: float | None) -> str:
    """Empty if it is unknown."""
    if days is None:
        return ""
    return f"{days:,.0f} days" if days >= 10 else f"{days:.1f} days"


def _over_time(changes: Changes) -> Markup | None:
    count = len(changes.born_by_day)
    if count < 2:
        return None
    step = -(-count // MAX_POINTS)
    starts = range(0, count, step)
    born, gone = (
        [float(sum(values[start : start + step])) for start in starts]
        for values in (changes.born_by_day, changes.gone_by_day)
    )
    lines = [Line("born:", born, "series-3"), Line("gone:", gone, "series-2")]
    unit = "a day" if step == 1 else f"in {step} days"
    title = f"Links born and gone, {unit}"
    chart = line_chart(title, [float(start) for start in starts], lines, "days", "links")
    return card(title, "", legend([("born", "series-3"), ("gone", "series-2")]), chart)


def _hosts(changes: Changes) -> Markup | None:
    if not changes.hosts:
        return None
    rows = [
        [host_link(host.name), exact(host.revisits), exact(host.changes), percent(host.share, 1)]
        for host in changes.hosts
    ]
    words = (
        "The highest share of re-visits that found other links than the visit before, of hosts with "
        f"{FEWEST_REVISITS} re-visits or more."
    )
    head = ["host", "re-visits", "changes", "share"]
    return card("Hosts that change most", words, table(head, rows, numbers={1, 2, 3}, names={0}))

"""The charts of the report: lines over time, dots on two logarithmic axes, bars, named dots.

Each function takes numbers and names and returns a drawing. None knows where they come from.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from webgraph_it.report.svg import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Markup,
    Scale,
    element,
    exact,
    frame,
    hit,
    number,
    percent,
    picture,
    scale_for,
    short,
    text,
    tip,
)

MAX_DOTS = 350


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart."""

    name: str
    values: Sequence[float | None]
    """One per x value. None means a gap."""
    class_: str
    """series-1 … series-6, or limit for a dashed cap, which is drawn in steps."""
    filled: bool = False


def line_chart(title: str, xs: Sequence[float], lines: Sequence[Line], x_label: str, y_label: str) -> Markup:
    """Lines over one x axis that starts at the first x. Hovering anywhere shows all values at that x."""
    x = Scale(xs[0], xs[-1] if xs[-1] > xs[0] else xs[0] + 1, LEFT, WIDTH - RIGHT)
    known = [value for line in lines for value in line.values if value is not None]
    y = scale_for(known, HEIGHT - BOTTOM, TOP)
    drawn = [_path(line, xs, x, y) for line in lines]
    return picture(title, frame(x, y, x_label, y_label), drawn, _strips(xs, lines, x, y, x_label))


def _path(line: Line, xs: Sequence[float], x: Scale, y: Scale) -> list[Markup]:
    parts = []
    for run in _runs(xs, line.values):
        run = _stepped(run) if line.class_ == "limit" else run
        points = " ".join(f"{number(x(at))},{number(y(value))}" for at, value in run)
        if line.filled:
            foot = number(y(0))
            area = f"{number(x(run[0][0]))},{foot} {points} {number(x(run[-1][0]))},{foot}"
            parts.append(element("polygon", points=area, class_=f"area {line.class_}"))
        parts.append(element("polyline", points=points, class_=f"line {line.class_}"))
    return parts


def _runs(xs: Sequence[float], values: Sequence[float | None]) -> list[list[tuple[float, float]]]:
    """The runs of points without a gap."""
    runs: list[list[tuple[float, float]]] = [[]]
    for at, value in zip(xs, values, strict=True):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((at, value))
    return [run for run in runs if run]


def _stepped(run: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Steps, because a cap holds until the next one starts."""
    corners = [(right[0], left[1]) for left, right in itertools.pairwise(run)]
    return [point for pair in zip(run, [*corners, run[-1]], strict=True) for point in pair]


def _strips(xs: Sequence[float], lines: Sequence[Line], x: Scale, y: Scale, x_label: str) -> list[Markup]:
    hits = []
    edges = [x(xs[0]), *((x(a) + x(b)) / 2 for a, b in itertools.pairwise(xs)), x(xs[-1])]
    for index, at in enumerate(xs):
        here = [(line, value) for line in lines if (value := line.values[index]) is not None]
        if not here:
            continue
        left, right = edges[index], max(edges[index + 1], edges[index] + 1)
        area = element(
            "rect", x=left, y=TOP, width=right - left, height=HEIGHT - BOTTOM - TOP, class_="strip"
        )
        guide = element("line", x1=x(at), x2=x(at), y1=TOP, y2=HEIGHT - BOTTOM, class_="guide")
        dots = [element("circle", cx=x(at), cy=y(value), r=3.5, class_=line.class_) for line, value in here]
        told = [f"{exact(at)} {x_label}", *(f"{line.name} {exact(round(value, 2))}" for line, value in here)]
        shown = element("g", guide, dots, class_="shown")
        hits.append(hit(area, shown, tip(x(at), y(here[0][1]), told)))
    return hits


def legend(lines: Sequence[tuple[str, str]]) -> Markup:
    """Names next to their colours: (name, class)."""
    keys = [element("span", element("i", "", class_=f"key {class_}"), name) for name, class_ in lines]
    return element("p", *keys, class_="legend")


# -- degrees -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fit:
    """A law fitted to the tail of a distribution: its points and its label."""

    points: Sequence[tuple[float, float]]
    """From the start of the tail."""
    label: str


def log_dots(
    title: str,
    points: Sequence[tuple[float, float]],
    fit: Fit | None,
    x_label: str,
    y_label: str,
    class_: str,
) -> Markup:
    """Dots on two logarithmic axes, and a fitted line. Zeros have no logarithm and are not shown."""
    dots = _thinned([(at, value) for at, value in points if at > 0 and value > 0])
    x = scale_for([at for at, _ in dots], LEFT, WIDTH - RIGHT, logarithmic=True)
    y = scale_for([value for _, value in dots], HEIGHT - BOTTOM, TOP, logarithmic=True)
    drawn = [element("circle", cx=x(at), cy=y(value), r=2.6, class_=f"dot {class_}") for at, value in dots]
    hits = [
        hit(
            element("circle", cx=x(at), cy=y(value), r=6, class_="strip"),
            tip(x(at), y(value), [f"{x_label}: {exact(at)}", f"{y_label}: {exact(value)}"]),
        )
        for at, value in dots
    ]
    return picture(title, frame(x, y, x_label, y_label), drawn, _fitted(fit, x, y) if fit else "", hits)


def _fitted(fit: Fit, x: Scale, y: Scale) -> list[Markup]:
    """The line within the drawing, its start, and its label in the empty corner above."""
    visible = [(at, value) for at, value in fit.points if value >= y.low]
    line = " ".join(f"{number(x(at))},{number(y(value))}" for at, value in visible)
    start = x(fit.points[0][0])
    return [
        element("line", x1=start, x2=start, y1=TOP + 22, y2=HEIGHT - BOTTOM, class_="start"),
        element("polyline", points=line, class_="line fit"),
        text(WIDTH - RIGHT, TOP + 14, fit.label, "fit-label", "end"),
    ]


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most about MAX_DOTS, evenly over the logarithm of x. The first and the last are always kept."""
    if len(points) <= MAX_DOTS:
        return points
    last = math.log(points[-1][0]) or 1.0
    kept = {int(math.log(at) / last * MAX_DOTS): (at, value) for at, value in reversed(points)}
    return sorted({*kept.values(), points[-1]})


# -- bars ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    name: str
    value: float
    class_: str = "series-1"


ROW = 27


def bars(title: str, rows: Sequence[Bar], unit: str) -> Markup:
    """Horizontal bars with their names to the left and their values to the right."""
    names = min(0.42 * WIDTH, max(len(row.name) for row in rows) * CHARACTER_WIDE + 12)
    room = WIDTH - names - 58
    whole = sum(row.value for row in rows)
    largest = max((row.value for row in rows), default=1) or 1
    height = ROW * len(rows) + 8
    parts, hits = [], []
    for index, row in enumerate(rows):
        top = ROW * index + 4
        long = max(1.5, room * row.value / largest)
        parts.append(text(names - 8, top + 15, cut(row.name, names), "name", "end"))
        parts.append(
            element("rect", x=names, y=top + 3, width=long, height=ROW - 9, rx=3, class_=f"bar {row.class_}")
        )
        parts.append(text(names + long + 6, top + 15, short(row.value), "value"))
        told = [row.name, f"{exact(row.value)} {unit} · {percent(row.value, whole)}"]
        area = element("rect", x=0, y=top, width=WIDTH, height=ROW, class_="strip")
        hits.append(hit(area, tip(names + long / 2, top + 44, told, height=max(height, 60))))
    return picture(title, parts, hits, height=max(height, 60))


CHARACTER_WIDE = 8.0


def cut(words: str, room: float) -> str:
    """The beginning of a name, as much as fits. Hovering shows the rest."""
    most = max(3, int(room / CHARACTER_WIDE) - 1)
    return words if len(words) <= most else words[: most - 1] + "…"


# -- scatter -------------------------------------------------------------------------------------------------


def scatter(title: str, points: Sequence[tuple[float, float, str]], x_label: str, y_label: str) -> Markup:
    """Named dots (x, y, name). x is at least 1 and on a logarithmic axis."""
    x = scale_for([at for at, _, _ in points], LEFT, WIDTH - RIGHT, logarithmic=True)
    values = [value for _, value, _ in points]
    margin = (max(values) - min(values)) * 0.08 or 1.0
    y = Scale(min(values) - margin, max(values) + margin, HEIGHT - BOTTOM, TOP)
    dots = [element("circle", cx=x(at), cy=y(value), r=4, class_="dot series-1") for at, value, _ in points]
    hits = [
        hit(
            element("circle", cx=x(at), cy=y(value), r=7, class_="strip"),
            tip(x(at), y(value), [cut(name, WIDTH - 40), f"place {exact(at)}, {y_label} {exact(value)}"]),
        )
        for at, value, name in points
    ]
    return picture(title, frame(x, y, x_label, y_label), dots, hits)

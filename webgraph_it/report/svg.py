"""The parts of a chart: escaped elements, scales, ticks, frames, values on hover.

Pictures are plain SVG text made here, without a plotting library. We only need a frame, lines, dots and bars. A
library's pictures cannot follow the reader's light or dark theme, and it is larger than the rest of
the project. Colours are CSS classes (see style.py). A chart has one fixed drawing width that is readable
both on a phone and in a column of a wide page. Values on hover are groups of class `hit` that show their
`tip`, without a script.

Guarantees: `element` escapes all text, and nothing else writes markup.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 400, 270
LEFT, RIGHT, TOP, BOTTOM = 56, 18, 32, 44
CHARACTER = 7.6
"""Width of an average character of a tip, in drawing units."""


class Markup(str):
    """Text that is markup already. Everything else is escaped when it becomes part of a page."""

    __slots__ = ()


def markup(content: object) -> Markup:
    """Content as markup. Text is escaped, markup is not. Sequences are joined."""
    if isinstance(content, Markup):
        return content
    if isinstance(content, list | tuple):
        return Markup("".join(markup(part) for part in content))
    return Markup("" if content is None else escape(str(content), quote=True))


def element(name: str, /, *content: object, **attributes: object) -> Markup:
    """`element("a", "x<y", class_="k")` is `<a class="k">x&lt;y</a>`. None leaves an attribute out. Numbers
    are rounded.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(number(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = markup(content)
    if not inner and name in _EMPTY:
        return Markup(f"<{name}{written}>" if name in _VOID else f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{inner}</{name}>")


_VOID = frozenset({"input", "meta", "br"})
_EMPTY = _VOID | {"path", "line", "rect", "circle", "polyline", "polygon"}


def number(value: object) -> str:
    """Coordinates need no more than two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


# -- numbers for people --------------------------------------------------------------------------------------


def short(value: float) -> str:
    """1234567 is 1.23M. For axes and bars."""
    for limit, sign in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            unit = 1e3 if sign == "k" else limit
            return f"{value / unit:.3g}{sign}"
    if value == int(value):
        return f"{int(value):,}"
    if 0 < value < 0.001:
        return _scientific(value)
    return f"{value:.3g}"


def _scientific(value: float) -> str:
    """0.00001 is 10⁻⁵. 0.00002 is 2·10⁻⁵."""
    digits, _, exponent = f"{value:.2e}".partition("e")
    power = f"10{str(int(exponent)).translate(_RAISED)}"
    return power if float(digits) == 1 else f"{float(digits):g}·{power}"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def exact(value: float) -> str:
    """1234567 is 1,234,567 and 0.000123456 is 0.0001235. For tips and tables."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.4g}"


def percent(part: float, whole: float) -> str:
    if not whole or not part:
        return "0 %"
    share = 100 * part / whole
    if share < 0.1:
        return "< 0.1 %"
    return f"{share:.1f} %" if share < 99.95 or part == whole else "99.9 %"


# -- scales --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to drawing units, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        low, high, at = self.low, self.high, value
        if self.logarithmic:
            low, high, at = math.log10(low), math.log10(high), math.log10(max(value, self.low))
        return self.start + (at - low) / ((high - low) or 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        return log_ticks(self.low, self.high) if self.logarithmic else even_ticks(self.low, self.high)


def even_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round values from low to high, in steps of 1, 2 or 5 times a power of ten."""
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / about))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= about + 0.5)
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / 7))
    return [10.0**exponent for exponent in range(first, last + 1, every)]


def scale_for(values: Sequence[float], start: float, end: float, logarithmic: bool = False) -> Scale:
    """A scale that covers all values: from 0 (or the power of ten below) to a little above the largest."""
    positive = [value for value in values if value > 0]
    high = max(positive, default=1.0)
    if not logarithmic:
        return Scale(0.0, high * 1.06, start, end)
    low = 10.0 ** math.floor(math.log10(min(positive, default=1.0)))
    return Scale(low, max(high * 1.5, low * 10), start, end, True)


# -- parts of a picture --------------------------------------------------------------------------------------


def picture(label: str, *content: object, width: float = WIDTH, height: float = HEIGHT) -> Markup:
    """The whole drawing. `label` is the text for screen readers."""
    box = f"0 0 {number(width)} {number(height)}"
    return element("svg", *content, viewBox=box, role="img", aria_label=label, class_="chart")


def text(x: float, y: float, words: object, class_: str | None = None, anchor: str | None = None) -> Markup:
    return element("text", words, x=x, y=y, class_=class_, text_anchor=anchor)


def frame(x: Scale, y: Scale, x_label: str, y_label: str, height: float = HEIGHT) -> Markup:
    """Grid lines, ticks and the titles of both axes. The title of y is above its ticks, so that they do not overlap."""
    foot = height - BOTTOM
    parts = []
    for tick in y.ticks():
        parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(tick), y2=y(tick), class_="grid"))
        parts.append(text(LEFT - 7, y(tick) + 4, short(tick), "tick", "end"))
    for tick in x.ticks():
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=foot, y2=foot + 4, class_="axis"))
        parts.append(text(x(tick), foot + 18, short(tick), "tick", "middle"))
    parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=foot, y2=foot, class_="axis"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, height - 5, x_label, "label", "middle"))
    parts.append(text(2, 12, y_label, "label"))
    return markup(parts)


def tip(x: float, y: float, lines: Sequence[str], width: float = WIDTH, height: float = HEIGHT) -> Markup:
    """A small box of text near (x, y), kept inside the drawing."""
    wide = max(len(line) for line in lines) * CHARACTER + 16
    tall = 16 * len(lines) + 10
    left = min(max(2.0, x + 10 if x + 10 + wide < width else x - 10 - wide), max(2.0, width - wide - 2))
    top = min(max(2.0, y - tall - 8), height - tall - 2)
    box = element("rect", x=left, y=top, width=wide, height=tall, rx=5)
    rows = [text(left + 8, top + 17 + 16 * row, line) for row, line in enumerate(lines)]
    return element("g", box, rows, class_="tip")


def hit(area: Markup, *shown: object) -> Markup:
    """An area that shows something while the pointer is over it. Draw hits last, so that tips are on top."""
    return element("g", area, shown, class_="hit")

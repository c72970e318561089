"""The pictures of the report that are not charts: the bow-tie and the link matrix."""

import math
from collections.abc import Sequence

from webgraph_it.report.charts import CHARACTER_WIDE, cut
from webgraph_it.report.svg import WIDTH, Markup, element, exact, hit, number, percent, picture, text, tip

# -- the bow-tie ---------------------------------------------------------------------------------------------

BOW_AREA = 29_000.0
"""Area of the whole graph in square drawing units. Areas are proportional to nodes."""


def bow_tie_picture(parts: dict[str, int]) -> Markup:
    """The bow-tie with areas proportional to the nodes of each part. Empty parts have only a label."""
    whole = sum(parts.values()) or 1
    area = {name: BOW_AREA * count / whole for name, count in parts.items()}
    tall = BOW_HEIGHT if any(parts[name] for name in FOOT) else FOOTLESS_HEIGHT
    radius = max(14.0, math.sqrt(area["core"] / math.pi))
    in_wing, in_edge = _wing(-1, area["in"], radius)
    out_wing, out_edge = _wing(1, area["out"], radius)
    shapes = {"in": in_wing, "out": out_wing, "core": element("circle", cx=CENTRE, cy=MIDDLE, r=radius)}
    shapes |= {name: _blob(x, area[name]) for name, x in FOOT.items()}
    places = {"in": (in_edge, MIDDLE), "core": (CENTRE, MIDDLE), "out": (out_edge, MIDDLE)}
    places |= {name: (x, BLOB_Y) for name, x in FOOT.items()}
    drawn = [element("g", shape, class_=f"part {name}") for name, shape in shapes.items() if parts[name]]
    hits = [
        hit(
            element("g", shape, class_="strip"),
            tip(*places[name], _part_words(name, parts[name], whole), height=tall),
        )
        for name, shape in shapes.items()
        if parts[name]
    ]
    strings = _strings(parts, radius)
    return picture("The bow-tie", strings, drawn, _part_names(parts, in_edge, out_edge), hits, height=tall)


TITLES = {
    "core": "Core",
    "in": "In",
    "out": "Out",
    "tube": "Tubes",
    "tendril": "Tendrils",
    "disconnected": "Disconnected",
}
CENTRE, MIDDLE, BLOB_Y = WIDTH / 2, 108.0, 262.0
BOW_HEIGHT, FOOTLESS_HEIGHT = 328.0, 220.0
FOOT = {"tendril": 90.0, "tube": CENTRE, "disconnected": WIDTH - 90.0}


def _part_words(name: str, count: int, whole: int) -> list[str]:
    return [TITLES[name], f"{exact(count)} nodes · {percent(count, whole)}"]


def _part_names(parts: dict[str, int], in_edge: float, out_edge: float) -> list[Markup]:
    def named(name: str, x: float, y: float, anchor: str) -> Markup:
        words = TITLES[name] if parts[name] else f"no {TITLES[name]}"
        return text(x, y, words, "part-name" if parts[name] else "label", anchor)

    footed = any(parts[name] for name in FOOT)
    return [
        text(CENTRE, MIDDLE + 4, "Core", "on-part", "middle"),
        named("in", in_edge - 8, MIDDLE + 4, "end"),
        named("out", out_edge + 8, MIDDLE + 4, "start"),
        *(named(name, x, BOW_HEIGHT - 8, "middle") for name, x in FOOT.items() if footed),
    ]


def _wing(side: int, area: float, radius: float) -> tuple[Markup, float]:
    """A trapezium that opens away from the core, and where it ends."""
    edge = CENTRE + side * radius * 0.8
    most, tallest = CENTRE - 48 - radius * 0.8, 2 * MIDDLE - 16
    long = min(most, max(34.0, math.sqrt(area) * 0.95))
    narrow = min(radius * 1.1, max(4.0, area / long * 0.6))
    wide = min(tallest, max(narrow, 2 * area / long - narrow))
    far = edge + side * long if area else CENTRE + side * radius
    points = [(edge, -narrow / 2), (far, -wide / 2), (far, wide / 2), (edge, narrow / 2)]
    return element("polygon", points=" ".join(f"{number(x)},{number(MIDDLE + y)}" for x, y in points)), far


def _blob(x: float, area: float) -> Markup:
    return element("circle", cx=x, cy=BLOB_Y, r=min(46.0, max(4.0, math.sqrt(area / math.pi))))


def _strings(parts: dict[str, int], radius: float) -> list[Markup]:
    """The connections: thin lines from the wings to tubes and tendrils."""
    left, right = CENTRE - radius - 20, CENTRE + radius + 20
    curves = {
        "tube": [
            f"M{left} {MIDDLE} Q {left} {BLOB_Y} {CENTRE} {BLOB_Y}",
            f"M{right} {MIDDLE} Q {right} {BLOB_Y} {CENTRE} {BLOB_Y}",
        ],
        "tendril": [f"M{left - 10} {MIDDLE} Q 90 {MIDDLE + 60} 90 {BLOB_Y}"],
    }
    return [element("path", d=d, class_="string") for name, ds in curves.items() if parts[name] for d in ds]


# -- the link matrix -----------------------------------------------------------------------------------------


def matrix(title: str, names: Sequence[str], links: Sequence[Sequence[int]]) -> Markup:
    """Who links to whom: rows link to columns, darker means more (logarithmic)."""
    longest = min(22, max(map(len, names), default=1))
    cell, left = 24.0, longest * CHARACTER_WIDE + 16
    head = 24 + longest * 5.4
    size = len(names)
    width, height = left + cell * size + longest * 4.2, head + cell * size + 8
    largest = max((value for row in links for value in row), default=0)
    parts, hits = [], []
    for index, name in enumerate(names):
        across, down = left + cell * (index + 0.5), head + cell * (index + 0.5)
        turned = f"rotate(-52 {number(across)} {number(head - 8)})"
        parts.append(text(left - 8, down + 4, cut(name, left), "name", "end"))
        parts.append(element("text", cut(name, left), x=across, y=head - 8, class_="name", transform=turned))
    for row, origin in enumerate(names):
        for column, target in enumerate(names):
            value = links[row][column]
            x, y = left + cell * column, head + cell * row
            depth = math.log1p(value) / math.log1p(largest) if value else 0.0
            class_ = "cell own" if row == column else "cell"
            box = {"x": x + 1, "y": y + 1, "width": cell - 2, "height": cell - 2, "rx": 3}
            if value:
                parts.append(element("rect", **box, class_=class_, fill_opacity=0.12 + 0.88 * depth))
            else:
                parts.append(element("rect", **box, class_="cell empty"))
            told = [f"{origin} → {target}", f"{exact(value)} links"]
            area = element("rect", x=x, y=y, width=cell, height=cell, class_="strip")
            hits.append(hit(area, tip(x + cell, y, told, width, height)))
    drawing = picture(title, parts, hits, width=width, height=height)
    hint = element("p", "Wider than the screen: scroll it sideways →", class_="hint")
    scrolled = element("div", drawing, class_="scroll", tabindex=0, role="region", aria_label=title)
    return element("div", hint, scrolled, class_="wider", style=f"--natural: {number(width)}px")

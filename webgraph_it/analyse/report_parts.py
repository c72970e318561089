"""The bricks of the report: sections, cards, tiles, tables."""

from collections.abc import Collection, Sequence

from webgraph_it.analyse.svg import Markup, element


def section(identity: str, title: str, *body: object) -> Markup:
    return element("section", element("h2", title), *body, id=identity)


def card(title: str, words: str, *body: object, wide: bool = False) -> Markup:
    said = element("p", words) if words else ""
    return element("div", element("h3", title), said, *body, class_="card wide" if wide else "card")


def tiles(figures: Sequence[tuple[str, str]]) -> Markup:
    """Large numbers with what they count."""
    boxes = (
        element("div", element("b", value), element("span", what), class_="tile") for value, what in figures
    )
    return element("div", *boxes, class_="tiles")


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    numbers: Collection[int] = (),
    names: Collection[int] = (),
    hidden: Collection[int] = (),
) -> Markup:
    """`numbers`, `names`, `hidden`: columns set to the right, broken anywhere, left out on a phone."""

    def class_(column: int) -> str | None:
        kinds = [("number", numbers), ("name", names), ("hide-narrow", hidden)]
        return " ".join(kind for kind, columns in kinds if column in columns) or None

    top = element("tr", *(element("th", words, class_=class_(at)) for at, words in enumerate(head)))
    body = [
        element("tr", *(element("td", cell, class_=class_(at)) for at, cell in enumerate(row)))
        for row in rows
    ]
    return element("table", element("thead", top), element("tbody", *body))

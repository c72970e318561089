"""The parts of a report: sections, cards, tiles, tables, and names that link to their pages.

Guarantees: a link leads only to http or https, and does not tell the target who links to it (`rel=noreferrer`).
A host name is broken only if it is wider than its column, and then after a dot.
"""

import re
from collections.abc import Collection, Sequence

from webgraph_it.report.svg import Markup, element, markup


def section(identity: str, title: str, *body: object) -> Markup:
    return element("section", element("h2", title), *body, id=identity)


def card(title: str, words: str, *body: object, wide: bool = False) -> Markup:
    said = element("p", words) if words else ""
    return element("div", element("h3", title), said, *body, class_="card wide" if wide else "card")


def tiles(figures: Sequence[tuple[str, str]]) -> Markup:
    """Large numbers, each with what it counts."""
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
    """`numbers`, `names`, `hidden`: columns that are right-aligned, hold long names, are left out on a phone.

    On a phone a table with long names has no head. Each name has a line of its own, and the other values are below it
    with their titles.
    """

    def class_(column: int) -> str | None:
        kinds = [("number", numbers), ("name", names), ("hide-narrow", hidden)]
        return " ".join(kind for kind, columns in kinds if column in columns) or None

    top = element("tr", *(element("th", words, class_=class_(at)) for at, words in enumerate(head)))
    body = [
        element(
            "tr",
            *(
                element("td", cell, class_=class_(at), data_label=head[at] or None)
                for at, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    kind = "named" if names else None
    return element("table", element("thead", top), element("tbody", *body), class_=kind)


def page_link(url: str) -> Markup:
    """The URL without its scheme, as a link to the page. Plain text if it is not a web address."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("http", "https"):
        return markup(url)
    host, slash, path = rest.partition("/")
    shown = [host_name(host), element("span", slash + path, class_="path")]
    return element("a", *shown, href=url, title=url, rel=SILENT)


def host_link(name: str) -> Markup:
    """A host or a domain, as a link to its home page."""
    return (
        element("a", host_name(name), href=f"http://{name}/", rel=SILENT)
        if _HOST.fullmatch(name)
        else markup(name)
    )


def host_name(name: str) -> Markup:
    """Its labels. A label is never broken."""
    *first, last = name.split(".")
    labels = [element("span", f"{label}.") for label in first] + [element("span", last)]
    return element("span", *labels, class_="host")


SILENT = "noopener noreferrer"
_HOST = re.compile(r"[A-Za-z0-9._:-]+")

"""Errors that never recover, each with a body full of links that do not count."""

from dataclasses import replace

from webgraph_it.simweb.habits.exhibits.stand import Exhibit, Stand
from webgraph_it.simweb.pages import ERROR, Page


def _error(status: int) -> Exhibit:
    def page(stand: Stand, rest: str) -> Page | None:
        if rest != "pagina.html":
            return None
        shown = stand.html(rest, [*stand.hidden("a"), *stand.hidden("b")])
        return replace(shown, state=ERROR, status=status)

    return Exhibit(page, lambda stand: "pagina.html")


EXHIBITS = {f"error-{status}": _error(status) for status in (404, 410, 500)}

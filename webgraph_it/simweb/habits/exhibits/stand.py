"""Stand: the host and number of an exhibit, and the pages around it."""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple, Protocol
from urllib.parse import quote

from webgraph_it.simweb import markup
from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import Link, Page


class Surroundings(Protocol):
    """What an exhibit may know of the world."""

    def neighbour(self, host: Host, number: int) -> Place:
        """Some ordinary page of the same host."""

    def stranger(self, host: Host, number: int) -> Place:
        """Some ordinary page of another host, if there is another."""

    def url(self, place: Place) -> str:
        """A URL that always leads there."""


class Stand(NamedTuple):
    """One exhibit of the habit `name`, linked from page `serial` of `host`."""

    world: Surroundings
    host: Host
    name: str
    serial: int

    def path(self, rest: str) -> str:
        return f"/{self.name}/{self.serial}/{quote(rest, safe='/?=&')}"

    def place(self, rest: str) -> Place:
        return Place(self.host.name, self.path(rest))

    def neighbours(self, count: int) -> list[Place]:
        return [self.world.neighbour(self.host, 7 * self.serial + 13 * n) for n in range(1, count + 1)]

    def stranger(self) -> Place:
        return self.world.stranger(self.host, self.serial)

    def href(self, target: Place) -> str:
        """Alternately the path alone and the whole URL."""
        at_home = target.host == self.host.name
        return target.path if at_home and self.serial % 2 == 0 else self.world.url(target)

    def anchors(self, targets: Sequence[Place]) -> list[Link]:
        return [Link(f'<a href="{escape(self.href(target))}">pagina</a>', target) for target in targets]

    def hidden(self, word: str) -> list[Link]:
        """Links that a correct crawl does not follow from here."""
        return [Link(f'<a href="/nascosto/{self.name}-{self.serial}-{word}.html">x</a>', None)]

    def html(
        self, rest: str, links: Sequence[Link], *, head: str = "", headers: tuple[tuple[str, str], ...] = ()
    ) -> Page:
        """A small fetched page."""
        return Page(
            self.place(rest),
            links=links,
            headers=headers,
            body=lambda: markup.small_html(f"{self.name} {self.serial}", links, head),
        )


class Exhibit(NamedTuple):
    """The entry of an exhibit, and its pages."""

    page: Callable[[Stand, str], Page | None]
    """From the rest of the path, escaped as in a place, to the page. None if there is no page."""
    entry: Callable[[Stand], str] = lambda stand: ""
    """The rest of the path that the ordinary page links to, not escaped."""
    spell: Callable[[Stand, str], str] = lambda stand, entry: stand.path(entry)
    """How the ordinary page writes that path."""

    def entrance(self, stand: Stand) -> Link:
        entry = self.entry(stand)
        href = self.spell(stand, entry)
        return Link(f'<a href="{escape(href)}">{stand.name}</a>', stand.place(entry))

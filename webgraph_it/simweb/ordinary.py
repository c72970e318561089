"""Ordinary pages: the plain web's links, changed by the habits of the plan.

A page's habits are drawn once per page. Habits that add an exhibit and habits that change the
delivery are drawn in the same way: `gzip=0.3` is three pages in ten, `redirect=0.01` one redirect per hundred pages.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from webgraph_it.simweb import markup, plain
from webgraph_it.simweb.changing import Calendar, validators
from webgraph_it.simweb.habits import robots
from webgraph_it.simweb.habits.catalogue import HABITS, PAGES
from webgraph_it.simweb.habits.decoys import DECOYS
from webgraph_it.simweb.habits.delivery import UTF_8, delivery, dress
from webgraph_it.simweb.habits.exhibits import EXHIBITS, Stand
from webgraph_it.simweb.habits.exhibits.stand import Surroundings
from webgraph_it.simweb.habits.spelling import SPELLINGS, Speller, Spelling, anchor
from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import LaterLinks, Link, Page
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.words import PLAIN

LinkMaker = Callable[[], list[Link]]
MarkupMaker = Callable[[], list[str]]
NO_HEADERS: tuple[tuple[str, str], ...] = ()
_OF_PAGES = frozenset(habit.name for habit in HABITS if habit.of == PAGES)


class LinkSource(Protocol):
    """The links of ordinary pages, drawn or given."""

    def targets(self, host: Host, index: int) -> list[tuple[int, int]]:
        """Host number and index of each target. No target is repeated."""


class OrdinaryPages:
    """Makes the ordinary pages and their exhibits."""

    def __init__(
        self,
        plan: Plan,
        hosts: list[Host],
        links: LinkSource,
        world: Surroundings,
        calendar: Calendar | None = None,
    ) -> None:
        """`calendar`: None means that the pages never change."""
        self._calendar = calendar
        self._plan = plan
        self._hosts = hosts
        self._links = links
        self._world = world
        self._page_shares = [(name, share) for name, share in plan.shares.items() if name in _OF_PAGES]
        self._is_plain = not any(name in SPELLINGS for name in plan.shares) and not any(
            h.traits for h in hosts
        )
        self._speller = Speller(plan.shares)

    def page(self, host: Host, index: int, extra: Sequence[Link] = ()) -> Page | None:
        """The ordinary page with that index. `extra` links come after its own. None if it does not exist today."""
        number = host.first_page + index
        title, headers = f"{PLAIN[number % len(PLAIN)]} {number}", NO_HEADERS
        if self._calendar is not None and not self._calendar.exists(host, index):
            return None
        if self._calendar is not None:
            targets = [(self._hosts[other], i) for other, i in self._links.targets(host, index)]
            edition = self._calendar.edition(host, index, targets)
            title += f", {edition.links}.{edition.text}"
            headers = validators(self._plan, host, number, edition, self._calendar.day)
        habits = self.habits(number)
        place = Place(host.name, plain.path_of(host, index))
        own, markups = self._own_links(place, host, index)
        more = [*self._folder_links(host, index), *extra, *self._habit_links(habits, host, index)]
        dressed = dress(habits, number) if habits else UTF_8
        return Page(
            place,
            links=LaterLinks(lambda: [*own(), *more]),
            headers=headers,
            media_type=dressed.media_type,
            delivery=delivery(habits, number),
            body=lambda: markup.html(
                title,
                [*markups(), *(link.markup for link in more)],
                markup.page_size(self._plan.seed, number, self._plan.page_bytes),
                number,
                charset=dressed.charset,
                head=dressed.meta,
                spare="wrong-length" in habits,
            ),
        )

    def exhibit(self, host: Host, path: str) -> Page | None:
        """The page of an exhibit, if there is one."""
        _, name, serial, *rest = [*path.split("/", 3), "", ""][:4]
        if name not in EXHIBITS or name not in self._plan.shares or not serial.isdecimal():
            return None
        index = int(serial)
        if index >= host.page_count or name not in self.habits(host.first_page + index):
            return None
        if self._calendar is not None and not self._calendar.exists(host, index):
            return None
        return EXHIBITS[name].page(Stand(self._world, host, name, index), rest[0])

    def habits(self, number: int) -> tuple[str, ...]:
        """The habits of pages that page `number` has."""
        if not self._page_shares:
            return ()
        draw = Random(f"{self._plan.seed} habits {number}").random
        return tuple([name for name, share in self._page_shares if draw() < share])

    def _own_links(self, place: Place, host: Host, index: int) -> tuple[LinkMaker, MarkupMaker]:
        """The links of the plain web from this page, and their markup alone, which is cheaper to make."""
        targets = self._links.targets(host, index)
        if self._is_plain:
            return (
                lambda: [self._plain_link(host, *target) for target in targets],
                lambda: [self._plain_markup(host, *target) for target in targets],
            )
        links = self._spelled_links(place, targets, host.first_page + index)
        return lambda: links, lambda: [link.markup for link in links]

    def _plain_link(self, here: Host, number: int, index: int) -> Link:
        host = self._hosts[number]
        return Link(self._plain_markup(here, number, index), Place(host.name, plain.path_of(host, index)))

    def _plain_markup(self, here: Host, number: int, index: int) -> str:
        host = self._hosts[number]
        path = plain.path_of(host, index)
        return f'<a href="{path if host is here else host.origin + path}">{PLAIN[index % len(PLAIN)]}</a>'

    def _spelled_links(self, place: Place, targets: list[tuple[int, int]], number: int) -> list[Link]:
        random = Random(f"{self._plan.seed} links {number}")
        places = [(self._hosts[h], i) for h, i in targets]
        return [
            self._speller.link(Spelling(place, host, plain.path_of(host, i), PLAIN[i % len(PLAIN)], random))
            for host, i in places
        ]

    def _folder_links(self, host: Host, index: int) -> list[Link]:
        """Links from the first page to pages that robots.txt may forbid."""
        paths = robots.folder_pages(host) if index == 0 else []
        return [Link(anchor(path, "riservato"), Place(host.name, path)) for path in paths]

    def _habit_links(self, habits: Sequence[str], host: Host, index: int) -> list[Link]:
        links: list[Link] = []
        for name in habits:
            if name in EXHIBITS:
                links.append(EXHIBITS[name].entrance(Stand(self._world, host, name, index)))
            if name in DECOYS:
                links += DECOYS[name](host.first_page + index)
        return links

"""The world: from a place to its page, without bytes and without a network.

    plan ──► hosts ──► page(place) ──► truth (truth.py) and answers (answers.py)

Guarantees: pure. The same plan and place give an equal page for ever; nothing grows with the pages asked for.
"""

from random import Random

from webgraph_it.simweb import markup, plain
from webgraph_it.simweb.hosts import Host, ordinary_hosts
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import Link, Page
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.words import PLAIN

SEEDS = 3
"""How many first pages the list of seeds names; the others are reached from them."""


class World:
    """All hosts and pages of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.hosts = ordinary_hosts(plan)
        self.by_name = {host.name: host for host in self.hosts}
        self._plain = plain.PlainLinks(plan, self.hosts)

    @property
    def seeds(self) -> list[str]:
        """The URLs where a crawl begins."""
        return [f"{host.origin}/" for host in self.hosts[:SEEDS]]

    def url(self, place: Place) -> str:
        """The spelling that the host itself prefers."""
        return f"{self.by_name[place.host].origin}{place.path}"

    def page(self, place: Place) -> Page | None:
        """What is there; None where nothing is."""
        host = self.by_name.get(place.host)
        if host is None:
            return None
        index = plain.index_of(host, place.path)
        return None if index is None else self._plain_page(host, index)

    def _plain_page(self, host: Host, index: int) -> Page:
        links = [self._plain_link(host, *target) for target in self._plain.targets(host, index)]
        number = host.first_page + index
        size_bytes = markup.page_size(Random(self.plan.seed << 41 ^ number), self.plan.page_bytes)
        return Page(
            Place(host.name, plain.path_of(host, index)),
            links=links,
            body=lambda: markup.html(
                f"{PLAIN[number % len(PLAIN)]} {number}",
                links,
                size_bytes,
                number,
                head="<meta charset=utf-8>",
            ),
        )

    def _plain_link(self, host: Host, number: int, index: int) -> Link:
        other = self.hosts[number]
        path = plain.path_of(other, index)
        href = path if other is host else other.origin + path
        return Link(f'<a href="{href}">{PLAIN[index % len(PLAIN)]}</a>', Place(other.name, path))

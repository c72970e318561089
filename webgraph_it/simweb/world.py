"""The world: from a place to its page, without bytes and without a network.

    plan ──► hosts ──► page(place) ──► truth (truth.py) and answers (answers.py)

Guarantees: pure. The same plan (which names the day) and place always give an equal page. Memory does not grow with
the pages requested."""

from collections import defaultdict
from dataclasses import replace

from webgraph_it.simweb import markup, plain
from webgraph_it.simweb.changing import Calendar, ChangingLinks, permanent_pages
from webgraph_it.simweb.habits import annexes, robots, sitemaps
from webgraph_it.simweb.habits.exhibits.redirects import session_detour
from webgraph_it.simweb.habits.hosts import DEAD, extra_hosts, with_traits
from webgraph_it.simweb.hostile import hostile_hosts, is_hostile
from webgraph_it.simweb.hosts import Host, ordinary_hosts
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.ordinary import LinkSource, OrdinaryPages
from webgraph_it.simweb.pages import Link, Page
from webgraph_it.simweb.plain import PlainLinks
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.topology import Topology, TopologyLinks

SEEDS = 3
"""How many first pages of ordinary hosts are seeds. The others are reached from them."""


class World:
    """All hosts and pages of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.hosts = with_traits(ordinary_hosts(plan), plan)
        self.extra_hosts = extra_hosts(plan)
        if plan.hostile:
            self.extra_hosts += hostile_hosts(plan, plan.hosts + len(self.extra_hosts))
        self.by_name = {host.name: host for host in [*self.hosts, *self.extra_hosts]}
        self._topology = Topology(plan.topology, plan.pages) if plan.topology else None
        self._calendar = Calendar(plan, plan.day) if plan.is_changing else None
        self._ordinary = OrdinaryPages(plan, self.hosts, self._link_source(), self, self._calendar)
        self._doors = self._doors_to_extra_hosts()

    def on(self, day: int) -> "World":
        """The same web on another day."""
        return World(replace(self.plan, day=day))

    # -- where a crawl begins -------------------------------------------------------------------------------

    @property
    def seed_places(self) -> list[Place]:
        portals = [host for host in self.extra_hosts if "directory" in host.traits]
        return [*self._ordinary_seeds(), *(Place(host.name, annexes.DIRECTORY_FOLDER) for host in portals)]

    @property
    def seeds(self) -> list[str]:
        """The URLs where a crawl starts."""
        return [self.url(place) for place in self.seed_places]

    # -- pages ----------------------------------------------------------------------------------------------

    def page(self, place: Place) -> Page | None:
        """The page at a place. None if there is none."""
        host = self.by_name.get(place.host)
        if host is None or is_hostile(host):
            return None
        if host.number >= len(self.hosts):
            return annexes.annex_page(self, host, place.path)
        index = plain.index_of(host, place.path)
        if index is not None:
            return self._ordinary.page(host, index, self._doors[host.number] if index == 0 else ())
        exhibit = self._ordinary.exhibit(host, place.path) or sitemaps.page(self, host, place.path)
        return exhibit or self._single_page(host, place)

    def listed(self, place: Place) -> set[Place]:
        """What else a crawl with SITEMAPS finds when it has come to this place: what its host's sitemaps list."""
        host = self.by_name.get(place.host)
        return set() if host is None else sitemaps.listed(self, host)

    def detour(self, scheme: str, asked_host: str, target: str, place: Place) -> str | None:
        """The URL to which a request is redirected, because its host wants another spelling."""
        host = self.by_name[place.host]
        if not host.traits and "redirect-se" not in place.path:
            return None
        if "https-redirect" in host.traits and scheme == "http":
            return f"https://{asked_host}{target}"
        if "www-redirect" in host.traits and asked_host.lower().startswith("www.") != host.www:
            return f"{scheme}://{'www.' if host.www else ''}{host.name}{target}"
        return session_detour(place.path, target)

    def is_dead(self, place: Place) -> bool:
        """Whether nothing can be fetched from its host."""
        host = self.by_name.get(place.host)
        return host is None or bool(host.traits & DEAD)

    # -- what exhibits know of the world --------------------------------------------------------------------

    def url(self, place: Place) -> str:
        """A URL that always leads there."""
        return f"{self.by_name[place.host].origin}{place.path}"

    def neighbour(self, host: Host, number: int) -> Place:
        """Some ordinary page of the same host. In a changing web, one that is always there."""
        among = host.page_count if self._calendar is None else permanent_pages(host)
        return Place(host.name, plain.path_of(host, number % among))

    def stranger(self, host: Host, number: int) -> Place:
        """Some ordinary page of another host, if there is another."""
        other = self.hosts[(host.number + 1 + 5 * number) % len(self.hosts)]
        return self.neighbour(other, number)

    # -- the ordinary web -----------------------------------------------------------------------------------

    def _link_source(self) -> LinkSource:
        if self._topology:
            return TopologyLinks(self._topology, self.hosts)
        if self._calendar:
            return ChangingLinks(self.plan, self.hosts, self._calendar)
        return PlainLinks(self.plan, self.hosts)

    def _ordinary_seeds(self) -> list[Place]:
        if not self._topology:
            return [Place(host.name, "/") for host in self.hosts[:SEEDS]]
        located = map(TopologyLinks(self._topology, self.hosts).locate, self._topology.roots)
        return [self.neighbour(self.hosts[number], index) for number, index in located]

    # -- pages that are neither ordinary nor exhibits -------------------------------------------------------

    def _single_page(self, host: Host, place: Place) -> Page | None:
        """Pages in the folder of robots.txt, and those that only a portal links to."""
        if place.path in robots.folder_pages(host) or self._is_discovery(place):
            home = Place(host.name, "/")
            links = [Link('<a href="/">inizio</a>', home)]
            return Page(
                place,
                links=links,
                body=lambda: markup.small_html(place.path, links),
            )
        return None

    def _is_discovery(self, place: Place) -> bool:
        folder, _, name = place.path.rpartition("/")
        portal = self.by_name.get(name.removesuffix(".html")) if folder == "/scoperta" else None
        return portal is not None and annexes.discovery(self, portal) == place

    def _doors_to_extra_hosts(self) -> dict[int, list[Link]]:
        """Which extra hosts the first page of an ordinary host links to."""
        doors: dict[int, list[Link]] = defaultdict(list)
        for host in self.extra_hosts:
            if "directory" not in host.traits:
                link = Link(f'<a href="{host.origin}/">{host.name}</a>', Place(host.name, "/"))
                doors[host.number % len(self.hosts)].append(link)
        return doors

"""From a request to its answer: finds the host, the page and its spelling, and applies redirects and faults.

Serves GET and HEAD. Pure except for one thing: it counts the visits of URLs whose first visit fails.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple

from webgraph_it.simweb import answers, hostile
from webgraph_it.simweb.answers import Answer
from webgraph_it.simweb.changing import is_stale
from webgraph_it.simweb.habits import robots
from webgraph_it.simweb.habits.robots import RobotsFile
from webgraph_it.simweb.hits import HitLog
from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.names import Place, bare, canonical_path
from webgraph_it.simweb.pages import ERROR, Page
from webgraph_it.simweb.wire import Wire
from webgraph_it.simweb.world import World


class Request(NamedTuple):
    method: str
    scheme: str
    host: str
    """As requested, without the port."""
    target: str
    accept_encoding: str
    agent: str
    keep: bool
    if_none_match: str = ""
    if_modified_since: str = ""
    cookie: str = ""


@dataclass
class Site:
    """What all connections share: the world, the log, a number for each connection, the visits and the wire."""

    world: World
    log: HitLog
    visits: Counter[Place] = field(default_factory=Counter)
    serial: "count[int]" = field(default_factory=lambda: count(1))
    wire: Wire | None = None
    """Watches the connections. None means that they are not watched."""
    kept: dict[tuple[str, str, str], Answer] | None = None
    """Pages that were requested before, by scheme, host and target. None means that every answer is made again."""

    def answer(self, request: Request) -> Answer:
        if request.method not in ("GET", "HEAD"):
            return answers.short(405, "Solo GET e HEAD.\n", (("Allow", "GET, HEAD"),))
        place = Place(bare(request.host), canonical_path(request.target))
        host = self.world.by_name.get(hostile.above_wildcard(place.host))
        if host is None:
            return answers.short(404, "Sito sconosciuto.\n")
        found = self.kept.get(request[1:4]) if self.kept else None
        found = found or self._answer(request, place, host)
        if request.method == "HEAD":
            found = answers.without_body(found)
        return replace(found, delay_seconds=host.latency_seconds) if host.latency_seconds else found

    def _answer(self, request: Request, place: Place, host: Host) -> Answer:
        attacked = hostile.attack(host, place.path) if hostile.is_hostile(host) else None
        if attacked is not None:
            return attacked
        place = place._replace(host=host.name)
        detour = self.world.detour(request.scheme, request.host, request.target, place)
        if detour is not None:
            return answers.short(301, "Spostato.\n", (("Location", detour),))
        robots_file = robots.robots_file(host, place.path, self.world.hosts[0].origin)
        if robots_file is not None:
            return _robots(robots_file)
        page = self.world.page(place)
        if page is None:
            return answers.short(404, "Pagina non trovata.\n")
        if page.cookie and (page.state == ERROR or page.cookie not in request.cookie.split("; ")):
            return _cookie_first(page, request.target)
        if self.world.plan.is_changing and self._is_unchanged(request, host, page):
            return answers.not_modified(page.headers)
        first = self._first_visit(page.place, page.delivery.fault)
        answer = answers.answer(page, request.accept_encoding, first)
        if self.kept is not None and not (page.delivery.fault or page.delivery.coding or page.cookie):
            self.kept[request[1:4]] = answer
        return answer

    def _is_unchanged(self, request: Request, host: Host, page: Page) -> bool:
        """Whether a conditional request gets a 304 (RFC 9110, 13.2.2: an ETag comes before a date)."""
        if not (request.if_none_match or request.if_modified_since):
            return False
        if is_stale(self.world.plan, host):
            return True
        headers = dict(page.headers)
        if request.if_none_match:
            return request.if_none_match == headers.get("ETag")
        return request.if_modified_since == headers.get("Last-Modified")

    def turn_to(self, day: int) -> None:
        """From now on, serve this day of the web."""
        self.world = self.world.on(day)
        if self.kept is not None:
            self.kept.clear()

    def _first_visit(self, place: Place, fault: str) -> bool:
        if not fault:
            return False
        self.visits[place] += 1
        return self.visits[place] == 1


def _cookie_first(page: Page, target: str) -> Answer:
    """The redirect to the page itself. Of its three cookies, one is already expired and one is for another path."""
    cookies = (f"{page.cookie}; Path=/; HttpOnly", "vecchio=1; Max-Age=0", "altrove=1; Path=/altrove/")
    headers = (("Location", target), *(("Set-Cookie", cookie) for cookie in cookies))
    return answers.short(302, "Serve un biscotto.\n", headers)


def _robots(file: RobotsFile) -> Answer:
    if file.reset:
        return answers.RESET
    headers = (("Location", file.location),) if file.location else ()
    return answers.short(file.status, file.text, headers, media_type=file.media_type)

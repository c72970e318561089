"""What the extra hosts serve: portals out of scope that link into .it, and traps.

A trap's pages are a function of their URL like all others, but there is no end of them. A crawler with limits on
depth, repeated segments and queries per path stays below TRAP_BOUND.
"""

import re
from collections.abc import Callable
from hashlib import md5
from html import escape

from webgraph_it.simweb import markup
from webgraph_it.simweb.habits.exhibits.stand import Surroundings
from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import Link, Page
from webgraph_it.simweb.words import PLAIN

TRAP_BOUND = 2_000
DIRECTORY_FOLDER = "/italia/"
SESSION_PATHS = 2


def annex_page(world: Surroundings, host: Host, path: str) -> Page | None:
    """The page of an extra host."""
    (habit,) = host.traits
    links = _LINKS.get(habit, _ordinary)(world, host, path)
    if links is None:
        return None
    return Page(
        Place(host.name, path),
        links=links,
        body=lambda: markup.small_html(host.name, links),
    )


def _anchor(href: str, target: Place | None) -> Link:
    return Link(f'<a href="{escape(href)}">pagina</a>', target)


def _ordinary(world: Surroundings, host: Host, path: str) -> list[Link] | None:
    pages = {"/": "/seconda.html", "/seconda.html": "/"}
    return [_anchor(pages[path], Place(host.name, pages[path]))] if path in pages else None


# -- portals ------------------------------------------------------------------------------------------------


def _directory(world: Surroundings, host: Host, path: str) -> list[Link] | None:
    """The first page links into .it, to the second page, and out of its folder (which is not followed)."""
    if path == DIRECTORY_FOLDER:
        targets = [world.stranger(host, n) for n in range(5)] + [
            Place(host.name, DIRECTORY_FOLDER + "regioni.html")
        ]
        return [_anchor(world.url(target), target) for target in targets] + [_anchor("/world/", None)]
    if path == DIRECTORY_FOLDER + "regioni.html":
        found = discovery(world, host)
        return [
            _anchor(world.url(found), found),
            _anchor(DIRECTORY_FOLDER, Place(host.name, DIRECTORY_FOLDER)),
        ]
    return None


def discovery(world: Surroundings, host: Host) -> Place:
    """A page in .it that only a portal links to."""
    return Place(world.stranger(host, 0).host, f"/scoperta/{host.name}.html")


# -- traps --------------------------------------------------------------------------------------------------

_MONTH = re.compile(r"/calendario\?mese=(\d{4})-(\d{2})")
_NUMBER = re.compile(r"errore-(\d{1,9})\.html$")


def _calendar(world: Surroundings, host: Host, path: str) -> list[Link] | None:
    month = _MONTH.fullmatch(path)
    if path == "/":
        months = [2026 * 12 + 10]
    elif month:
        now = int(month[1]) * 12 + int(month[2]) - 1
        months = [now - 1, now + 1]
    else:
        return None
    return [_anchor(f"/calendario?mese={m // 12:04d}-{m % 12 + 1:02d}", None) for m in months]


def _deeper(world: Surroundings, host: Host, path: str) -> list[Link] | None:
    """Each folder contains one more, always of the same name or always of another."""
    if not path.endswith("/"):
        return None
    same = len(host.name) % 2
    return [_anchor(f"{PLAIN[0 if same else path.count('/') % len(PLAIN)]}/", None), _anchor("../", None)]


def _session(world: Surroundings, host: Host, path: str) -> list[Link] | None:
    visit = md5(path.encode(), usedforsecurity=False).hexdigest()[:16]
    return [_anchor(f"/pagina{n}.html?visita={visit}", None) for n in range(SESSION_PATHS)]


def _soft_404(world: Surroundings, host: Host, path: str) -> list[Link] | None:
    number = _NUMBER.search(path)
    return [_anchor(f"errore-{int(number[1]) + 1 if number else 1}.html", None)]


_LINKS: dict[str, Callable[[Surroundings, Host, str], list[Link] | None]] = {
    "directory": _directory,
    "trap-calendar": _calendar,
    "trap-path": _deeper,
    "trap-session": _session,
    "trap-soft-404": _soft_404,
}

"""Redirects of every kind. A redirect is a page with one link, unless it leads to its own node."""

from dataclasses import replace

from webgraph_it.simweb.habits.exhibits.stand import Exhibit, Stand
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import ERROR, REDIRECT, Link, Page

STATUSES = (301, 302, 303, 307, 308)
CHAIN = 3
LAPS = 40


def _redirect(stand: Stand, rest: str, location: str, target: Place | None) -> Page:
    links = [Link("", target)] if target else []
    status = STATUSES[stand.serial % len(STATUSES)]
    return Page(stand.place(rest), REDIRECT, links, status, headers=(("Location", location),))


def _home(stand: Stand, rest: str) -> Page | None:
    target = stand.neighbours(1)[0]
    return _redirect(stand, rest, stand.href(target), target) if rest == "" else None


def _chain(stand: Stand, rest: str) -> Page | None:
    if rest not in map(str, range(1, CHAIN + 1)):
        return None
    step = int(rest)
    target = stand.place(str(step + 1)) if step < CHAIN else stand.neighbours(1)[0]
    location = str(step + 1) if step == 1 else stand.href(target)  # the first one is relative
    return _redirect(stand, rest, location, target)


def _loop(stand: Stand, rest: str) -> Page | None:
    following = {"1": "2", "2": "3", "3": "1"}.get(rest)
    if following is None:
        return None
    target = stand.place(following)
    return _redirect(stand, rest, stand.href(target), target)


def _abroad(stand: Stand, rest: str) -> Page | None:
    target = stand.stranger()
    return _redirect(stand, rest, stand.world.url(target), target) if rest == "" else None


def _out(stand: Stand, rest: str) -> Page | None:
    return _redirect(stand, rest, f"http://www.example.com/{stand.serial}", None) if rest == "" else None


def _session(stand: Stand, rest: str) -> Page | None:
    return stand.html(rest, stand.anchors(stand.neighbours(1))) if rest == "pagina.jsp" else None


def _self(stand: Stand, rest: str) -> Page | None:
    return Page(stand.place(rest), ERROR) if rest == "pagina.jsp" else None


def _cookie(stand: Stand, rest: str) -> Page | None:
    if rest != "pagina.html":
        return None
    return replace(stand.html(rest, stand.anchors(stand.neighbours(2))), cookie=f"visita={stand.serial}")


def _cookie_loop(stand: Stand, rest: str) -> Page | None:
    return Page(stand.place(rest), ERROR, cookie="visita=mai") if rest == "pagina.html" else None


def session_detour(path: str, target: str) -> str | None:
    """Where a request for `target` is redirected within its own node. `path` is that of its place."""
    if not path.endswith("/pagina.jsp"):
        return None
    session = target.partition(";jsessionid=")[2]
    if path.startswith("/redirect-session/"):
        return None if session else f"{path};jsessionid=A1B2C3D4E5F60718"
    if path.startswith("/redirect-self/"):
        return f"{path};jsessionid={'A' * (len(session) % LAPS + 1)}"
    return None


EXHIBITS = {
    "redirect": Exhibit(_home),
    "redirect-chain": Exhibit(_chain, lambda stand: "1"),
    "redirect-loop": Exhibit(_loop, lambda stand: "1"),
    "redirect-abroad": Exhibit(_abroad),
    "redirect-out": Exhibit(_out),
    "redirect-session": Exhibit(_session, lambda stand: "pagina.jsp"),
    "redirect-self": Exhibit(_self, lambda stand: "pagina.jsp"),
    "cookie": Exhibit(_cookie, lambda stand: "pagina.html"),
    "cookie-loop": Exhibit(_cookie_loop, lambda stand: "pagina.html"),
}

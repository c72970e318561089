"""Hosts whose robots.txt names sitemaps (habit `robots-sitemap`), and the pages that nothing else leads to.

    robots.txt ─► indice.xml ─► a.xml ─► 1.html, /        elenco.txt (UTF-8 text) ─► 3.html
                     │    └───► b.xml.gz ─► 2.html, a page of another host
                     └───► itself, and a sitemap of another host, which do not count
    robots.txt ─► vecchia.xml, which redirects to c.xml ─► 4.html
    robots.txt ─► manca.xml (404), errore.xml (a web page with status 200), a sitemap out of scope: nothing

All of it is in FOLDER. A crawl finds the pages only with SITEMAPS=True, and the truth says so.
"""

import gzip
from collections.abc import Sequence

from webgraph_it.simweb import markup
from webgraph_it.simweb.documents import render
from webgraph_it.simweb.habits.exhibits.stand import Surroundings
from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import REDIRECT, Link, Page

HABIT = "robots-sitemap"
FOLDER = "/mappa/"
NAMED = ("indice.xml", "elenco.txt", "vecchia.xml", "manca.xml", "errore.xml")
PAGES = ("1.html", "2.html", "3.html", "4.html")
OUT_OF_SCOPE = "http://www.example.com/sitemap.xml"


def robots_lines(host: Host) -> str:
    urls = [*(f"{host.origin}{FOLDER}{name}" for name in NAMED), OUT_OF_SCOPE]
    return "".join(f"Sitemap: {url}\n" for url in urls)


def listed(world: Surroundings, host: Host) -> set[Place]:
    """The places that the host's sitemaps lead to."""
    if HABIT not in host.traits:
        return set()
    return {*(_place(host, name) for name in PAGES), Place(host.name, "/"), world.stranger(host, 1)}


def page(world: Surroundings, host: Host, path: str) -> Page | None:
    """What is in the folder. The sitemaps themselves have no links, because they are not nodes."""
    if HABIT not in host.traits or not path.startswith(FOLDER):
        return None
    name = path.removeprefix(FOLDER)
    if name in PAGES:
        links = [Link('<a href="/">inizio</a>', Place(host.name, "/"))]
        return Page(_place(host, name), links=links, body=lambda: markup.small_html(name, links))
    if name == "vecchia.xml":
        return Page(_place(host, name), REDIRECT, status=301, headers=(("Location", f"{FOLDER}c.xml"),))
    if name == "errore.xml":
        hidden = [Link('<a href="/nascosto/mappa.html">x</a>', None)]
        return Page(_place(host, name), body=lambda: markup.small_html("Pagina non trovata", hidden))
    urls = [world.url(place) for place in _entries(world, host, name)]
    if not urls:
        return None
    media_type, body = _written(name, urls)
    return Page(_place(host, name), media_type=media_type, body=lambda: body)


def _entries(world: Surroundings, host: Host, name: str) -> list[Place]:
    elsewhere = world.stranger(host, 1)
    entries = {
        "indice.xml": [
            *(_place(host, each) for each in ("a.xml", "b.xml.gz", "indice.xml")),
            Place(elsewhere.host, f"{FOLDER}indice.xml"),
        ],
        "a.xml": [_place(host, "1.html"), Place(host.name, "/")],
        "b.xml.gz": [_place(host, "2.html"), elsewhere],
        "elenco.txt": [_place(host, "3.html")],
        "c.xml": [_place(host, "4.html")],
    }
    return entries.get(name, [])


def _written(name: str, urls: Sequence[str]) -> tuple[str, bytes]:
    if name.endswith(".txt"):
        return "text/plain; charset=utf-8", "".join(f"{url}\r\n" for url in urls).encode()
    media_type, body = render("sitemap", urls, name, seed=name == "indice.xml")
    return ("application/gzip", gzip.compress(body, mtime=0)) if name.endswith(".gz") else (media_type, body)


def _place(host: Host, name: str) -> Place:
    return Place(host.name, FOLDER + name)

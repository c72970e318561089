"""What each kind of robots.txt says, and what it forbids to webgraph_it.

`forbids` is known by construction, not by parsing. It is the truth against which a parser is tested.
"""

from typing import NamedTuple

from webgraph_it.simweb.habits import sitemaps
from webgraph_it.simweb.hosts import Host

FOLDER = "/riservato/"
HUGE_BYTES = 700 * 1024
ALLOW_ALL = "User-agent: *\nDisallow:\n"
CRAWL_DELAY_SECONDS = 0.2


class RobotsFile(NamedTuple):
    """The answer to /robots.txt, or to what it redirects to."""

    status: int = 200
    text: str = ALLOW_ALL
    media_type: str = "text/plain"
    location: str = ""
    reset: bool = False


_DISALLOW = "# niente qui\nUser-agent: *\nDisallow: /riservato/\n"
_WILDCARD = (
    "User-Agent: *\n"
    "Disallow: /riservato/*.asp$\n"
    "Disallow: /riservato/*stampa=\n"
    "Disallow: /riservato/cartella\n"
    "Allow: /riservato/cartella/aperta\n"
    "Disallow: /riservato/cerca\n"
    "Allow: /riservato/*?p=\n"  # one octet shorter than /riservato/cerca, whatever its escapes take
    "Sitemap: http://www.example.com/sitemap.xml\n"
)
_GROUP = (
    "User-agent: *\nDisallow: /\n\n"
    "User-agent: altro-robot\nUser-agent: webgraph_it\nDisallow: /riservato/noi/\n\n"
    "User-agent: terzo\nDisallow: /\n"
)
_DELAY = f"User-agent: *\nCrawl-delay: {CRAWL_DELAY_SECONDS}\nDisallow: /riservato/\n"
_HTML = (
    "<!DOCTYPE html><html><head><title>Benvenuti</title></head><body><p>Pagina iniziale.</p></body></html>\n"
)


def _huge() -> str:
    line = "# " + "riempitivo " * 8 + "\n"
    return _DISALLOW + line * (HUGE_BYTES // len(line)) + "User-agent: *\nDisallow: /\n"


def robots_file(host: Host, path: str, elsewhere: str) -> RobotsFile | None:
    """What the host serves there, if it is robots.txt or a redirect to it. `elsewhere` is another origin."""
    kind = robots_kind(host)
    if path == "/robots.txt":
        if kind == "robots-redirected":
            return RobotsFile(301, "", location="/altri/robots.txt")
        if kind == sitemaps.HABIT:
            return RobotsFile(text=ALLOW_ALL + sitemaps.robots_lines(host))
        return RobotsFile(text=_huge()) if kind == "robots-huge" else _FILES.get(kind, RobotsFile())
    if kind == "robots-redirected" and path == "/altri/robots.txt":
        return RobotsFile(302, "", location=f"{elsewhere}/robots-di/{host.name}.txt")
    if path.startswith("/robots-di/"):
        return RobotsFile(text=_DISALLOW)
    return None


_FILES = {
    "robots-disallow": RobotsFile(text=_DISALLOW),
    "robots-wildcard": RobotsFile(text=_WILDCARD),
    "robots-group": RobotsFile(text=_GROUP),
    "robots-crawl-delay": RobotsFile(text=_DELAY),
    "robots-absent": RobotsFile(404, "Non trovato.\n"),
    "robots-401": RobotsFile(401, "Disallow: /\n"),
    "robots-html": RobotsFile(text=_HTML, media_type="text/html"),
    "robots-500": RobotsFile(500, ALLOW_ALL),
    "robots-429": RobotsFile(429, ALLOW_ALL),
    "robots-unreachable": RobotsFile(0, "", reset=True),
}


def robots_kind(host: Host) -> str:
    """The habit that determines its robots.txt. Empty means that it allows all."""
    return next((trait for trait in host.traits if trait.startswith("robots-")), "")


def forbids(host: Host, path: str) -> bool:
    """Whether webgraph_it may not fetch the path."""
    kind = robots_kind(host)
    if kind in ("robots-500", "robots-429", "robots-unreachable"):
        return True
    return path.startswith(FOLDER) and path.removeprefix(FOLDER) in _FORBIDDEN.get(kind, ())


# -- the pages in the folder --------------------------------------------------------------------------------

_PAGES = {
    "robots-wildcard": (
        ("archivio/a.asp", True),
        ("archivio/a.aspx", False),
        ("b.html?stampa=1", True),
        ("b.html?vista=1", False),
        ("cartella/chiusa.html", True),
        ("cartella/aperta.html", False),
        ("cerca?p=1", True),
        ("elenco.html?p=1", False),
    ),
    "robots-group": (("noi/a.html", True), ("tutti/b.html", False)),
    "robots-401": (("a.html", False),),
    "robots-html": (("a.html", False),),
    "robots-absent": (("a.html", False),),
}
_FORBIDDEN = {
    kind: frozenset(path for path, forbidden in _PAGES.get(kind, (("a.html", True),)) if forbidden)
    for kind in ("robots-disallow", "robots-crawl-delay", "robots-redirected", "robots-huge", *_PAGES)
}


def folder_pages(host: Host) -> list[str]:
    """The paths in the folder that the host's first page links to: some forbidden, some not."""
    kind = robots_kind(host)
    if kind not in _FORBIDDEN:
        return []
    return [FOLDER + path for path, _ in _PAGES.get(kind, (("a.html", True),))]

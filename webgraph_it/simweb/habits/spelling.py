"""How a link is written: one target, many spellings, always one key.

Each habit is a function from a Spelling to markup. The habits of a plan are drawn for each link.
"""

from collections.abc import Callable, Mapping
from html import escape
from random import Random
from typing import NamedTuple

from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import Link


class Spelling(NamedTuple):
    """A link to write: from a page of `here` to `path` of `there`."""

    here: Place
    there: Host
    path: str
    text: str
    random: Random

    @property
    def at_home(self) -> bool:
        return self.here.host == self.there.name

    @property
    def absolute(self) -> str:
        return self.there.some_origin(self.random) + self.path

    @property
    def usual(self) -> str:
        return self.path if self.at_home else self.absolute


def anchor(href: str, text: str, attributes: str = "") -> str:
    return f'<a href="{escape(href)}"{attributes}>{text}</a>'


def relative_path(here: str, there: str) -> str:
    """The reference that leads from one path to the other: `/a/b.html`, `/c/d` is `../c/d`."""
    origin = here.partition("?")[0].split("/")[1:-1]
    *folders, last = there.split("/")[1:] if "?" not in there else _split_before_query(there)
    shared = 0
    while shared < min(len(origin), len(folders)) and origin[shared] == folders[shared]:
        shared += 1
    steps = [".."] * (len(origin) - shared) + folders[shared:]
    return "/".join([*steps, last]) if steps or (last and not last.startswith("?")) else f"./{last}"


def _split_before_query(path: str) -> list[str]:
    folder, _, query = path.partition("?")
    *folders, last = folder.split("/")[1:]
    return [*folders, f"{last}?{query}"]


# -- the habits ---------------------------------------------------------------------------------------------


def _relative(link: Spelling) -> str:
    return anchor(
        relative_path(link.here.path, link.path) if link.at_home else link.absolute,
        link.text,
    )


def _dot_segments(link: Spelling) -> str:
    origin = "" if link.at_home else link.there.some_origin(link.random)
    return anchor(f"{origin}/./archivio/..{link.path}", link.text)


def _protocol_relative(link: Spelling) -> str:
    return anchor(link.absolute.partition(":")[2], link.text)


def _upper_case_host(link: Spelling) -> str:
    return anchor(link.there.some_origin(link.random).upper() + link.path, link.text)


def _default_port(link: Spelling) -> str:
    origin = link.there.some_origin(link.random)
    return anchor(f"{origin}:{443 if origin.startswith('https') else 80}{link.path}", link.text)


def _fragment(link: Spelling) -> str:
    return anchor(f"{link.usual}#capitolo-{link.random.randrange(9)}", link.text)


def _duplicate(link: Spelling) -> str:
    return f"{anchor(link.usual, link.text)} {anchor(link.absolute, 'ancora')}"


def _session_path(link: Spelling) -> str:
    origin = link.there.some_origin(link.random)
    session = f"{link.random.getrandbits(64):016X}"
    path, mark, query = link.path.partition("?")
    if link.random.random() < 0.5:
        return anchor(f"{origin}{path};jsessionid={session}{mark}{query}", link.text)
    return anchor(f"{origin}/(S({session.lower()})){link.path}", link.text)


def _session_query(link: Spelling) -> str:
    session = f"{link.random.getrandbits(128):032x}"
    name = link.random.choice(("PHPSESSID", "jsessionid", "ASPSESSIONIDQACTDRQB", "sid", "CFID"))
    return anchor(f"{link.usual}{'&' if '?' in link.path else '?'}{name}={session}", link.text)


def _nofollow(link: Spelling) -> str:
    return anchor(link.usual, link.text, ' rel="nofollow"')


def _area(link: Spelling) -> str:
    return f'<map name="m"><area shape="rect" coords="0,0,9,9" href="{escape(link.usual)}" alt=""></map>'


def _iframe(link: Spelling) -> str:
    return f'<iframe src="{escape(link.usual)}"></iframe>'


def _link_element(link: Spelling) -> str:
    relation = link.random.choice(("next", "prev", "alternate", "canonical", "author", "help", "search"))
    return f'<link rel="{relation}" href="{escape(link.usual)}">'


SPELLINGS: dict[str, Callable[[Spelling], str]] = {
    "relative": _relative,
    "dot-segments": _dot_segments,
    "protocol-relative": _protocol_relative,
    "upper-case-host": _upper_case_host,
    "default-port": _default_port,
    "fragment": _fragment,
    "duplicate": _duplicate,
    "session-path": _session_path,
    "session-query": _session_query,
    "nofollow-link": _nofollow,
    "area": _area,
    "iframe": _iframe,
    "link-element": _link_element,
}


class Speller:
    """Writes links, each in a spelling drawn by the shares."""

    def __init__(self, shares: Mapping[str, float]) -> None:
        self._shares = [(name, share) for name, share in shares.items() if name in SPELLINGS]

    def link(self, spelling: Spelling) -> Link:
        return Link(self._markup(spelling), Place(spelling.there.name, spelling.path))

    def _markup(self, spelling: Spelling) -> str:
        drawn = spelling.random.random()
        for name, share in self._shares:
            drawn -= share
            if drawn < 0:
                return SPELLINGS[name](spelling)
        return anchor(spelling.usual, spelling.text)

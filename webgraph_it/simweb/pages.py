"""Page and Link: the content of a URL of simweb, before it becomes bytes.

The truth reads `state` and the targets of `links`. The server reads the rest. Nothing here is computed from
bytes: the code that makes a link writes its markup and its target together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, overload

from webgraph_it.simweb.names import Place

FETCHED = "fetched"
REDIRECT = "redirect"
ROBOTS_DENIED = "robots-denied"
ERROR = "error"


class Link(NamedTuple):
    """A piece of markup, and the place where a correct crawl goes from it."""

    markup: str
    target: Place | None
    """None means that it looks like a link, but gives no arc."""


class LaterLinks(Sequence[Link]):
    """Links that are made on demand. The truth always needs them, the server rarely."""

    def __init__(self, make: Callable[[], list[Link]]) -> None:
        self._make = make

    @cached_property
    def _links(self) -> list[Link]:
        return self._make()

    @overload
    def __getitem__(self, at: int) -> Link: ...
    @overload
    def __getitem__(self, at: slice) -> list[Link]: ...
    def __getitem__(self, at: int | slice) -> Link | list[Link]:
        return self._links[at]

    def __len__(self) -> int:
        return len(self._links)


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a body is sent. The default is what most servers do."""

    coding: str = ""
    """Content coding, used if the client accepts it: gzip, deflate, raw-deflate, br."""
    framing: str = "length"
    """length, chunked, http10 (no length, the close ends it), close, too-long, too-short (wrong lengths)."""
    delay_seconds: float = 0.0
    """Delay before the first byte."""
    slow: bool = False
    """Send the body in small pieces with pauses."""
    odd_headers: bool = False
    fault: str = ""
    """What the first visit gets instead: 429, 503, reset."""


USUAL = Delivery()


def _empty() -> bytes:
    return b""


@dataclass(frozen=True, slots=True)
class Page:
    """One place of the web and its content, which never changes."""

    place: Place
    state: str = FETCHED
    links: Sequence[Link] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    media_type: str = "text/html; charset=utf-8"
    body: Callable[[], bytes] = _empty
    delivery: Delivery = USUAL
    cookie: str = ""
    """Whoever comes without this cookie is redirected to the page itself, which sets it. If the page is an error,
    everybody is."""

    @property
    def children(self) -> set[Place]:
        """The places where a correct crawl goes from here, before the scope is applied."""
        if self.state not in (FETCHED, REDIRECT):
            return set()
        return {link.target for link in self.links if link.target is not None}

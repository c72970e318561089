"""Page, Link and Exchange: the records that flow between rooms.

Frozen and typed. The spider makes a Page, the scope middleware removes its out-of-scope links, and the Recorder
(crawl/record.py) records it once, in one step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

NOTHING: Mapping[bytes, str] = MappingProxyType({})

LINK_KINDS = (
    *("a", "area", "frame", "iframe", "link", "form", "refresh", "redirect"),
    *("embed", "css", "script", "xml", "document", "nested"),
)
"""Every kind of link in a document. The order is that of the numbers in extract/frames.py."""


class Link(NamedTuple):
    """One hyperlink, with all three names of its target (see urls.names)."""

    url: str
    key: str
    digest: bytes
    kind: str
    """How the page links to it: one of LINK_KINDS, or `seed`."""


class Exchange(NamedTuple):
    """What was sent to a server and received from it, as it was on the wire. Kept only for an archive."""

    url: str
    """The requested URL."""
    request: bytes
    head: bytes
    """Status line and headers, with the empty line at their end."""
    body: bytes
    """As received: with its Content-Encoding and, if it was chunked, with its chunk sizes."""
    entity: bytes
    """The body without chunk sizes. The same object as `body` if it was not chunked."""
    truncated: str
    """Why the body is not whole, as WARC names it: `length`, `disconnect`, `unspecified`. Empty if it is."""
    address: str
    """The IP address that answered."""
    time: float
    """When the request was sent, seconds since 1970 UTC."""

    @property
    def status(self) -> bytes:
        """`200`."""
        return self.head.split(maxsplit=2)[1]


class State(StrEnum):
    """What became of a node. Only FETCHED and REDIRECT are parents in the graph. The last three are of re-visits."""

    FETCHED = "fetched"
    REDIRECT = "redirect"
    ROBOTS_DENIED = "robots-denied"
    ERROR = "error"
    TRAP_CUT = "trap-cut"
    QUOTA_CUT = "quota-cut"
    NEVER_TRIED = "never-tried"
    UNCHANGED = "unchanged"
    GONE = "gone"
    REVISIT_FAILED = "revisit-failed"


NODE_STATES = tuple(State)[:7]
"""The states of a node in the graph."""
PARENTS = (State.FETCHED, State.REDIRECT)
REVISIT_STATES = (State.UNCHANGED, State.GONE, State.REVISIT_FAILED)
"""What a re-visit found, in the page log only. Other links are FETCHED or REDIRECT, as at the first visit."""


@dataclass(frozen=True, slots=True)
class Page:
    """One fetched URL and what it links to."""

    url: str
    key: str
    digest: bytes
    time: float
    """When the fetch began, seconds since 1970 UTC."""
    state: State
    status: int
    """HTTP status; 0 if there was no response."""
    depth: int
    via: str
    """Key of the page where it was first found; empty for a seed."""
    links: tuple[Link, ...] = ()
    """Each target once, in order of appearance."""
    media_type: str = ""
    size_bytes: int = 0
    """Length of the decoded body, as parsed."""
    content_digest: str = ""
    """MD5 of the decoded body in hex; empty without a body."""
    address: str = ""
    """The IP address that answered."""
    reason: str = ""
    """Why, if the state alone does not say: the name of a failure, of a limit, or an extractor's reason."""
    seconds: float = 0.0
    """How long the fetch took."""
    host_depth: int = 0
    """Consecutive pages on the same host through which it was found."""
    in_graph: bool = True
    """False for a page outside the scope that is fetched for its links only (a directory seed)."""
    traps: Mapping[bytes, str] = field(default_factory=lambda: NOTHING)
    """Those of its links that must not be fetched: digest → reason. They are arcs nevertheless."""
    followed: frozenset[bytes] = frozenset()
    """Those of its links that are nodes but not arcs, because their kind is only followed."""
    etag: bytes = b""
    """As the server sent it; empty if it sent none, or a very long one."""
    last_modified: bytes = b""
    body_cut: bool = False
    """Its body was cut or not wholly read, so that the links may not be all."""
    fetch_only: frozenset[bytes] = frozenset()
    """Those of its links that are fetched but are neither nodes nor arcs, because they are out of scope."""
    texts: tuple[tuple[bytes, str], ...] = ()
    """(digest of the target, anchor text), if they were asked for; each pair once."""
    nofollow: frozenset[bytes] = frozenset()
    """Those of its links that are rel=nofollow, if that was asked for."""
    exchange: Exchange | None = field(default=None, repr=False)
    """For the archive; None if the crawl writes none, or a user's component answered."""
    outlinks: tuple[Link, ...] = field(default=(), repr=False)
    """For the archive: all links of the document, also those that are out of scope."""

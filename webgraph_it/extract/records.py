"""The inputs and outputs of extraction: frozen records, with no behaviour except simple queries.

Document ──► an extractor ──► Found ──► names ──► Extraction (items.Link)
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from webgraph_it.items import LINK_KINDS, Link

KINDS = LINK_KINDS

EMBEDDED = frozenset(("embed", "css", "script"))
"""Also followed, but not arcs, if EXTRACT_EMBEDDED is on."""


MAX_LINKS = 100_000
MAX_LINK_BYTES = 1 << 24
"""Maximum of targets in one document, and of their characters in total. Beyond that: `too-many-links`."""
REASONS = frozenset(("", "bomb", "broken", "encrypted", "memory", "too-many-links"))
"""Why links may be missing, as a worker reports it."""
REFUSALS = frozenset(("invalid", "scheme", "host", "rel", "javascript", "mailto"))
"""Why a reference is not a link."""


NOTHING: Mapping[str, int] = MappingProxyType({})


class Found(NamedTuple):
    """What an extractor found in one body."""

    links: Iterable[tuple[str, str, str]]
    """Reference as written, kind, rel as written; in order of appearance, with repeats. It can be read only once."""
    base: str
    """What references are relative to: the document's URL, unless it says otherwise."""
    encoding: str = "UTF-8"
    """The encoding in which non-ASCII queries are escaped (for HTML; all other formats use UTF-8)."""
    nofollow: bool = False
    """The document asks robots not to follow its links."""
    reason: str = ""
    """Why the body was not read completely; empty if it was."""
    texts: Mapping[int, str] = MappingProxyType({})
    """Anchor texts by the number of the reference in `links`, if they were asked for. Then `links` is a list."""


class Anchors(NamedTuple):
    """What links say about their targets. A number is a place in Extraction.links."""

    texts: tuple[tuple[int, str], ...] = ()
    """(number, text), each pair once, in order of both."""
    nofollow: tuple[int, ...] = ()
    """The targets to which all links are rel=nofollow, increasing."""


NO_ANCHORS = Anchors()


Extractor = Callable[[bytes, str, str | None, frozenset[str]], Found]
"""(body, base, declared charset, wanted kinds) → Found. Total, and linear in time."""


class Document(NamedTuple):
    """One response, as far as links are concerned."""

    body: bytes
    url: str
    """Where it came from, in normal form."""
    media_type: str = ""
    """As declared, without parameters: `text/html`. Empty when nothing was declared."""
    charset: str | None = None
    """As declared in the Content-Type header."""
    headers: tuple[tuple[str, bytes], ...] = ()
    """Lower-case name and value of `headers.NAMES` only. Location belongs here only if the status is 3xx."""
    nofollow: bool = False
    """Whether X-Robots-Tag forbids following links; the caller decides."""


class Extraction(NamedTuple):
    """The links of one document, named."""

    links: tuple[Link, ...] = ()
    """Each target once, in order of appearance; only kinds that the policy wants."""
    refused: Mapping[str, int] = NOTHING
    """How many distinct references were not links, by reason: javascript, mailto, invalid, scheme, host,
    rel."""
    nofollow: bool = False
    """The document or its headers ask not to follow links: `links` has at most redirects."""
    reason: str = ""
    """Why links may be missing (`timeout`, `memory`, `died`, `bad-reply`; `bomb`, `broken`, `encrypted`,
    `too-many-links`); empty if all were found."""
    media_type: str = ""
    """As detected from declaration and first bytes."""
    content_digest: str = ""
    """MD5 of the body in hex; empty if there is no body, if it could not be read to the end, or if only links were
    requested (`extract`)."""
    anchors: Anchors = NO_ANCHORS
    """If the policy asks for them."""


@dataclass(frozen=True, slots=True)
class LinkPolicy:
    """Which kinds of links matter. Pure data: workers get a copy."""

    arcs: frozenset[str]
    """Kinds that are written to the graph (and followed)."""
    followed: frozenset[str]
    """Kinds that are followed but not written."""
    plain_text: bool
    """Whether absolute URLs in plain text are links (kind `document`)."""
    texts: bool = False
    """Whether the texts of links are wanted."""
    rels: bool = False
    """Whether it is wanted which links are nofollow."""

    @property
    def wanted(self) -> frozenset[str]:
        return self.arcs | self.followed


def link_policy(
    arcs: Iterable[str],
    followed: Iterable[str],
    embedded: bool,
    plain_text: bool,
    texts: bool = False,
    rels: bool = False,
) -> LinkPolicy:
    """The policy that the settings describe. Raises ValueError, in one sentence, for an unknown kind."""
    also = frozenset(followed) | (EMBEDDED if embedded else frozenset())
    for setting, kinds in (("LINK_KINDS_ARCS", frozenset(arcs)), ("LINK_KINDS_FOLLOWED", also)):
        if unknown := sorted(kinds.difference(KINDS)):
            raise ValueError(f"{setting} has {unknown[0]!r}; expected some of {', '.join(KINDS)}")
    return LinkPolicy(frozenset(arcs), also - frozenset(arcs), plain_text, texts, rels)

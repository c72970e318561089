"""A shortcut past the URL parser for plain references, which most links are.

`plain(reference, base)` returns the normal form of a reference, or None if the real parser is needed;
`plain_parts` returns it with its host and path, so that it need not be split again.
Guarantee: the result is exactly what the web-platform parser returns (except for a base that is not a URL). The
candidate, made by joining strings, must have a shape that the parser does not change: lower-case scheme and host,
no port, only characters that are never escaped, no segment that begins with a dot, a last label that starts
with a letter (a host that ends in a number is an IPv4 address). names.py defines what a page is called.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_PATH = r"/[!$%&(-;=?-Z_a-z~]*"
_ABSOLUTE = re.compile(rf"https?://([a-z0-9_.-]{{1,253}})({_PATH})")
_PLAIN_PATH = re.compile(_PATH)
_PLAIN_HOST = re.compile(r"(?:(?!xn--)[a-z0-9_-]+\.)*(?!xn--)[a-z][a-z0-9_-]*")
_LONGEST_BASE = 4096  # characters: limits the memory of the cache

Parts = tuple[str, str, str]
"""A URL, its host, its path with the query: `http://esempio.it/a?b`, `esempio.it`, `/a?b`."""


class _Base(NamedTuple):
    """The parts of a base to which a reference can be joined."""

    scheme: str
    """`http:`"""
    origin: str
    """`http://esempio.it`"""
    host: str
    directory: str
    """The path up to its last slash."""
    above: str
    """The parent of that directory, or the root."""
    document: str
    """The path up to the query."""
    path: str


def plain(reference: str, base: str | None) -> str | None:
    """The normal form of `reference` relative to `base`, if joining strings is enough."""
    parts = plain_parts(reference, base)
    return parts[0] if parts else None


def plain_parts(reference: str, base: str | None) -> Parts | None:
    """The same, with its host and its path."""
    if "#" in reference:
        reference = reference.partition("#")[0]
    if reference.startswith("http"):
        return _absolute(reference)
    if base is None or ":" in reference or len(base) > _LONGEST_BASE:  # a colon may end a scheme
        return None
    parts = _base(base)
    if parts is None:
        return None
    if reference.startswith("//"):
        return _absolute(parts.scheme + reference)
    path = _glued(reference, parts)
    if _PLAIN_PATH.fullmatch(path) is None or "/." in path or "/%2" in path:
        return None
    return parts.origin + path, parts.host, path


def _absolute(url: str) -> Parts | None:
    # The second attempt is for a bare host: an optional group would make all other matches slower.
    shape = _ABSOLUTE.fullmatch(url) or _ABSOLUTE.fullmatch(url := url + "/")
    if shape is None or "/." in url or "/%2" in url or not _is_plain_host(shape[1]):
        return None
    return url, shape[1], shape[2]


def _glued(reference: str, base: _Base) -> str:
    if reference.startswith("/"):
        return reference
    if reference.startswith("?"):
        return base.document + reference
    if reference.startswith("../"):
        return base.above + reference[3:]
    return base.directory + reference if reference else base.path


@lru_cache(maxsize=64)
def _base(base: str) -> _Base | None:
    parts = _absolute(base.partition("#")[0])
    if parts is None:
        return None
    url, host, path = parts
    document = path.partition("?")[0]
    directory = document.rpartition("/")[0]
    above = directory.rpartition("/")[0]
    scheme = url.partition("//")[0]
    return _Base(scheme, f"{scheme}//{host}", host, f"{directory}/", f"{above}/", document, path)


@lru_cache(maxsize=8192)
def _is_plain_host(host: str) -> bool:
    return _PLAIN_HOST.fullmatch(host) is not None

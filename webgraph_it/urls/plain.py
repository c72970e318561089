"""A shortcut past the URL parser, for the plain references that most links are.

`plain(reference, base)` gives the normal form of a reference, or None when it takes the real parser to tell.
Guarantee: what it gives is exactly what the web-platform parser gives (a base that is no URL set aside). The
candidate, made by gluing strings, must be of a shape that the parser leaves alone: lower-case scheme and host,
no port, only characters that are never escaped, no segment that begins with a dot, a last label that starts
with a letter (a host that ends in a number is an IPv4 address). What a page is called is in names.py.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_SHAPE = re.compile(r"https?://([a-z0-9_.-]{1,253})(/[!$%&(-;=?-Z_a-z~]*)?")
_PLAIN_HOST = re.compile(r"(?:(?!xn--)[a-z0-9_-]+\.)*(?!xn--)[a-z][a-z0-9_-]*")


_LONGEST_BASE = 4096  # characters, for the memory of what is remembered


class _Base(NamedTuple):
    """What a reference can be glued to."""

    scheme: str
    """`http:`"""
    origin: str
    """`http://esempio.it`"""
    directory: str
    """Up to the last slash of the path."""
    above: str
    """The directory of the directory, or the root's."""
    document: str
    """Up to the query."""
    url: str


def plain(reference: str, base: str | None) -> str | None:
    """The normal form of `reference` seen from `base`, if gluing can tell."""
    if "#" in reference:
        reference = reference.partition("#")[0]
    url = reference if reference.startswith("http") else _glued(reference, base)
    shape = _SHAPE.fullmatch(url)
    if shape is None or "/." in url or "/%2" in url or not _is_plain_host(shape[1]):
        return None
    return url if shape[2] else url + "/"


def _glued(reference: str, base: str | None) -> str:
    if base is None or ":" in reference or len(base) > _LONGEST_BASE:  # a colon may end a scheme
        return ""
    parts = _base(base)
    if parts is None:
        return ""
    if reference.startswith("/"):
        return (parts.scheme if reference.startswith("//") else parts.origin) + reference
    if reference.startswith("?"):
        return parts.document + reference
    if reference.startswith("../"):
        return parts.above + reference[3:]
    return parts.directory + reference if reference else parts.url


@lru_cache(maxsize=64)
def _base(base: str) -> _Base | None:
    url = plain(base, None)
    if url is None:
        return None
    document = url.partition("?")[0]
    scheme, _, rest = url.partition("//")
    origin = f"{scheme}//{rest.partition('/')[0]}"
    directory = document.rpartition("/")[0]
    above = directory.rpartition("/")[0] if directory != origin else origin
    return _Base(scheme, origin, f"{directory}/", f"{above}/", document, url)


@lru_cache(maxsize=8192)
def _is_plain_host(host: str) -> bool:
    return _PLAIN_HOST.fullmatch(host) is not None

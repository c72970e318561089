"""Names of simweb's pages: a place (host and path) and its key.

Written without the crawler's code, so that the two can be compared. simweb builds its URLs from labels and paths
that it knows, and never has to parse unknown ones. `canonical_path` undoes only the spellings that simweb's
own habits write (session ids, escapes in lower case, empty queries).
"""

import re
from typing import NamedTuple


class Place(NamedTuple):
    """One page of simweb. Two spellings of a URL that lead to one node have equal places."""

    host: str
    """The name in lower case and ASCII, without www."""
    path: str
    """Path with query, without session ids, escapes in upper case."""


def key(place: Place) -> str:
    """The SURT key of a place: `Place("comune.padova.it", "/a?id=3")` is `it,padova,comune)/a?id=3`."""
    return f"{host_key(place.host)}{place.path}"


def host_key(host: str) -> str:
    """The common prefix of the keys of all pages of a host: for `comune.padova.it` it is `it,padova,comune)`."""
    return ",".join(reversed(host.split("."))) + ")"


def bare(host: str) -> str:
    """The host in lower case, without trailing dot and leading www."""
    host = host.lower().removesuffix(".")
    return host.removeprefix("www.")


_SESSION_IN_PATH = re.compile(r";jsessionid=[^;/?]*|/\(S\([^()/]*\)\)(?=/)", re.IGNORECASE)
_SESSION_PARAMETER = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid[a-z]{8}|cfid|cftoken)=.*|sid=[a-z0-9]{32,}", re.IGNORECASE
)
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")


def canonical_path(target: str) -> str:
    """The path of a place from a request target, in any spelling."""
    path, _, query = target.partition("#")[0].partition("?")
    if "(" in path or ";" in path:
        path = _SESSION_IN_PATH.sub("", path)
    if query:
        query = "&".join(p for p in query.split("&") if p and not _SESSION_PARAMETER.fullmatch(p))
    whole = f"{path}?{query}" if query else path
    return _ESCAPE.sub(lambda escape: escape[0].upper(), whole) if "%" in whole else whole

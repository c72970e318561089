"""How archives name a URL in an index (pure): the key by which replay tools look it up.

It looks like the key of a node (urls/names.py), but is another: replay tools must find a page although it is asked for
in another spelling. So here the case of the path is folded, parameters are sorted, a trailing slash is dropped. The
order of the steps and their rules are those of the Wayback Machine, whose indexes everybody reads.

    http://www.Comune.it:80/Uffici/?B=2&a=1    it,comune)/uffici?a=1&b=2
"""

import re
from urllib.parse import unquote_to_bytes, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_WWW = re.compile(r"www[0-9]*\.")
_SLASHES = re.compile(r"/{2,}")
_ASP_SESSIONS = (
    re.compile(r"^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$"),
    re.compile(r"^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$"),
)
_QUERY_SESSIONS = tuple(
    re.compile(rf"^(.*)(?:{name})(?:&(.*))?$")
    for name in (
        "(?:jsessionid|phpsessid)=[0-9a-z]{32}",
        "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}",
        "cfid=[^&]+&cftoken=[^&]+",
    )
)
_PLAIN = {byte: chr(byte) for byte in range(0x21, 0x7F) if byte not in b"#%"}


def index_key(url: str) -> str:
    """The key of a URL in its normal form (urls/names.py)."""
    parts = urlsplit(url)
    host = _reversed(_without_www(parts.hostname or ""))
    port = parts.port
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme):
        host += f":{port}"
    path = _without_asp_session(_without_last_slash(_flat(_respelt(parts.path)).lower()))
    query = _sorted(_without_session(_respelt(parts.query).lower()))
    return f"{host}){path or '/'}{'?' if query else ''}{query}"


def _without_www(host: str) -> str:
    return _WWW.sub("", host, count=1) if _WWW.match(host) else host


def _reversed(host: str) -> str:
    """`it,comune`. An IPv6 address stays as it is."""
    return host if ":" in host else ",".join(label for label in reversed(host.split(".")) if label)


def _respelt(text: str) -> str:
    """Each character in one spelling: percent escapes only where a plain character is impossible."""
    if "%" not in text:  # then nothing in a normal form needs one
        return text
    raw = text.encode()
    while (unescaped := unquote_to_bytes(raw)) != raw:
        raw = unescaped
    return "".join([_PLAIN.get(byte) or f"%{byte:02X}" for byte in raw])


def _flat(path: str) -> str:
    """Without empty, `.` and `..` segments. They may have been escaped."""
    if "//" not in path and "/." not in path:
        return path
    kept: list[str] = []
    for segment in _SLASHES.sub("/", path).split("/")[1:]:
        if segment == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept)


def _without_last_slash(path: str) -> str:
    return path.removesuffix("/")


def _without_asp_session(path: str) -> str:
    for session in _ASP_SESSIONS:
        path = session.sub(r"\1\2", path)
    return path


def _without_session(query: str) -> str:
    for session in _QUERY_SESSIONS:
        if found := session.match(query):
            query = found[1] + (found[2] or "")
    return query


def _sorted(query: str) -> str:
    """Parameters by name, then by value."""
    return "&".join(sorted(query.split("&"), key=lambda parameter: parameter.partition("=")))

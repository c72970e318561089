"""What a page is called: normal form, SURT key, node digest (recipe version 1, frozen).

    reference, base ──normal──► URL ──key──► SURT key ──digest──► 16 bytes

`normal` is what we fetch and what the URL list shows; `key` says which URLs are one node; `digest` is the
node's name in the shards. The steps that make two URLs the same node are the named functions in
HOST_STEPS, PATH_STEPS and QUERY_STEPS, applied in that order. docs/node-identity.md explains each.

Guarantees: total (nothing raises, whatever the input; what is not a page is a Refusal), deterministic, pure ASCII, and
idempotent. A change to any step requires a new RECIPE_VERSION, because the graphs are not comparable.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from ada_url import join_url, normalize_url

from webgraph_it.urls.plain import plain, plain_parts

try:  # CPython's own MD5: for short texts such as keys, hashlib (OpenSSL) spends most of its time on set-up
    from _md5 import md5  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from hashlib import md5

RECIPE_VERSION = 1

Step = Callable[[str], str]


class Refusal(Enum):
    """Why a reference is not the name of a page. The value is the reason's name in the stats."""

    INVALID = "invalid"
    """The web-platform URL parser rejects it."""
    SCHEME = "scheme"
    """Neither http nor https."""
    HOST = "host"
    """Not a valid DNS name: an empty label, one of more than 63 characters, more than 253 in all, or
    characters outside letters, digits, '-' and '_'."""


class Name(NamedTuple):
    """All three names of one page."""

    url: str
    key: str
    digest: bytes


def normal(reference: str, base: str | None = None) -> str | Refusal:
    """The WHATWG URL of `reference` relative to `base`: http(s) only, without fragment and userinfo.

    A base that is not a URL is ignored.
    """
    return plain(reference, base) or _parsed(reference, base)


def key(url: str) -> str | Refusal:
    """The SURT key of a URL: equal keys are one node."""
    normal_url = normal(url)
    return _key(*_split(normal_url)) if isinstance(normal_url, str) else normal_url


def digest(key: str) -> bytes:
    """MD5 of the key with the first bit cleared: in the shards, that bit distinguishes a parent from a child."""
    whole: bytes = md5(key.encode(), usedforsecurity=False).digest()
    return whole if whole[0] < 0x80 else bytes((whole[0] & 0x7F,)) + whole[1:]


def name(reference: str, base: str | None = None) -> Name | Refusal:
    """`normal`, `key` and `digest` in one call."""
    parts = plain_parts(reference, base)
    if parts is None:
        parsed = _parsed(reference, base)
        if not isinstance(parsed, str):
            return parsed
        parts = parsed, *_split(parsed)
    url, authority, path = parts
    surt = _key(authority, path)
    return _new(Name, (url, surt, digest(surt))) if isinstance(surt, str) else surt


def no_digest(key: str) -> bytes:
    """A replacement for `digest`, if the receiver of the names computes the digests anyway."""
    return b""


def name_all(
    references: Iterable[str], base: str, digest: Callable[[str], bytes] = digest
) -> list[Name | Refusal]:
    """`name` of each reference; faster for those that no step changes (see _BARE)."""
    root = name("/", base) if plain("/", base) else Refusal.INVALID
    origin, own_host = (root.url[:-1], root.key[:-1]) if isinstance(root, Name) else ("", None)
    shape_of, found = _BARE.fullmatch, list[Name | Refusal]()
    for reference in references:
        shape = shape_of(reference)
        if shape is not None and "/." not in reference:
            authority, path, query = shape.groups()
            host = own_host if authority is None else _bare_host_key(authority)
            if host is not None and (query is None or drop_session_parameters(query) == query):
                surt = host + path
                url = reference if authority is not None else origin + path
                found.append(_new(Name, (url, surt, digest(surt))))
                continue
        found.append(name(reference, base))
    return found


def keys_of_normal(urls: Sequence[str]) -> list[str]:
    """The keys of URLs that are said to be in normal form, without parsing them again.

    Raises ValueError for a text that is not a URL with a valid DNS name, or has characters that no normal form has.
    It does not notice if the URL is not in normal form (such as `/a/../b`): the keys are those of exactly what was
    given.
    """
    together = "".join(urls)
    if together.encode("ascii").translate(None, _IN_URLS):
        raise ValueError("a URL has characters that no normal form has")
    may_change = [
        character for character in "?%;(" if character in together
    ]  # otherwise no step changes a path
    keys: list[str] = []
    start, at, host = "\n", 0, ""
    for url in urls:
        if not url.startswith(start):  # most links of a page are on the same host as the previous one
            at = url.find("/", _AFTER_SCHEME)
            start = url[: at + 1]
            host = _origin_key(start)
        path = url[at:]
        if may_change:
            for character in may_change:
                if character in path:
                    path = _path_key(path)
                    break
        keys.append(host + path)
    return keys


_AFTER_SCHEME = len("https://")
_IN_URLS = bytes(sorted(set(range(0x21, 0x7F)) - set(b'"#<>')))
_ORIGIN = re.compile(r"https?://((?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?)/")


@lru_cache(maxsize=8192)
def _origin_key(start: str) -> str:
    """`http://www.sito.it:8080/` → `it,sito):8080`."""
    parts = _ORIGIN.fullmatch(start) if len(start) <= _LONGEST_AUTHORITY + _AFTER_SCHEME + 1 else None
    host = _host_key(parts[1]) if parts else None
    if host is None:
        raise ValueError(f"not the beginning of a URL in normal form: {start[:80]!r}")
    return host


_new = tuple.__new__  # what Name() calls, without the call in between
_BARE = re.compile(
    r"(?:https?://([a-z0-9_.-]{1,253}))?"
    r"(/(?!/)[!$&)-:=@-Z_a-z~]*(?:\?([!$)-:=?-Z_a-z~]+(?:&[!$)-:=?-Z_a-z~]+)*))?)"
)
"""A URL, or a path that is joined to its host, which no step changes, provided that host and query pass their checks
and no segment begins with a dot. Groups: host, path with query, query."""


@lru_cache(maxsize=8192)
def _bare_host_key(host: str) -> str | None:
    """`_host_key` of a host that the URL parser does not change."""
    return _host_key(host) if plain(f"http://{host}/", None) else None


# -- the normal form ----------------------------------------------------------------------------------------


def _parsed(reference: str, base: str | None) -> str | Refusal:
    try:
        url = normalize_url(reference) if base is None else join_url(base, reference)
    except ValueError:
        return _parsed_otherwise(reference, base)
    if not url.startswith(("http://", "https://")):
        return Refusal.SCHEME
    return _without_userinfo(url.partition("#")[0])


def _parsed_otherwise(reference: str, base: str | None) -> str | Refusal:
    """Half a surrogate pair becomes U+FFFD, as in a browser. An unusable base is ignored."""
    whole = _without_surrogates(reference)
    if whole != reference:
        return _parsed(whole, base)
    if base is None:
        return Refusal.INVALID
    whole_base = _without_surrogates(base)
    return _parsed(reference, None if whole_base == base else whole_base)


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _without_userinfo(url: str) -> str:
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return url if "@" not in authority else f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


# -- the steps of the key -----------------------------------------------------------------------------------


def drop_trailing_dot(host: str) -> str:
    """`esempio.it.` is `esempio.it`: the dot only says that the name is complete."""
    return host.removesuffix(".")


def drop_www(host: str) -> str:
    """`www.esempio.it` and `www2.esempio.it` are `esempio.it`; but `www.it` is itself a domain."""
    while (prefix := _WWW.match(host)) and "." in host[prefix.end() :]:
        host = host[prefix.end() :]
    return host


def reverse_labels(host: str) -> str:
    """`dei.unipd.it` is `it,unipd,dei`: sorted keys group hosts by domain. An IP address stays as it is."""
    return host if _IP_ADDRESS.fullmatch(host) else ",".join(reversed(host.split(".")))


def drop_jsessionid(path: str) -> str:
    """`/a;jsessionid=1F` is `/a`: Java servers write the session into the path.

    `/..;jsessionid=1F` stays: without the session the segment would mean another directory.
    """
    return _JSESSIONID.sub("", path) if ";" in path else path


def drop_aspnet_session(path: str) -> str:
    """`/(S(4rq5))/a` is `/a`: ASP.NET without cookies does the same."""
    return _ASPNET_SESSION.sub("", path) if "/(S(" in path else path


def drop_session_parameters(query: str) -> str:
    """`PHPSESSID=1f&x=1` is `x=1`: the session is not part of the page's name."""
    folded = query.lower()
    if "sess" not in folded and "sid=" not in folded and "cf" not in folded:
        return query
    return "&".join(p for p in query.split("&") if not _SESSION_PARAMETER.fullmatch(p))


def drop_empty_parameters(query: str) -> str:
    """`&x=1&&` is `x=1`: an empty parameter has no meaning."""
    if "&&" in query or query[:1] == "&" or query[-1:] == "&":
        return "&".join(filter(None, query.split("&")))
    return query


def upper_case_escapes(text: str) -> str:
    """`%c3%a0` is `%C3%A0`; escapes are never decoded, because `%2F` and `/` may be two pages."""
    return _ESCAPE.sub(lambda escape: escape[0].upper(), text) if "%" in text else text


HOST_STEPS: tuple[Step, ...] = (drop_trailing_dot, drop_www, reverse_labels)
PATH_STEPS: tuple[Step, ...] = (drop_jsessionid, drop_aspnet_session, upper_case_escapes)
QUERY_STEPS: tuple[Step, ...] = (drop_session_parameters, drop_empty_parameters, upper_case_escapes)

_WWW = re.compile(r"www[0-9]*\.")
_AFTER_NO_DOT_SEGMENT = "".join(
    rf"(?<!/{dots})" for dots in (r"\.", r"%2e", r"\.\.", r"\.%2e", r"%2e\.", r"%2e%2e")
)
_JSESSIONID = re.compile(_AFTER_NO_DOT_SEGMENT + r";jsessionid=[^;/]*", re.IGNORECASE)
_ASPNET_SESSION = re.compile(r"/\(S\([^()/]*\)\)(?=/)")
_SESSION_PARAMETER = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid[a-z]{8}|cfid|cftoken)(?:=.*)?|sid=[a-z0-9]{32,}", re.IGNORECASE
)
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_HOST = re.compile(r"(?=.{1,254}$)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?|\[[0-9a-f:.]+\]")
_IP_ADDRESS = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|\[.*\]")
_LONGEST_AUTHORITY = 260  # 253 of the name, its closing dot, a colon and a port


def _split(normal_url: str) -> tuple[str, str]:
    """`http://esempio.it:8080/a?b` → `esempio.it:8080`, `/a?b`."""
    authority, _, path = normal_url.partition("//")[2].partition("/")
    return authority, "/" + path


def _key(authority: str, path: str) -> str | Refusal:
    host = _host_key(authority) if len(authority) <= _LONGEST_AUTHORITY else None
    if host is None:
        return Refusal.HOST
    if "?" in path or ";" in path or "%" in path or "(" in path:  # otherwise no step changes it
        path = _path_key(path)
    return host + path


def _path_key(path: str) -> str:
    path, _, query = path.partition("?")
    path, query = _applied(PATH_STEPS, path), _applied(QUERY_STEPS, query)
    return f"{path}?{query}" if query else path


def _applied(steps: tuple[Step, ...], text: str) -> str:
    for step in steps:
        text = step(text)
    return text


@lru_cache(maxsize=8192)
def _host_key(authority: str) -> str | None:
    """`www.sito.it:8080` → `it,sito):8080`. A default port is already gone from a normal URL."""
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, colon, port = authority, "", ""
    return f"{_applied(HOST_STEPS, host)}){colon}{port}" if _HOST.fullmatch(host) else None

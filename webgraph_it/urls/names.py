"""What a page is called: normal form, SURT key, node digest (recipe version 1, frozen).

    reference, base ──normal──► URL ──key──► SURT key ──digest──► 16 bytes

`normal` is what we fetch and what the URL list shows; `key` says which URLs are one node; `digest` is the
node's name in the shards. The steps that make two URLs the same node are the named functions in
HOST_STEPS, PATH_STEPS and QUERY_STEPS, applied in that order. docs/node-identity.md explains each.

Guarantees: total (nothing raises, whatever the input; what is no page is a Refusal), deterministic, pure
ASCII, and idempotent. A change of any step is a new RECIPE_VERSION: their graphs are not comparable.
"""

import re
from enum import Enum
from hashlib import md5
from typing import NamedTuple

from ada_url import join_url, normalize_url

RECIPE_VERSION = 1


class Refusal(Enum):
    """Why a reference is not the name of a page. The value is the reason's name in the stats."""

    INVALID = "invalid"
    """The web-platform URL parser rejects it."""
    SCHEME = "scheme"
    """Neither http nor https."""
    HOST = "host"
    """No name that DNS could hold: an empty label, or characters outside letters, digits, '-' and '_'."""


class Name(NamedTuple):
    """All three names of one page."""

    url: str
    key: str
    digest: bytes


def normal(reference: str, base: str | None = None) -> str | Refusal:
    """The WHATWG URL of `reference` seen from `base`: http(s) only, without fragment and userinfo."""
    try:
        url = join_url(base, reference) if base is not None else normalize_url(reference)
    except UnicodeEncodeError:  # lone surrogates: a browser reads them as U+FFFD
        return normal(_without_surrogates(reference), None if base is None else _without_surrogates(base))
    except ValueError:
        return Refusal.INVALID
    if not url.startswith(("http://", "https://")):
        return Refusal.SCHEME
    return _without_userinfo(_without_fragment(url))


def key(url: str) -> str | Refusal:
    """The SURT key of a URL: equal keys are one node."""
    normal_url = normal(url)
    return normal_url if isinstance(normal_url, Refusal) else _key_of_normal(normal_url)


def digest(key: str) -> bytes:
    """MD5 of the key with the first bit cleared: that bit tells a parent from a child in the shards."""
    whole = md5(key.encode(), usedforsecurity=False).digest()
    return bytes((whole[0] & 0x7F,)) + whole[1:]


def name(reference: str, base: str | None = None) -> Name | Refusal:
    """`normal`, `key` and `digest` in one call."""
    url = normal(reference, base)
    if isinstance(url, Refusal):
        return url
    surt = _key_of_normal(url)
    return surt if isinstance(surt, Refusal) else Name(url, surt, digest(surt))


# -- the normal form ----------------------------------------------------------------------------------------


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


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
    """`/a;jsessionid=1F` is `/a`: Java servers write the visit into the path."""
    return _JSESSIONID.sub("", path) if ";" in path else path


def drop_aspnet_session(path: str) -> str:
    """`/(S(4rq5))/a` is `/a`: ASP.NET without cookies does the same."""
    return _ASPNET_SESSION.sub("", path) if "/(S(" in path else path


def drop_empty_parameters(query: str) -> str:
    """`&x=1&&` is `x=1`: an empty parameter says nothing."""
    if "&&" in query or query[:1] == "&" or query[-1:] == "&":
        return "&".join(filter(None, query.split("&")))
    return query


def drop_session_parameters(query: str) -> str:
    """`PHPSESSID=1f&x=1` is `x=1`: the visit is not the page."""
    if not _SESSION_HINT.search(query):
        return query
    return "&".join(p for p in query.split("&") if not _SESSION_PARAMETER.fullmatch(p))


def upper_case_escapes(text: str) -> str:
    """`%c3%a0` is `%C3%A0`; escapes are never decoded, because `%2F` and `/` may be two pages."""
    return _ESCAPE.sub(lambda escape: escape[0].upper(), text) if "%" in text else text


HOST_STEPS = (drop_trailing_dot, drop_www, reverse_labels)
PATH_STEPS = (drop_jsessionid, drop_aspnet_session, upper_case_escapes)
QUERY_STEPS = (drop_session_parameters, drop_empty_parameters, upper_case_escapes)

_WWW = re.compile(r"www[0-9]*\.")
_JSESSIONID = re.compile(r";jsessionid=[^;/]*", re.IGNORECASE)
_ASPNET_SESSION = re.compile(r"/\(S\([^()/]*\)\)(?=/)")
_SESSION_HINT = re.compile(r"sessi|sessid|cfid|cftoken|sid=", re.IGNORECASE)
_SESSION_PARAMETER = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid[a-z]{8}|cfid|cftoken)(?:=.*)?|sid=[a-z0-9]{32,}", re.IGNORECASE
)
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_HOST = re.compile(r"(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?|\[[0-9a-f:.]+\]")
_IP_ADDRESS = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|\[.*\]")


def _key_of_normal(url: str) -> str | Refusal:
    authority, slash, rest = url.partition("://")[2].partition("/")
    host, port = _host_and_port(authority)
    if not _HOST.fullmatch(host):
        return Refusal.HOST
    path, question_mark, query = rest.partition("?")
    path = slash + path
    for step in HOST_STEPS:
        host = step(host)
    for step in PATH_STEPS:
        path = step(path)
    if not question_mark:
        return f"{host}){port}{path}"
    for step in QUERY_STEPS:
        query = step(query)
    return f"{host}){port}{path}?{query}" if query else f"{host}){port}{path}"


def _host_and_port(authority: str) -> tuple[str, str]:
    """`sito.it:8080` → `sito.it`, `:8080`. A default port is already gone from a normal URL."""
    if authority[-1:] == "]":
        return authority, ""
    host, colon, port = authority.rpartition(":")
    return (host, colon + port) if colon else (authority, "")

"""The cookies of one reply, for one more request to the same origin (RFC 6265). Pure, and nothing is kept.

    Set-Cookie headers of a reply ──cookie_header──► value of the Cookie header of the next request

Guarantees: total (any header values give an answer). A cookie is used only if a browser would send it there: its
Domain, Path and Secure allow it, and it has not expired. Only printable ASCII is sent, in at most MAX_COOKIES cookies
and MAX_HEADER_BYTES, whatever the server sets; a cookie that does not fit is left out. So a cookie cannot add a header
or a request.
"""

import re
from collections.abc import Sequence

from webgraph_it.fetch.retry_after import http_date
from webgraph_it.fetch.target import Target

MAX_COOKIES = 20
MAX_HEADER_BYTES = 4096
MAX_EXAMINED = 100
"""Further Set-Cookie headers of a reply are ignored."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x20-\x3a\x3c-\x7e]*")
_MAX_AGE = re.compile(r"-?[0-9]+")


def cookie_header(set_cookies: Sequence[bytes], target: Target, now: float) -> bytes:
    """The Cookie header for a request to `target`; empty if there is nothing to send."""
    cookies: dict[str, str] = {}
    for header in set_cookies[:MAX_EXAMINED]:
        pair, *attributes = header.decode("latin-1").split(";")
        name, equals, value = (part.strip(" \t") for part in pair.partition("="))
        if not equals or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            continue
        said = _attributes(attributes)
        if not _is_for(said, target):
            continue
        cookies.pop(name, None)
        if not _has_expired(said, now):
            cookies[name] = value
    return _joined(cookies)


def _joined(cookies: dict[str, str]) -> bytes:
    taken: list[str] = []
    length = 0
    for name, value in cookies.items():
        pair = f"{name}={value}"
        if len(taken) < MAX_COOKIES and length + len(pair) <= MAX_HEADER_BYTES:
            taken.append(pair)
            length += len(pair) + 2
    return "; ".join(taken).encode("ascii")


def _attributes(texts: Sequence[str]) -> dict[str, str]:
    """By name in lower case. Of several, the last one counts."""
    pairs = (text.partition("=") for text in texts)
    return {name.strip(" \t").lower(): value.strip(" \t") for name, _, value in pairs}


def _is_for(said: dict[str, str], target: Target) -> bool:
    """Whether a browser would send the cookie back to the page that set it."""
    domain = said.get("domain", "").lower().removeprefix(".")
    if domain and target.host != domain and not target.host.endswith(f".{domain}"):
        return False
    if "secure" in said and not target.tls:
        return False
    return _covers(said.get("path", ""), target.path.partition("?")[0])


def _covers(path: str, asked: str) -> bool:
    """A path that does not begin with a slash is the folder of the page, so it covers the page."""
    if not path.startswith("/") or path == asked:
        return True
    return asked.startswith(path if path.endswith("/") else f"{path}/")


def _has_expired(said: dict[str, str], now: float) -> bool:
    if _MAX_AGE.fullmatch(max_age := said.get("max-age", "")):
        return max_age.startswith("-") or not max_age.strip("0")
    expires_at = http_date(said.get("expires", "")[:64])
    return expires_at is not None and expires_at <= now

"""Which requests are refused before anything of them is carried out. Pure.

In this order: the Host, then what a browser says about where the request comes from, then the media type. Who asks
(tokens.py) comes after that.
"""

from collections.abc import Mapping
from typing import NamedTuple

READING = ("GET", "HEAD")
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Of every answer."""


class Asked(NamedTuple):
    """What is looked at. None: the header is missing."""

    method: str
    path: str
    hosts: tuple[str, ...]
    """Every Host header."""
    origin: str | None
    site: str | None
    """Sec-Fetch-Site: where the request comes from, as the browser knows it."""
    content_type: str


class Refused(NamedTuple):
    status: int
    sentence: str


def refusal(asked: Asked, names: frozenset[str]) -> Refused | None:
    """None: it may be answered. `names`: how the console may be called (address.py)."""
    if len(asked.hosts) != 1 or asked.hosts[0].lower() not in names:
        return Refused(
            421, "This console is not known by that name. Use its address, or list the name in CONSOLE_HOSTS."
        )
    if asked.method in READING:
        return None if _may_look(asked) else Refused(403, "Another site's page asked for this.")
    if asked.site not in (None, "same-origin") or not _is_own(asked):
        return Refused(403, "Another site's page asked for this.")
    if (
        asked.method != "DELETE"
        and asked.content_type.partition(";")[0].strip().lower() != "application/json"
    ):
        return Refused(415, "Expected: a JSON body, with Content-Type: application/json.")
    return None


def _is_own(asked: Asked) -> bool:
    """Whether a page of this console asks, or no page at all. Behind a proxy the page may have come by https."""
    host = asked.hosts[0].lower()
    return asked.origin is None or asked.origin.lower() in (f"http://{host}", f"https://{host}")


def _may_look(asked: Asked) -> bool:
    """A link on another site may lead to the page, but no other site may ask for data."""
    return asked.path == "/" or asked.site in (None, "same-origin", "none")

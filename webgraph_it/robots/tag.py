"""X-Robots-Tag: whether the links of a page may be followed.

Guarantees: total (any header values give an answer). A directive for another crawler is ignored.
It does not read the same directives in a `meta` element; the extractors do.
"""

import re
from collections.abc import Iterator, Sequence

NOFOLLOW = frozenset(("nofollow", "none"))
# Directives that contain a colon; any other single word before a colon is a crawler's name.
_WITH_VALUE = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))
_NAME = re.compile(r"[a-z_*][a-z0-9_*-]*")


def nofollow(x_robots_tag_headers: Sequence[str], user_agent_token: str) -> bool:
    """True if any header tells everybody, or the crawler of this product token, not to follow the links."""
    token = user_agent_token.lower()
    return any(
        directive in NOFOLLOW and addressee in ("", "*", "robots", token)
        for header in x_robots_tag_headers
        for addressee, directive in _directives(header)
    )


def _directives(header: str) -> Iterator[tuple[str, str]]:
    """`bot: noindex, nofollow` → (bot, noindex), (bot, nofollow): a name applies until the next one."""
    addressee = ""
    for part in header.lower().split(","):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if colon and name not in _WITH_VALUE and _NAME.fullmatch(name):
            addressee, name = name, rest
        yield addressee, name

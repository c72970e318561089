"""X-Robots-Tag: may the links of this page be followed?

Guarantees: total (any header values give an answer); a directive addressed to another crawler is not ours.
The same words in a `meta` element are read by the extractors.
"""

import re
from collections.abc import Iterator, Sequence

NOFOLLOW = frozenset(("nofollow", "none"))
# Directives that hold a colon themselves; any other single word before a colon is a crawler's name.
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
    """`bot: noindex, nofollow` → (bot, noindex), (bot, nofollow): a name holds until the next."""
    addressee = ""
    for part in header.lower().split(","):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if colon and name not in _WITH_VALUE and _NAME.fullmatch(name):
            addressee, name = name, rest
        yield addressee, name

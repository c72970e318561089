"""From Content-Type, as a server sends it, to a media type and a charset that are safe to keep, log and print (pure).

Guarantees: a media type is empty (nothing was declared), `invalid`, or two RFC 9110 tokens around a slash in lower
case, at most 127 characters in all (RFC 6838); a charset is None or a short label. So neither can carry a control
character, an escape sequence or a megabyte into a report.
"""

import re
from functools import lru_cache

INVALID = "invalid"
"""What was declared is not a media type."""
MAX_LENGTH = 127
_MEDIA_TYPE = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+/[!#$%&'*+.^_`|~0-9a-z-]+")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s"';]+)""", re.IGNORECASE)
_LABEL = re.compile(r"[0-9A-Za-z][0-9A-Za-z_:.()+-]{0,39}")


@lru_cache(maxsize=1000)
def declared(text: str) -> tuple[str, str | None]:
    """`text/html; charset=utf-8` → `text/html`, `utf-8`."""
    media_type, _, parameters = text.partition(";")
    charset = _CHARSET.search(parameters[:1000])
    label = charset[1] if charset and _LABEL.fullmatch(charset[1]) else None
    return checked(media_type.strip().lower()), label


def checked(media_type: str) -> str:
    """The media type if it is valid; otherwise `invalid`."""
    if len(media_type) <= MAX_LENGTH and _MEDIA_TYPE.fullmatch(media_type):
        return media_type
    return INVALID if media_type else ""

"""Retry-After (RFC 9110, section 10.2.3): seconds, or a date in any of HTTP's three formats.

Guarantees: never raises, whatever the server sent. A value that cannot be understood is None, a past time is 0, and the
maximum is a year. The frontier decides how long we actually wait.
"""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

MAX_SECONDS = 365 * 24 * 3600.0

_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?")


def retry_after_seconds(value: str | bytes | None, now: float) -> float | None:
    """How long to wait from `now` (seconds since 1970 UTC), as the header says; None if it says nothing."""
    text = (value.decode("latin-1") if isinstance(value, bytes) else value or "").strip()[:64]
    if _SECONDS.fullmatch(text):
        return min(float(text), MAX_SECONDS)
    when = http_date(text)
    return None if when is None else min(max(when - now, 0.0), MAX_SECONDS)


def http_date(text: str) -> float | None:
    """Seconds since 1970 UTC; None if it is not a date."""
    try:
        date = parsedate_to_datetime(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None

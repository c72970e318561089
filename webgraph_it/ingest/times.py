"""Dates of archives as seconds since 1970 UTC. Pure."""

import re
from datetime import UTC, datetime
from functools import lru_cache

_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z?")
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)?(\d\d)?(\d\d)?\d*")


def seconds_of(text: str) -> float:
    """`2024-05-01T10:20:30.5Z` (WARC) or `20240501102030` (ARC); 0 if it is no date."""
    match = _ISO.fullmatch(text.strip())
    if match is not None:
        *parts, fraction = match.groups()
        return _seconds(*parts) + (float(f"0.{fraction}") if fraction else 0.0)
    match = _DIGITS.fullmatch(text.strip())
    return _seconds(*[part or "0" for part in match.groups()]) if match is not None else 0.0


@lru_cache(256)
def _seconds(*parts: str) -> float:
    try:
        return max(0.0, datetime(*map(int, parts), tzinfo=UTC).timestamp())  # type: ignore[misc, arg-type]
    except ValueError:
        return 0.0

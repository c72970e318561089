"""The mean of a bandwidth plan over a week."""

import re

_UNITS = {"KB/s": 1 << 10, "MB/s": 1 << 20, "GB/s": 1 << 30, "Mbit/s": 125_000}


def rate(words: str) -> float:
    """Bytes per second of "3.4 MB/s"."""
    match = re.fullmatch(r"([0-9.]+) ?(\S+)", words)
    if not match or match[2] not in _UNITS:
        raise ValueError(f"a rate such as '3.4 MB/s' is expected, found {words!r}")
    return float(match[1]) * _UNITS[match[2]]


def mean_rate(words: str) -> float:
    raise ValueError("not yet")

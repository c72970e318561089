"""What is known about one origin's robots.txt: one record, and its bytes in the frontier (layout version 1).

    fetched_at, expires_at      two doubles, big-endian
    known or wait, then \\n      `wait`: pages wait until it expires
    version                     one byte: 1
    verdict, failures           one byte each
    fetched_at, expires_at      two doubles, little-endian
    length of the reason        one byte
    reason, raw text            to the end

The times are stored twice, because earlier versions kept one record inside another. The first pair is valid.
"""

import struct
from enum import IntEnum
from typing import NamedTuple


class Verdict(IntEnum):
    """What a robots.txt means for the whole origin."""

    RULES = 0
    ALLOW_ALL = 1
    DISALLOW_ALL = 2


class RobotsRecord(NamedTuple):
    """What is known about one origin's robots.txt. robots/expiry.py says what its times mean."""

    verdict: Verdict
    reason: str
    """Why: rules, no-rules, status-404, redirects, error-…, too-many-rules. Also the name of a counter."""
    fetched_at: float
    expires_at: float
    """When to request it again: at most 24 hours later, sooner after a failure."""
    raw: bytes = b""
    """The text, at most 500 KiB; empty when it does not matter."""
    failures: int = 0
    """Consecutive failures to reach it."""
    waits: bool = False
    """Whether it is unreachable and the origin's pages wait until it expires."""

    def to_bytes(self) -> bytes:
        times = self.fetched_at, self.expires_at
        reason = self.reason.encode()[:255]
        status = _WAIT if self.waits else _KNOWN
        head = _HEAD.pack(_VERSION, self.verdict, min(self.failures, 255), *times)
        return b"".join((_TIMES.pack(*times), status, b"\n", head, bytes((len(reason),)), reason, self.raw))

    @classmethod
    def from_bytes(cls, data: bytes) -> "RobotsRecord":
        """Raises ValueError for bytes that are not a record of this version."""
        try:
            fetched_at, expires_at = _TIMES.unpack_from(data)
            start = data.index(b"\n", _TIMES.size) + 1
            version, verdict, failures, _, _ = _HEAD.unpack_from(data, start)
            length_at = start + _HEAD.size
            text_at = length_at + 1 + data[length_at]
            kind = _VERDICTS[verdict]
        except (struct.error, IndexError):
            raise ValueError("bytes found that are not a robots record: fetch it again") from None
        if version != _VERSION:
            raise ValueError(f"robots record of version {version} found, {_VERSION} expected: fetch it again")
        reason = data[length_at + 1 : text_at].decode("utf-8", "replace")
        waits = data[_TIMES.size : start - 1] == _WAIT
        return cls(kind, reason, fetched_at, expires_at, data[text_at:], failures, waits)


_VERSION = 1
_TIMES = struct.Struct(">dd")
_HEAD = struct.Struct("<BBBdd")
_KNOWN, _WAIT = b"known", b"wait"
_VERDICTS = tuple(Verdict)

"""Decides how long a robots.txt is valid, and whether its pages wait for it. No other module does.

    nothing known, or expired ──► REQUEST it          could not be reached ──► WAIT until it expires
    any other record          ──► KNOWN: ask it       the fourth failure in a row ──► KNOWN, and disallowed

A record is valid for at most 24 hours, regardless of Cache-Control. After a failure it is valid for `retry_seconds`,
then twice as long each time, or as long as Retry-After says. Pure: times are arguments.
"""

from enum import Enum, auto
from typing import NamedTuple

from webgraph_it.robots.record import RobotsRecord

MAX_AGE_SECONDS = 24 * 3600.0
MAX_DOUBLINGS = 20


class Need(Enum):
    """What must happen with its origin's robots.txt before a page may be fetched."""

    REQUEST = auto()
    """Request it: it was never seen, or has expired."""
    WAIT = auto()
    """It is unreachable: wait until the record expires."""
    KNOWN = auto()
    """Nothing more: the record answers."""


def need(record: RobotsRecord | None, now: float) -> Need:
    """What must happen before a page of this origin may be fetched."""
    if record is None or record.expires_at <= now:
        return Need.REQUEST
    return Need.WAIT if record.waits else Need.KNOWN


def of_known_age(record: RobotsRecord, latest: float, corrected_at: float) -> RobotsRecord:
    """The record as it is valid in a crawl whose latest time is `latest`.

    `corrected_at` is when the machine's clock was last found to have gone back (0: never). A record from before that,
    or from the future, has expired, because its age is unknown.
    """
    fetched_at, expires_at = record.fetched_at, record.expires_at
    if fetched_at < corrected_at or expires_at > latest + 2 * MAX_AGE_SECONDS:
        return record._replace(expires_at=0.0)
    if expires_at > fetched_at + MAX_AGE_SECONDS:
        return record._replace(expires_at=fetched_at + MAX_AGE_SECONDS)
    return record


class Expiry(NamedTuple):
    """The crawl's options."""

    retry_seconds: float
    """Pause after the first failure. It doubles with each further one."""
    max_age_seconds: float = MAX_AGE_SECONDS
    attempts: int = 4
    """After this many consecutive failures, pages no longer wait: they are disallowed."""

    def of_answer(self, now: float) -> float:
        """When a record from a reply expires."""
        return now + min(self.max_age_seconds, MAX_AGE_SECONDS)

    def of_failure(self, failures: int, now: float, retry_after_seconds: float | None) -> tuple[float, bool]:
        """When the record expires after `failures` consecutive failures, and whether pages wait until then."""
        doubled = self.retry_seconds * 2.0 ** min(failures - 1, MAX_DOUBLINGS)
        wait = max(doubled, retry_after_seconds or 0.0)
        return min(now + wait, self.of_answer(now)), failures < self.attempts

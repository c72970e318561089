"""How long a host rests between fetches: pure arithmetic on the given times.

Guarantees: after a fetch that ended at `now`, the host is not ready before now + the longest of HOST_DELAY,
its Crawl-delay (up to a maximum), DELAY_FACTOR × the fetch's duration (up to a maximum), Retry-After, and the
back-off of its consecutive failures. A host that keeps failing is parked, and given up after several parkings: its URLs
then become errors, so that every crawl ends. A 5xx other than 503 is a reply, and may come from one broken part of a
healthy site. So it makes the host back off, but never parks it. One good reply resets all failures.
"""

from typing import NamedTuple

from .records import Failure, Outcome

MAX_COUNTED = 200
"""Consecutive failures, parkings and attempts are each stored in one byte."""


class Clock(NamedTuple):
    """What politeness remembers about one host."""

    ready_at: float = 0.0
    """No request before this time."""
    crawl_delay_seconds: float = 0.0
    duration_seconds: float = 0.0
    """Of the last fetch."""
    failures: int = 0
    """In a row."""
    parkings: int = 0
    """In a row."""
    parked: bool = False
    """Whether it rests until ready_at because of failures."""
    given_up: bool = False
    failure: Failure = Failure.NONE
    """Of the last fetch."""


class Politeness(NamedTuple):
    """The delays, in seconds."""

    host_delay_seconds: float
    delay_factor: float
    """Multiple of the last fetch's duration; 0 is off."""
    address_delay_seconds: float
    crawl_delay_max_seconds: float
    retry_times: int
    """Retries of one URL."""
    back_off_seconds: float
    """Delay after the first failure; each further failure doubles it."""
    park_seconds: float
    """How long a host that keeps failing is parked."""
    factor_delay_max_seconds: float = 30.0
    retry_after_max_seconds: float = 86_400.0
    back_off_max_seconds: float = 300.0
    park_after_failures: int = 6
    """Consecutive failures of a host before it is parked."""
    park_times: int = 2
    """Consecutive parkings allowed; after the next one the host is given up."""

    @property
    def longest_seconds(self) -> float:
        """The maximum time that any host waits."""
        return max(
            self.host_delay_seconds,
            self.factor_delay_max_seconds,
            self.crawl_delay_max_seconds,
            self.retry_after_max_seconds,
            self.back_off_max_seconds,
            self.park_seconds,
        )

    def delay(self, duration_seconds: float, crawl_delay_seconds: float | None) -> float:
        """Seconds between the end of a fetch of this duration and the host's next one, without failures."""
        return max(
            self.host_delay_seconds,
            min(crawl_delay_seconds or 0.0, self.crawl_delay_max_seconds),
            min(self.delay_factor * duration_seconds, self.factor_delay_max_seconds),
        )

    def after(self, clock: Clock, outcome: Outcome, now: float) -> Clock:
        """The host's clock after a fetch that ended at `now`."""
        crawl_delay = outcome.crawl_delay_seconds
        if crawl_delay is None:
            crawl_delay = clock.crawl_delay_seconds
        if not outcome.fetched:
            return clock._replace(crawl_delay_seconds=crawl_delay)
        wait = self.delay(outcome.duration_seconds, crawl_delay)
        if outcome.retry_after_seconds is not None:
            wait = max(wait, min(outcome.retry_after_seconds, self.retry_after_max_seconds))
        fetched = Clock(now + wait, crawl_delay, outcome.duration_seconds)
        return (
            fetched
            if outcome.failure is Failure.NONE
            else self._after_failure(clock, fetched, outcome.failure, now)
        )

    def may_retry(self, attempts: int, given_up: bool) -> bool:
        """Whether a URL that failed `attempts` times before, and now again, may be retried."""
        return attempts < min(self.retry_times, MAX_COUNTED) and not given_up

    def _after_failure(self, before: Clock, fetched: Clock, failure: Failure, now: float) -> Clock:
        most = self.park_after_failures - 1 if failure is Failure.SERVER else MAX_COUNTED
        failures = min(before.failures + 1, most)
        if failures < self.park_after_failures:
            back_off = min(self.back_off_seconds * 2 ** (failures - 1), self.back_off_max_seconds)
            return fetched._replace(
                ready_at=max(fetched.ready_at, now + back_off),
                failures=failures,
                parkings=before.parkings,
                failure=failure,
            )
        if before.parkings < self.park_times:
            # One failure after a parking parks the host again: it has had its full series of attempts.
            return fetched._replace(
                ready_at=max(fetched.ready_at, now + self.park_seconds),
                failures=self.park_after_failures - 1,
                parkings=before.parkings + 1,
                parked=True,
                failure=failure,
            )
        return fetched._replace(failures=failures, parkings=before.parkings, given_up=True, failure=failure)

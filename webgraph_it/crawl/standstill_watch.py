"""Decides when to say that nothing is fetched: after a minute without a response, without repetition. Pure."""

from webgraph_it.crawl.standstill import Facts, sentence

STANDSTILL_SECONDS, STANDSTILL_AGAIN_SECONDS = 60.0, 600.0
"""How long without a response before the log says why, and how long before it repeats the same reasons."""

Answers = tuple[int, int]
"""Responses and recorded pages so far."""


class StandstillWatch:
    """Remembers when the last response came, and what was last said. Times are by a monotonic clock."""

    def __init__(self, now: float) -> None:
        self._last_answers: Answers = (0, 0)
        self._quiet_since = now
        self._said, self._said_at = "", 0.0

    @property
    def interval_seconds(self) -> float:
        """How often to check."""
        return STANDSTILL_SECONDS / 6

    def idle_seconds(self, now: float) -> float:
        return now - self._quiet_since

    def is_due(self, answers: Answers, now: float) -> bool:
        """Whether to gather the facts, which takes a while."""
        if answers != self._last_answers:
            self._last_answers, self._quiet_since, self._said = answers, now, ""
            return False
        return self.idle_seconds(now) >= STANDSTILL_SECONDS and now - self._said_at >= STANDSTILL_SECONDS

    def words(self, facts: Facts, now: float) -> str:
        """Why nothing is fetched; an empty string if that was said recently and has not changed, or if there is nothing
        to fetch: a continuous crawl then waits for its next plan."""
        if not (facts.queued or facts.under_way or facts.waiting_for_extraction or facts.pauses):
            return ""
        reasons = sentence(facts._replace(idle_seconds=0.0))
        if reasons == self._said and now - self._said_at < STANDSTILL_AGAIN_SECONDS:
            return ""
        self._said, self._said_at = reasons, now
        return sentence(facts)

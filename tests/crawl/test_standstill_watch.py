"""A standstill is told after a minute, and again when its reasons change or ten minutes have passed."""

from webgraph_it.crawl.standstill import Facts
from webgraph_it.crawl.standstill_watch import StandstillWatch

BEGAN = 5_000.0
FACTS = Facts(now=1e9, idle_seconds=0.0, queued=9, pauses=("disk",))


def told(watch: StandstillWatch, answers: tuple[int, int], now: float, facts: Facts = FACTS) -> str:
    if not watch.is_due(answers, now):
        return ""
    return watch.words(facts._replace(idle_seconds=watch.idle_seconds(now)), now)


def moments(watch: StandstillWatch, seconds: range, facts: Facts = FACTS) -> list[int]:
    """When something was said, in seconds since the beginning, if no response comes."""
    return [second for second in seconds if told(watch, (0, 0), BEGAN + second, facts)]


def test_a_minute_without_a_response_is_told_and_the_same_again_after_ten() -> None:
    assert moments(StandstillWatch(BEGAN), range(0, 1500, 10)) == [60, 660, 1260]


def test_other_reasons_are_told_after_a_minute() -> None:
    watch = StandstillWatch(BEGAN)
    assert moments(watch, range(0, 100, 10)) == [60]
    assert moments(watch, range(100, 300, 10), FACTS._replace(pauses=("operator",))) == [120]


def test_a_longer_time_alone_is_no_other_reason() -> None:
    watch = StandstillWatch(BEGAN)
    assert told(watch, (0, 0), BEGAN + 60) == "Nothing was fetched for 60 s: paused: disk; 9 URLs queued."
    assert told(watch, (0, 0), BEGAN + 600) == ""


def test_a_response_or_a_page_begins_the_minute_again() -> None:
    watch = StandstillWatch(BEGAN)
    assert not watch.is_due((1, 0), BEGAN + 59)
    assert not watch.is_due((1, 1), BEGAN + 70)
    assert not watch.is_due((1, 1), BEGAN + 129)
    assert watch.is_due((1, 1), BEGAN + 130)
    assert watch.idle_seconds(BEGAN + 130) == 60


def test_a_continuous_crawl_that_has_nothing_to_fetch_says_nothing() -> None:
    watch = StandstillWatch(0.0)
    idle = Facts(now=1e9, idle_seconds=99.0, queued=0)
    assert watch.words(idle, 99.0) == ""
    assert watch.words(idle._replace(under_way=1), 99.0) != ""
    assert watch.words(idle._replace(queued=1), 99.0) != ""

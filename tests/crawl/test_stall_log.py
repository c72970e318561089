"""Every stall counts; the log has one a minute."""

import pytest

from webgraph_it.crawl.stall_log import StallLog


def test_every_stall_is_in_the_stats_and_one_a_minute_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    stats: dict[str, float] = {}
    log = StallLog(stats.__setitem__)
    for seconds, now in ((0.2, 0.0), (0.1, 59.0), (0.3, 60.0)):
        log.watchdog.stalls += 1
        log.watchdog.stall_seconds += seconds
        log.stalled(seconds, now)
    assert stats["loop/stalls"] == 3
    assert round(stats["loop/stall_seconds"], 6) == 0.6
    assert caplog.messages == [
        "The event loop was held for 200 ms; expected at most 50. Stalls so far: 1, 0.20 s in all.",
        "The event loop was held for 300 ms; expected at most 50. Stalls so far: 3, 0.60 s in all.",
    ]

"""The clock of shares and leases."""

import time

from webgraph_it.steady import steady_seconds


def test_it_runs_as_fast_as_time_does_and_never_backwards() -> None:
    began, steady = time.monotonic(), steady_seconds()
    time.sleep(0.02)
    assert abs((steady_seconds() - steady) - (time.monotonic() - began)) < 0.01


def test_it_counts_the_time_that_the_machine_slept() -> None:
    if hasattr(time, "CLOCK_BOOTTIME"):
        assert abs(steady_seconds() - time.clock_gettime(time.CLOCK_BOOTTIME)) < 1.0

"""A turn of the loop that computes too long is a stall; one that waits, or many short ones, are none."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
import uvloop

from webgraph_it.crawl.watchdog import INTERVAL_SECONDS, MAX_TURN_SECONDS, Watchdog

SOME_TURNS = 5 * INTERVAL_SECONDS


def compute(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


async def watched(*turns: float, action: Callable[[float], None] = compute) -> tuple[Watchdog, list[float]]:
    told: list[float] = []
    watchdog = Watchdog(told.append)
    watchdog.start()
    for seconds in turns:
        await asyncio.sleep(SOME_TURNS)
        action(seconds)
    await asyncio.sleep(SOME_TURNS)
    watchdog.stop()
    return watchdog, told


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_a_long_computation_is_a_stall_of_its_length(run: Callable[..., Any]) -> None:
    watchdog, told = run(watched(0.2, 0.3))
    assert watchdog.stalls == len(told) == 2
    assert 0.5 - 2 * INTERVAL_SECONDS <= watchdog.stall_seconds < 0.6
    assert 0.3 - INTERVAL_SECONDS <= watchdog.longest_seconds == max(told) < 0.35


def test_a_machine_that_is_busy_with_something_else_is_no_stall() -> None:
    watchdog, told = asyncio.run(watched(0.3, action=time.sleep))
    assert (watchdog.stalls, watchdog.stall_seconds, told) == (0, 0.0, [])


def test_many_short_turns_are_no_stall() -> None:
    async def busy() -> Watchdog:
        watchdog = Watchdog()
        watchdog.start()
        for _ in range(100):
            compute(MAX_TURN_SECONDS / 10)
            await asyncio.sleep(0)
        watchdog.stop()
        return watchdog

    assert asyncio.run(busy()).stalls == 0


def test_a_stopped_watchdog_sees_nothing() -> None:
    async def stopped() -> Watchdog:
        watchdog = Watchdog()
        watchdog.start()
        watchdog.stop()
        compute(0.1)
        await asyncio.sleep(SOME_TURNS)
        return watchdog

    assert asyncio.run(stopped()).stalls == 0

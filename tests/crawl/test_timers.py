"""Timers repeat, end when they are told to, and do not fail in silence."""

import asyncio
from collections.abc import Callable

from webgraph_it.crawl.timers import Timers

OFTEN = 0.001


async def until(is_so: Callable[[], bool], most: int = 10_000) -> None:
    for _ in range(most):
        if is_so():
            return
        await asyncio.sleep(OFTEN)
    raise AssertionError("it never was")


class Count:
    """An action."""

    times = 0

    async def __call__(self) -> None:
        self.times += 1


def test_an_action_is_repeated_until_it_is_cancelled_and_one_may_stay() -> None:
    async def run() -> int:
        timers = Timers(lambda error: None)
        ends, stays = Count(), Count()
        timers.every(OFTEN, ends)
        staying = timers.every(OFTEN, stays)
        await until(lambda: min(ends.times, stays.times) > 1)
        timers.cancel(but=staying)
        ended, stayed = ends.times, stays.times
        await until(lambda: stays.times > stayed + 2)
        staying.cancel()
        return ends.times - ended

    assert asyncio.run(run()) == 0


def test_an_action_begins_after_its_time_unless_it_is_to_begin_at_once() -> None:
    async def run() -> tuple[int, int]:
        timers = Timers(lambda error: None)
        later, at_once = Count(), Count()
        tasks = timers.every(3600, later), timers.every(3600, at_once, at_once=True)
        await until(lambda: at_once.times > 0)
        for task in tasks:
            task.cancel()
        return later.times, at_once.times

    assert asyncio.run(run()) == (0, 1)


def test_an_action_that_raises_is_told_once_and_ends() -> None:
    async def run() -> list[Exception]:
        told: list[Exception] = []
        timers = Timers(told.append)

        async def fail() -> None:
            raise ZeroDivisionError("the watch stopped")

        task = timers.every(OFTEN, fail)
        await until(task.done)
        return told

    assert [str(error) for error in asyncio.run(run())] == ["the watch stopped"]

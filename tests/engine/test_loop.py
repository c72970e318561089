"""One alarm at a time, and news from a thread arrives in the event loop."""

import asyncio
import threading

from webgraph_it.engine.loop import Alarm, in_this_loop


def test_only_the_alarm_that_was_set_last_rings() -> None:
    async def main() -> int:
        rung: list[None] = []
        alarm = Alarm(lambda: rung.append(None))
        alarm.set(0.001)
        alarm.set(0.01)
        await asyncio.sleep(0.05)
        alarm.set(0.001)
        alarm.set(None)
        await asyncio.sleep(0.05)
        return len(rung)

    assert asyncio.run(main()) == 1


def test_news_of_a_thread_is_told_in_the_loop() -> None:
    async def main() -> list[int]:
        told: list[int] = []
        tell = in_this_loop(lambda error: told.append(threading.get_ident()))
        tell(ValueError())
        await asyncio.to_thread(tell, ValueError())
        await asyncio.sleep(0.01)
        return told

    assert asyncio.run(main()) == [threading.get_ident()] * 2


def test_without_a_loop_it_is_told_at_once() -> None:
    told: list[BaseException] = []
    in_this_loop(told.append)(ValueError())
    assert len(told) == 1

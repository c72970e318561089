"""SIGUSR1 is a request; a hangup is one SIGTERM, and nothing under nohup."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from webgraph_it.crawl.unix_signals import UnixSignals

MAX_TURNS = 1_000


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """As they were."""
    numbers = (signal.SIGUSR1, signal.SIGHUP, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


async def heard(*numbers: int, expected: int) -> list[str]:
    """What these signals come to; it waits for so many words, and a little longer."""
    words: list[str] = []
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, words.append, "stop")
    signals = UnixSignals(lambda: words.append("checkpoint"))
    signals.listen()
    for number in numbers:
        os.kill(os.getpid(), number)
    for _ in range(MAX_TURNS):
        if len(words) >= expected:
            break
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.05)
    signals.stop()
    return words


def test_each_request_is_heard() -> None:
    assert asyncio.run(heard(signal.SIGUSR1, expected=1)) == ["checkpoint"]


def test_a_hangup_that_comes_twice_is_one_stop() -> None:
    async def twice() -> list[str]:
        return await heard(signal.SIGHUP, signal.SIGHUP, expected=1)

    assert asyncio.run(twice()) == ["stop"]


def test_a_hangup_that_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    words = asyncio.run(heard(signal.SIGHUP, signal.SIGUSR1, expected=1))
    assert words == ["checkpoint"]
